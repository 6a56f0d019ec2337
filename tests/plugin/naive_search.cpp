// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/naive_search.h"

#include <cmath>

#include "braid/core/lexical/ranker.h"
#include "braid/tests/core/lexical/naive_rankers.h"
#include "braid/tests/core/lexical/random_statistics.h"
#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

double count(std::uint64_t value) { return static_cast<double>(value); }

Xapian::termcount occurrences_in(const Xapian::Database& database, Xapian::docid docid,
                                 const std::string& term) {
    Xapian::TermIterator found = database.termlist_begin(docid);
    found.skip_to(term);
    if (found == database.termlist_end(docid) || *found != term) return 0;
    return found.get_wdf();
}

double naive_score(const Xapian::Database& database, const RankerSpec& spec,
                   const std::map<std::string, double>& query, Xapian::docid docid) {
    const ParameterMap parameters = all_parameters(spec.ranker, spec.parameters);
    const CollectionStatistics collection{
        count(database.get_doccount()),
        database.get_average_length() * count(database.get_doccount())};
    DocumentStatistics document;
    document.length = count(database.get_doclength(docid));
    double score = 0;
    double query_length = 0;
    for (const auto& [term, wqf] : query) {
        query_length += wqf;
        document.occurrences = count(occurrences_in(database, docid, term));
        const TermStatistics statistics{collection, count(database.get_termfreq(term)),
                                        count(database.get_collection_freq(term)), wqf};
        score += naive_term_score(spec.ranker, parameters, statistics, document);
    }
    return score +
           naive_document_score(spec.ranker, parameters, {collection, query_length}, document);
}

}  // namespace

std::vector<double> descending(const Scores& scores) {
    std::vector<double> result;
    for (const auto& [docid, score] : scores) result.push_back(score);
    std::sort(result.begin(), result.end(), std::greater<>());
    return result;
}

Scores naive_scores(const Xapian::Database& database, const FusionModel& model,
                    const std::vector<std::string>& words) {
    std::map<std::string, double> query;
    for (const std::string& word : words) query[word] += 1;
    Scores scores;
    for (auto posting = database.postlist_begin(""); posting != database.postlist_end("");
         ++posting) {
        bool any = false;
        for (const auto& [term, wqf] : query) {
            any = any || occurrences_in(database, *posting, term) > 0;
        }
        if (!any) continue;
        double& score = scores[*posting];
        for (const RankerSpec& spec : model.rankers) {
            score += spec.weight * naive_score(database, spec, query, *posting);
        }
    }
    return scores;
}

FusionModel random_model(Random& random, std::size_t most) {
    std::vector<const LexicalRankerInfo*> candidates;
    for (const LexicalRankerInfo& info : lexical_rankers()) {
        if (info.traits.needs_record() || !info.traits.is_sum) continue;
        if (info.traits.blends_fields) continue;
        candidates.push_back(&info);
    }
    random.shuffle(candidates);
    candidates.resize(1 + random.below(most));
    FusionModel model;
    model.rankers.clear();
    for (const LexicalRankerInfo* info : candidates) {
        RankerSpec spec{.ranker = info->name, .parameters = random_parameters(random, *info)};
        // Far above any document here, so that the document part varies.
        if (spec.parameters.contains("longest")) spec.parameters["longest"] = 1e7;
        spec.weight = 0.01 + random.uniform();
        model.rankers.push_back(spec);
    }
    return model;
}

std::vector<Hit> matches(const Xapian::Database& database, const Xapian::Weight& weight,
                         const Xapian::Query& query, Xapian::doccount first, Xapian::doccount count,
                         Xapian::doccount check_at_least) {
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(weight);
    enquire.set_query(query);
    std::vector<Hit> hits;
    const Xapian::MSet mset = enquire.get_mset(first, count, check_at_least);
    for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
        hits.push_back({*hit, hit.get_weight()});
    }
    return hits;
}

Scores all_matches(const Xapian::Database& database, const Xapian::Weight& weight,
                   const Xapian::Query& query) {
    Scores scores;
    for (const Hit& hit : matches(database, weight, query, 0, database.get_doccount())) {
        scores[hit.docid] = hit.score;
    }
    return scores;
}

void check_equal(const Scores& found, const Scores& expected, double relative) {
    REQUIRE(found.size() == expected.size());
    for (const auto& [docid, score] : expected) {
        REQUIRE(found.contains(docid));
        // A clamp at 0 may fall either way where a score is a difference that rounds to it.
        const double difference = std::abs(found.at(docid) - score);
        if (difference > relative * std::abs(score) + 1e-12) {
            FAIL("document " << docid << ": " << found.at(docid) << ", expected " << score);
        }
    }
}

void check_same_ranking(const std::vector<Hit>& found, const std::vector<Hit>& expected,
                        double relative) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double slack = relative * std::abs(expected[i].score);
        REQUIRE(std::abs(found[i].score - expected[i].score) <= slack);
        if (found[i].docid == expected[i].docid) continue;
        // Only a document of the same score may stand here instead.
        bool tie = false;
        for (const Hit& other : expected) {
            tie = tie || (other.docid == found[i].docid &&
                          std::abs(other.score - expected[i].score) <= slack);
        }
        // The page may end within a tie.
        const bool at_the_end = std::abs(expected[i].score - expected.back().score) <= slack;
        REQUIRE((tie || at_the_end));
    }
}

std::size_t lost_results(const std::vector<Hit>& page, const std::vector<Hit>& all,
                         double relative) {
    Scores on_page;
    for (const Hit& hit : page) on_page[hit.docid] = hit.score;
    std::size_t lost = 0;
    for (const Hit& hit : all) {
        const double slack = relative * std::abs(hit.score);
        const auto found = on_page.find(hit.docid);
        if (found == on_page.end()) {
            // Where the page ends within a tie, its last score alone doesn't tell.
            lost += !page.empty() && hit.score > page.back().score + slack ? 1 : 0;
        } else {
            REQUIRE(std::abs(found->second - hit.score) <= slack);
            on_page.erase(found);
        }
    }
    REQUIRE(on_page.empty());
    return lost;
}

}  // namespace braid::test
