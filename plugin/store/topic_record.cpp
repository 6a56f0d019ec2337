// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_record.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/byte_fields.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/neighbours.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr StoredFormat kRecordFormat{
    .magic = "BrTH", .version = 2, .kind = "topic model", .checked_from = 2};
constexpr StoredFormat kSummaryFormat{
    .magic = "BrTW", .version = 2, .kind = "topics' words", .checked_from = 2};
constexpr StoredFormat kUseFormat{
    .magic = "BrTS", .version = 2, .kind = "use of a topic model", .checked_from = 2};

constexpr std::size_t kRealBytes = 8;

// More than any model or given vector can have: what a record says sizes the vectors of queries.
constexpr std::uint64_t kMostDimensions = 65'536;
// The end of the year 9999, in seconds since 1970: later times can't be shown.
constexpr std::uint64_t kLastTime = 253'402'300'799;

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicModelHeader>& header) {
    fields.text("model", header.model);
    fields.varint("dimensions", header.dimensions, 1, kMostDimensions);
    fields.choice("kind", header.kind, TopicVectorKind::kProbability);
    fields.any_reals("folding constants", header.folding);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicOptions>& options) {
    fields.varint("dimensions asked for", options.dimensions);
    fields.varint("seed", options.seed);
    fields.varint("words per topic", options.words_per_topic);
    fields.numbers("parameters", options.parameters);
    fields.map("choices", 2, options.choices,
               [](auto& choice, auto& value) { choice.text("choice's value", value); });
}

// A trace may hold NaN, as coherences may.
template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicTraining>& training) {
    fields.varint("iterations", training.iterations);
    fields.text("stop reason", training.stop_reason);
    fields.text("objective's name", training.objective_name);
    fields.any_real("objective", training.objective);
    fields.any_reals("trace", training.trace);
    fields.texts("warnings", training.warnings);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicRecord>& record) {
    fields.text("name", record.name);
    walk(fields, record.header);
    fields.choice("coding", record.coding, VectorCoding::kFloat32);
    fields.varint("slot", record.slot, 0, 0xfffffffeU);
    fields.choice("word form", record.form, WordForm::kWords);
    fields.text("stemmer", record.stemmer);
    walk(fields, record.options);
    fields.varint("clusters", record.clusters);
    fields.varint("min_documents", record.limits.min_documents);
    fields.real("max_document_share", record.limits.max_document_share);
    fields.varint("max_terms", record.limits.max_terms);
    fields.varint("documents", record.documents);
    fields.varint("vocabulary", record.vocabulary);
    fields.real("words", record.words);
    fields.real("unknown words", record.unknown_words);
    fields.varint("time of training", record.trained_at, 0, kLastTime);
    walk(fields, record.training);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicSummary>& summary) {
    fields.records("topics", kRealBytes + 1, summary.topics, [](auto& topics, auto& topic) {
        topics.real("topic's share", topic.share);
        topics.records("topic's words", 1 + kRealBytes, topic.words, [](auto& words, auto& word) {
            words.text("topic's word", word.term);
            words.real("word's weight", word.weight);
        });
    });
    fields.any_reals("coherence", summary.coherence);
}

template <typename Fields>
void walk(Fields fields, RecordOf<Fields, TopicUse>& use) {
    fields.varint("folded documents", use.folded_documents);
    fields.real("words", use.words);
    fields.real("unknown words", use.unknown_words);
}

template <typename Stored>
std::string written(const StoredFormat& format, const Stored& stored) {
    ByteWriter body;
    walk(FieldsWriter(body), stored);
    return write_stored(format, body);
}

template <typename Stored>
Stored parsed(const StoredFormat& format, std::string_view bytes, std::string_view where) {
    StoredBody stored = read_stored(format, bytes, where);
    Stored result;
    walk(FieldsReader(stored.body), result);
    stored.body.finish();
    return result;
}

}  // namespace

bool has_words(const TopicRecord& record) {
    return record.header.model != kVectorsModel && record.header.model != kNeighboursModel;
}

std::string serialise(const TopicRecord& record) { return written(kRecordFormat, record); }
std::string serialise(const TopicSummary& summary) { return written(kSummaryFormat, summary); }
std::string serialise(const TopicUse& use) { return written(kUseFormat, use); }

std::string identity_bytes(TopicRecord record) {
    record.slot = 0;
    record.trained_at = 0;
    StoredFormat first = kRecordFormat;
    first.version = 1;
    return written(first, record);
}

TopicRecord parse_topic_record(std::string_view bytes, std::string_view where) {
    return parsed<TopicRecord>(kRecordFormat, bytes, where);
}

TopicSummary parse_topic_summary(std::string_view bytes, std::string_view where) {
    return parsed<TopicSummary>(kSummaryFormat, bytes, where);
}

TopicUse parse_topic_use(std::string_view bytes, std::string_view where) {
    return parsed<TopicUse>(kUseFormat, bytes, where);
}

namespace {

constexpr StoredFormat kTopicFormat{
    .magic = "BrTK", .version = 2, .kind = "clusters of topics", .checked_from = 2};
constexpr std::size_t kTermIdDigits = 8;
constexpr std::size_t kFloatBytes = 4;
constexpr std::uint64_t kMost = 1U << 24;

void write_float(ByteWriter& out, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const char bytes[kFloatBytes] = {static_cast<char>(bits), static_cast<char>(bits >> 8),
                                     static_cast<char>(bits >> 16), static_cast<char>(bits >> 24)};
    out.raw({bytes, kFloatBytes});
}

float read_float(ByteReader& in, std::string_view name) {
    const std::string_view bytes = in.raw(name, kFloatBytes);
    std::uint32_t bits = 0;
    for (std::size_t i = kFloatBytes; i-- > 0;) {
        bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    }
    const auto value = std::bit_cast<float>(bits);
    if (!(value >= -1.01F && value <= 1.01F)) in.fail(name, "expected -1 to 1");
    return value;
}

}  // namespace

std::string serialise(const TopicClusters& clusters) {
    ByteWriter body;
    body.varint(clusters.size());
    body.varint(clusters.centroids.columns);
    for (const float radius : clusters.radius) write_float(body, radius);
    for (const float component : clusters.centroids.values) write_float(body, component);
    return write_stored(kTopicFormat, body);
}

TopicClusters parse_topic_clusters(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kTopicFormat, bytes, where);
    const std::uint64_t clusters = in.varint_in("clusters", 1, kMost);
    const std::uint64_t dimensions = in.varint_in("dimensions", 1, kMost);
    if (in.remaining() != kFloatBytes * clusters * (dimensions + 1)) {
        in.fail("centroids", "found another number of bytes than they take");
    }
    TopicClusters result;
    for (std::uint64_t i = 0; i < clusters; ++i) result.radius.push_back(read_float(in, "radius"));
    result.centroids = FloatMatrix(clusters, dimensions);
    for (float& component : result.centroids.values) component = read_float(in, "centroid");
    in.finish();
    return result;
}

std::string cluster_prefix(std::string_view id) {
    return "XBRAID" + std::string(id.substr(0, kTermIdDigits)) + ":";
}

std::string cluster_term(std::string_view id, std::uint32_t cluster) {
    return cluster_prefix(id) + std::to_string(cluster);
}

}  // namespace braid
