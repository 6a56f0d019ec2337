// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "braid/adopt.h"
#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/dimension_choice.h"
#include "braid/core/topics/lda.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/topics/topic_words.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/core/vectors/clusters.h"
#include "braid/error.h"
#include "braid/indexer/formats/word_vector_reader.h"
#include "braid/indexer/topics/judged_dimensions.h"
#include "braid/indexer/topics/topic_counts.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/newest_state.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/progress.h"
#include "braid/read.h"

namespace braid {
namespace {

constexpr Xapian::doccount kManyDocuments = 10'000;
constexpr int kReadingAttempts = 5;
// The choice in a record that names what its vectors were made of: of neighbours the id of a model,
// of word-vectors the checksum of a file.
constexpr char kOfModel[] = "of";

// A dimension of a signed model sets words against each other: what goes together are the words of
// one sign, those on the side of the largest.
std::vector<Topic> one_sided(std::vector<Topic> topics) {
    for (Topic& topic : topics) {
        if (topic.words.empty()) continue;
        const bool negative = topic.words.front().weight < 0;
        std::erase_if(topic.words,
                      [&](const Topic::Word& word) { return (word.weight < 0) != negative; });
    }
    return topics;
}

// Vectors of a database's words from a file.
struct WordRows {
    FloatMatrix vectors;   // By word of the vocabulary; all zero for those without one.
    std::string checksum;  // Of the file.
};

std::string in_lower_case(std::string_view text) {
    std::string result;
    for (Xapian::Utf8Iterator at(text.data(), text.size()); at != Xapian::Utf8Iterator(); ++at) {
        Xapian::Unicode::append_utf8(result, Xapian::Unicode::tolower(*at));
    }
    return result;
}

// Sums by word of the vocabulary.
class Rows {
  public:
    Rows(const std::vector<std::string>& vocabulary, const Xapian::Stem& stem)
        : vocabulary_(vocabulary), stem_(stem), weights_(vocabulary.size()) {}

    void add(std::string_view given, std::size_t place, std::span<const float> vector) {
        if (sums_.columns == 0) sums_ = FloatMatrix(vocabulary_.size(), vector.size());
        const std::string word = in_lower_case(given);
        const std::string stem = stem_(word);
        const auto found = std::lower_bound(vocabulary_.begin(), vocabulary_.end(), stem);
        if (found == vocabulary_.end() || *found != stem || !seen_.insert(word).second) return;
        const auto row = static_cast<std::size_t>(found - vocabulary_.begin());
        const double weight = 1 / static_cast<double>(place);
        weights_[row] += weight;
        const std::span<float> sum = sums_.row(row);
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k] += static_cast<float>(weight * vector[k]);
        }
    }

    FloatMatrix means() && {
        for (std::size_t row = 0; row < weights_.size(); ++row) {
            if (weights_[row] == 0) continue;
            for (float& x : sums_.row(row)) x = static_cast<float>(x / weights_[row]);
        }
        return std::move(sums_);
    }

  private:
    const std::vector<std::string>& vocabulary_;
    Xapian::Stem stem_;
    FloatMatrix sums_;
    std::vector<double> weights_;
    std::unordered_set<std::string> seen_;
};

// docs/algorithms/word-vectors.md, Words of the file and of the database. `vocabulary` ascends;
// `stem` makes its words of those of the file, in lower case. Throws as read_word_vectors.
WordRows read_word_rows(const std::string& file, const VectorOptions& options,
                        const std::vector<std::string>& vocabulary, const Xapian::Stem& stem,
                        const Progress& progress) {
    Rows rows(vocabulary, stem);
    const WordVectorFile read = read_word_vectors(
        file, options,
        [&](std::string_view word, std::size_t place, std::span<const float> vector) {
            rows.add(word, place, vector);
        },
        progress);
    return {std::move(rows).means(), fmt::format("{:016x}", read.checksum)};
}

/// One call of adopt_topics.
class Adoption {
  private:
    // What `work()` returns, with source_ open on one state of the databases from start to end.
    template <typename Work>
    auto read(const Work& work) {
        return on_newest_state(
            "attempts to read it", [] { return true; },
            [&](unsigned) {
                source_ = open_databases(specs_);
                return work();
            });
    }

  public:
    Adoption(const std::vector<std::string>& databases, const AdoptOptions& options)
        : options_(options), executor_(make_executor(options.threads)), specs_(databases) {
        check_targets(databases, options.sidecar);
        validate(options.models);
        const bool has_sidecar = !options.sidecar.empty();
        if (has_sidecar && options.names) {
            throw InvalidArgument(
                "names are kept in the database, which a sidecar leaves as it is: give them to "
                "the commands that need them");
        }
        // The locks are tried first, so that no training is lost to another writer, and released:
        // whoever writes meanwhile is not kept waiting.
        for (const std::string& spec : specs_) {
            wait_for_lock(kLockPatienceBefore,
                          [&] { TopicShard(spec, options.sidecar, options.batch); });
        }
        settings_ = read([&] { return load_index_settings(source_); }).value_or(IndexSettings());
        if (options.warn) {
            for (const std::string& changed : read([&] { return changed_stemmers(source_); })) {
                options.warn(changed);
            }
        }
        if (options.stemmer) settings_.analysis.stemmer = *options.stemmer;
        make_stemmer(settings_.analysis);
        what_ = "database '" + specs_.front() + "'";
        if (specs_.size() > 1) what_ += fmt::format(" and {} more", specs_.size() - 1);
    }

    AdoptedModel adopt(const TopicSettings& settings);
    void store_names();

  private:
    TopicRecord new_record(const TopicSettings& settings) const;
    std::optional<TopicModelIdentity> present(const TopicRecord& wanted);
    const TopicCounts& counts(const TopicRecord& record);
    std::vector<TopicShard> open_shards() const;
    AdoptedModel adopt_neighbours(const TopicSettings& settings);
    AdoptedModel adopt_word_vectors(const TopicSettings& settings);
    TopicRecord neighbours_record(const TopicSettings& settings);
    void publish(std::vector<TopicShard>& shards, AdoptedModel& result);
    void train(TopicRecord& record, AdoptedModel& result);
    void use_fit(TopicRecord& record, const TopicCounts& learned_from, AdoptedModel& result);
    void write(TopicRecord& record, AdoptedModel& result);
    TrainedVector trained_vectors(std::size_t shard) const;
    void keep_going() const {
        if (options_.progress && !options_.progress({"clearing an old model", 0, 0, "", {}})) {
            throw Cancelled("stopped: the same command clears the rest");
        }
    }

    const AdoptOptions& options_;
    std::unique_ptr<Executor> executor_;
    std::vector<std::string> specs_;
    std::string what_;
    Xapian::Database source_;
    IndexSettings settings_;
    struct Counted {
        WordForm form;
        VocabularyLimits limits;
        TopicCounts counts;
    };
    std::optional<Counted> counted_;
    std::shared_ptr<KeptLdaChain> kept_;  ///< Of these counts.
    TopicModel model_;
    TopicSummary summary_;
    TopicClusters clusters_;
};

TopicRecord Adoption::new_record(const TopicSettings& settings) const {
    TopicRecord record;
    record.name = settings.label();
    record.header.model = settings.model;
    record.header.kind = topic_model_info(settings.model).kind;
    record.coding = coding_of(settings.coding, record.header.kind);
    switch (settings.words) {
        case TopicSettings::Words::kAutomatic:
            record.form = find_word_form(source_);
            break;
        case TopicSettings::Words::kStems:
            record.form = WordForm::kStems;
            break;
        case TopicSettings::Words::kWords:
            record.form = WordForm::kWords;
            break;
    }
    const bool stems = record.form == WordForm::kStems ||
                       settings_.analysis.stemming == AnalysisSettings::Stemming::kAll;
    record.stemmer = stems ? settings_.analysis.stemmer : "none";
    record.options = settings.options();
    record.clusters = settings.clusters;
    record.limits = {.min_documents = settings.min_documents,
                     .max_document_share = settings.max_document_share,
                     .max_terms = settings.max_terms};
    return record;
}

// A model of that name that was asked for in the same words, in every shard.
std::optional<TopicModelIdentity> Adoption::present(const TopicRecord& wanted) {
    if (options_.retrain) return std::nullopt;
    std::optional<TopicModelIdentity> found;
    for (TopicShard& shard : open_shards()) {
        std::optional<TopicModelIdentity> here;
        for (const TopicModelIdentity& model : load_topic_catalogue(shard.target())) {
            if (model.name == wanted.name) here = model;
        }
        if (!here || (found && *found != *here)) return std::nullopt;
        const std::optional<TopicRecord> found_record =
            intact_topic_record(shard.target(), here->id);
        if (!found_record) {
            if (options_.warn) {
                options_.warn(
                    fmt::format("{}: the record of the topic model {} (metadata key {}) is "
                                "damaged; it is learned anew",
                                what_, wanted.name, topic_key(here->id, kTopicRecordEnding)));
            }
            return std::nullopt;
        }
        const TopicRecord& record = *found_record;
        if (record.options != wanted.options || record.clusters != wanted.clusters ||
            record.limits != wanted.limits || record.form != wanted.form ||
            record.stemmer != wanted.stemmer || record.coding != wanted.coding ||
            record.header.model != wanted.header.model) {
            return std::nullopt;
        }
        found = here;
    }
    return found;
}

// Programs that index now and then hold the lock for a moment: training is not to be lost to them.
std::vector<TopicShard> Adoption::open_shards() const {
    std::vector<TopicShard> shards;
    for (const std::string& spec : specs_) {
        const auto keep_waiting = [&] {
            if (options_.progress && !options_.progress({"waiting for the lock", 0, 0, "", spec})) {
                throw Cancelled("stopped while another program wrote to the database");
            }
        };
        const auto open = [&] { return TopicShard(spec, options_.sidecar, options_.batch); };
        shards.push_back(wait_for_lock(kLockPatienceAfter, open, keep_waiting));
    }
    return shards;
}

const TopicCounts& Adoption::counts(const TopicRecord& record) {
    VocabularyLimits limits = record.limits;
    if (limits.min_documents == TopicSettings::kAutomatic) {
        limits.min_documents = source_.get_doccount() > kManyDocuments ? 5 : 2;
    }
    if (counted_ && counted_->form == record.form && counted_->limits == limits) {
        return counted_->counts;
    }
    counted_.reset();
    kept_ = std::make_shared<KeptLdaChain>();
    const auto stop_words = topic_stop_words(settings_.analysis, record.form);
    for (int attempt = 1; !counted_; ++attempt) {
        // Writers that are faster are kept waiting in the end.
        std::vector<TopicShard> locked;
        const bool is_last = attempt == kReadingAttempts;
        if (is_last && options_.sidecar.empty()) locked = open_shards();
        try {
            if (attempt > 1) source_ = open_databases(specs_);
            counted_ = {record.form, limits,
                        collect_topic_counts(source_, record.form, limits, stop_words, what_,
                                             options_.progress)};
        } catch (const Xapian::DatabaseError&) {
            if (is_last) throw;
        }
    }
    return counted_->counts;
}

void Adoption::train(TopicRecord& record, AdoptedModel& result) {
    const TopicCounts& learned_from = counts(record);
    TopicOptions fitted = record.options;
    if (fitted.dimensions == TopicSettings::kAutomatic) {
        const DimensionChoice choice =
            options_.judged.empty()
                ? choose_dimensions(record.header.model, learned_from.counts, fitted, {},
                                    *executor_, options_.progress)
                : choose_judged_dimensions(record, learned_from, options_.judged, *executor_,
                                           options_.progress);
        if (choice.trials.empty() && options_.warn) {
            options_.warn(fmt::format("{}: {} is too small to choose dimensions by; {} it is",
                                      record.name, what_, choice.dimensions));
        }
        fitted.dimensions = choice.dimensions;
        result.tried = choice.trials;
    }
    fitted.kept = kept_;
    model_ = fit_topic_model(record.header.model, learned_from.counts, fitted, *executor_,
                             options_.progress);
    if (options_.warn) {
        for (const std::string& warning : model_.training.warnings) options_.warn(warning);
    }
    use_fit(record, learned_from, result);
}

// Makes the record of what was fitted.
void Adoption::use_fit(TopicRecord& record, const TopicCounts& learned_from, AdoptedModel& result) {
    record.header = model_.header;
    record.documents = learned_from.documents.size();
    record.vocabulary = model_.vocabulary.size();
    record.words = learned_from.words;
    record.unknown_words = learned_from.unknown_words;
    record.training = model_.training;
    summary_ = {model_.topics, topic_coherence(one_sided(model_.topics), learned_from.counts)};
    clusters_ = {};
    if (record.clusters > 0) {
        Clusters found = fit_clusters(model_.document_vectors,
                                      {.clusters = record.clusters, .coding = record.coding},
                                      *executor_, options_.progress);
        clusters_ = {std::move(found.centroids), std::move(found.radius)};
    }
    result.identity = {record.name, topic_model_id(record, model_)};
    result.trained = true;
    record.trained_at = options_.now > 0 ? options_.now : seconds_now();
}

TrainedVector Adoption::trained_vectors(std::size_t shard) const {
    const std::vector<Xapian::docid>& documents = counted_->counts.documents;
    return [&, shard](Xapian::docid local, Xapian::termcount length) -> std::span<const float> {
        const auto global = static_cast<Xapian::docid>((local - 1) * specs_.size() + shard + 1);
        const auto found = std::lower_bound(documents.begin(), documents.end(), global);
        if (found == documents.end() || *found != global) return {};
        const auto row = static_cast<std::size_t>(found - documents.begin());
        if (counted_->counts.lengths[row] != length) return {};
        return model_.document_vectors.row(row);
    };
}

// Every shard has all of the model before one of them names it, and names it before one clears
// the model that it replaces.
void Adoption::write(TopicRecord& record, AdoptedModel& result) {
    const std::string& id = result.identity.id;
    std::vector<TopicShard> shards = open_shards();
    if (result.trained) record.slot = slot_for_model(id, shards, settings_);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        Xapian::WritableDatabase& target = shards[i].target();
        shards[i].clear_leftovers(id, [this] { keep_going(); });
        if (result.trained) shards[i].write_model(id, record, summary_, clusters_, model_);
        StoredTopicModel model(target, result.identity);
        const TrainedVector trained =
            result.trained ? trained_vectors(i) : [](Xapian::docid, Xapian::termcount) {
                return std::span<const float>();
            };
        const VectorCounts counts = shards[i].write_vectors(model, trained, options_.progress);
        result.documents += counts.documents;
        result.written += counts.written;
        result.folded += counts.folded;
    }
    publish(shards, result);
}

void Adoption::publish(std::vector<TopicShard>& shards, AdoptedModel& result) {
    std::vector<std::string> former;
    former.reserve(shards.size());
    for (TopicShard& shard : shards) former.push_back(shard.publish(result.identity));
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (former[i].empty()) continue;
        result.replaced = former[i];
        shards[i].clear(former[i], [this] { keep_going(); });
    }
}

// Neighbours follow from the vectors of the database's lsa.
TopicRecord Adoption::neighbours_record(const TopicSettings& settings) {
    const auto holders =
        options_.sidecar.empty() ? specs_ : std::vector<std::string>{options_.sidecar};
    const Xapian::Database holder = open_databases(holders);
    for (const TopicModelIdentity& identity : load_topic_catalogue(holder)) {
        const std::optional<TopicRecord> vectors = intact_topic_record(holder, identity.id);
        if (!vectors || vectors->header.model != "lsa") continue;
        TopicRecord record = *vectors;
        record.name = settings.label();
        record.header = {.model = kNeighboursModel, .dimensions = settings.dimensions};
        record.coding = VectorCoding::kFloat32;
        record.options = settings.options();
        record.options.choices[kOfModel] = identity.id;
        record.clusters = 0;
        record.vocabulary = 0;
        record.training = {.stop_reason = "found"};
        return record;
    }
    throw Error(fmt::format(
        "{}: {} are found by the vectors of lsa, which it has not; expected lsa before them, as in "
        "--topics lsa:100,neighbours:10",
        what_, settings.label()));
}

AdoptedModel Adoption::adopt_neighbours(const TopicSettings& settings) {
    AdoptedModel result;
    TopicRecord record = read([&] { return neighbours_record(settings); });
    const std::string of = record.options.choices.at(kOfModel);
    const auto found = present(record);
    std::vector<TopicShard> shards = open_shards();
    if (found) {
        result.identity = *found;
        record = load_topic_record(shards.front().target(), found->id);
    } else {
        result.identity = {record.name, topic_model_id(record, {})};
        result.trained = true;
        record.trained_at = options_.now > 0 ? options_.now : seconds_now();
        record.slot = slot_for_model(result.identity.id, shards, settings_);
    }
    for (TopicShard& shard : shards) {
        shard.clear_leftovers(result.identity.id, [this] { keep_going(); });
        if (result.trained) shard.write_model(result.identity.id, record, {}, {}, {});
        const VectorCounts counts =
            write_neighbours(shard, result.identity.id, record, of, *executor_, options_.progress);
        result.documents += counts.documents;
        result.written += counts.written;
        result.folded += result.trained ? 0 : counts.written;
    }
    publish(shards, result);
    result.dimensions = record.header.dimensions;
    result.record = std::make_shared<const TopicRecord>(std::move(record));
    return result;
}

// docs/algorithms/word-vectors.md. The file is read whenever it is named: whether it is the one
// before is only known then.
AdoptedModel Adoption::adopt_word_vectors(const TopicSettings& settings) {
    if (options_.word_vectors.empty()) {
        throw InvalidArgument(
            fmt::format("topics {}: found no file of words' vectors, expected one (`braid adopt "
                        "--word-vectors`)",
                        settings.label()));
    }
    AdoptedModel result;
    TopicRecord record = read([&] { return new_record(settings); });
    if (record.limits.min_documents == TopicSettings::kAutomatic) record.limits.min_documents = 1;
    const TopicCounts& learned_from = counts(record);
    const WordRows rows = read_word_rows(
        options_.word_vectors, options_.word_vector_reading, learned_from.counts.vocabulary,
        make_stemmer({.stemmer = record.stemmer}), options_.progress);
    record.options.dimensions = rows.vectors.columns;
    record.options.choices[kOfModel] = rows.checksum;
    result.coverage = coverage(learned_from.counts, rows.vectors);
    if (result.coverage < options_.least_coverage) {
        throw Error(fmt::format(
            "{}: {:.1f} % of the occurrences of words in {} have a vector there, expected {:.0f} % "
            "or more: vectors of another language, or words written in another way? (--force "
            "takes them)",
            options_.word_vectors, 100 * result.coverage, what_, 100 * options_.least_coverage));
    }
    if (const auto found = present(record)) {
        result.identity = *found;
        record = read([&] {
            const auto holders =
                options_.sidecar.empty() ? specs_ : std::vector<std::string>{options_.sidecar};
            return load_topic_record(open_databases(holders), found->id);
        });
    } else {
        model_ = fit_word_vectors(learned_from.counts, rows.vectors,
                                  word_vector_settings(settings.options()));
        use_fit(record, learned_from, result);
        const double known = result.coverage * learned_from.counts.total();
        record.unknown_words = learned_from.words - known;
    }
    write(record, result);
    result.dimensions = record.header.dimensions;
    result.record = std::make_shared<const TopicRecord>(std::move(record));
    model_ = {};
    return result;
}

AdoptedModel Adoption::adopt(const TopicSettings& settings) {
    if (settings.model == kNeighboursModel) return adopt_neighbours(settings);
    if (settings.model == kWordVectorsModel) return adopt_word_vectors(settings);
    AdoptedModel result;
    TopicRecord record = read([&] { return new_record(settings); });
    if (const auto found = present(record)) {
        result.identity = *found;
        const auto holders =
            options_.sidecar.empty() ? specs_ : std::vector<std::string>{options_.sidecar};
        record = read([&] { return load_topic_record(open_databases(holders), found->id); });
    } else {
        train(record, result);
    }
    write(record, result);
    result.dimensions = record.header.dimensions;
    result.record = std::make_shared<const TopicRecord>(std::move(record));
    model_ = {};
    return result;
}

void Adoption::store_names() {
    if (!options_.names) return;
    for (TopicShard& shard : open_shards()) {
        store_document_names(shard.target(), *options_.names);
        shard.target().commit();
    }
}

}  // namespace

std::vector<AdoptedModel> adopt_topics(const std::vector<std::string>& databases,
                                       const AdoptOptions& options) {
    try {
        std::vector<AdoptedModel> result;
        {
            Adoption adoption(databases, options);
            adoption.store_names();
            for (const TopicSettings& settings : options.models) {
                result.push_back(adoption.adopt(settings));
            }
        }  // That holds the locks.
        make_table_files(databases, options.sidecar);
        return result;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid
