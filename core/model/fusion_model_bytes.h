// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/model.h"

namespace braid {

/// The binary form of a model, as stored in databases and Xapian weights; docs/formats.md describes
/// each byte. Equal models give equal bytes.
BRAID_API std::string fusion_model_to_bytes(const FusionModel& model);

/// Reads the bytes of `fusion_model_to_bytes`. `where` names the key or message that held them, for
/// errors. Throws FormatError, naming the fault, for anything else: a truncated, foreign or newer
/// value, or an invalid weight. Doesn't check whether rankers are registered: `validate` does.
BRAID_API FusionModel fusion_model_from_bytes(std::string_view bytes, std::string_view where);

}  // namespace braid
