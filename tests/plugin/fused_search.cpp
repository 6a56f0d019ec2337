// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/fused_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "braid/core/model/ensemble.h"
#include "braid/tests/core/lexical/naive_windows.h"

namespace braid::test {

using Xapian::Query;

Query FusedSearch::text() const {
    std::map<std::string, Xapian::termcount> counts;
    for (const std::string& word : words) ++counts[word];
    std::vector<Query> terms;
    for (const auto& [word, count] : counts) terms.emplace_back(word, count);
    return {op, terms.begin(), terms.end()};
}

FusedSource FusedSearch::source(const Xapian::Database& database) const {
    return {model, read_bag_of_words(database, text()), topics, {}, fused_proximities(database)};
}

std::vector<FusedProximity> FusedSearch::fused_proximities(const Xapian::Database& database) const {
    std::vector<FusedProximity> result;
    WordForms forms(database, {});
    for (const Proximity& proximity : proximities) {
        result.push_back(
            {read_proximity_query(database, text(), forms, proximity.settings), proximity.weight});
    }
    return result;
}

Query root(const FusedSource& source) { return Query(source.clone()->release()); }

Scores all_of(const Xapian::Database& database, const FusedSource& source) {
    return all_matches(database, Xapian::CoordWeight(), root(source));
}

std::vector<Hit> top_of(const Xapian::Database& database, const Query& query,
                        Xapian::doccount count, Xapian::doccount at_least, Xapian::doccount first) {
    return matches(database, Xapian::CoordWeight(), query, first, count, at_least);
}

Scores evaluated(const FusedSearch& search) {
    const Xapian::Database database = search.corpus.database();
    const BagOfWords bag = read_bag_of_words(database, search.text());
    const LexicalEnsemble ensemble(search.model);
    const auto document_scorer = ensemble.document_scorer({bag.collection, bag.length});
    std::deque<TopicSource> sources;
    for (const FusedTopic& topic : search.topics) {
        sources.emplace_back(topic.model, topic.query, topic.weight);
    }
    std::vector<std::unique_ptr<const LexicalScorer>> scorers;
    for (const BagTerm& term : bag.terms) {
        scorers.push_back(ensemble.term_scorer(bag.statistics(term)));
    }
    Scores scores;
    for (Xapian::docid docid = 1; docid <= search.corpus.corpus().size(); ++docid) {
        const auto length = static_cast<double>(database.get_doclength(docid));
        double score = 0;
        std::size_t found = 0;
        for (std::size_t i = 0; i < bag.terms.size(); ++i) {
            const std::string& term = bag.terms[i].term;
            Xapian::PostingIterator posting = database.postlist_begin(term);
            if (posting != database.postlist_end(term)) posting.skip_to(docid);
            if (posting == database.postlist_end(term) || *posting != docid) continue;
            ++found;
            score += scorers[i]->score({static_cast<double>(posting.get_wdf()), length, 0});
        }
        if (found == 0 || (bag.all && found < bag.terms.size())) continue;
        if (document_scorer != nullptr) score += document_scorer->score({0, length, 0});
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const TopicSlot& slot = search.topics[i].model;
            const std::string name = slot.slot == 1000 ? "lsa" : "lda";
            score +=
                search.topics[i].weight * sources[i].similarity(search.corpus.value(name, docid));
        }
        for (const FusedSearch::Proximity& proximity : search.proximities) {
            score += proximity.weight * naive_proximity(search, proximity, database, docid);
        }
        scores[docid] = score;
    }
    return scores;
}

double naive_proximity(const FusedSearch& search, const FusedSearch::Proximity& proximity,
                       const Xapian::Database& database, Xapian::docid docid) {
    const std::vector<std::string>& document = search.corpus.corpus().words(docid);
    const auto length = static_cast<double>(document.size());
    const ProximitySettings& settings = proximity.settings;
    const auto gain = [&](double f) {
        const WindowGain by_length(settings, database.get_avlength());
        return by_length(f, length);
    };
    const auto rarity = [&](const std::string& word) {
        return proximity_rarity(database.get_doccount(), database.get_termfreq(word));
    };
    const std::set<std::string> words(search.words.begin(), search.words.end());
    double sum = 0;
    for (auto at = words.begin(); at != words.end() && std::next(at) != words.end(); ++at) {
        std::vector<std::uint32_t> first, second;
        for (std::uint32_t i = 0; i < document.size(); ++i) {
            if (document[i] == *at) first.push_back(i + 1);
            if (document[i] == *std::next(at)) second.push_back(i + 1);
        }
        const auto [ordered, unordered] =
            naive_windows(first, second, static_cast<std::uint32_t>(settings.window));
        sum += (rarity(*at) + rarity(*std::next(at))) / 2 *
               (settings.ordered * gain(ordered) + (1 - settings.ordered) * gain(unordered));
    }
    return sum;
}

std::vector<FusedSearch::Proximity> random_proximities(Random& random) {
    std::vector<FusedSearch::Proximity> result(random.below(3));
    for (FusedSearch::Proximity& proximity : result) {
        proximity.weight = random.below(6) == 0 ? 0 : std::exp(6 * random.uniform() - 3);
        proximity.settings = {.window = 2.0 + static_cast<double>(random.below(9)),
                              .ordered = random.below(4) == 0 ? 0 : random.uniform(),
                              .k1 = random.below(5) == 0 ? 0 : 3 * random.uniform(),
                              .b = random.uniform()};
    }
    return result;
}

std::vector<FusedTopic> random_topics(Random& random, const TopicCorpus& corpus,
                                      const std::vector<std::string>& words) {
    std::vector<FusedTopic> topics;
    const std::size_t number = random.below(3);
    const double scale = std::exp(6 * random.uniform() - 3);
    for (const std::string name : {"lsa", "lda"}) {
        if (topics.size() == number) break;
        topics.push_back({{corpus.topics(name).id, name == "lsa" ? 1000U : 1001U},
                          corpus.fold(name, words),
                          random.below(6) == 0 ? 0.0 : scale * random.uniform()});
    }
    return topics;
}

void check_same(const std::vector<Hit>& found, const std::vector<Hit>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        REQUIRE(found[i].docid == expected[i].docid);
        REQUIRE(found[i].score == expected[i].score);
    }
}

std::vector<Hit> ranked(const Scores& scores, std::size_t first, std::size_t count) {
    std::vector<Hit> hits;
    for (const auto& [docid, score] : scores) hits.push_back({docid, score});
    std::stable_sort(hits.begin(), hits.end(),
                     [](const Hit& a, const Hit& b) { return a.score > b.score; });
    hits.erase(hits.begin(),
               hits.begin() + static_cast<std::ptrdiff_t>(std::min(first, hits.size())));
    hits.resize(std::min(count, hits.size()));
    return hits;
}

}  // namespace braid::test
