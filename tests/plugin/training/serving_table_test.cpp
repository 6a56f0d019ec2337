// SPDX-License-Identifier: GPL-2.0-or-later
// core/model/serving.h against what it speaks of: every ranker, by every function, in a database
// with records of its documents and in one without.
#include <algorithm>
#include <functional>
#include <optional>

#include "braid/core/model/ensemble.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/model/serving.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/error.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/plugin/training/candidate_pool.h"
#include "braid/progress.h"
#include "braid/tests/plugin/fielded_corpus.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"
#include "braid/weight.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr Xapian::valueno kValueSlot = 20;
constexpr Xapian::valueno kFirstTopicSlot = 2000;

// What every document's vector is.
std::vector<float> vector_of(std::size_t dimensions, Xapian::docid docid) {
    std::vector<float> vector(dimensions, 0.5F);
    vector[docid % dimensions] = 2;
    return scaled_to_one(vector);
}

void add_model(Xapian::WritableDatabase& database, const TopicRecord& record,
               const TopicModel& model) {
    const std::string id = topic_model_id(record, model);
    write_topic_model(database, id, record, {}, model);
    publish_topic_model(database, {record.name, id});
    for (Xapian::docid docid = 1; docid <= database.get_lastdocid(); ++docid) {
        Xapian::Document document = database.get_document(docid);
        document.add_value(record.slot, encode_vector({record.coding, topic_model_tag(id),
                                                       database.get_doclength(docid)},
                                                      vector_of(record.header.dimensions, docid)));
        database.replace_document(docid, document);
    }
}

// A database that every ranker can be served in, with models of every kind, but for records.
Xapian::Database database_of(const FieldedCorpus& corpus, bool records) {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    if (records) {
        corpus.write_shard(database, 0, 1);
    } else {
        const Xapian::Database bare = corpus.bare_database();
        for (Xapian::docid docid = 1; docid <= bare.get_lastdocid(); ++docid) {
            database.add_document(bare.get_document(docid));
        }
    }
    TermDocumentCountsBuilder builder;
    for (Xapian::docid docid = 1; docid <= database.get_lastdocid(); ++docid) {
        Xapian::Document document = database.get_document(docid);
        document.add_value(kValueSlot, Xapian::sortable_serialise(docid));
        document.add_posting("Sw0", 1, 0);
        builder.begin_document();
        std::vector<std::string> words;
        for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
            if ((*term)[0] == 'w') words.push_back(*term);
        }
        Xapian::termpos position = 0;
        for (const std::string& word : words) {
            builder.add(word);
            document.add_posting(word, ++position, 0);
        }
        database.replace_document(docid, document);
    }
    const TermDocumentCounts counts = restrict_vocabulary(builder.build(), {});
    const auto executor = make_executor(1);
    Xapian::valueno slot = kFirstTopicSlot;
    const auto add_learned = [&](const std::string& name, const TopicModel& model) {
        TopicRecord record;
        record.options.dimensions = 4;
        record.name = name;
        record.header = model.header;
        record.coding = VectorCoding::kUnsigned8;
        record.slot = slot++;
        record.form = WordForm::kWords;
        record.stemmer = "none";
        record.documents = database.get_doccount();
        record.words = database.get_avlength() * database.get_doccount();
        record.vocabulary = model.vocabulary.size();
        add_model(database, record, model);
    };
    for (const TopicModelInfo& info : topic_models()) {
        TopicOptions options;
        options.dimensions = 4;
        add_learned(info.name, fit_topic_model(info.name, counts, options, *executor));
    }
    FloatMatrix words(counts.vocabulary.size(), 4);
    for (std::size_t t = 0; t < words.rows; ++t) words.row(t)[t % 4] = 1;
    add_learned(kWordVectorsModel, fit_word_vectors(counts, words, {}));
    TopicRecord mine;
    mine.name = kVectorsModel;
    mine.header.model = kVectorsModel;
    mine.header.dimensions = 4;
    mine.coding = VectorCoding::kFloat32;
    mine.slot = slot;
    add_model(database, mine, {});
    TopicRecord near;
    near.name = kNeighboursModel;
    near.header = {.model = kNeighboursModel, .dimensions = 3};
    near.coding = VectorCoding::kFloat32;
    near.slot = slot + 1;
    near.form = WordForm::kWords;
    near.stemmer = "none";
    near.documents = database.get_doccount();
    near.words = database.get_avlength() * database.get_doccount();
    const std::string id = topic_model_id(near, {});
    write_topic_model(database, id, near, {}, {});
    publish_topic_model(database, {near.name, id});
    for (Xapian::docid docid = 1; docid <= database.get_lastdocid(); ++docid) {
        Xapian::Document document = database.get_document(docid);
        const VectorInfo info{near.coding, topic_model_tag(id),
                              document_words(document, near.form).length};
        document.add_value(near.slot, encode_numbers(info, std::vector<std::int32_t>{1, -1, 2}));
        database.replace_document(docid, document);
    }
    database.commit();
    return database;
}

std::vector<RankerSpec> all_rankers() {
    std::vector<RankerSpec> rankers;
    for (const ModelRanker& info : model_rankers()) {
        RankerSpec spec{.ranker = info.name, .name = "tried"};
        if (info.family == RankerFamily::kValue) spec.parameters = {{"slot", kValueSlot}};
        if (info.family == RankerFamily::kTitle) spec.field = "title";
        if (info.family == RankerFamily::kFilter) spec.field = "w0";
        const bool is_blend = spec.ranker == "bm25f";
        if (!is_blend) rankers.push_back(spec);
        if (info.family != RankerFamily::kLexical) continue;
        spec.field = "title";
        rankers.push_back(spec);
    }
    return rankers;
}

// One function of each form, and of attention one for each sign, for two rankers.
std::vector<RankingFunction> all_functions() {
    AttentionFunction attention{.base = {0.5, 0.5},
                                .dimensions = 1,
                                .rankers = {1, 0.5},
                                .features = {"words"},
                                .means = {0},
                                .deviations = {1},
                                .matrix = {1},
                                .offset = {0},
                                .known = {}};
    AttentionFunction from_zero = attention;
    from_zero.non_negative = true;
    AttentionFunction softmax = attention;
    softmax.softmax = true;
    return {LinearFunction{{0.25, 0.75}},
            LinearFunction{{0, 1}},
            LinearFunction{{0.5, -0.5}},
            attention,
            from_zero,
            softmax,
            StepFunction{2, {0, 1}, {0.1, 0.1}, {0.5, 0.5}},
            BordaFunction{{{0.5, 0.5}, {0, 1}}},
            SemiSupervisedFunction{
                .base = {0.5, 0.5}, .margins = {0.1, 0.2}, .alpha = {0.5}, .eta = {0, 0}},
            ForestFunction{.rankers = 2,
                           .nodes = {{.ranker = 1, .threshold = 0.2, .below = 1, .above = 2},
                                     {.value = 1},
                                     {.value = 2}},
                           .roots = {0},
                           .weights = {1}},
            MethodFunction{.rankers = 2}};
}

class Walk {
  public:
    Walk(Xapian::Database database, bool records)
        : database_(std::move(database)), given_{.records = records, .query = true} {}

    void check(const FusionModel& model) const {
        check_ensemble(model);
        check_weight(model);
        check_source(model);
        check_scorer(model);
        check_search(model);
    }

    // The pool of a ranker that no pass serves is BM25's.
    void check_pool(const RankerSpec& spec) const {
        const FusionModel alone{.rankers = {spec}};
        const auto pool = [&] {
            return CandidatePool(database_, alone, {.size = 7}, {}).find(query_, inputs_);
        };
        if (serving(alone, given_.records).way == Way::kFile) {
            CHECK(error_of(pool) == error_of([&] { require_database_model(alone); }));
            return;
        }
        const bool own = why_not_served(Server::kPostings, spec).empty();
        Searcher searcher(database_);
        searcher.rank_by(own ? alone : FusionModel{});
        SearchRequest request = request_of(query_, 7);
        request.inputs = inputs_;
        std::vector<Xapian::docid> expected;
        for (const SearchHit& hit : searcher.search(request).hits) expected.push_back(hit.docid);
        std::sort(expected.begin(), expected.end());
        CHECK(pool() == expected);
    }

  private:
    static void check_ensemble(const FusionModel& model) {
        CHECK(error_of([&] { const LexicalEnsemble ensemble(model); }) ==
              why_not_served(Server::kEnsemble, model));
    }

    static void check_weight(const FusionModel& model) {
        CHECK(error_of([&] { const FusedWeight weight(model); }) ==
              why_not_served(Server::kWeight, model));
    }

    void check_source(const FusionModel& model) const {
        const FusionModel lexical = lexical_part(model);
        const std::string why = why_not_served(Server::kSource, lexical, {.records = true});
        CHECK(FusedSource::why_not(query_, model) == why);
        const std::vector<std::string> fields = scored_fields(lexical);
        if (!fields.empty() && !given_.records) return;
        BagOfWords bag = read_bag_of_words(database_, query_, field_collections(database_, fields));
        for (const std::string& names : blended_fields(lexical)) {
            bag.blends.push_back(make_blend(names, default_fields()));
        }
        std::optional<FusedSource> source;
        CHECK(error_of([&] { source.emplace(model, bag); }) == why);
        if (!source) return;
        Given one{.records = given_.records};
        bool starts = true;
        try {
            source->init(database_);
        } catch (const Xapian::InvalidOperationError&) {
            starts = false;
        }
        CHECK(starts == why_not_served(Server::kSource, lexical, one).empty());
    }

    void check_scorer(const FusionModel& model) const {
        FusionModel weighed = model;
        for (RankerSpec& spec : weighed.rankers) spec.weight = 1;
        const auto score = [&] {
            PoolScorer(database_, model).score(query_, {{1, 2, 3}}, inputs_);
        };
        CHECK(error_of(score).empty() == why_not_served(Server::kPool, weighed, given_).empty());
    }

    void check_search(const FusionModel& model) const {
        const Serving how = serving(model, given_.records);
        INFO("way " << static_cast<int>(how.way) << ": " << how.reason);
        Searcher searcher(database_);
        const std::string refused = error_of([&] { searcher.rank_by(model); });
        CHECK(refused.empty() == (how.way != Way::kUnserved && how.way != Way::kFile));
        if (!refused.empty()) return;
        CHECK(how.reason.empty() == (how.way == Way::kWeight));
        SearchRequest request = request_of(query_);
        request.inputs = inputs_;
        const SearchResult bag = searcher.search(request);
        const Query synonym(Query::OP_SYNONYM, Query("w3"), Query("w4"));
        request.query = Query(Query::OP_AND_MAYBE, query_, synonym);  // No sum over words.
        const SearchResult other = searcher.search(request);
        REQUIRE(bag.hits.size() > 3);
        REQUIRE(other.hits.size() > 3);
        const bool twice = how.way == Way::kRescored || how.way == Way::kPool;
        CHECK((bag.run.rescored > 0) == twice);
        CHECK((other.run.rescored > 0) == (twice || how.way == Way::kSource));
        CHECK_FALSE(other.run.pruned);
        // What FusedSource lacks stands beside it.
        if (!twice) CHECK(bag.run.pruned);
    }

    Xapian::Database database_;
    Given given_;
    Query query_ = bag_of_words({"w0", "w1", "w2"});
    QueryInputs inputs_{.vectors = {{kVectorsModel, {1, 0, 0.5, 0}}}, .now = 1e9};
};

}  // namespace

TEST_CASE("Serving table: what it says of every ranker and function is what they do") {
    Random random(seed());
    const FieldedCorpus corpus(random, 40, 8);
    std::size_t walked = 0;
    for (const bool records : {false, true}) {
        const Walk walk(database_of(corpus, records), records);
        for (const RankerSpec& spec : all_rankers()) {
            INFO(spec.ranker << (spec.field.empty() ? "" : " of a field") << ", records "
                             << records);
            walk.check_pool(spec);
            walk.check({.rankers = {spec}});
            for (const RankingFunction& function : all_functions()) {
                FusionModel model{.rankers = {{.ranker = "bm25"}, spec}};
                set_model_function(model, function);
                INFO(model.function.form << " " << function.index());
                walk.check(model);
                ++walked;
                if (function.index() != 0 || model.function.form != "linear") continue;
                model.normaliser.normaliser = "min-max";
                walk.check(model);
                model.normaliser.normaliser = "none";
                model.rankers[0].weight = 1;
                model.rankers[1].weight = 0;
                walk.check(model);
            }
        }
    }
    CHECK(walked >= 2 * model_rankers().size() * function_forms().size());
}
