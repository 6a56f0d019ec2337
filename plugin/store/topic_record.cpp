// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_record.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
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

// A trace and coherences may hold NaN.
std::vector<double> read_any_reals(ByteReader& in, std::string_view name) {
    std::vector<double> numbers(in.count(name, kRealBytes));
    for (double& number : numbers) number = in.real(name);
    return numbers;
}

void write(ByteWriter& out, const TopicModelHeader& header) {
    out.text(header.model);
    out.varint(header.dimensions);
    out.choice(header.kind);
    write_reals(out, header.folding);
}

TopicModelHeader read_header(ByteReader& in) {
    TopicModelHeader header;
    header.model = in.text("model");
    header.dimensions = in.varint_in("dimensions", 1, kMostDimensions);
    header.kind = in.choice("kind", TopicVectorKind::kProbability);
    header.folding = read_any_reals(in, "folding constants");
    return header;
}

void write(ByteWriter& out, const TopicOptions& options) {
    out.varint(options.dimensions);
    out.varint(options.seed);
    out.varint(options.words_per_topic);
    write_numbers(out, options.parameters);
    write_map(out, options.choices, [&](const std::string& value) { out.text(value); });
}

TopicOptions read_options(ByteReader& in) {
    TopicOptions options;
    options.dimensions = in.varint("dimensions asked for");
    options.seed = in.varint("seed");
    options.words_per_topic = in.varint("words per topic");
    options.parameters = read_numbers(in, "parameters");
    options.choices =
        read_map<std::string>(in, "choices", 2, [&] { return in.text("choice's value"); });
    return options;
}

void write(ByteWriter& out, const TopicTraining& training) {
    out.varint(training.iterations);
    out.text(training.stop_reason);
    out.text(training.objective_name);
    out.real(training.objective);
    write_reals(out, training.trace);
    write_texts(out, training.warnings);
}

TopicTraining read_training(ByteReader& in) {
    TopicTraining training;
    training.iterations = in.varint("iterations");
    training.stop_reason = in.text("stop reason");
    training.objective_name = in.text("objective's name");
    training.objective = in.real("objective");
    training.trace = read_any_reals(in, "trace");
    training.warnings = read_texts(in, "warnings");
    return training;
}

Topic read_topic(ByteReader& in) {
    Topic topic;
    topic.share = in.finite_real("topic's share");
    topic.words.resize(in.count("topic's words", 1 + kRealBytes));
    for (Topic::Word& word : topic.words) {
        word.term = in.text("topic's word");
        word.weight = in.finite_real("word's weight");
    }
    return topic;
}

ByteWriter body_of(const TopicRecord& record) {
    ByteWriter body;
    body.text(record.name);
    write(body, record.header);
    body.choice(record.coding);
    body.varint(record.slot);
    body.choice(record.form);
    body.text(record.stemmer);
    write(body, record.options);
    body.varint(record.clusters);
    body.varint(record.limits.min_documents);
    body.real(record.limits.max_document_share);
    body.varint(record.limits.max_terms);
    body.varint(record.documents);
    body.varint(record.vocabulary);
    body.real(record.words);
    body.real(record.unknown_words);
    body.varint(record.trained_at);
    write(body, record.training);
    return body;
}

}  // namespace

bool has_words(const TopicRecord& record) {
    return record.header.model != kVectorsModel && record.header.model != kNeighboursModel;
}

std::string serialise(const TopicRecord& record) {
    return write_stored(kRecordFormat, body_of(record));
}

std::string identity_bytes(TopicRecord record) {
    record.slot = 0;
    record.trained_at = 0;
    StoredFormat first = kRecordFormat;
    first.version = 1;
    return write_stored(first, body_of(record));
}

TopicRecord parse_topic_record(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kRecordFormat, bytes, where);
    TopicRecord record;
    record.name = in.text("name");
    record.header = read_header(in);
    record.coding = in.choice("coding", VectorCoding::kFloat32);
    record.slot = static_cast<unsigned>(in.varint_in("slot", 0, 0xfffffffeU));
    record.form = in.choice("word form", WordForm::kWords);
    record.stemmer = in.text("stemmer");
    record.options = read_options(in);
    record.clusters = in.varint("clusters");
    record.limits.min_documents =
        static_cast<std::uint32_t>(in.varint_in("min_documents", 0, 0xffffffffU));
    record.limits.max_document_share = in.finite_real("max_document_share");
    record.limits.max_terms = in.varint("max_terms");
    record.documents = in.varint("documents");
    record.vocabulary = in.varint("vocabulary");
    record.words = in.finite_real("words");
    record.unknown_words = in.finite_real("unknown words");
    record.trained_at = in.varint_in("time of training", 0, kLastTime);
    record.training = read_training(in);
    in.finish();
    return record;
}

std::string serialise(const TopicSummary& summary) {
    ByteWriter body;
    body.varint(summary.topics.size());
    for (const Topic& topic : summary.topics) {
        body.real(topic.share);
        body.varint(topic.words.size());
        for (const Topic::Word& word : topic.words) {
            body.text(word.term);
            body.real(word.weight);
        }
    }
    write_reals(body, summary.coherence);
    return write_stored(kSummaryFormat, body);
}

TopicSummary parse_topic_summary(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kSummaryFormat, bytes, where);
    TopicSummary summary;
    summary.topics.resize(in.count("topics", kRealBytes + 1));
    for (Topic& topic : summary.topics) topic = read_topic(in);
    summary.coherence = read_any_reals(in, "coherence");
    in.finish();
    return summary;
}

std::string serialise(const TopicUse& use) {
    ByteWriter body;
    body.varint(use.folded_documents);
    body.real(use.words);
    body.real(use.unknown_words);
    return write_stored(kUseFormat, body);
}

TopicUse parse_topic_use(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kUseFormat, bytes, where);
    TopicUse use;
    use.folded_documents = in.varint("folded documents");
    use.words = in.finite_real("words");
    use.unknown_words = in.finite_real("unknown words");
    in.finish();
    return use;
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
