// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include "braid/core/lexical/value_rankers.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/plugin/topic_search.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Path = SearchRequest::Path;

namespace {

constexpr Xapian::valueno kSlot = 20;
constexpr double kDay = 86400;
constexpr double kNow = 19000 * kDay;

/// A RandomCorpus with a number in kSlot of five documents in six, and a vector of all but every
/// seventh.
class ValueCorpus {
  public:
    explicit ValueCorpus(Random& random) : corpus_(random, 120, 25, 40) {
        record_.name = "mine";
        record_.header.model = kVectorsModel;
        record_.header.dimensions = 4;
        record_.coding = VectorCoding::kFloat32;
        record_.slot = 1000;
        model_.document_vectors = FloatMatrix(corpus_.size(), 4);
        for (std::size_t i = 0; i < corpus_.size(); ++i) {
            std::vector<float> vector;
            for (int k = 0; k < 4; ++k) vector.push_back(static_cast<float>(random.uniform() - .4));
            const std::vector<float> unit = scaled_to_one(vector);
            std::copy(unit.begin(), unit.end(), model_.document_vectors.row(i).begin());
            numbers_.push_back(i % 6 == 0 ? -1 : kNow - 900 * kDay * random.uniform());
        }
        id_ = topic_model_id(record_, model_);
    }

    const RandomCorpus& corpus() const { return corpus_; }

    Xapian::Database database(std::size_t shards = 1) const {
        const Xapian::Database texts = corpus_.database();
        Xapian::Database result;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            Xapian::WritableDatabase part("", Xapian::DB_BACKEND_INMEMORY);
            for (std::size_t i = shard; i < corpus_.size(); i += shards) {
                part.add_document(document(texts, i));
            }
            write_topic_model(part, id_, record_, {}, {});
            publish_topic_model(part, {record_.name, id_});
            IndexSettings settings;
            settings.analysis.stemming = AnalysisSettings::Stemming::kNone;
            settings.fields = {
                {.name = "text"},
                {.name = "date", .free_text = false, .slot = kSlot, .numeric = true}};
            store_index_settings(part, settings);
            result.add_database(part);
        }
        return result;
    }

    double value(const RankerSpec& spec, std::size_t i, double now) const {
        return numbers_[i] < 0 ? 0
                               : ValueScorer(spec.ranker, spec.parameters, now).score(numbers_[i]);
    }
    double similarity(std::size_t i, const std::vector<float>& query) const {
        if (i % 7 == 0) return 0;
        double product = 0, squares = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            product += static_cast<double>(query[k]) * model_.document_vectors.row(i)[k];
            squares += static_cast<double>(query[k]) * query[k];
        }
        return std::max(product / std::sqrt(squares), 0.0);
    }

  private:
    Xapian::Document document(const Xapian::Database& texts, std::size_t i) const {
        Xapian::Document document = texts.get_document(static_cast<Xapian::docid>(i + 1));
        if (numbers_[i] >= 0) document.add_value(kSlot, Xapian::sortable_serialise(numbers_[i]));
        if (i % 7 != 0) {
            document.add_value(1000, encode_vector({VectorCoding::kFloat32, topic_model_tag(id_),
                                                    corpus_.words(i + 1).size()},
                                                   model_.document_vectors.row(i)));
        }
        return document;
    }

    RandomCorpus corpus_;
    TopicRecord record_;
    TopicModel model_;
    std::string id_;
    std::vector<double> numbers_;
};

FusionModel all_kinds() {
    return {.rankers = {{.ranker = "bm25"},
                        {.ranker = "value-decay",
                         .field = "date",
                         .parameters = {{"half_life", 200}},
                         .weight = 2},
                        {.ranker = "lm-jm"},
                        {.ranker = "vector", .topics = "mine", .weight = 1.5},
                        {.ranker = "value-log", .parameters = {{"slot", kSlot}}, .weight = 0.1}}};
}

Scores expected(const ValueCorpus& corpus, const FusionModel& model,
                const std::vector<std::string>& words, const std::vector<float>& vector) {
    Scores scores = naive_scores(corpus.corpus().database(), lexical_part(model), words);
    for (auto& [docid, score] : scores) {
        for (const RankerSpec& spec : model.rankers) {
            const std::size_t i = docid - 1;
            if (family_of(spec) == RankerFamily::kValue) {
                score += spec.weight * corpus.value(spec, i, kNow);
            } else if (family_of(spec) == RankerFamily::kVector) {
                score += spec.weight * corpus.similarity(i, vector);
            }
        }
    }
    return scores;
}

SearchRequest request_with(const std::vector<std::string>& words, const std::vector<float>& vector,
                           Path path) {
    SearchRequest request = request_of(bag_of_words(words));
    request.inputs = {.vectors = {{"mine", vector}}, .now = kNow};
    request.path = path;
    return request;
}

}  // namespace

TEST_CASE("Values and vectors: words, numbers and vectors add up, on each path and shard",
          "[property]") {
    Random random(seed());
    for (int round = 0; round < 6; ++round) {
        const ValueCorpus corpus(random);
        const auto words = corpus.corpus().random_words(random, 4);
        const std::vector<float> vector = {1, 2, -0.5F, static_cast<float>(round)};
        const Scores wanted = expected(corpus, all_kinds(), words, vector);
        for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
            const Xapian::Database database = corpus.database(shards);
            for (const Path path : {Path::kPlain, Path::kPruned}) {
                const SearchRequest request = request_with(words, vector, path);
                check_equal(searched(database, all_kinds(), request), wanted, 1e-6);
                SearchRequest top = request;
                top.count = 3;
                const Scores best = searched(database, all_kinds(), top);
                CHECK(best.size() == std::min<std::size_t>(3, wanted.size()));
                const Scores all = searched(database, all_kinds(), request);
                for (const auto& [docid, score] : best) {
                    CHECK(std::abs(score - all.at(docid)) <= 1e-12 * score);
                    const double above = score * (1 + 1e-12);
                    const auto better = std::count_if(all.begin(), all.end(), [&](const auto& hit) {
                        return hit.second > above;
                    });
                    CHECK(better < 3);
                }
            }
        }
    }
}

TEST_CASE("Values and vectors: Ranking ranks an Enquire by them, with the query's vector") {
    Random random(seed(), 7);
    const ValueCorpus corpus(random);
    const std::vector<std::string> words = {"w0", "w2"};
    const SearchRequest request = request_with(words, {1, 2, -0.5F, 1}, Path::kFastest);
    const Xapian::Database database = corpus.database(2);
    Ranking ranking(database, all_kinds());
    const Applied found = applied(ranking, database, *request.query, {.inputs = request.inputs});
    CHECK(found.chosen.run.pruned);
    CHECK(found.scores == searched(database, all_kinds(), request));
    Xapian::Enquire enquire(database);
    CHECK_THROWS_WITH(ranking.apply(enquire, *request.query), Contains("no vector 'mine'"));
}

TEST_CASE("Values and vectors: pools are scored as searches are", "[property]") {
    Random random(seed(), 1);
    const ValueCorpus corpus(random);
    const Xapian::Database database = corpus.database(3);
    const std::vector<float> vector = {0, 1, 1, 0.25F};
    const std::vector<std::string> words = {"w0", "w1"};
    const SearchRequest request = request_with(words, vector, Path::kFastest);
    const Scores found = searched(database, all_kinds(), request);
    std::vector<Xapian::docid> documents;
    for (const auto& [docid, score] : found) documents.push_back(docid);
    PoolScorer scorer(database, all_kinds());
    const PoolScores scores = scorer.score(*request.query, documents, request.inputs);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < scores.rows.width(); ++k) {
            const double value = scores.rows.scores[i * scores.rows.width() + k];
            sum += all_kinds().rankers[k].weight * value;
            CHECK(value <= scores.rows.bounds[k] * (1 + 1e-12));
        }
        CHECK(std::abs(sum - found.at(documents[i])) <= 1e-9 * sum);
    }
}

TEST_CASE("Values and vectors: rescoring takes the query's vector, too") {
    Random random(seed(), 3);
    const ValueCorpus corpus(random);
    Searcher searcher(corpus.database(2));
    FusionModel model = all_kinds();
    model.normaliser.normaliser = "min-max";
    searcher.rank_by(model);
    SearchRequest request = request_with({"w0"}, {1, 0, 0, 0}, Path::kFastest);
    request.explain = true;
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    CHECK(result.run.rescored == result.hits.size());
    bool any_similar = false;
    for (const SearchHit& hit : result.hits) {
        for (const RankerExplanation& ranker : hit.explanation->rankers) {
            any_similar = any_similar || (ranker.ranker == "vector" && *ranker.value > 0);
        }
    }
    CHECK(any_similar);
}

TEST_CASE("Values and vectors: explained, with what is missing") {
    Random random(seed(), 2);
    const ValueCorpus corpus(random);
    const Xapian::Database database = corpus.database();
    SearchRequest request = request_with({"w0"}, {1, 0, 0, 0}, Path::kFastest);
    request.explain = true;
    Searcher searcher(database);
    searcher.rank_by(all_kinds());
    const SearchResult result = searcher.search(request);
    REQUIRE(result.hits.size() > 20);
    CHECK_THAT(result.hits[0].explanation->path, Contains("FusedSource") &&
                                                     Contains("(vector:mine)") &&
                                                     Contains("values beside (value-decay:date"));
    for (const SearchHit& hit : result.hits) {
        check_explanation(hit);
        const auto& rankers = hit.explanation->rankers;
        const bool without = (hit.docid - 1) % 6 == 0;
        CHECK((rankers[1].note == "the document has no value in slot 20") == without);
        CHECK((rankers[3].note == "the document has no vector") == ((hit.docid - 1) % 7 == 0));
    }
}

TEST_CASE("Values and vectors: candidates are all of similar vectors, none for their values") {
    Random random(seed(), 3);
    const ValueCorpus corpus(random);
    const Xapian::Database database = corpus.database(2);
    const std::vector<float> vector = {1, 1, 0, 0};
    SearchRequest request = request_with({"w3"}, vector, Path::kFastest);
    request.candidates = SearchSettings::Candidates::kAll;
    const Scores found = searched(database, all_kinds(), request);
    const Scores words = expected(corpus, all_kinds(), {"w3"}, vector);
    for (std::size_t i = 0; i < corpus.corpus().size(); ++i) {
        const auto docid = static_cast<Xapian::docid>(i + 1);
        const bool similar = corpus.similarity(i, vector) > 0;
        CHECK(found.contains(docid) == (similar || words.contains(docid)));
    }
}

TEST_CASE("Values and vectors: what is missing is refused with the reason") {
    Random random(seed(), 4);
    const ValueCorpus corpus(random);
    const Xapian::Database database = corpus.database();
    const auto search = [&](const RankerSpec& spec, const QueryInputs& inputs) {
        SearchRequest request = request_of(Xapian::Query("w0"));
        request.inputs = inputs;
        searched(database, {.rankers = {{.ranker = "bm25"}, spec}}, request);
    };
    CHECK_THROWS_WITH(search({.ranker = "value-log", .field = "text"}, {}),
                      Contains("'text'") && Contains("date have one"));
    CHECK_THROWS_WITH(search({.ranker = "vector", .topics = "mine"}, {}),
                      Contains("no vector 'mine'"));
    CHECK_THROWS_WITH(search({.ranker = "vector"}, {.vectors = {{"vectors", {1, 0, 0, 0}}}}),
                      Contains("'vectors'"));
    CHECK_THROWS_WITH(
        search({.ranker = "vector", .topics = "mine"}, {.vectors = {{"mine", {1, 0, 0}}}}),
        Contains("3 components, expected 4"));
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK_THROWS_WITH(search({.ranker = "vector", .topics = "mine"},
                             {.vectors = {{"mine", {1, 0, 0, infinity}}}}),
                      Contains("not finite"));
    CHECK_THROWS_WITH(search({.ranker = "lsa", .topics = "mine"}, {}), Contains("vectors"));
    // Of weight 0 they are reported, and stop nothing.
    CHECK_NOTHROW(search({.ranker = "vector", .topics = "mine", .weight = 0}, {}));
}
