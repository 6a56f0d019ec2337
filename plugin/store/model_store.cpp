// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/model_store.h"

#include <string>

#include "braid/core/models/fusion_model_bytes.h"
#include "braid/core/models/searchable.h"
#include "braid/plugin/store/keys.h"

namespace braid {

std::optional<FusionModel> load_fusion_model(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kFusionModelKey);
    if (bytes.empty()) return {};
    FusionModel model =
        fusion_model_from_bytes(bytes, std::string("metadata key ") + kFusionModelKey);
    validate(model);
    return model;
}

void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model) {
    validate(model);
    require_searchable(model);
    database.set_metadata(kFusionModelKey, fusion_model_to_bytes(model));
}

void remove_fusion_model(Xapian::WritableDatabase& database) {
    database.set_metadata(kFusionModelKey, "");
}

}  // namespace braid
