// SPDX-License-Identifier: GPL-2.0-or-later
// FusedWeight inside everything else that Xapian's matcher does: operators, filters, sorting,
// collapsing, facets.
#include <algorithm>
#include <functional>
#include <tuple>

#include "braid/plugin/query/repaired_query.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

struct Shape {
    std::string name;
    std::function<Query(const std::vector<std::string>&)> make;
    // A wildcard's terms and a synonym's statistics are each shard's own in Xapian 1.4, whatever
    // the weight.
    bool own_statistics = false;
    // OP_ELITE_SET takes the terms of the largest bounds, so its documents depend on the weight.
    bool chooses_by_weight = false;
};

Query joined(Query::op op, const std::vector<std::string>& words, Xapian::termcount window = 0) {
    return Query(op, words.begin(), words.end(), window);
}

// The words are w<i> in random order, at least three and all different.
const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {"and", [](const auto& words) { return joined(Query::OP_AND, words); }},
        {"and not",
         [](const auto& words) {
             return Query(Query::OP_AND_NOT, joined(Query::OP_OR, {words[0], words[1]}),
                          Query(words[2]));
         }},
        {"and maybe",
         [](const auto& words) {
             return Query(Query::OP_AND_MAYBE, Query(words[0]),
                          joined(Query::OP_OR, {words[1], words[2]}));
         }},
        {"xor", [](const auto& words) { return joined(Query::OP_XOR, words); }},
        {"filter",
         [](const auto& words) {
             return Query(Query::OP_FILTER, joined(Query::OP_OR, words), Query("XEVEN"));
         }},
        {"range filter",
         [](const auto& words) {
             return Query(Query::OP_FILTER, joined(Query::OP_OR, words),
                          Query(Query::OP_VALUE_RANGE, 1, "2", "4"));
         }},
        {"phrase",
         [](const auto& words) {
             return joined(Query::OP_PHRASE, {words[0], words[1]}, 3);
         }},
        {"near",
         [](const auto& words) {
             return joined(Query::OP_NEAR, {words[0], words[1]}, 5);
         }},
        {"phrase or word",
         [](const auto& words) {
             return Query(Query::OP_OR, joined(Query::OP_PHRASE, {words[0], words[1]}, 2),
                          Query(words[2]));
         }},
        {"synonym",
         [](const auto& words) {
             return Query(Query::OP_OR, joined(Query::OP_SYNONYM, {words[0], words[1]}),
                          Query(words[2]));
         },
         true},
        {"max", [](const auto& words) { return joined(Query::OP_MAX, words); }},
        {"wildcard as synonym",
         [](const auto& words) {
             return Query(Query::OP_OR, Query(Query::OP_WILDCARD, "w1"), Query(words[0]));
         },
         true},
        {"wildcard as or",
         [](const auto&) {
             return Query(Query::OP_WILDCARD, "w1", 0, Query::WILDCARD_LIMIT_ERROR, Query::OP_OR);
         },
         true},
        {"elite set", [](const auto& words) { return joined(Query::OP_ELITE_SET, words, 2); }, true,
         true},
        {"scaled",
         [](const auto& words) {
             return Query(Query::OP_OR, Query(Query::OP_SCALE_WEIGHT, Query(words[0]), 3.5),
                          Query(words[1]));
         }},
        {"scaled to nothing",
         [](const auto& words) {
             return Query(Query::OP_AND_MAYBE, joined(Query::OP_OR, words),
                          Query(Query::OP_SCALE_WEIGHT, Query("XEVEN"), 0.0));
         }},
        {"all documents", [](const auto&) { return Query::MatchAll; }},
        {"boolean term", [](const auto&) { return Query("XEVEN"); }},
    };
    return all;
}

std::vector<std::string> different_words(const RandomCorpus& corpus, Random& random) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < corpus.vocabulary(); ++i) words.push_back("w" + std::to_string(i));
    random.shuffle(words);
    words.resize(std::max<std::size_t>(3, std::min<std::size_t>(words.size(), 5)));
    return words;
}

std::vector<Xapian::docid> documents_of(const Scores& scores) {
    std::vector<Xapian::docid> docids;
    for (const auto& [docid, score] : scores) docids.push_back(docid);
    return docids;
}

std::string collapse_value(Xapian::docid docid) { return std::to_string((docid - 1) % 7); }

// A corpus, a model and a query, and all that the query matches.
struct Case {
    explicit Case(Random& random)
        : corpus(random, 150, 8 + random.below(10), 60),
          database(corpus.database()),
          weight(random_model(random, 4)),
          query(bag_of_words(different_words(corpus, random))),
          all(matches(database, weight, query, 0, database.get_doccount())) {}

    Xapian::Enquire enquire() const {
        Xapian::Enquire result(database);
        result.set_weighting_scheme(weight);
        result.set_query(query);
        return result;
    }

    RandomCorpus corpus;
    Xapian::Database database;
    FusedWeight weight;
    Query query;
    std::vector<Hit> all;
};

}  // namespace

TEST_CASE("Query shapes: each matches what it matches with BM25, with fused scores", "[property]") {
    for (const Shape& shape : shapes()) {
        INFO(shape.name);
        Random random(seed());
        std::size_t found = 0;
        for (int i = 0; i < 12; ++i) {
            const RandomCorpus corpus(random, 60 + random.below(100), 6 + random.below(12), 80);
            const Xapian::Database database = corpus.database();
            const Query query = shape.make(different_words(corpus, random));
            const FusedWeight weight(random_model(random, 4));
            const Scores all = all_matches(database, weight, query);
            if (!shape.chooses_by_weight) {
                REQUIRE(documents_of(all) ==
                        documents_of(all_matches(database, Xapian::BM25Weight(), query)));
            }
            found += all.size();

            if (!shape.own_statistics) {
                check_equal(all_matches(corpus.database(3), weight, query), all, 1e-12);
            }
            for (const Xapian::doccount count : {1U, 7U}) {
                check_same_ranking(
                    matches(database, weight, query, 0, count),
                    matches(database, weight, query, 0, count, database.get_doccount()), 1e-12);
            }
        }
        CHECK(found > 0);
    }
}

TEST_CASE("Query shapes: operators over terms add up the terms that a document has", "[property]") {
    Random random(seed());
    for (int i = 0; i < 20; ++i) {
        const RandomCorpus corpus(random, 150, 10, 60);
        const Xapian::Database database = corpus.database();
        const FusedWeight weight(random_model(random, 4));
        const std::vector<std::string> words = different_words(corpus, random);
        const Scores naive = naive_scores(database, weight.model(), words);
        const auto length = static_cast<Xapian::termcount>(words.size());
        for (const char* name : {"and", "filter", "range filter", "scaled to nothing"}) {
            INFO(name);
            const auto shape = std::find_if(shapes().begin(), shapes().end(),
                                            [&](const Shape& s) { return s.name == name; });
            Xapian::Enquire enquire(database);
            enquire.set_weighting_scheme(weight);
            // Filters would count as words of the query.
            enquire.set_query(keep_document_lengths(shape->make(words)), length);
            const Xapian::MSet mset = enquire.get_mset(0, database.get_doccount());
            for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
                const double expected = naive.at(*hit);
                REQUIRE(std::abs(hit.get_weight() - expected) <= 1e-9 * expected + 1e-12);
            }
        }
    }
}

TEST_CASE("Query shapes: ranges rebuilt to keep lengths match and score the same", "[property]") {
    Random random(seed());
    const FusedWeight weight = [] {
        FusionModel model;
        model.rankers = {{.ranker = "bm25"}, {.ranker = "lm-dirichlet", .weight = 0.3}};
        return FusedWeight(model);
    }();
    for (int i = 0; i < 20; ++i) {
        const RandomCorpus corpus(random, 150, 10, 60);
        const Xapian::Database database = corpus.database(1 + random.below(3));
        const std::vector<std::string> words = different_words(corpus, random);
        const Query text = joined(Query::OP_OR, words);
        const Query range(Query::OP_VALUE_RANGE, 1, "2", "4");
        const Query from(Query::OP_VALUE_GE, 1, "3");
        const Query to(Query::OP_VALUE_LE, 1, "3");
        for (const Query& query :
             {Query(Query::OP_FILTER, text, range), Query(Query::OP_AND, from, text),
              Query(Query::OP_FILTER, text, Query(Query::OP_AND, to, Query("XEVEN"))),
              Query(Query::OP_FILTER, text, Query(Query::OP_OR, from, Query("XODD"))),
              Query(Query::OP_AND_NOT, text, range), Query(Query::OP_AND_MAYBE, text, range),
              Query(Query::OP_OR, Query(Query::OP_FILTER, Query(words[0]), to), text)}) {
            const Query rebuilt = keep_document_lengths(query);
            const Scores found = all_matches(database, weight, rebuilt);
            REQUIRE(documents_of(found) ==
                    documents_of(all_matches(database, Xapian::BM25Weight(), query)));
            check_equal(all_matches(database, Xapian::BM25Weight(), rebuilt),
                        all_matches(database, Xapian::BM25Weight(), query), 1e-12);
        }
        // With the lengths, the document part is what it is without the range.
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(weight);
        enquire.set_query(keep_document_lengths(Query(Query::OP_FILTER, text, range)),
                          text.get_length());
        const Scores plain = all_matches(database, weight, text);
        const Xapian::MSet mset = enquire.get_mset(0, 1000);
        for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
            REQUIRE(std::abs(hit.get_weight() - plain.at(*hit)) <= 1e-9);
        }
        CHECK(keep_document_lengths(text).get_description() == text.get_description());
    }
}

TEST_CASE("Query shapes: sorting by a value keeps the scores", "[property]") {
    Random random(seed());
    for (int i = 0; i < 20; ++i) {
        const Case c(random);
        std::vector<Hit> expected = c.all;
        std::stable_sort(expected.begin(), expected.end(), [](const Hit& a, const Hit& b) {
            return collapse_value(a.docid) > collapse_value(b.docid);
        });
        expected.resize(std::min<std::size_t>(expected.size(), 20));
        Xapian::Enquire enquire = c.enquire();
        enquire.set_sort_by_value_then_relevance(1, true);
        const Xapian::MSet mset = enquire.get_mset(0, 20);
        std::vector<Hit> found;
        for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
            found.push_back({*hit, hit.get_weight()});
        }
        check_same_ranking(found, expected, 1e-12);
    }
}

TEST_CASE("Query shapes: collapsing keeps the best of each value", "[property]") {
    Random random(seed());
    for (int i = 0; i < 20; ++i) {
        const Case c(random);
        std::map<std::string, Hit> best;
        for (const Hit& hit : c.all) best.emplace(collapse_value(hit.docid), hit);
        Xapian::Enquire enquire = c.enquire();
        enquire.set_collapse_key(1);
        const Xapian::MSet mset = enquire.get_mset(0, 20);
        REQUIRE(mset.size() == best.size());
        for (auto hit = mset.begin(); hit != mset.end(); ++hit) {
            const Hit& expected = best.at(hit.get_collapse_key());
            CHECK(std::abs(hit.get_weight() - expected.score) <= 1e-12 * expected.score);
        }
    }
}

TEST_CASE("Query shapes: facets count all matches", "[property]") {
    Random random(seed());
    for (int i = 0; i < 10; ++i) {
        const Case c(random);
        std::map<std::string, Xapian::doccount> expected;
        for (const Hit& hit : c.all) ++expected[collapse_value(hit.docid)];
        Xapian::ValueCountMatchSpy spy(1);
        Xapian::Enquire enquire = c.enquire();
        enquire.add_matchspy(&spy);
        enquire.get_mset(0, 3, c.database.get_doccount());
        std::map<std::string, Xapian::doccount> counts;
        for (auto value = spy.values_begin(); value != spy.values_end(); ++value) {
            counts[*value] = value.get_termfreq();
        }
        CHECK(counts == expected);
        CHECK(spy.get_total() == c.all.size());
    }
}

TEST_CASE("Query shapes: a cut-off applies to the whole score, before paging", "[property]") {
    Random random(seed());
    for (int i = 0; i < 20; ++i) {
        const Case c(random);
        if (c.all.size() < 10) continue;
        // Between two scores, away from both.
        const double cutoff = 0.5 * (c.all[6].score + c.all[7].score);
        const auto above = static_cast<std::size_t>(std::count_if(
            c.all.begin(), c.all.end(), [&](const Hit& hit) { return hit.score >= cutoff; }));
        Xapian::Enquire enquire = c.enquire();
        enquire.set_cutoff(0, cutoff);
        CHECK(enquire.get_mset(0, 1000).size() == above);
        CHECK(enquire.get_mset(3, 2).size() == std::min<std::size_t>(2, above - 3));
    }
}

TEST_CASE("Query shapes: empty queries, unknown words and empty databases find nothing") {
    Random random(seed());
    const RandomCorpus corpus(random, 30, 10, 20);
    const Xapian::Database database = corpus.database();
    const FusedWeight weight(random_model(random, 5));
    CHECK(all_matches(database, weight, Query()).empty());
    CHECK(all_matches(database, weight, Query("unheard")).empty());
    CHECK(all_matches(database, weight, joined(Query::OP_OR, {"unheard", "of"})).empty());
    const Scores with = all_matches(database, weight, joined(Query::OP_OR, {"w1", "w1"}));
    CHECK_FALSE(with.empty());
    const Xapian::WritableDatabase empty("", Xapian::DB_BACKEND_INMEMORY);
    CHECK(all_matches(empty, weight, Query("w1")).empty());
    CHECK(all_matches(empty, weight, Query::MatchAll).empty());
}
