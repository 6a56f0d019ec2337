// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/fusion_model.h"

namespace braid {

std::string RankerSpec::label() const {
    if (!name.empty()) return name;
    const std::string& part = field.empty() ? topics : field;
    return part.empty() ? ranker : ranker + ":" + part;
}

}  // namespace braid
