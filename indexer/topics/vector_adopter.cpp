// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "braid/adopt.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_shard.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
constexpr std::size_t kShownIds = 3;

void scale_to_one(std::span<float> vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    const double length = std::sqrt(squares);
    for (float& x : vector) x = length > 0 ? static_cast<float>(x / length) : 0.0F;
}

/// One call of adopt_vectors.
class VectorAdoption {
  public:
    VectorAdoption(const std::vector<std::string>& databases, SourceVectors vectors,
                   const AdoptVectorsOptions& options)
        : options_(options), ids_(std::move(vectors.ids)) {
        check_targets(databases, options.sidecar);
        if (options.name.empty()) throw InvalidArgument("vectors without a name");
        if (vectors.size() == 0) throw InvalidArgument("no vectors");
        FloatMatrix& matrix = model_.document_vectors;
        matrix.rows = vectors.size();
        matrix.columns = vectors.dimensions;
        matrix.values = std::move(vectors.values);
        for (std::size_t i = 0; i < matrix.rows; ++i) scale_to_one(matrix.row(i));
        if (!ids_.empty() && ids_.size() != matrix.rows) {
            throw InvalidArgument(fmt::format("{} ids for {} vectors", ids_.size(), matrix.rows));
        }
        // The locks first: without a sidecar no writer takes away then what is read.
        for (const std::string& spec : databases) {
            shards_.push_back(wait_for_lock(kLockPatienceBefore, [&] {
                return TopicShard(spec, options.sidecar, options.batch);
            }));
        }
        source_ = open_databases(databases);
    }

    AdoptedVectors run() {
        for (TopicShard& shard : shards_) check_name(shard.target());
        match_rows();
        TopicRecord record = make_record();
        const std::string id = id_of(record);
        result_.identity = {options_.name, id};
        record.slot = result_.slot =
            slot_for_model(id, shards_, load_index_settings(source_).value_or(IndexSettings()));
        for (std::size_t i = 0; i < shards_.size(); ++i) write(i, id, record);
        publish();
        return std::move(result_);
    }

  private:
    using Rows = std::vector<DocumentValues<std::size_t>::Entry>;

    // Their own name may be taken by what they replace, but by nothing that was learned.
    void check_name(const Xapian::Database& target) const {
        for (const TopicModelIdentity& model : load_topic_catalogue(target)) {
            if (model.name != options_.name) continue;
            const auto record = intact_topic_record(target, model.id);
            if (!record || record->header.model == kVectorsModel) continue;
            throw Error(fmt::format(
                "the database has a topic model called '{}', which is a {}; give the vectors "
                "another name, or remove it (`braid topics --remove`)",
                options_.name, record->header.model));
        }
    }

    void match_rows() {
        Rows rows = ids_.empty() ? match_by_order() : match_by_name();
        row_of_ = DocumentValues<std::size_t>(std::move(rows), kNoRow);
    }

    Rows match_by_order() {
        const std::size_t rows = model_.document_vectors.rows;
        result_.documents = source_.get_doccount();
        if (rows != result_.documents) {
            throw Error(fmt::format(
                "there are {} vectors without ids, and {} documents; expected one for each, in "
                "the order of their numbers, or ids",
                rows, result_.documents));
        }
        Rows matched;
        for (auto it = source_.postlist_begin(""); it != source_.postlist_end(""); ++it) {
            if (matched.size() == rows) {
                throw Xapian::DatabaseCorruptError(
                    fmt::format("it says that it has {} documents, and lists more", rows));
            }
            matched.push_back({*it, matched.size()});
        }
        return matched;
    }

    Rows match_by_name() {
        std::unordered_map<std::string_view, std::size_t> rows;
        for (std::size_t i = 0; i < ids_.size(); ++i) rows.emplace(ids_[i], i);
        Rows matched;
        std::vector<bool> used(ids_.size());
        for (auto it = source_.postlist_begin(""); it != source_.postlist_end(""); ++it) {
            ++result_.documents;
            const std::string name = options_.names.kind == DocumentNameSource::Kind::kDocid
                                         ? std::to_string(*it)
                                         : document_name(source_.get_document(*it), options_.names);
            const auto found = rows.find(name);
            if (found == rows.end()) {
                ++result_.missing;
                continue;
            }
            if (used[found->second]) {
                throw Error(fmt::format("two documents are called '{}'", name));
            }
            used[found->second] = true;
            matched.push_back({*it, found->second});
        }
        warn_of_unknown(used);
        return matched;
    }

    void warn_of_unknown(const std::vector<bool>& used) {
        std::string some;
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (used[i]) continue;
            if (++result_.unknown <= kShownIds)
                some += (some.empty() ? "'" : ", '") + ids_[i] + "'";
        }
        if (result_.unknown == 0) return;
        const std::string what = fmt::format(
            "{} of {} vectors have an id that is no document's name, such as {} (names are in {})",
            result_.unknown, used.size(), some, options_.names.to_string());
        if (result_.unknown == used.size()) throw Error(what);
        if (options_.warn) options_.warn(what);
    }

    TopicRecord make_record() const {
        TopicRecord record;
        record.name = options_.name;
        record.header.model = kVectorsModel;
        record.header.dimensions = model_.document_vectors.columns;
        record.coding = coding_of(options_.coding, record.header.kind);
        record.form = WordForm::kWords;
        record.stemmer = "none";
        record.options.dimensions = record.header.dimensions;
        record.documents = model_.document_vectors.rows;
        record.trained_at = options_.now > 0 ? options_.now : seconds_now();
        record.training.stop_reason = "given";
        return record;
    }

    std::string id_of(const TopicRecord& record) {
        model_.vocabulary = std::move(ids_);  // Part of what the id is a hash of.
        std::string id = topic_model_id(record, model_);
        ids_ = std::move(model_.vocabulary);
        model_.vocabulary.clear();
        return id;
    }

    void keep_going() const {
        if (options_.progress && !options_.progress({"clearing old vectors", 0, 0, "", {}})) {
            throw Cancelled("stopped: the same command clears the rest");
        }
    }

    void write(std::size_t shard, const std::string& id, const TopicRecord& record) {
        shards_[shard].clear_leftovers(id, [this] { keep_going(); });
        // The vectors go to the documents, not to the model's keys.
        shards_[shard].write_model(id, record, {}, {}, {});
        const std::uint8_t tag = topic_model_tag(id);
        const auto value = [&](Xapian::docid local, Xapian::termcount length) -> std::string {
            const std::size_t global = (std::size_t{local} - 1) * shards_.size() + shard + 1;
            const std::size_t at = row_of_.of(global);
            if (at == kNoRow) return "";
            return encode_vector({record.coding, tag, length}, model_.document_vectors.row(at));
        };
        result_.written += shards_[shard].write_given(record, value, options_.progress);
    }

    void publish() {
        std::vector<std::string> former;
        for (TopicShard& shard : shards_) former.push_back(shard.publish(result_.identity));
        for (std::size_t i = 0; i < shards_.size(); ++i) {
            if (former[i].empty()) continue;
            result_.replaced = former[i];
            shards_[i].clear(former[i], [this] { keep_going(); });
        }
    }

    const AdoptVectorsOptions& options_;
    std::vector<std::string> ids_;
    TopicModel model_;  ///< Without words.
    Xapian::Database source_;
    std::vector<TopicShard> shards_;
    DocumentValues<std::size_t> row_of_;
    AdoptedVectors result_;
};

}  // namespace

AdoptedVectors adopt_vectors(const std::vector<std::string>& databases, SourceVectors vectors,
                             const AdoptVectorsOptions& options) {
    try {
        AdoptedVectors adopted = VectorAdoption(databases, std::move(vectors), options).run();
        make_table_files(databases, options.sidecar);
        return adopted;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, databases.front()));
    }
}

}  // namespace braid
