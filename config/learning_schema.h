// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/config/types.h"
#include "braid/core/model/fusion_model.h"

namespace braid::yaml {

/// The section `model.provenance.learning`.
Type<LearningRecord> learning_type();

}  // namespace braid::yaml
