// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <cstddef>
#include <iterator>

#include "braid/core/lexical/formula.h"
#include "braid/core/lexical/rankers.h"

namespace braid::lexical {
namespace {

// docs/algorithms/lexical.md (24): each feature is qtf * x or qtf * log(1 + x), where x is one of
// three bases times one of three rarities.
struct Feature {
    enum class Base { kPresence, kOccurrences, kShare } base;
    enum class Rarity { kNone, kIdf, kIcf } rarity;
    bool logarithm;
};

class FeatureFormula {
  public:
    FeatureFormula(const Feature& feature, const TermStatistics& term)
        : feature_(feature), query_occurrences_(term.query_occurrences) {
        if (feature.rarity == Feature::Rarity::kIdf) {
            rarity_ = std::log(term.collection.documents / term.documents);
        } else if (feature.rarity == Feature::Rarity::kIcf) {
            rarity_ = term.collection.total_length / term.occurrences;
        }
    }

    double operator()(double occurrences, double length) const {
        double x = rarity_;
        if (feature_.base != Feature::Base::kPresence) x *= occurrences;
        if (feature_.base == Feature::Base::kShare) x /= length;
        return query_occurrences_ * (feature_.logarithm ? log_one_plus(x) : x);
    }

    double bound(const Region& region) const { return corner_bound(*this, region); }

  private:
    Feature feature_;
    double query_occurrences_;
    double rarity_ = 1;
};

struct NamedFeature {
    const char* name;
    const char* summary;
    Feature feature;
};

using enum Feature::Base;
using enum Feature::Rarity;
constexpr NamedFeature kFeatures[] = {
    {"tf", "Occurrences of the query's words (L1)", {kOccurrences, kNone, false}},
    {"log-tf", "Logarithm of the occurrences (L2)", {kOccurrences, kNone, true}},
    {"tf-share", "Share of the document that is the query's words (L3)", {kShare, kNone, false}},
    {"log-tf-share", "Logarithm of the share (L4)", {kShare, kNone, true}},
    {"idf", "Rarity of the words that match, by documents (L5)", {kPresence, kIdf, false}},
    {"log-idf", "Logarithm of that rarity (L6)", {kPresence, kIdf, true}},
    {"log-icf", "Rarity of the words that match, by occurrences (L7)", {kPresence, kIcf, true}},
    {"log-tf-share-idf", "Logarithm of share times rarity (L8)", {kShare, kIdf, true}},
    {"tfidf-raw", "Occurrences times rarity (L9)", {kOccurrences, kIdf, false}},
    {"log-tf-share-icf",
     "Logarithm of share times rarity by occurrences (L10)",
     {kShare, kIcf, true}},
};

// In the order of Base and Rarity.
constexpr const char* kBases[] = {"", "tf", "tf/len"};
constexpr const char* kRarities[] = {"", "log(N/df)", "T/cf"};
static_assert(std::size(kBases) == static_cast<std::size_t>(kShare) + 1);
static_assert(std::size(kRarities) == static_cast<std::size_t>(kIcf) + 1);

// "log(1 + tf/len * log(N/df))".
std::string formula_of(const Feature& feature) {
    std::string x = kBases[static_cast<std::size_t>(feature.base)];
    if (feature.base != kPresence && feature.rarity != kNone) x += " * ";
    x += kRarities[static_cast<std::size_t>(feature.rarity)];
    return feature.logarithm ? "log(1 + " + x + ")" : x;
}

LexicalRankerInfo feature_info(const NamedFeature& named) {
    return {
        .summary = named.summary,
        .formula = "sum over terms of qtf * " + formula_of(named.feature),
        .make = [feature = named.feature](
                    const std::vector<double>&) -> std::unique_ptr<const LexicalRanker> {
            return std::make_unique<FormulaRanker<FeatureFormula, Feature>>(feature);
        },
    };
}

}  // namespace

std::vector<LazyRegistry<LexicalRankerInfo>::Item> features() {
    std::vector<LazyRegistry<LexicalRankerInfo>::Item> items;
    for (const NamedFeature& named : kFeatures) {
        items.push_back({named.name, [&named] { return feature_info(named); }});
    }
    return items;
}

}  // namespace braid::lexical
