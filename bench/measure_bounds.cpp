// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws how two bounds of what a model loses of average precision depend on the model: the
// simulations of Xu et al., Direct optimization of evaluation measures (figures 3 and 4).
//
//     measure_bounds [SEED]
//
// 7 relevant documents around (1, 1), 14 others around (-1, -1), with variances (.2, .2) in the
// first set and (.2, 1.3) in the second; models (cos a, sin a). Both bounds are exact: the type
// two one looks at all C(21, 7) orders of the classes. Rows of the drawing are angles in steps
// of 10 degrees, o is type one and x type two, both exponential.
#include "braid/core/learners/losses/measure_bounds.h"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/core/random.h"

namespace {

using braid::BoundForm;
using braid::TrainingSet;

TrainingSet simulate(std::uint64_t seed, double second_variance) {
    braid::Random random(seed);
    TrainingSet set;
    set.rankers = {"x", "y"};
    set.queries = {"q"};
    for (int d = 0; d < 21; ++d) {
        const double centre = d < 7 ? 1 : -1;
        set.grades.push_back(d < 7 ? 1 : 0);
        set.scores.push_back(centre + std::sqrt(0.2) * random.normal());
        set.scores.push_back(centre + std::sqrt(second_variance) * random.normal());
    }
    set.query_begin.push_back(21);
    return set;
}

void draw(const TrainingSet& set, braid::PairsOf pairs, const std::string& title) {
    const braid::TrainingMeasure measure(set, "map");
    const braid::Permutations permutations(measure);
    const braid::TypeTwoBound bound(permutations, 0);
    fmt::print("{}\n{:>7} {:>7} {:>9} {:>9} {:>9} {:>9}\n", title, "degrees", "loss", "type one",
               "type two", "distance", "measure");
    double least_one = 1e9;
    double least_two = 1e9;
    double at_one = 0;
    double at_two = 0;
    int tighter = 0;
    int promised = 0;
    for (int degrees = 0; degrees < 360; ++degrees) {
        const double angle = degrees * std::numbers::pi / 180;
        const std::vector<double> weights = {std::cos(angle), std::sin(angle)};
        const braid::RankingFunction model = braid::LinearFunction{weights};
        std::vector<double> scores(set.rows());
        braid::score_pool(model, set, 0, scores);
        const double one = braid::type_one_bound(measure, model, BoundForm::kExponential);
        const double two = bound.maximum(scores, BoundForm::kExponential, pairs);
        const double value = measure.of_query(0, model);
        tighter += two <= one ? 1 : 0;
        const double distance = bound.least_distance(scores, pairs);
        promised += distance >= value ? 1 : 0;
        if (one < least_one) {
            least_one = one;
            at_one = degrees;
        }
        if (two < least_two) {
            least_two = two;
            at_two = degrees;
        }
        if (degrees % 10 != 0) continue;
        std::string bar(61, ' ');
        bar[static_cast<std::size_t>(std::min(60.0, 15 * one))] = 'o';
        bar[static_cast<std::size_t>(std::min(60.0, 15 * two))] = 'x';
        fmt::print("{:>7} {:>7.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} |{}|\n", degrees, 1 - value,
                   one, two, distance, value, bar);
    }
    fmt::print(
        "least: type one {:.4f} first at {}, type two {:.4f} at {} degrees; type two is tighter "
        "at {} of 360 angles, and theorem 3's condition holds at {}\n\n",
        least_one, at_one, least_two, at_two, tighter, promised);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    using braid::PairsOf;
    const TrainingSet apart = simulate(seed, 0.2);
    const TrainingSet mixed = simulate(seed, 1.3);
    draw(apart, PairsOf::kAll, "set 1, variances .2 and .2, F over all pairs");
    draw(apart, PairsOf::kUnequal, "set 1, F over pairs of unequal classes");
    draw(mixed, PairsOf::kAll, "set 2, variances .2 and 1.3, F over all pairs");
    draw(mixed, PairsOf::kUnequal, "set 2, F over pairs of unequal classes");
}
