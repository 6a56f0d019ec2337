// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

// The bytes of a model's provenance, a part of fusion_model_bytes; not installed.

#include "braid/core/base/bytes.h"
#include "braid/core/model/model_provenance.h"

namespace braid {

void write_provenance(ByteWriter& out, const ModelProvenance& provenance);

/// `version` is the fusion model's.
ModelProvenance read_provenance(ByteReader& in, unsigned version);

}  // namespace braid
