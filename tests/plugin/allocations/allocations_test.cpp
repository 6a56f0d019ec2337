// SPDX-License-Identifier: GPL-2.0-or-later
#include <functional>
#include <memory>

#include "braid/core/base/random.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/searcher.h"
#include "braid/tests/plugin/allocations/counted_new.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr unsigned kVectors = 1000;
constexpr unsigned kRecords = 1001;
constexpr std::size_t kDimensions = 16;
const char* const kModel = "0123456789abcdef";

// All documents have the word "every", most of them "most"; with vectors, and titles.
Xapian::Database make_database(const std::string& path, std::size_t documents) {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
    Random random(seed());
    DocumentRecords records{kRecords, WordForm::kWords, {{.name = "title", .prefix = "S"}}};
    std::vector<float> vector(kDimensions);
    for (std::size_t i = 0; i < documents; ++i) {
        Xapian::Document document;
        document.add_term("every", static_cast<Xapian::termcount>(1 + random.below(5)));
        if (random.below(4) > 0) document.add_term("most", 1);
        document.add_term("other", static_cast<Xapian::termcount>(1 + random.below(200)));
        document.add_term("Severy", 1);
        document.add_term("Sother", static_cast<Xapian::termcount>(1 + random.below(9)));
        for (float& value : vector) value = static_cast<float>(random.uniform()) / kDimensions;
        document.add_value(
            kVectors, encode_vector({VectorCoding::kSigned8, topic_model_tag(kModel), 1}, vector));
        document.add_value(kRecords,
                           encode_document_record(make_document_record(document, records)));
        document.set_data(
            R"({"title": "every", "years": [1968, [2026]], "by": {"name": "other"}})");
        database.add_document(document);
    }
    records.fields = count_fields(database, records);
    store_document_records(database, records);
    // All that a source looks for.
    database.set_metadata(topic_key(kModel, kTopicRecordEnding), "there");
    database.commit();
    return Xapian::Database(path);
}

FusionModel words_model() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "lm-dirichlet", .weight = 0.4},
                        {.ranker = "dph", .weight = 0.8}}};
}

FusionModel records_model() {
    FusionModel model = words_model();
    model.rankers.push_back({.ranker = "tfidf-cosine"});
    model.rankers.push_back({.ranker = "bm25", .field = "title"});
    model.rankers.push_back({.ranker = "lm-dirichlet", .field = "title"});
    return model;
}

const Xapian::Query& text() {
    static const Xapian::Query query(Xapian::Query::OP_OR, Xapian::Query("every"),
                                     Xapian::Query("most"));
    return query;
}

void run(const Xapian::Database& database, const Xapian::Weight& weight,
         const Xapian::Query& query) {
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(weight);
    enquire.set_query(query);
    // Every document's score is wanted.
    const Xapian::MSet mset = enquire.get_mset(0, 10, database.get_doccount());
    REQUIRE(mset.get_matches_lower_bound() == database.get_doccount());
}

void run_source(const Xapian::Database& database, const FusionModel& model, bool topics,
                const std::shared_ptr<VectorTables>& tables,
                const std::shared_ptr<PostingTables>& postings = nullptr) {
    std::vector<FusedTopic> columns;
    if (topics) {
        columns.push_back({{kModel, kVectors}, std::vector<float>(kDimensions, 0.25F), 5});
    }
    FusedSource source(
        model,
        read_bag_of_words(database, text(), field_collections(database, scored_fields(model))),
        columns);
    if (tables != nullptr) source.use_tables(tables);
    if (postings != nullptr) source.use_postings(postings);
    run(database, Xapian::CoordWeight(), Xapian::Query(source.clone()->release()));
    REQUIRE(source.counters().documents_scored == database.get_doccount());
    if (topics) REQUIRE(source.counters().vectors_decoded == database.get_doccount());
}

using Work = std::function<void(const Xapian::Database&, const std::shared_ptr<VectorTables>&)>;

// Allocations of a second search, when all that is made once is there.
std::uint64_t allocations_of(const Xapian::Database& database, const Work& work) {
    const auto tables = std::make_shared<VectorTables>();
    work(database, tables);
    const std::uint64_t before = allocations();
    work(database, tables);
    return allocations() - before;
}

// Xapian allocates for each block of postings and values that it reads: one in some thousand
// documents. One for each document, or one in ten, would show.
void check_growth(const std::string& what, const Work& work) {
    static const TemporaryFolder folder;
    static const Xapian::Database small = make_database((folder / "small").string(), 2000);
    static const Xapian::Database large = make_database((folder / "large").string(), 12000);
    const std::uint64_t few = allocations_of(small, work);
    const std::uint64_t many = allocations_of(large, work);
    INFO(what << ": " << few << " allocations for 2,000 documents, " << many << " for 12,000");
    CHECK(few > 0);
    CHECK(many < few + 10000 / 500);
}

}  // namespace

TEST_CASE("Allocations: they are counted") {
    const std::uint64_t before = allocations();
    auto number = std::make_unique<int>(7);
    CHECK(*number == 7);
    CHECK(allocations() > before);
}

TEST_CASE("Allocations: none a document in FusedWeight") {
    check_growth("FusedWeight", [](const Xapian::Database& database, const auto&) {
        run(database, FusedWeight(words_model()), text());
    });
}

TEST_CASE("Allocations: none a document in FusedSource") {
    check_growth("words", [](const Xapian::Database& database, const auto&) {
        run_source(database, words_model(), false, nullptr);
    });
    check_growth("words, lengths in memory",
                 [](const Xapian::Database& database, const auto& tables) {
                     run_source(database, words_model(), false, tables);
                 });
    check_growth("words and vectors in memory",
                 [](const Xapian::Database& database, const auto& tables) {
                     run_source(database, words_model(), true, tables);
                 });
    const auto postings = std::make_shared<PostingTables>();
    check_growth("words, vectors and postings in memory",
                 [&](const Xapian::Database& database, const auto& tables) {
                     run_source(database, words_model(), true, tables, postings);
                 });
    check_growth("records and fields in memory",
                 [](const Xapian::Database& database, const auto& tables) {
                     run_source(database, records_model(), true, tables);
                 });
}

// The value itself, which Xapian copies to a string.
TEST_CASE("Allocations: at most one a document where vectors are read from the database") {
    const TemporaryFolder folder;
    const Xapian::Database database = make_database((folder / "db").string(), 2000);
    const auto tables = std::shared_ptr<VectorTables>();
    run_source(database, words_model(), true, tables);
    const std::uint64_t before = allocations();
    run_source(database, words_model(), true, tables);
    CHECK(allocations() - before < 2000 + 2000 / 10);
}

// Each allocation fails once: of the words, first passes, the match, rescoring, explanations.
TEST_CASE("Allocations: a search that gets no memory throws, and the next one is whole") {
    const TemporaryFolder folder;
    const Xapian::Database database = make_database(folder / "db", 60);
    FusionModel feedback = words_model();
    feedback.rankers.push_back({.ranker = "rm3"});
    FusionModel rescored = words_model();
    rescored.normaliser.normaliser = "min-max";
    for (const FusionModel& model : {feedback, rescored}) {
        Searcher searcher(database);
        searcher.rank_by(model);
        SearchRequest request{.query = text(), .explain = true};
        const auto scores = [&] {
            std::vector<std::pair<Xapian::docid, double>> found;
            for (const SearchHit& hit : searcher.search(request).hits) {
                found.emplace_back(hit.docid, hit.score);
            }
            return found;
        };
        const auto expected = scores();
        REQUIRE(!expected.empty());
        const std::uint64_t before = allocations();
        CHECK(scores() == expected);
        const std::uint64_t each = allocations() - before;
        std::uint64_t failed = 0;
        for (std::uint64_t i = 1; i <= each; ++i) {
            fail_allocation(i);
            try {
                searcher.search(request);
            } catch (const std::bad_alloc&) {
                ++failed;
            }
            fail_allocation(0);
            if (scores() != expected) FAIL("after allocation " << i << " of " << each);
        }
        // Sorting does without.
        CHECK(failed > each * 9 / 10);
    }
}
