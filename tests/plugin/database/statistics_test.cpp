// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/statistics.h"

#include "braid/plugin/database/xapian_version.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/random_corpus.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

struct Seen {
    std::vector<TermStatistics> terms;
    std::vector<QueryStatistics> queries;
    std::vector<BoundStatistics> bounds;
};

// Writes down what it is shown for each term, and scores nothing.
class RecordingWeight final : public StatisticsWeight {
  public:
    explicit RecordingWeight(Seen& seen) : seen_(seen) { need_statistics(); }

    RecordingWeight* clone() const override { return new RecordingWeight(seen_); }
    void init(double factor) override {
        if (factor == 0) {
            seen_.queries.push_back(query_statistics());
        } else {
            seen_.terms.push_back(term_statistics());
            seen_.bounds.push_back(bound_statistics());
        }
    }
    double get_sumpart(BRAID_SUMPART_PARAMETERS) const override {
        return static_cast<double>(occurrences + length) * 0 + 1;
    }
    double get_maxpart() const override { return 1; }
    double get_sumextra(BRAID_SUMEXTRA_PARAMETERS) const override {
        return static_cast<double>(length) * 0;
    }
    double get_maxextra() const override { return 0; }

  private:
    Seen& seen_;
};

}  // namespace

TEST_CASE("Statistics: a weight sees in a match what the database says", "[property]") {
    Random random(seed());
    for (const std::size_t shards : {1, 3}) {
        for (int i = 0; i < 30; ++i) {
            const RandomCorpus corpus(random, 5 + random.below(100), 20, 60);
            const Xapian::Database database = corpus.database(shards);
            const std::string word = "w" + std::to_string(random.below(6));
            if (database.get_termfreq(word) == 0) continue;
            const auto wqf = static_cast<Xapian::termcount>(1 + random.below(4));
            Seen seen;
            matches(database, RecordingWeight(seen), Xapian::Query(word, wqf), 0, 10);

            const CollectionStatistics collection = collection_statistics(database);
            CHECK(collection.documents == static_cast<double>(corpus.size()));
            REQUIRE(seen.terms.size() >= 1);
            for (const TermStatistics& term : seen.terms) {
                CHECK(term == term_statistics(database, collection, word, wqf));
            }
            for (const QueryStatistics& query : seen.queries) {
                CHECK(query == QueryStatistics{collection, static_cast<double>(wqf)});
            }
            for (const BoundStatistics& bounds : seen.bounds) {
                const BoundStatistics whole = bound_statistics(database, word);
                CHECK(bounds.occurrences_max <= whole.occurrences_max);
                CHECK(bounds.length_min >= whole.length_min);
                CHECK(bounds.length_max <= whole.length_max);
            }
        }
    }
}
