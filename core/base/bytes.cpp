// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/base/bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/checksum.h"

namespace braid {
namespace {

constexpr std::size_t kChecksumBytes = 4;

std::uint32_t last_checksum(std::string_view bytes) {
    std::uint32_t checksum = 0;
    for (std::size_t i = bytes.size(); i > bytes.size() - kChecksumBytes; --i) {
        checksum = checksum << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return checksum;
}

bool has_checksum(std::string_view bytes) {
    return bytes.size() >= kChecksumBytes &&
           last_checksum(bytes) == crc32c(bytes.substr(0, bytes.size() - kChecksumBytes));
}

}  // namespace

static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);

void ByteWriter::varint(std::uint64_t value) {
    while (value >= 0x80) {
        bytes_.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::signed_varint(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes_.push_back(static_cast<char>(bits >> shift));
    }
}

void ByteWriter::text(std::string_view value) {
    varint(value.size());
    bytes_.append(value);
}

void ByteWriter::floats(std::span<const float> values) {
    varint(values.size());
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes_.push_back(static_cast<char>(bits >> shift & 0xffU));
        }
    }
}

ByteReader::ByteReader(std::string_view bytes, std::string what)
    : bytes_(bytes), what_(std::move(what)) {}

void ByteReader::fail(std::string_view name, std::string_view problem) const {
    throw FormatError(fmt::format("{}: {}: {}", what_, name, problem));
}

std::string_view ByteReader::raw(std::string_view name, std::size_t size) {
    if (size > remaining()) {
        fail(name, fmt::format("expected {} bytes, but only {} are left (truncated?)", size,
                               remaining()));
    }
    const std::string_view bytes = bytes_.substr(position_, size);
    position_ += size;
    return bytes;
}

std::uint64_t ByteReader::varint(std::string_view name) {
    // Most numbers are sizes of short texts.
    if (remaining() > 0) {
        const auto first = static_cast<unsigned char>(bytes_[position_]);
        if (first < 0x80) {
            ++position_;
            return first;
        }
    }
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(raw(name, 1)[0]);
        const std::uint64_t bits = byte & 0x7F;
        if (shift == 63 && bits > 1) break;
        value |= bits << shift;
        if (byte < 0x80) {
            // A last byte of 0 adds nothing: the writer would have stopped before it.
            if (byte == 0 && shift > 0) fail(name, "a number that is longer than it needs to be");
            return value;
        }
    }
    fail(name, "a number of more than 64 bits");
}

std::int64_t ByteReader::signed_varint(std::string_view name) {
    const std::uint64_t bits = varint(name);
    return static_cast<std::int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~std::uint64_t{0} : 0));
}

std::uint64_t ByteReader::varint_in(std::string_view name, std::uint64_t minimum,
                                    std::uint64_t maximum) {
    const std::uint64_t value = varint(name);
    if (value < minimum || value > maximum) {
        fail(name, fmt::format("{}, expected {} to {}", value, minimum, maximum));
    }
    return value;
}

double ByteReader::real(std::string_view name) {
    const std::string_view bytes = raw(name, 8);
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
        bits |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return std::bit_cast<double>(bits);
}

double ByteReader::finite_real(std::string_view name) {
    const double value = real(name);
    if (!std::isfinite(value)) fail(name, fmt::format("{}, expected a finite number", value));
    return value;
}

bool ByteReader::flag(std::string_view name) { return choice_number(name, 1) == 1; }

std::string ByteReader::text(std::string_view name) { return std::string(raw(name, count(name))); }

std::vector<float> ByteReader::floats(std::string_view name) {
    std::vector<float> values(count(name, 4));
    for (float& value : values) {
        const std::string_view bytes = raw(name, 4);
        std::uint32_t bits = 0;
        for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
        value = std::bit_cast<float>(bits);
    }
    return values;
}

std::size_t ByteReader::count(std::string_view name, std::size_t bytes_each) {
    const std::uint64_t value = varint(name);
    if (value > remaining() / bytes_each) {
        fail(name, fmt::format("{} elements of at least {} bytes each, but only {} bytes are left "
                               "(truncated?)",
                               value, bytes_each, remaining()));
    }
    return static_cast<std::size_t>(value);
}

unsigned ByteReader::choice_number(std::string_view name, unsigned last) {
    const unsigned value = static_cast<unsigned char>(raw(name, 1)[0]);
    if (value > last) fail(name, fmt::format("{}, expected 0 to {}", value, last));
    return value;
}

void ByteReader::finish() const {
    if (remaining() > 0) fail("end", fmt::format("{} bytes too many", remaining()));
}

void append_checksum(std::string& bytes) {
    const std::uint32_t checksum = crc32c(bytes);
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(checksum >> shift & 0xffU);
    }
}

std::string_view without_checksum(std::string_view bytes, std::string_view what) {
    if (bytes.size() < kChecksumBytes) {
        throw FormatError(
            fmt::format("{}: checksum: found {} bytes in all, expected {} for it alone", what,
                        bytes.size(), kChecksumBytes));
    }
    const std::string_view covered = bytes.substr(0, bytes.size() - kChecksumBytes);
    const std::uint32_t found = last_checksum(bytes);
    const std::uint32_t expected = crc32c(covered);
    if (found == expected) return covered;
    throw FormatError(fmt::format(
        "{}: checksum: found {:08x}, expected {:08x}: it is damaged or truncated (`braid check` "
        "says what else is, and mends it with --repair)",
        what, found, expected));
}

std::string write_stored(const StoredFormat& format, const ByteWriter& body) {
    ByteWriter out;
    out.raw(format.magic);
    out.varint(format.version);
    out.text(body.bytes());
    std::string bytes = out.bytes();
    if (format.version >= format.checked_from) append_checksum(bytes);
    return bytes;
}

StoredBody read_stored(const StoredFormat& format, std::string_view bytes, std::string_view where) {
    std::string what(where);
    what.append(": ").append(format.kind);
    if (!bytes.starts_with(format.magic)) {
        throw FormatError(what + (bytes.empty() ? ": is empty" : ": is something else") +
                          fmt::format(", expected bytes that begin with '{}'", format.magic));
    }
    ByteReader start(bytes.substr(format.magic.size()), what);
    const std::uint64_t version = start.varint("version");
    if (version > format.version && has_checksum(bytes)) {
        throw NewerFormat(
            fmt::format("{}: version: {}, but this Braid reads 1 to {}; a newer Braid wrote it",
                        what, version, format.version));
    }
    if (version == 0 || version > format.version) {
        start.fail("version",
                   fmt::format("{}, but this Braid reads 1 to {}: it is damaged{}", version,
                               format.version, version == 0 ? "" : ", or a newer Braid wrote it"));
    }
    const std::size_t begin = bytes.size() - start.remaining();
    if (version >= format.checked_from) bytes = without_checksum(bytes, what);
    // The checksum of a value that ends within its version is right for no bytes at all.
    ByteReader head(bytes.substr(std::min(begin, bytes.size())), what);
    const std::size_t length = head.count("length");
    ByteReader body(head.raw("length", length), what);
    head.finish();
    return {static_cast<unsigned>(version), std::move(body)};
}

}  // namespace braid
