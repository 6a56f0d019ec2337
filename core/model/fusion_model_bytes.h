// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "braid/core/base/bytes.h"
#include "braid/core/base/export.h"
#include "braid/core/model/fusion_model.h"

namespace braid {

// The bytes of a model's provenance, a part of fusion_model_bytes.

void write_provenance(ByteWriter& out, const ModelProvenance& provenance);

/// `version` is the fusion model's.
ModelProvenance read_provenance(ByteReader& in, unsigned version);

/// The binary form of a model, which databases and Xapian weights hold; docs/formats.md describes
/// each byte. The same model always gives the same bytes.
BRAID_API std::string fusion_model_to_bytes(const FusionModel& model);

/// Reads what `fusion_model_to_bytes` made. `where` is the key or message the bytes came in, for
/// errors. Throws FormatError, naming what, for anything else: a truncated, foreign or newer value,
/// or a weight that is no weight. Does not know which rankers exist: see `validate`.
BRAID_API FusionModel fusion_model_from_bytes(std::string_view bytes, std::string_view where);

}  // namespace braid
