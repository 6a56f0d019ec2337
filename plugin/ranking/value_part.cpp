// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/value_part.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/base/error.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/value_numbers.h"

namespace braid {

Xapian::valueno value_slot(const RankerSpec& spec, const std::vector<FieldSettings>& fields) {
    const auto given = spec.parameters.find(kSlotParameter);
    if (spec.field.empty()) return static_cast<Xapian::valueno>(given->second);
    std::vector<std::string> known;
    for (const FieldSettings& field : fields) {
        if (field.slot == FieldSettings::kNoSlot) continue;
        if (field.name == spec.field) return static_cast<Xapian::valueno>(field.slot);
        known.push_back(field.name);
    }
    throw ModelMismatch(fmt::format(
        "ranker {}: the field '{}' has no value slot in this database; {}; the slot's number can "
        "be given as parameters.slot instead",
        spec.label(), spec.field,
        known.empty() ? "no field has one" : fmt::format("{} have one", fmt::join(known, ", "))));
}

SourcePart value_part(const RankerSpec& spec, Xapian::valueno slot, double now,
                      const Xapian::Database& database) {
    SourcePart part;
    part.spec = spec;
    part.slot = slot;
    part.any_known = true;
    part.known = 1;
    const auto source = std::make_shared<const ValueRanker>(
        ValuePrior{spec.ranker, spec.parameters, slot, now}, spec.weight);
    part.value = [source](const PartDocument& document) { return source->score(document.value); };
    part.bound = source->bound(database);
    if (spec.weight > 0) part.source = Xapian::Query(source->clone()->release());
    return part;
}

std::string value_note(const SourcePart& part, const std::string& value) {
    if (value.empty()) return fmt::format("the document has no value in slot {}", part.slot);
    const bool time = ValueScorer(part.spec.ranker, part.spec.parameters, 0).of_time();
    if (time ? value_time(value) : value_number(value)) return "";
    return fmt::format("the document's value in slot {} is no {}", part.slot,
                       time ? "date" : "number");
}

}  // namespace braid
