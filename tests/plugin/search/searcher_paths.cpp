// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/search/searcher_paths.h"

#include <cmath>

#include "braid/plugin/database/xapian_version.h"

namespace braid::test {

using Xapian::Query;

namespace {

Query random_text(Random& random, const TopicCorpus& corpus) {
    if (random.below(15) == 0) return {};
    std::vector<Query> terms;
    for (const std::string& word : corpus.corpus().random_words(random, 6)) {
        terms.emplace_back(word, 1 + random.below(2));
    }
    return {random.below(4) == 0 ? Query::OP_AND : Query::OP_OR, terms.begin(), terms.end()};
}

Query filtered(Random& random, const Query& text) {
    switch (random.below(6)) {
        case 0:
            return {Query::OP_FILTER, text, Query("XODD")};
        case 1:
            return {Query::OP_AND_NOT, text, Query("w3")};
        case 2:
            return {Query::OP_FILTER, text, Query(Query::OP_VALUE_LE, 1, "4")};
        case 3:
            return {Query::OP_AND_NOT, Query(Query::OP_FILTER, text, Query("w0")), Query("w4")};
        default:
            return text;
    }
}

// `whole` says that `expected` may have counted every match.
void check_same_order(const SearchResult& found, const SearchResult& expected, bool sorted,
                      bool whole = false) {
    REQUIRE(found.hits.size() == expected.hits.size());
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
        const SearchHit& hit = found.hits[i];
        const SearchHit& wanted = expected.hits[i];
        if (!sorted) {
            REQUIRE(hit.score == Approx(wanted.score).epsilon(1e-9));
        }
        if (hit.docid == wanted.docid) {
            REQUIRE(hit.score == Approx(wanted.score).epsilon(1e-9));
            REQUIRE(hit.terms == wanted.terms);
            REQUIRE(
                (whole ? hit.collapsed <= wanted.collapsed : hit.collapsed == wanted.collapsed));
            continue;
        }
        // Equals up to rounding may have changed places, among themselves or with those beyond
        // the page.
        REQUIRE(hit.score == Approx(wanted.score).epsilon(1e-9));
    }
}

}  // namespace

FusionModel random_topic_model(Random& random) {
    FusionModel model = random_model(random, 4);
    for (const std::string name : {"lsa", "lda"}) {
        if (random.below(3) == 0) continue;
        const double weight =
            random.below(5) == 0 ? 0 : std::exp(6 * random.uniform() - 3) * random.uniform();
        const auto at = static_cast<std::ptrdiff_t>(random.below(model.rankers.size() + 1));
        model.rankers.insert(model.rankers.begin() + at, {.ranker = name, .weight = weight});
    }
    if (random.below(6) == 0 && model.rankers.back().ranker == "lda" &&
        model.rankers.back().weight > 0) {
        // Topics alone.
        for (std::size_t i = 0; i + 1 < model.rankers.size(); ++i) model.rankers[i].weight = 0;
    }
    return model;
}

SearchRequest random_request(Random& random, const TopicCorpus& corpus) {
    SearchRequest request;
    request.query = filtered(random, random_text(random, corpus));
    if (random.below(3) == 0) request.filter = Query("XEVEN");
    if (random.below(4) == 0) request.sort = SortBy{1, random.below(2) == 0};
    if (random.below(4) == 0) {
        request.collapse = Collapse{1, static_cast<Xapian::doccount>(1 + random.below(3))};
    }
    if (random.below(4) == 0) request.min_score = 4 * random.uniform();
    if (random.below(3) == 0) {
        request.check_at_least = static_cast<Xapian::doccount>(random.below(200));
    }
    request.first = static_cast<Xapian::doccount>(random.below(3) == 0 ? random.below(20) : 0);
    const std::vector<Xapian::doccount> counts = {0, 1, 2, 5, 10, 50, 300};
    request.count = counts[random.below(counts.size())];
    return request;
}

void check_same_results(Searcher searcher, const FusionModel& model, const SearchRequest& request,
                        const SearchResult& expected) {
    searcher.rank_by(model);
    check_same_order(searcher.search(request), expected, request.sort.has_value());
}

void check_paths_agree(const Xapian::Database& database, const FusionModel& model,
                       const SearchRequest& request) {
    Searcher searcher(database);
    searcher.rank_by(model);
    SearchRequest plain = request;
    plain.path = SearchRequest::Path::kPlain;
    const SearchResult expected = searcher.search(plain);
    REQUIRE_FALSE(expected.run.pruned);
    const SearchResult found = searcher.search(request);
    const bool is_empty = found.run.why_not_pruned.find("it is empty") != std::string::npos;
    REQUIRE(found.run.pruned != (is_empty || (kIsXapian2 && request.collapse)));
    check_same_order(found, expected, request.sort.has_value(), true);
    check_ranking(database, model, request, found);
}

}  // namespace braid::test
