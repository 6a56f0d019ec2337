// SPDX-License-Identifier: GPL-2.0-or-later
// Models of LightGBM and XGBoost of any bytes: nothing but a FormatError, or trees that can be
// scored, written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/tree_models.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::TreeModel model;
    try {
        model = braid::read_tree_model(braid::Input::from_memory(text, "input"));
        braid::validate(model.forest);
    } catch (const braid::FormatError&) {
        return 0;
    }
    if (model.features.size() != model.forest.rankers) std::abort();
    std::vector<double> scores(3);
    braid::FlatForest(model.forest).score(std::vector<double>(3 * model.features.size()), scores);
    if (scores[0] != scores[2]) std::abort();
    std::string written;
    try {
        written = braid::lightgbm_text(model);
    } catch (const braid::InvalidArgument&) {
        return 0;  // Names that the format can't hold.
    }
    if (braid::read_tree_model(braid::Input::from_memory(written, "again")).features !=
        model.features) {
        std::abort();
    }
    return 0;
}
