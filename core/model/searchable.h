// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

/// Why a database can't be ranked by the model in one pass of the matcher, which sees a document at
/// a time and adds up what each gets: a sentence without a full stop. "" where it can.
BRAID_API std::string why_not_searchable(const FusionModel& model);

/// Whether its weights follow from the query, so that they have to be computed before each search
/// (plugin/ranking/query_weights.h). One pass serves it then where they can't be negative.
BRAID_API bool weighs_by_query(const FusionModel& model);

/// Throws ModelMismatch with that reason.
BRAID_API void require_searchable(const FusionModel& model);

}  // namespace braid
