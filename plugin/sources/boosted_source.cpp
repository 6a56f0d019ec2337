// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/boosted_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/bytes.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/core/model/model_rankers.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/sources/source_bytes.h"

namespace braid {
namespace {

constexpr char kBoostedVersion = 1;

// What a filter of one term, as QueryParser makes it or not, looks for; else "".
std::string only_term(const Xapian::Query& filter) {
    const Xapian::Query* at = &filter;
    Xapian::Query inside;
    while (at->get_type() == Xapian::Query::OP_SCALE_WEIGHT) {
        inside = subqueries(*at).front();
        at = &inside;
    }
    return at->get_type() == Xapian::Query::LEAF_TERM ? *at->get_terms_begin() : "";
}

double largest_score(const ValuePrior& prior) {
    const double infinity = std::numeric_limits<double>::infinity();
    return ValueScorer(prior.ranker, prior.parameters, prior.now).upper_bound(-infinity, infinity);
}

void check_factor(const ScoreFactor& factor) {
    if (factor.times >= kLeastTimes && factor.times <= kMostTimes && factor.weight >= 0 &&
        factor.weight <= kMostFactorWeight) {
        return;
    }
    throw InvalidArgument(fmt::format(
        "a factor of the score: times {} and weight {}, expected times from {} to {} and a weight "
        "from 0 to {}",
        factor.times, factor.weight, kLeastTimes, kMostTimes, kMostFactorWeight));
}

}  // namespace

double ScoreFactor::of(double v) const { return std::pow(1 + (times - 1) * v, weight); }

double ScoreFactor::most() const { return times > 1 ? of(1) : 1; }

double most_of(const std::vector<ScoreFactor>& factors) {
    double most = 1;
    for (const ScoreFactor& factor : factors) most *= factor.most();
    return most;
}

FactorReader::FactorReader(const Xapian::Database& database,
                           const std::vector<ScoreFactor>& factors) {
    for (const ScoreFactor& factor : factors) {
        Part& part = parts_.emplace_back();
        part.factor = factor;
        if (factor.prior) {
            part.ranker = std::make_unique<ValueRanker>(*factor.prior, 1);
            part.largest = largest_score(*factor.prior);
            part.values = database.valuestream_begin(factor.prior->slot);
            part.values_end = database.valuestream_end(factor.prior->slot);
        } else if (const std::string term = only_term(factor.filter); !term.empty()) {
            part.postings = database.postlist_begin(term);
            part.postings_end = database.postlist_end(term);
        } else {
            part.matches = std::make_unique<MatchSource>(factor.filter);
            part.matches->init(database);
        }
    }
}

double FactorReader::value(std::size_t factor, Xapian::docid docid) {
    Part& part = parts_[factor];
    if (part.ranker != nullptr) {
        if (part.values != part.values_end && part.values.get_docid() < docid) {
            part.values.skip_to(docid);
        }
        if (part.values == part.values_end || part.values.get_docid() != docid) return 0;
        return std::min(1.0, part.ranker->score(*part.values) / part.largest);
    }
    if (part.matches != nullptr) {
        part.matches->skip_to(docid, 0);
        return !part.matches->at_end() && part.matches->get_docid() == docid ? 1 : 0;
    }
    if (part.postings != part.postings_end) part.postings.skip_to(docid);
    return part.postings != part.postings_end && *part.postings == docid ? 1 : 0;
}

double FactorReader::product(Xapian::docid docid) {
    double product = 1;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const double v = value(i, docid);
        if (v > 0) product *= parts_[i].factor.of(v);
    }
    return product;
}

BoostedSource::BoostedSource(std::unique_ptr<Xapian::PostingSource> inner,
                             std::vector<ScoreFactor> factors)
    : inner_(std::move(inner)), factors_(std::move(factors)) {
    for (const ScoreFactor& factor : factors_) check_factor(factor);
    most_ = most_of(factors_);
}

BoostedSource::~BoostedSource() = default;

double BoostedSource::get_weight() const {
    const double weight = inner_->get_weight();
    return weight > 0 ? weight * reader_->product(inner_->get_docid()) : weight;
}

void BoostedSource::init(const Xapian::Database& shard) {
    start_source(*inner_, shard);
    reader_ = std::make_unique<FactorReader>(shard, factors_);
    set_maxweight(possible_bound(most_ * inner_->get_maxweight(), name()));
}

BoostedSource* BoostedSource::clone() const {
    if (inner_ == nullptr) return new BoostedSource;
    return new BoostedSource(std::unique_ptr<Xapian::PostingSource>(inner_->clone()), factors_);
}

std::string BoostedSource::name() const { return "braid::BoostedSource"; }

std::string BoostedSource::get_description() const {
    return fmt::format("braid::BoostedSource({}; {} factors)",
                       inner_ ? inner_->get_description() : "", factors_.size());
}

std::string BoostedSource::serialise() const {
    ByteWriter out = versioned_bytes(kBoostedVersion);
    out.varint(factors_.size());
    for (const ScoreFactor& factor : factors_) {
        out.real(factor.times);
        out.real(factor.weight);
        out.flag(factor.prior.has_value());
        out.text(factor.prior ? ValueRanker(*factor.prior, 1).serialise()
                              : factor.filter.serialise());
    }
    out.text(inner_->name());
    out.text(inner_->serialise());
    return out.bytes();
}

BoostedSource* BoostedSource::unserialise_with_registry(const std::string& serialised,
                                                        const Xapian::Registry& registry) const {
    return read_versioned(serialised, name(), kBoostedVersion, [&](ByteReader& in) {
        std::vector<ScoreFactor> factors(in.count("factors", 18));
        for (ScoreFactor& factor : factors) {
            factor.times = in.finite_real("times");
            factor.weight = in.finite_real("weight");
            const bool is_prior = in.flag("of values");
            const std::string what = in.text("filter");
            if (is_prior) {
                factor.prior = ValueRanker().from_bytes(what)->prior();
            } else {
                factor.filter = read_query(what, registry, name());
            }
        }
        const std::string source = in.text("source");
        const std::string bytes = in.text("source's bytes");
        in.finish();
        const Xapian::PostingSource* const known = registry.get_posting_source(source);
        if (known == nullptr || source == name()) {
            throw Xapian::SerialisationError(
                fmt::format("{}: posting source {} not registered", name(), source));
        }
        std::unique_ptr<Xapian::PostingSource> inner(
            known->unserialise_with_registry(bytes, registry));
        return new BoostedSource(std::move(inner), std::move(factors));
    });
}

Xapian::Query boosted_query(Xapian::PostingSource* source,
                            const std::vector<ScoreFactor>& factors) {
    if (factors.empty()) return Xapian::Query(source->release());
    auto* const all = new BoostedSource(std::unique_ptr<Xapian::PostingSource>(source), factors);
    return Xapian::Query(all->release());
}

}  // namespace braid
