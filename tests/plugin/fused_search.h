// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/lexical/proximity.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/tests/plugin/topic_corpus.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// A query of words over a corpus, to be ranked by a model and topics.
struct FusedSearch {
    const TopicCorpus& corpus;
    FusionModel model;
    std::vector<std::string> words;
    Xapian::Query::op op = Xapian::Query::OP_OR;
    std::vector<FusedTopic> topics = {};
    struct Proximity {
        ProximitySettings settings;
        double weight = 1;
    };
    std::vector<Proximity> proximities = {};

    std::vector<FusedProximity> fused_proximities(const Xapian::Database& database) const;
    Xapian::Query text() const;
    FusedSource source(const Xapian::Database& database) const;
};

Xapian::Query root(const FusedSource& source);

/// Every document that the source matches.
Scores all_of(const Xapian::Database& database, const FusedSource& source);

std::vector<Hit> top_of(const Xapian::Database& database, const Xapian::Query& query,
                        Xapian::doccount count, Xapian::doccount at_least = 0,
                        Xapian::doccount first = 0);

/// By the same formulas in the same order over every document, without pruning; bit for bit.
Scores evaluated(const FusedSearch& search);

/// A page of the ranking by `scores`.
std::vector<Hit> ranked(const Scores& scores, std::size_t first, std::size_t count);

/// None to two topic models, light and heavy, some of weight 0.
std::vector<FusedTopic> random_topics(Random& random, const TopicCorpus& corpus,
                                      const std::vector<std::string>& words);

/// By docs/algorithms/proximity.md over the documents' words, with windows counted naively.
double naive_proximity(const FusedSearch& search, const FusedSearch::Proximity& proximity,
                       const Xapian::Database& database, Xapian::docid docid);

/// None to two proximity rankers, of random settings.
std::vector<FusedSearch::Proximity> random_proximities(Random& random);

/// Fails the test unless documents and the bits of their scores are the same.
void check_same(const std::vector<Hit>& found, const std::vector<Hit>& expected);

/// Calls `check(search, random)` for random models, queries and topics.
template <typename Check>
void for_random_searches(int corpora, int queries, const Check& check) {
    Random random(seed());
    for (int i = 0; i < corpora; ++i) {
        const TopicCorpus corpus(random, 20 + random.below(200), 5 + random.below(50),
                                 i % 2 == 0 ? VectorCoding::kSigned8 : VectorCoding::kFloat16);
        for (int j = 0; j < queries; ++j) {
            INFO("corpus " << i << ", query " << j);
            const std::vector<std::string> words = corpus.corpus().random_words(random, 6);
            const auto op = random.below(4) == 0 ? Xapian::Query::OP_AND : Xapian::Query::OP_OR;
            check(FusedSearch{corpus, random_model(random, 5), words, op,
                              random_topics(random, corpus, words), random_proximities(random)},
                  random);
        }
    }
}

}  // namespace braid::test
