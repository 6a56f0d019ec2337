// SPDX-License-Identifier: GPL-2.0-or-later
// Fusion models as bytes: what can be read has one form, the one that was read, or is of an older
// version, whose form is found again in the newest.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "braid/core/model/fusion_model_bytes.h"
#include "braid/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const braid::FusionModel model = braid::fusion_model_from_bytes(bytes, "fuzz");
        const std::string again = braid::fusion_model_to_bytes(model);
        if (bytes[4] == again[4] && again != bytes) std::abort();
        if (!(braid::fusion_model_from_bytes(again, "fuzz") == model)) std::abort();
    } catch (const braid::FormatError&) {
    }
    return 0;
}
