// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/model.h"

namespace braid::test {

using Scores = std::map<Xapian::docid, double>;

/// From the highest score down.
std::vector<double> descending(const Scores& scores);

/// The score of every document that has one of the words: each ranker's formula as
/// tests/core/lexical/naive_rankers.h has it, over statistics asked of the database one by one.
Scores naive_scores(const Xapian::Database& database, const FusionModel& model,
                    const std::vector<std::string>& words);

/// One to `most` different rankers with random parameters and weights; only such
/// as FusedWeight can serve.
FusionModel random_model(Random& random, std::size_t most);

struct Hit {
    Xapian::docid docid = 0;
    double score = 0;
};

/// What Enquire answers, `check_at_least` as given to it.
std::vector<Hit> matches(const Xapian::Database& database, const Xapian::Weight& weight,
                         const Xapian::Query& query, Xapian::doccount first, Xapian::doccount count,
                         Xapian::doccount check_at_least = 0);

/// All of them.
Scores all_matches(const Xapian::Database& database, const Xapian::Weight& weight,
                   const Xapian::Query& query);

/// Fails the test where the documents differ, or a score by more than `relative`.
void check_equal(const Scores& found, const Scores& expected, double relative);

/// Fails the test unless the two rankings have the same scores at each rank and the same documents,
/// where documents whose scores differ by less than `relative` may change places.
void check_same_ranking(const std::vector<Hit>& found, const std::vector<Hit>& expected,
                        double relative);

/// How many documents of `all`, the whole ranking, score more than the last of a first page and are
/// not on it: results that Xapian lost (query/whole_match.h). Fails the test where a document of
/// the page has another score than in `all`.
std::size_t lost_results(const std::vector<Hit>& page, const std::vector<Hit>& all,
                         double relative);

}  // namespace braid::test
