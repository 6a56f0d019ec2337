// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/topic_clusters.h"

#include <bit>

#include "braid/core/base/bytes.h"
#include "braid/core/base/error.h"

namespace braid {
namespace {

constexpr StoredFormat kFormat{
    .magic = "BrTK", .version = 2, .kind = "clusters of topics", .checked_from = 2};
constexpr std::size_t kIdDigits = 8;
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
    return write_stored(kFormat, body);
}

TopicClusters parse_topic_clusters(std::string_view bytes, std::string_view where) {
    auto [version, in] = read_stored(kFormat, bytes, where);
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
    return "XBRAID" + std::string(id.substr(0, kIdDigits)) + ":";
}

std::string cluster_term(std::string_view id, std::uint32_t cluster) {
    return cluster_prefix(id) + std::to_string(cluster);
}

}  // namespace braid
