// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/float_bytes.h"

#include <bit>

namespace braid {

void write_floats(ByteWriter& out, std::span<const float> values) {
    out.varint(values.size());
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const char byte = static_cast<char>(bits >> shift & 0xffU);
            out.raw({&byte, 1});
        }
    }
}

std::vector<float> read_floats(ByteReader& in, std::string_view name) {
    std::vector<float> values(in.count(name, 4));
    for (float& value : values) {
        const std::string_view bytes = in.raw(name, 4);
        std::uint32_t bits = 0;
        for (std::size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
        value = std::bit_cast<float>(bits);
    }
    return values;
}

}  // namespace braid
