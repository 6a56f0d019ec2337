// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/feature_extractor.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/eval/measure.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/document_fields.h"
#include "braid/plugin/database/followed_databases.h"
#include "braid/plugin/ranking/pool_scorer.h"
#include "braid/plugin/ranking/query_features.h"
#include "braid/plugin/ranking/source_ranking.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/training/candidate_pool.h"

namespace braid {
namespace {

bool lacks_average(const RankerSpec& spec) {
    if (spec.field.empty() || family_of(spec) != RankerFamily::kLexical) return false;
    const std::vector<ParameterInfo>& known = lexical_rankers().find(spec.ranker).parameters;
    const bool has_one = std::any_of(known.begin(), known.end(), [](const ParameterInfo& info) {
        return info.name == kAverageLength;
    });
    const auto given = spec.parameters.find(kAverageLength);
    return has_one && (given == spec.parameters.end() || given->second == 0);
}

}  // namespace

void keep_field_lengths(const Xapian::Database& database, std::vector<RankerSpec>& rankers) {
    for (RankerSpec& spec : rankers) {
        if (!lacks_average(spec)) continue;
        const CollectionStatistics field =
            field_collections(database, {spec.field}).front().collection;
        if (field.average_length() > 0) spec.parameters[kAverageLength] = field.average_length();
    }
}

namespace {

// A learned model lasts, so damage is an error, not a warning.
void check_damage(const PoolScores& scores) {
    if (scores.damaged.empty()) return;
    throw FormatError(
        fmt::format("document {}: its topic vector or its record is damaged (and those of {} of "
                    "the other candidates); `braid check --repair` mends them",
                    *scores.damaged.begin(), scores.damaged.size() - 1));
}

}  // namespace

class FeatureExtractor::State {
  public:
    /// `next` gives the newest state.
    State(std::function<OpenedDatabases()> next, const FusionModel& the_model,
          const FeatureOptions& the_options)
        : model(the_model), options(the_options), next_(std::move(next)) {
        if (options.search.limits.time > 0) {
            throw InvalidArgument(
                "features of documents: found a time limit, by which they would depend on the "
                "machine; expected none");
        }
        for (const RankerSpec& spec : model.rankers) rankers.push_back(spec.label());
    }

    bool reopen() {  // Whether there is a newer state.
        const std::string before = token_;
        OpenedDatabases newest = next_();
        token_ = state_token(newest);
        database = newest.database;
        options.search.sidecars = std::move(newest.sidecars);
        open();
        return token_ != before;
    }
    TrainingSet extract(const TrainingQuery& query, const QueryJudgements* judged);

    Xapian::Database database;
    FusionModel model;
    FeatureOptions options;
    std::vector<std::string> rankers;
    std::vector<std::string> feature_names;

  private:
    void open();
    Xapian::Query bag_of_words(const TrainingQuery& query);
    void add_judged(const QueryJudgements& judged, std::vector<Xapian::docid>& documents);
    static void grade(const QueryJudgements& judged, TrainingSet& rows);

    std::function<OpenedDatabases()> next_;
    std::string token_;
    // Made for that state:
    std::optional<CandidatePool> pool_;
    std::optional<PoolScorer> scorer_;
    std::optional<DocumentFinder> names_;
    std::optional<SourceRanking> topics_;
    std::optional<QueryFeatures> features_;
};

void FeatureExtractor::State::open() {
    const SearcherOptions& search = options.search;
    pool_.emplace(database, model, options.pool, search);
    PoolScorerOptions scoring{.query_stemmer = make_query_stemmer(pool_->index_settings().analysis),
                              .sidecars = search.sidecars,
                              .tables = options.tables,
                              .places = options.places,
                              .limits = search.limits};
    scorer_.emplace(database, model, scoring);
    topics_.emplace(database, search.sidecars, model, scoring.query_stemmer);
    feature_names = braid::query_feature_names(model, options.query_features, *topics_);
    features_.emplace(database, model, std::move(scoring), feature_names);
    names_.emplace(database, search.names ? *search.names : name_convention(database));
}

Xapian::Query FeatureExtractor::State::bag_of_words(const TrainingQuery& query) {
    try {
        return pool_->bag_of_words(query.text);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("query {}: {}", query.id, error.what()));
    }
}

void FeatureExtractor::State::add_judged(const QueryJudgements& judged,
                                         std::vector<Xapian::docid>& documents) {
    const std::size_t pooled = documents.size();
    for (const Judgement& judgement : judged.all()) {
        const auto docid = names_->find(std::string(judgement.document));
        if (docid) documents.push_back(*docid);
    }
    if (documents.size() == pooled) return;
    std::sort(documents.begin(), documents.end());
    documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
}

void FeatureExtractor::State::grade(const QueryJudgements& judged, TrainingSet& rows) {
    std::unordered_set<std::string_view> pooled;
    for (std::size_t i = 0; i < rows.documents.size(); ++i) {
        pooled.insert(rows.documents[i]);
        rows.grades[i] = judged.grade(rows.documents[i]).value_or(kUnjudged);
    }
    for (const Judgement& judgement : judged.all()) {
        if (!pooled.contains(judgement.document)) rows.unpooled[0].push_back(judgement.grade);
    }
}

TrainingSet FeatureExtractor::State::extract(const TrainingQuery& query,
                                             const QueryJudgements* judged) {
    const Xapian::Query text = bag_of_words(query);
    QueryInputs inputs = query.inputs;
    if (inputs.now == 0) inputs.now = clock_time();  // The same for the pool and its rows.
    TrainingSet rows;
    if (text.empty()) {
        rows.rankers = rankers;
        rows.query_begin = {0, 0};
        rows.bounds.resize(rankers.size());
    } else {
        std::vector<Xapian::docid> documents = pool_->find(text, inputs);
        if (judged != nullptr && options.pool.add_judged) add_judged(*judged, documents);
        PoolScores scores = scorer_->score(text, documents, inputs);
        check_damage(scores);
        rows = std::move(scores.rows);
        for (const Xapian::docid docid : documents) rows.documents.push_back(names_->name(docid));
    }
    rows.queries = {query.id};
    rows.query_keys = {query_key(text)};
    rows.query_feature_names = feature_names;
    rows.query_features = features_->of(text, inputs, *topics_).values;
    rows.unpooled.resize(1);
    if (judged != nullptr) grade(*judged, rows);
    return rows;
}

FeatureExtractor::FeatureExtractor(const SearchPaths& paths, const FusionModel& model,
                                   const FeatureOptions& options)
    : state_(std::make_unique<State>([paths] { return open_paths(paths); }, model, options)) {
    open();
}
FeatureExtractor::FeatureExtractor(const Xapian::Database& database, const FusionModel& model,
                                   const FeatureOptions& options) {
    OpenedDatabases handles{database, options.search.sidecars};
    const auto reopened = [handles]() mutable {
        reopen_all(handles.database, handles.sidecars);
        return handles;
    };
    state_ = std::make_unique<State>(reopened, model, options);
    open();
}
void FeatureExtractor::open() {
    const auto reopen = [this] { return state_->reopen(); };
    on_newest_state("attempts to open the rankers", reopen, [&](unsigned reopened) {
        if (reopened == 0) state_->reopen();
    });
}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;

const std::vector<std::string>& FeatureExtractor::rankers() const { return state_->rankers; }
const std::vector<std::string>& FeatureExtractor::query_feature_names() const {
    return state_->feature_names;
}

TrainingSet FeatureExtractor::extract(const TrainingQuery& query, const QueryJudgements* judged) {
    return on_newest_state(
        fmt::format("attempts to score the candidates of the query {}", query.id),
        [&] { return state_->reopen(); }, [&](unsigned) { return state_->extract(query, judged); });
}

namespace {

// Queries whose rows are kept at a time, for each thread.
constexpr std::size_t kQueriesAtATime = 8;

// Lends extractors to threads: as many are made as work at once.
class ExtractorPool {
  public:
    explicit ExtractorPool(const ExtractorFactory& make) : make_(make) {}

    std::unique_ptr<FeatureExtractor> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return make_();
        auto extractor = std::move(free_.back());
        free_.pop_back();
        return extractor;
    }
    void give_back(std::unique_ptr<FeatureExtractor> extractor) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(extractor));
    }

  private:
    const ExtractorFactory& make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<FeatureExtractor>> free_;
};

void extract_all(std::span<const TrainingQuery> queries, const Judgements* judgements,
                 ExtractorPool& extractors, Executor& executor,
                 const std::function<void(TrainingSet)>& take, const Progress& progress) {
    const std::size_t block = kQueriesAtATime * executor.threads();
    const double now = clock_time();
    for (std::size_t first = 0; first < queries.size(); first += block) {
        const std::size_t count = std::min(block, queries.size() - first);
        std::vector<TrainingSet> sets(count);
        executor.run(count, [&](std::size_t i) {
            TrainingQuery query = queries[first + i];
            if (query.inputs.now == 0) query.inputs.now = now;
            auto extractor = extractors.take();
            const QueryJudgements* judged =
                judgements == nullptr ? nullptr : judgements->find(query.id);
            sets[i] = extractor->extract(query, judged);
            extractors.give_back(std::move(extractor));
        });
        for (TrainingSet& one : sets) take(std::move(one));
        const std::size_t done = first + count;
        if (progress && !progress({"scoring candidates", done, queries.size(), "queries", ""})) {
            throw Cancelled(fmt::format("stopped after {} of {} queries", done, queries.size()));
        }
    }
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void extract_features(std::span<const TrainingQuery> queries, const Judgements* judgements,
                      const ExtractorFactory& make, Executor& executor,
                      const std::function<void(TrainingSet)>& take, const Progress& progress) {
    ExtractorPool extractors(make);
    extract_all(queries, judgements, extractors, executor, take, progress);
}

TrainingSet make_training_set(std::span<const TrainingQuery> queries, const Judgements* judgements,
                              const ExtractorFactory& make, Executor& executor,
                              const Progress& progress) {
    ExtractorPool extractors(make);
    TrainingSet set;
    auto first = extractors.take();
    set.rankers = first->rankers();
    set.query_feature_names = first->query_feature_names();
    extractors.give_back(std::move(first));
    const auto take = [&set](TrainingSet one) {
        append(set.queries, std::move(one.queries));
        append(set.documents, std::move(one.documents));
        append(set.scores, std::move(one.scores));
        append(set.grades, std::move(one.grades));
        append(set.bounds, std::move(one.bounds));
        append(set.places, std::move(one.places));
        append(set.query_features, std::move(one.query_features));
        append(set.query_keys, std::move(one.query_keys));
        append(set.unpooled, std::move(one.unpooled));
        set.query_begin.push_back(set.rows());
    };
    extract_all(queries, judgements, extractors, executor, take, progress);
    return set;
}

TrainingSet make_training_set(const SearchPaths& paths, const FusionModel& model,
                              std::span<const TrainingQuery> queries, const Judgements* judgements,
                              const FeatureOptions& options, Executor& executor,
                              const Progress& progress) {
    const auto make = [&] { return std::make_unique<FeatureExtractor>(paths, model, options); };
    return make_training_set(queries, judgements, make, executor, progress);
}

}  // namespace braid
