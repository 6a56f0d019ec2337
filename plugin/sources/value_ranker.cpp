// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/value_ranker.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/base/vector_sums.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/error.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/document_values.h"

namespace braid {
// What all copies of a source share.
struct ValueRanker::Plan {
    Plan(const ValuePrior& the_prior, double the_weight)
        : prior(the_prior), scorer(prior.ranker, prior.parameters, prior.now), weight(the_weight) {
        require_weight(weight, "ValueRanker");
        if (prior.slot == Xapian::BAD_VALUENO) {
            throw InvalidArgument(
                fmt::format("ValueRanker: slot {}, expected a smaller number", prior.slot));
        }
    }

    ValuePrior prior;
    ValueScorer scorer;
    double weight;
};

ValueRanker::ValueRanker() : ValueRanker(ValuePrior{}, 0) {}

ValueRanker::ValueRanker(const ValuePrior& prior, double weight)
    : ValueRanker(std::make_shared<const Plan>(prior, weight)) {}

ValueRanker::ValueRanker(std::shared_ptr<const Plan> plan)
    : SentSource(plan->prior.slot), plan_(std::move(plan)) {}

ValueRanker::~ValueRanker() = default;

double ValueRanker::score(const std::string& value) const {
    const std::optional<double> number =
        plan_->scorer.of_time() ? value_time(value) : value_number(value);
    return number ? plan_->scorer.score(*number) : 0;
}

const ValuePrior& ValueRanker::prior() const { return plan_->prior; }

double ValueRanker::bound(const Xapian::Database& database) const {
    const std::optional<NumberRange> range = number_range(database, plan_->prior.slot);
    return range ? kBoundRounding * plan_->scorer.upper_bound(range->lowest, range->highest) : 0;
}

void ValueRanker::init(const Xapian::Database& shard) {
    begin(shard);
    const double most = possible_bound(plan_->weight * bound(shard), name());
    set_termfreq_min(0);
    set_maxweight(most);
    if (!(most > 0)) done();
}

double ValueRanker::weigh() { return plan_->weight * score(get_value()); }

ValueRanker* ValueRanker::clone() const { return new ValueRanker(plan_); }

std::string ValueRanker::get_description() const {
    return fmt::format("braid::ValueRanker({}, slot={}, weight={})", plan_->prior.ranker,
                       plan_->prior.slot, plan_->weight);
}

void ValueRanker::write_bytes(ByteWriter& out) const {
    out.text(plan_->prior.ranker);
    write_numbers(out, plan_->prior.parameters);
    out.varint(plan_->prior.slot);
    out.real(plan_->prior.now);
    out.real(plan_->weight);
}

std::unique_ptr<ValueRanker> ValueRanker::read_bytes(ByteReader& in) const {
    ValuePrior prior;
    prior.ranker = in.text("ranker");
    prior.parameters = read_numbers(in, "parameters");
    prior.slot = read_slot(in);
    prior.now = in.finite_real("now");
    const double weight = in.finite_real("weight");
    return std::make_unique<ValueRanker>(prior, weight);
}

}  // namespace braid
