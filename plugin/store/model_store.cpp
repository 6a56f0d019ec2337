// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/model_store.h"

#include <algorithm>
#include <string>

#include "braid/core/base/error.h"
#include "braid/core/model/fusion_model_bytes.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_parts.h"
#include "braid/core/model/searchable.h"
#include "braid/plugin/store/keys.h"

namespace braid {
namespace {

// A model that no search can rank by would make the database unreadable to searches that name none.
// What one pass can't serve is rescored.
void refuse_what_no_search_serves(const FusionModel& model) {
    const bool has_feature = std::any_of(
        model.rankers.begin(), model.rankers.end(),
        [](const RankerSpec& spec) { return family_of(spec) == RankerFamily::kFeature; });
    if (has_feature) require_searchable(model);
    model_function(model);  // Throws for a form that nobody knows, or that lacks something.
}

}  // namespace

std::optional<FusionModel> load_fusion_model(const Xapian::Database& database) {
    const std::string bytes = database.get_metadata(kFusionModelKey);
    if (bytes.empty()) return {};
    const std::string where = std::string("metadata key ") + kFusionModelKey;
    FusionModel model = fusion_model_from_bytes(bytes, where);
    try {
        validate(model);
        model_function(model);
    } catch (const UnknownComponent& error) {  // A newer Braid's, or damage; not the caller's.
        throw FormatError(where + ": " + error.what());
    }
    return model;
}

std::optional<FusionModel> load_fusion_model(const Xapian::Database& database,
                                             const std::vector<Xapian::Database>& sidecars) {
    std::optional<FusionModel> own = load_fusion_model(database);
    return own || sidecars.empty() ? own : load_fusion_model(sidecars.front());
}

void store_fusion_model(Xapian::WritableDatabase& database, const FusionModel& model) {
    validate(model);
    refuse_what_no_search_serves(model);
    database.set_metadata(kFusionModelKey, fusion_model_to_bytes(model));
}

void remove_fusion_model(Xapian::WritableDatabase& database) {
    database.set_metadata(kFusionModelKey, "");
}

}  // namespace braid
