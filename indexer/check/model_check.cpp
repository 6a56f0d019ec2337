// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/model_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/neighbours.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

using Kind = CheckFinding::Kind;

// How far from 1 the length of a stored vector may be: that of its codes' rounding.
double length_margin(VectorCoding coding) { return coding == VectorCoding::kFloat16 ? 2e-3 : 1e-5; }
constexpr double kCentroidMargin = 1e-5;
constexpr double kCosineMargin = 1e-4;

double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
    return sum;
}

double length_of(std::span<const float> vector) { return std::sqrt(dot(vector, vector)); }

bool is_zero(std::span<const float> vector) {
    return std::all_of(vector.begin(), vector.end(), [](float x) { return x == 0; });
}

}  // namespace

struct ModelCheck::Counts {
    std::uint64_t missing = 0;
    std::uint64_t stale = 0;
    std::uint64_t unchecked = 0;
    std::uint64_t gone = 0;  ///< Values of documents that are not there.
    std::string first_problem = {};
};

ModelCheck::ModelCheck(const Xapian::Database& source, const Xapian::Database& target,
                       const TopicModelIdentity& identity, CheckLog& log)
    : source_(source), target_(target), log_(log) {
    damage_.identity = identity;
}

std::string ModelCheck::key(const char* ending) const {
    return "metadata key " + topic_key(damage_.identity.id, ending);
}

void ModelCheck::run() {
    if (!check_record()) return;
    const std::string& id = damage_.identity.id;
    damage_.summary = !log_.read(key(kTopicWordsEnding), [&] { load_topic_summary(target_, id); });
    damage_.use = !log_.read(key(kTopicUseEnding), [&] { load_topic_use(target_, id); });
    log_.read(key(kTopicTermEnding), [&] { check_words(); });
    damage_.clusters = !log_.read(key(kTopicClustersEnding), [&] { check_clusters(); });
    log_.read(fmt::format("value slot {}", record_.slot), [&] { check_vectors(); });
}

bool ModelCheck::check_record() {
    bool whole = false;
    const std::string where = key(kTopicRecordEnding);
    damage_.record = !log_.read(where, [&] {
        record_ = load_topic_record(target_, damage_.identity.id);
        if (record_.name != damage_.identity.name) {
            throw FormatError(fmt::format("{}: it is called '{}', and the list of models '{}'",
                                          where, record_.name, damage_.identity.name));
        }
        make_stemmer({.stemmer = record_.stemmer.empty() ? "none" : record_.stemmer});
        if (has_words(record_)) make_topic_folding(record_.header);
        record_bytes_ = serialise(record_);
        whole = true;
    });
    damage_.newer = !whole && !damage_.record;
    return whole;
}

void ModelCheck::check_words() {
    const std::string prefix = topic_key(damage_.identity.id, kTopicTermEnding);
    std::uint64_t words = 0;
    std::string first_problem;
    for (auto at = target_.metadata_keys_begin(prefix); at != target_.metadata_keys_end(prefix);
         ++at) {
        const std::string name = *at;
        const std::string bytes = target_.get_metadata(name);
        ++words;
        ++log_.report().words;
        try {
            const std::string where = "metadata key " + name;
            if (bytes.size() < record_.header.dimensions) {
                throw FormatError(where + ": it is too short for the model's dimensions");
            }
            decoded_.resize(record_.header.dimensions);
            decode_term_vector(bytes, where, decoded_);
            const double length = ByteReader(bytes, where).finite_real("length");
            const double found = length_of(decoded_);
            if (found > 0 && std::fabs(found - length) >
                                 length_margin(VectorCoding::kFloat16) * std::max(found, length)) {
                throw FormatError(fmt::format("{}: found a vector of length {}, expected {}", where,
                                              found, length));
            }
        } catch (const FormatError& error) {
            if (damage_.words.empty()) first_problem = error.what();
            damage_.words.push_back(name);
        }
    }
    if (!damage_.words.empty()) {
        log_.add(Kind::kDamaged, "metadata keys " + prefix,
                 fmt::format("{} vectors of words are damaged; the first: {}", damage_.words.size(),
                             first_problem));
    }
    damage_.vocabulary = words < record_.vocabulary;
    if (!damage_.vocabulary) return;
    log_.add(Kind::kDamaged, "metadata keys " + prefix,
             fmt::format("found vectors of {} words, expected {}", words, record_.vocabulary));
}

void ModelCheck::check_clusters() {
    const std::string& id = damage_.identity.id;
    const std::string bytes = target_.get_metadata(topic_key(id, kTopicClustersEnding));
    if (bytes.empty()) return;
    const std::string where = key(kTopicClustersEnding);
    TopicClusters clusters = parse_topic_clusters(bytes, where);
    if (clusters.centroids.columns != record_.header.dimensions) {
        throw FormatError(fmt::format("{}: found {} dimensions, expected {}", where,
                                      clusters.centroids.columns, record_.header.dimensions));
    }
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const double length = length_of(clusters.centroids.row(c));
        if (std::fabs(length - 1) <= kCentroidMargin) continue;
        throw FormatError(
            fmt::format("{}: centroid {} has the length {}, expected 1", where, c, length));
    }
    clusters_ = std::move(clusters);
    for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
        const std::string term = cluster_term(id, c);
        const auto end = target_.postlist_end(term);
        for (auto at = target_.postlist_begin(term); at != end; ++at) members_.emplace_back(*at, c);
    }
    std::sort(members_.begin(), members_.end());
}

void ModelCheck::check_vectors() {
    Counts counts;
    auto value = target_.valuestream_begin(record_.slot);
    const auto end = target_.valuestream_end(record_.slot);
    std::uint64_t documents = 0;
    for (auto document = source_.postlist_begin(""); document != source_.postlist_end("");
         ++document) {
        log_.tick("checking vectors", documents++, source_.get_doccount());
        for (; value != end && value.get_docid() < *document; ++value) ++counts.gone;
        if (value == end || value.get_docid() != *document) {
            ++counts.missing;
            continue;
        }
        ++log_.report().vectors;
        check_vector(*document, *value, document.get_doclength(), counts);
        ++value;
    }
    for (; value != end; ++value) ++counts.gone;
    report_vectors(counts);
}

void ModelCheck::check_vector(Xapian::docid docid, std::string_view bytes, Xapian::termcount length,
                              Counts& counts) {
    std::string problem;
    try {
        const StoredVector stored = open_vector(bytes, record_.header.dimensions, "its value");
        problem = problem_of(stored);
        counts.unchecked += stored.is_checked ? 0 : 1;
        counts.stale += stored.info.document_length == length ? 0 : 1;
    } catch (const FormatError& error) {
        problem = error.what();
    }
    if (problem.empty()) {
        check_cluster(docid);
        return;
    }
    if (damage_.vectors.empty()) {
        counts.first_problem = fmt::format("document {}: {}", docid, problem);
    }
    damage_.vectors.push_back(docid);
}

namespace {

// Neighbours come first, each once, and then zeros.
std::string problem_of_neighbours(const StoredVector& stored) {
    std::set<std::int32_t> seen;
    bool ended = false;
    for (std::size_t i = 0; i < stored.codes.size() / sizeof(std::int32_t); ++i) {
        const std::int32_t away = number_at(stored, i);
        ended = ended || away == 0;
        if (away == 0) continue;
        if (ended) return fmt::format("found the neighbour {:+} behind the last", away);
        if (!seen.insert(away).second) return fmt::format("found the neighbour {:+} twice", away);
    }
    return "";
}

}  // namespace

std::string ModelCheck::problem_of(const StoredVector& stored) {
    if (stored.info.model_tag != topic_model_tag(damage_.identity.id)) {
        return "found another model's vector";
    }
    if (stored.info.coding != record_.coding) return "found another coding than the model's";
    if (record_.header.model == kNeighboursModel) return problem_of_neighbours(stored);
    decoded_.resize(record_.header.dimensions);
    decode_vector(stored, decoded_);
    const double length = length_of(decoded_);
    if (length != 0 && !(std::fabs(length - 1) <= length_margin(stored.info.coding))) {
        return fmt::format("found a vector of length {}, expected 1 or 0", length);
    }
    const bool negative =
        std::any_of(decoded_.begin(), decoded_.end(), [](float x) { return x < 0; });
    if (negative && record_.header.kind == TopicVectorKind::kProbability) {
        return "found a component below 0, expected probabilities";
    }
    return "";
}

// Every vector that is not zero has one cluster, whose radius it is within.
void ModelCheck::check_cluster(Xapian::docid docid) {
    if (clusters_.size() == 0) return;
    while (next_member_ < members_.size() && members_[next_member_].first < docid) ++next_member_;
    std::size_t terms = 0;
    bool within = true;
    for (; next_member_ < members_.size() && members_[next_member_].first == docid;
         ++next_member_, ++terms) {
        const std::uint32_t cluster = members_[next_member_].second;
        const double cosine = dot(decoded_, clusters_.centroids.row(cluster));
        within = within && cosine >= double{clusters_.radius[cluster]} - kCosineMargin;
    }
    if (terms == (is_zero(decoded_) ? 0U : 1U) && within) return;
    damage_.cluster_terms.push_back(docid);
}

void ModelCheck::report_vectors(const Counts& counts) {
    const std::string where =
        fmt::format("value slot {} ({})", record_.slot, damage_.identity.name);
    if (!damage_.vectors.empty()) {
        log_.add(Kind::kDamaged, where,
                 fmt::format("{} vectors of documents are damaged; the first: {}",
                             damage_.vectors.size(), counts.first_problem));
    }
    if (!damage_.cluster_terms.empty()) {
        log_.add(Kind::kDamaged, "terms " + cluster_prefix(damage_.identity.id),
                 fmt::format("{} documents are not in the cluster of their vector; the first is "
                             "document {}",
                             damage_.cluster_terms.size(), damage_.cluster_terms.front()));
    }
    const std::string again =
        record_.header.model == kVectorsModel ? "`braid adopt --vectors`" : "`braid adopt`";
    log_.note(counts.missing, where, "documents have no vector: " + again + " gives them one");
    log_.note(counts.stale, where,
              "vectors are of documents that changed since: " + again + " makes them anew");
    log_.note(counts.gone, where, "vectors are of documents that are gone");
    log_.note(counts.unchecked, where, "vectors have no checksum: an older Braid wrote them");
}

}  // namespace braid
