// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/field_lengths.h"

#include <algorithm>

#include "braid/core/lexical/average_length.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_parts.h"
#include "braid/plugin/database/field_collections.h"

namespace braid {
namespace {

bool lacks_average(const RankerSpec& spec) {
    if (spec.field.empty() || family_of(spec) != RankerFamily::kLexical) return false;
    const std::vector<ParameterInfo>& known = lexical_rankers().find(spec.ranker).parameters;
    const bool has_one = std::any_of(known.begin(), known.end(), [](const ParameterInfo& info) {
        return info.name == kAverageLength;
    });
    const auto given = spec.parameters.find(kAverageLength);
    return has_one && (given == spec.parameters.end() || given->second == 0);
}

}  // namespace

void keep_field_lengths(const Xapian::Database& database, std::vector<RankerSpec>& rankers) {
    for (RankerSpec& spec : rankers) {
        if (!lacks_average(spec)) continue;
        const CollectionStatistics field =
            field_collections(database, {spec.field}).front().collection;
        if (field.average_length() > 0) spec.parameters[kAverageLength] = field.average_length();
    }
}

}  // namespace braid
