// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "braid/error.h"

namespace braid {

/// Builds the bytes of a stored or sent value, the same on every machine; docs/formats.md has the
/// encodings. Every value has exactly one encoding, so equal values give equal bytes.
class BRAID_API ByteWriter {
  public:
    /// 7 bits a byte, lowest first, the high bit set on all but the last: 1 to 10 bytes.
    void varint(std::uint64_t value);
    /// Small negative numbers stay small: 0, -1, 1, -2 ... are the varints 0, 1, 2, 3 ...
    void signed_varint(std::int64_t value);
    /// IEEE binary64, 8 bytes, lowest first; keeps every bit.
    void real(double value);
    void flag(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
    /// Length as a varint, then the bytes.
    void text(std::string_view value);
    /// An enumerator by its number; the enumeration's first is 0 and it has at most 256.
    template <typename Enum>
    void choice(Enum value) {
        static_assert(std::is_enum_v<Enum>);
        bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value)));
    }
    /// Their number, then IEEE binary32, 4 bytes each, lowest first; keeps every bit.
    void floats(std::span<const float> values);
    /// Bytes without a length.
    void raw(std::string_view bytes) { bytes_.append(bytes); }

    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

/// Reads the bytes of ByteWriter, from untrusted input. Every read takes the name of the value;
/// FormatError says "{what}: {name}: ..." if the bytes end too early or are invalid. Never
/// allocates more than there are bytes. Borrows the bytes.
class BRAID_API ByteReader {
  public:
    /// `what` names the bytes and their location: "metadata key braid:index".
    ByteReader(std::string_view bytes, std::string what);

    std::uint64_t varint(std::string_view name);
    std::int64_t signed_varint(std::string_view name);
    double real(std::string_view name);         ///< Any double, even NaN.
    double finite_real(std::string_view name);  ///< Neither NaN nor infinite.
    bool flag(std::string_view name);
    std::string text(std::string_view name);
    std::vector<float> floats(std::string_view name);  ///< Any, even NaN.
    /// A number of elements of at least `bytes_each` bytes each. Throws if the remaining bytes
    /// can't hold them, so reserving room for that many is safe.
    std::size_t count(std::string_view name, std::size_t bytes_each = 1);
    /// A varint that fits T and lies in minimum .. maximum.
    std::uint64_t varint_in(std::string_view name, std::uint64_t minimum, std::uint64_t maximum);
    /// `last` is the enumeration's last member.
    template <typename Enum>
    Enum choice(std::string_view name, Enum last) {
        static_assert(std::is_enum_v<Enum>);
        return static_cast<Enum>(choice_number(name, static_cast<unsigned char>(last)));
    }
    std::string_view raw(std::string_view name, std::size_t size);

    std::size_t remaining() const { return bytes_.size() - position_; }
    /// Throws if bytes remain.
    void finish() const;
    /// Throws FormatError "{what}: {name}: {problem}".
    [[noreturn]] void fail(std::string_view name, std::string_view problem) const;

  private:
    unsigned choice_number(std::string_view name, unsigned last);

    std::string_view bytes_;
    std::size_t position_ = 0;
    std::string what_;
};

/// Every stored value: magic, version (varint), the body's length (varint), the body and, from
/// `checked_from` on, the CRC-32C of all that, 4 bytes, lowest first.
struct StoredFormat {
    std::string_view magic;     ///< A few letters; no other stored format's magic begins with them.
    unsigned version = 1;       ///< The version written, and the newest that can be read.
    std::string_view kind;      ///< For messages: "fusion model".
    unsigned checked_from = 1;  ///< The first version with a checksum; later ones all have it.
};

/// An undamaged value of a version that only a newer Braid knows.
class NewerFormat : public FormatError {
  public:
    using FormatError::FormatError;
};

/// Appends the CRC-32C of `bytes`, 4 bytes, lowest first.
BRAID_API void append_checksum(std::string& bytes);

/// `bytes` without the checksum at their end. Throws FormatError, which begins with `what`, if it
/// is wrong.
BRAID_API std::string_view without_checksum(std::string_view bytes, std::string_view what);

/// `body` with its header and checksum.
BRAID_API std::string write_stored(const StoredFormat& format, const ByteWriter& body);

struct StoredBody {
    unsigned version = 0;  ///< 1 .. format.version.
    ByteReader body;
};

/// Opens the bytes of write_stored; the caller reads the body and calls `finish`. `where` names the
/// key or file that held the bytes, for messages. Throws FormatError for a foreign magic, a wrong
/// checksum and a length that doesn't match the rest, NewerFormat for a newer version with a
/// correct checksum. Borrows `bytes`.
BRAID_API StoredBody read_stored(const StoredFormat& format, std::string_view bytes,
                                 std::string_view where);

// Lists and maps in stored bytes. Maps are written in the order of their keys; reading requires
// that order, so the bytes are unique and repeated keys are rejected.

template <typename Value, typename Write>
void write_map(ByteWriter& out, const std::map<std::string, Value>& values, const Write& write) {
    out.varint(values.size());
    for (const auto& [name, value] : values) {
        out.text(name);
        write(value);
    }
}

template <typename Value, typename Read>
std::map<std::string, Value> read_map(ByteReader& in, std::string_view name, std::size_t bytes_each,
                                      const Read& read) {
    std::map<std::string, Value> result;
    const std::size_t count = in.count(name, bytes_each);
    for (std::size_t i = 0; i < count; ++i) {
        std::string key = in.text(name);
        if (!result.empty() && key <= result.rbegin()->first) {
            in.fail(name, "'" + key + "' is not in order");
        }
        result.emplace_hint(result.end(), std::move(key), read());
    }
    return result;
}

inline void write_numbers(ByteWriter& out, const std::map<std::string, double>& numbers) {
    write_map(out, numbers, [&](double value) { out.real(value); });
}

inline std::map<std::string, double> read_numbers(ByteReader& in, std::string_view name) {
    return read_map<double>(in, name, 9, [&] { return in.finite_real(name); });
}

inline void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
    out.varint(texts.size());
    for (const std::string& text : texts) out.text(text);
}

inline std::vector<std::string> read_texts(ByteReader& in, std::string_view name) {
    std::vector<std::string> texts(in.count(name));
    for (std::string& text : texts) text = in.text(name);
    return texts;
}

inline void write_reals(ByteWriter& out, const std::vector<double>& values) {
    out.varint(values.size());
    for (const double value : values) out.real(value);
}

/// Refuses NaN and infinities.
inline std::vector<double> read_reals(ByteReader& in, std::string_view name) {
    std::vector<double> values(in.count(name, 8));
    for (double& value : values) value = in.finite_real(name);
    return values;
}

inline void write_lists(ByteWriter& out, const std::map<std::string, std::vector<double>>& lists) {
    write_map(out, lists, [&](const std::vector<double>& values) { write_reals(out, values); });
}

inline std::map<std::string, std::vector<double>> read_lists(ByteReader& in,
                                                             std::string_view name) {
    return read_map<std::vector<double>>(in, name, 2, [&] { return read_reals(in, name); });
}

}  // namespace braid
