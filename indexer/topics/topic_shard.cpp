// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/topic_shard.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/newest_state.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/sidecar.h"
#include "braid/plugin/store/terms.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

// Several databases behind one spec have several identifiers, joined by colons.
void check_single(const Xapian::Database& database, const std::string& spec) {
    if (database.get_uuid().find(':') == std::string::npos) return;
    throw Error("database '" + spec +
                "': it is a stub of several databases, and metadata would go to the first of them "
                "alone; name each of them instead");
}

// Changing a document needs its list of terms.
void check_termlist(const Xapian::Database& database, const std::string& spec,
                    const std::string& remedy) {
    const auto first = database.postlist_begin("");
    if (first == database.postlist_end("")) return;
    try {
        database.get_document(*first).termlist_count();
    } catch (const Xapian::FeatureUnavailableError&) {
        throw Error("database '" + spec +
                    "': it has no termlist table, without which Xapian can't change a document; " +
                    remedy);
    }
}

// A database that is adopted beside may lack the table of terms; training reads postings instead.
DocumentWords words_of(const Xapian::Document& document, WordForm form, const std::string& spec) {
    try {
        return document_words(document, form);
    } catch (const Xapian::FeatureUnavailableError&) {
        throw Error("database '" + spec +
                    "': it has no termlist table, so what documents say that came after training "
                    "can't be told; learn anew: --retrain");
    }
}

void check_rights(const std::string& spec, const std::string& remedy) {
    std::error_code error;
    if (!std::filesystem::is_directory(spec, error) || access(spec.c_str(), W_OK) == 0) return;
    throw Error("database '" + spec + "': no rights to write to it; " + remedy);
}

bool is_fresh(const std::string& value, const StoredTopicModel& model, Xapian::termcount length) {
    try {
        const StoredVector stored = open_vector(value, model.record().header.dimensions, "slot");
        return stored.info.model_tag == model.tag() && stored.info.document_length == length &&
               stored.info.coding == model.record().coding;
    } catch (const FormatError&) {
        return false;
    }
}

}  // namespace

void check_targets(const std::vector<std::string>& databases, const std::string& sidecar) {
    if (databases.empty()) throw InvalidArgument("no database given");
    if (databases.size() == 1 || sidecar.empty()) return;
    throw InvalidArgument(
        fmt::format("one sidecar for {} databases: a sidecar belongs to one", databases.size()));
}

VectorCoding coding_of(TopicSettings::Coding coding, TopicVectorKind kind) {
    switch (coding) {
        case TopicSettings::Coding::kFloat16:
            return VectorCoding::kFloat16;
        case TopicSettings::Coding::kFloat32:
            return VectorCoding::kFloat32;
        case TopicSettings::Coding::k8Bit:
            break;
    }
    return kind == TopicVectorKind::kSigned ? VectorCoding::kSigned8 : VectorCoding::kUnsigned8;
}

std::uint64_t seconds_now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

TopicShard::TopicShard(const std::string& spec, const std::string& sidecar, std::size_t batch,
                       const std::string& remedy)
    : spec_(spec), sidecar_(!sidecar.empty()), batch_(std::max<std::size_t>(batch, 1)) {
    if (sidecar_) {
        source_ = open_databases({spec});
        check_single(source_, spec);
        open_sidecar(sidecar);
    } else {
        on_newest_state(
            "attempts to read it", [] { return true; },
            // It would not even open for writing.
            [&](unsigned) { check_termlist(open_databases({spec}), spec, remedy); });
        check_rights(spec, remedy);
        target_ = open_for_writing(spec);
        check_single(target_, spec);
        source_ = target_;
    }
}

void TopicShard::open_sidecar(const std::string& folder) {
    const bool absent = look_at(folder) == DatabasePlace::kNothing;
    target_ = absent ? create_database(folder) : open_for_writing(folder);
    const std::string uuid = sidecar_uuid(target_);
    if (uuid == source_.get_uuid()) return;
    // One with nothing in it is what was left when its making was cut short.
    const bool untouched = target_.get_lastdocid() == 0 &&
                           target_.metadata_keys_begin() == target_.metadata_keys_end();
    if (absent || (uuid.empty() && untouched && target_.get_uuid() != source_.get_uuid())) {
        mark_as_sidecar(target_, source_.get_uuid());
        target_.commit();
        return;
    }
    throw ModelMismatch(
        uuid.empty()
            ? fmt::format("'{}' is a database, but no sidecar (it has no metadata key {}); "
                          "name a new folder",
                          folder, kSidecarKey)
            : fmt::format("sidecar '{}' belongs to a database of identifier {}, and '{}' is {}; "
                          "name another folder",
                          folder, uuid, spec_, source_.get_uuid()));
}

void TopicShard::in_batches(std::size_t count, const std::function<void(std::size_t)>& work) {
    for (std::size_t begin = 0; begin < count; begin += batch_) {
        const std::size_t end = std::min(count, begin + batch_);
        target_.begin_transaction();
        try {
            for (std::size_t i = begin; i < end; ++i) work(i);
        } catch (...) {
            target_.cancel_transaction();
            throw;
        }
        target_.commit_transaction();
    }
}

void TopicShard::clear_leftovers(const std::string& kept, const std::function<void()>& keep_going) {
    std::set<std::string> named = {kept};
    for (const TopicModelIdentity& model : load_topic_catalogue(target_)) named.insert(model.id);
    for (const std::string& id : recorded_topic_models(target_)) {
        if (!named.contains(id)) clear(id, keep_going);
    }
}

void TopicShard::write_model(const std::string& id, const TopicRecord& record,
                             const TopicSummary& summary, const TopicClusters& clusters,
                             const TopicModel& model) {
    target_.begin_transaction();
    write_topic_model(target_, id, record, summary, model);
    store_stemmer(target_, record.stemmer);
    target_.set_metadata(topic_key(id, kTopicUseEnding), "");  // all documents are trained on
    if (clusters.size() > 0) {
        target_.set_metadata(topic_key(id, kTopicClustersEnding), serialise(clusters));
    }
    target_.commit_transaction();
}

std::vector<TopicShard::Pending> TopicShard::pending(const StoredTopicModel& model,
                                                     VectorCounts& counts) const {
    std::vector<Pending> result;
    const unsigned slot = model.record().slot;
    auto value = target_.valuestream_begin(slot);
    const auto end = target_.valuestream_end(slot);
    for (auto posting = source_.postlist_begin(""); posting != source_.postlist_end("");
         ++posting) {
        ++counts.documents;
        const Xapian::docid document = *posting;
        const Xapian::termcount length = posting.get_doclength();
        if (value != end && value.get_docid() < document) value.skip_to(document);
        const bool has_value = value != end && value.get_docid() == document;
        if (!has_value || !is_fresh(*value, model, length)) result.push_back({document, length});
    }
    return result;
}

// What write_vectors goes through the documents with.
struct TopicShard::Work {
    StoredTopicModel& model;
    ClusterTerms clusters;
    TopicUse use;
    VectorCounts counts;
};

VectorCounts TopicShard::write_vectors(StoredTopicModel& model, const TrainedVector& trained,
                                       const Progress& progress) {
    const std::string& id = model.identity().id;
    Work work{model,
              ClusterTerms(target_, id, model.record().header.dimensions),
              load_topic_use(target_, id),
              {}};
    if (sidecar_) drop_gone_documents();
    const std::vector<Pending> left = pending(model, work.counts);
    in_batches(left.size(), [&](std::size_t i) {
        if (i % 256 == 0 && progress &&
            !progress({"writing topic vectors", i, left.size(), "documents", spec_})) {
            throw Cancelled("stopped: the same command goes on; searches don't see it before");
        }
        write_vector(work, left[i], trained(left[i].document, left[i].length));
        if ((i + 1) % batch_ != 0 && i + 1 != left.size()) return;
        work.clusters.write(target_);
        renew_topic_record(target_, id, model.record());
        if (work.counts.folded == 0) return;
        target_.set_metadata(topic_key(id, kTopicUseEnding), serialise(work.use));
    });
    return work.counts;
}

// Nothing comes between fetching the document from the writer and replacing it: Xapian then writes
// the slot alone, and leaves terms and positions as they are.
void TopicShard::write_vector(Work& work, const Pending& next, std::span<const float> trained) {
    Xapian::Document document;
    try {
        document = target_.get_document(next.document);
    } catch (const Xapian::DocNotFoundError&) {
        if (!sidecar_) throw;  // a new one, with nothing in it
    }
    FoldedText text;
    if (trained.empty()) {
        const Xapian::Document& source = sidecar_ ? source_.get_document(next.document) : document;
        text = work.model.fold(words_of(source, work.model.record().form, spec_).words);
        trained = text.vector;
        ++work.counts.folded;
        ++work.use.folded_documents;
        work.use.words += text.known + text.unknown;
        work.use.unknown_words += text.unknown;
    }
    const std::string stored = work.model.encode(trained, next.length);
    document.add_value(work.model.record().slot, stored);
    work.clusters.assign(document, stored);
    target_.replace_document(next.document, document);
    ++work.counts.written;
}

std::uint64_t TopicShard::write_given(const TopicRecord& record, const GivenValue& given,
                                      const Progress& progress) {
    if (sidecar_) drop_gone_documents();
    std::vector<Pending> left;
    auto value = target_.valuestream_begin(record.slot);
    const auto end = target_.valuestream_end(record.slot);
    for (auto posting = source_.postlist_begin(""); posting != source_.postlist_end("");
         ++posting) {
        const Pending next{*posting, posting.get_doclength()};
        if (value != end && value.get_docid() < next.document) value.skip_to(next.document);
        const bool has_value = value != end && value.get_docid() == next.document;
        const std::optional<std::string> wanted = given(next.document, next.length);
        if (wanted && (has_value ? *value : "") != *wanted) left.push_back(next);
    }
    in_batches(left.size(), [&](std::size_t i) {
        if (i % 256 == 0 && progress &&
            !progress({"writing vectors", i, left.size(), "documents", spec_})) {
            throw Cancelled("stopped: the same command goes on; searches don't see it before");
        }
        // As in write_vector, no write comes between these two.
        Xapian::Document document;
        try {
            document = target_.get_document(left[i].document);
        } catch (const Xapian::DocNotFoundError&) {
            if (!sidecar_) throw;
        }
        document.add_value(record.slot, *given(left[i].document, left[i].length));
        target_.replace_document(left[i].document, document);
    });
    return left.size();
}

std::uint64_t TopicShard::write_records(const DocumentRecords& records, const Progress& progress) {
    std::vector<Xapian::docid> left;
    const std::uint8_t tag = records.fields_tag();
    auto value = target_.valuestream_begin(records.slot);
    const auto end = target_.valuestream_end(records.slot);
    for (auto posting = target_.postlist_begin(""); posting != target_.postlist_end("");
         ++posting) {
        if (value != end && value.get_docid() < *posting) value.skip_to(*posting);
        const bool has_value = value != end && value.get_docid() == *posting;
        const auto record = try_document_record(has_value ? *value : "");
        const bool current =
            record && record->length == posting.get_doclength() && record->fields_tag == tag;
        if (!current) left.push_back(*posting);
    }
    in_batches(left.size(), [&](std::size_t i) {
        // Records of the newest version go with a place that older ones refuse.
        if (const auto own = i == 0 ? load_document_records(target_) : std::nullopt) {
            store_document_records(target_, *own);
        }
        if (i % 256 == 0 && progress &&
            !progress({"writing statistics", i, left.size(), "documents", spec_})) {
            throw Cancelled("stopped: the same command goes on from there");
        }
        // As in write_vector, no read comes between these two.
        Xapian::Document document = target_.get_document(left[i]);
        document.add_value(records.slot,
                           encode_document_record(make_document_record(document, records)));
        target_.replace_document(left[i], document);
    });
    return left.size();
}

void TopicShard::drop_gone_documents() {
    std::vector<Xapian::docid> gone;
    auto there = source_.postlist_begin("");
    const auto end = source_.postlist_end("");
    for (auto posting = target_.postlist_begin(""); posting != target_.postlist_end("");
         ++posting) {
        if (there != end && *there < *posting) there.skip_to(*posting);
        if (there == end || *there != *posting) gone.push_back(*posting);
    }
    in_batches(gone.size(), [&](std::size_t i) { target_.delete_document(gone[i]); });
}

std::string TopicShard::publish(const TopicModelIdentity& identity) {
    const std::vector<TopicModelIdentity> named = load_topic_catalogue(target_);
    if (std::find(named.begin(), named.end(), identity) != named.end()) return "";
    std::string former = publish_topic_model(target_, identity);
    carry_ranking(target_, former, identity);
    target_.commit();
    return former;
}

// If the record can't be read, removes what is marked as the model's.
void TopicShard::clear(const std::string& id, const std::function<void()>& keep_going) {
    const auto any = [](std::string_view) { return true; };
    const auto marked = [tag = topic_model_tag(id)](std::string_view value) {
        return is_marked_vector(value, tag);
    };
    if (const auto record = intact_topic_record(target_, id)) {
        remove_vectors(record->slot, record->clusters > 0 ? id : "", any, keep_going);
    } else {
        for (const unsigned slot : slots_marked_as(target_, id)) {
            remove_vectors(slot, "", marked, keep_going);
        }
    }
    clear_clusters(id, keep_going);
    target_.begin_transaction();
    clear_topic_keys(target_, id);
    target_.commit_transaction();
}

void TopicShard::remove_vectors(unsigned slot, const std::string& clustered,
                                const std::function<bool(std::string_view)>& is_own,
                                const std::function<void()>& keep_going) {
    std::vector<Xapian::docid> documents;
    for (auto value = target_.valuestream_begin(slot); value != target_.valuestream_end(slot);
         ++value) {
        if (is_own(*value)) documents.push_back(value.get_docid());
    }
    in_batches(documents.size(), [&](std::size_t i) {
        if (i % 256 == 0) keep_going();
        Xapian::Document document = target_.get_document(documents[i]);
        document.remove_value(slot);
        if (!clustered.empty()) remove_cluster_terms(document, clustered);
        target_.replace_document(documents[i], document);
    });
}

void TopicShard::remove_terms(const std::set<std::string>& terms,
                              const std::function<void()>& keep_going) {
    for (const std::string& term : terms) {
        const std::vector<Xapian::docid> documents(target_.postlist_begin(term),
                                                   target_.postlist_end(term));
        in_batches(documents.size(), [&](std::size_t i) {
            if (i % 256 == 0) keep_going();
            Xapian::Document document = target_.get_document(documents[i]);
            document.remove_term(term);
            target_.replace_document(documents[i], document);
        });
    }
}

void TopicShard::clear_clusters(const std::string& id, const std::function<void()>& keep_going) {
    const std::string prefix = cluster_prefix(id);
    remove_terms({target_.allterms_begin(prefix), target_.allterms_end(prefix)}, keep_going);
    target_.set_metadata(topic_key(id, kTopicClustersEnding), "");
    target_.commit();
}

unsigned slot_for_model(const std::string& id, std::vector<TopicShard>& shards,
                        const IndexSettings& settings) {
    std::vector<Xapian::Database> targets;
    for (TopicShard& shard : shards) {
        if (const auto record = intact_topic_record(shard.target(), id)) return record->slot;
        targets.push_back(shard.target());
    }
    for (const Xapian::Database& target : targets) {
        const std::vector<std::string> begun = recorded_topic_models(target);
        const std::vector<TopicModelIdentity> named = load_topic_catalogue(target);
        const bool is_known = std::find(begun.begin(), begun.end(), id) != begun.end() ||
                              std::any_of(named.begin(), named.end(),
                                          [&](const auto& model) { return model.id == id; });
        if (!is_known) continue;  // Another model's vectors could have the same mark.
        const std::vector<unsigned> slots = slots_marked_as(target, id);
        if (!slots.empty()) return slots.front();
    }
    return free_topic_slot(targets, settings);
}

// The neighbours of a shard's documents.

namespace {

// A shard's documents, those without fresh neighbours among them, and the vectors of all.
struct Documents {
    std::vector<Xapian::docid> docids;
    std::vector<Xapian::termcount> lengths;
    FloatMatrix vectors;  ///< Zeros where a document has none.
    std::vector<std::uint32_t> wanted;
};

bool has_neighbours(const std::string& value, std::size_t neighbours, const VectorInfo& info) {
    const auto stored = try_open_vector(value, neighbours);
    return stored && stored->info == info;
}

// The values of a slot, asked for in the order of documents.
class Values {
  public:
    Values(const Xapian::Database& database, Xapian::valueno slot)
        : at_(database.valuestream_begin(slot)), end_(database.valuestream_end(slot)) {}

    std::string of(Xapian::docid docid) {
        if (at_ != end_ && at_.get_docid() < docid) at_.skip_to(docid);
        return at_ != end_ && at_.get_docid() == docid ? *at_ : std::string();
    }

  private:
    Xapian::ValueIterator at_, end_;
};

Documents read_documents(TopicShard& shard, const std::string& id, const TopicRecord& record,
                         const std::string& of) {
    const TopicRecord model = load_topic_record(shard.target(), of);
    const std::uint8_t tag = topic_model_tag(of);
    Values vectors(shard.target(), model.slot);
    Values neighbours(shard.target(), record.slot);
    Documents documents;
    documents.vectors.columns = model.header.dimensions;
    const Xapian::Database& source = shard.source();
    Xapian::docid before = 0;
    for (auto at = source.postlist_begin(""); at != source.postlist_end(""); ++at) {
        const Xapian::docid docid = *at;
        require_ascending(before, docid, [] { return std::string("the list of documents"); });
        before = docid;
        const Xapian::termcount length = at.get_doclength();
        const auto row = static_cast<std::uint32_t>(documents.docids.size());
        documents.docids.push_back(docid);
        documents.lengths.push_back(length);
        FloatMatrix& matrix = documents.vectors;
        matrix.values.resize(matrix.values.size() + matrix.columns);
        ++matrix.rows;
        const std::string bytes = vectors.of(docid);
        const auto stored = try_open_vector(bytes, matrix.columns);
        if (stored && stored->info.model_tag == tag) decode_vector(*stored, matrix.row(row));
        const VectorInfo info{record.coding, topic_model_tag(id), length};
        if (!has_neighbours(neighbours.of(docid), record.header.dimensions, info)) {
            documents.wanted.push_back(row);
        }
    }
    return documents;
}

}  // namespace

VectorCounts write_neighbours(TopicShard& shard, const std::string& id, const TopicRecord& record,
                              const std::string& of, Executor& executor, const Progress& progress) {
    const Documents documents = read_documents(shard, id, record, of);
    const std::size_t count = record.header.dimensions;
    const std::vector<std::uint32_t> found =
        nearest_rows(documents.vectors, documents.wanted, {.count = count}, executor, progress);
    const auto value = [&](Xapian::docid docid,
                           Xapian::termcount length) -> std::optional<std::string> {
        const auto row = static_cast<std::uint32_t>(
            std::lower_bound(documents.docids.begin(), documents.docids.end(), docid) -
            documents.docids.begin());
        const auto at = std::lower_bound(documents.wanted.begin(), documents.wanted.end(), row);
        if (at == documents.wanted.end() || *at != row) return std::nullopt;
        std::vector<std::int32_t> away(count);
        const auto begin = static_cast<std::size_t>(at - documents.wanted.begin()) * count;
        for (std::size_t k = 0; k < count && found[begin + k] != kNoNeighbour; ++k) {
            away[k] = static_cast<std::int32_t>(documents.docids[found[begin + k]] - docid);
        }
        return encode_numbers({record.coding, topic_model_tag(id), length}, away);
    };
    VectorCounts counts{.documents = documents.docids.size()};
    counts.written = shard.write_given(record, value, progress);
    return counts;
}

}  // namespace braid
