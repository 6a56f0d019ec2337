// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws how two bounds of what a model loses of average precision depend on the model: the
// simulations of Xu et al., Direct optimization of evaluation measures (figures 3 and 4).
//
// 7 relevant documents around (1, 1), 14 others around (-1, -1), with variances (.2, .2) in the
// first set and (.2, 1.3) in the second; models (cos a, sin a). Both bounds are exact: the type
// two one looks at all C(21, 7) orders of the classes. Rows of the drawing are angles in steps
// of 10 degrees, o is type one and x type two, both exponential. Pictures of the
// same are simulation-1.svg and simulation-2.svg.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/learner_quality/pictures.h"
#include "braid/core/base/random.h"
#include "braid/core/learn/losses/measure_bounds.h"

namespace braid::bench {
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

constexpr double kHighestShown = 2;  // Bounds go to 100 and more.

// Every second degree.
struct Curves {
    std::vector<double> degrees = {};
    std::vector<double> losses = {};
    std::vector<double> ones = {};
    std::vector<double> twos = {};
};

Curves draw(const TrainingSet& set, braid::PairsOf pairs, const std::string& title) {
    Curves curves;
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
    for (int degrees = 0; degrees <= 360; ++degrees) {
        const double angle = degrees * std::numbers::pi / 180;
        const std::vector<double> weights = {std::cos(angle), std::sin(angle)};
        const braid::RankingFunction model = braid::LinearFunction{weights};
        std::vector<double> scores(set.rows());
        braid::score_pool(model, set, 0, scores);
        const double one = braid::type_one_bound(measure, model, BoundForm::kExponential);
        const double two = bound.maximum(scores, BoundForm::kExponential, pairs);
        const double value = measure.of_query(0, model);
        const bool is_new = degrees < 360;  // The last angle is the first one again.
        tighter += is_new && two <= one ? 1 : 0;
        const double distance = bound.least_distance(scores, pairs);
        promised += is_new && distance >= value ? 1 : 0;
        if (one < least_one) {
            least_one = one;
            at_one = degrees;
        }
        if (two < least_two) {
            least_two = two;
            at_two = degrees;
        }
        if (degrees % 2 == 0) {
            curves.degrees.push_back(degrees);
            curves.losses.push_back(1 - value);
            curves.ones.push_back(one);
            curves.twos.push_back(two);
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
    return curves;
}

// In pieces, without what is not shown.
void add_line(braid::cli::LineChart& chart, const std::string& label, const std::string& kind,
              const std::vector<double>& xs, const std::vector<double>& ys) {
    bool goes_on = false;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        const bool is_shown = ys[i] <= kHighestShown;
        if (is_shown && !goes_on) chart.lines.push_back({label, {}, {}, kind});
        goes_on = is_shown;
        if (!is_shown) continue;
        chart.lines.back().xs.push_back(xs[i]);
        chart.lines.back().ys.push_back(ys[i]);
    }
}

void write_picture(const std::string& file, const std::string& title, const Curves& all,
                   const Curves& unequal) {
    std::vector<std::pair<double, std::string>> marks;
    for (int degrees = 0; degrees <= 360; degrees += 45) {
        marks.emplace_back(degrees, fmt::format("{}", degrees));
    }
    braid::cli::LineChart chart{.title = title,
                                .x_label = "angle of the model, degrees",
                                .y_label = "loss and its bounds",
                                .x_range = {0, 360},
                                .y_range = {0, kHighestShown},
                                .lines = {},
                                .marks = marks};
    add_line(chart, "1 - average precision", "c0", all.degrees, all.losses);
    add_line(chart, "type one", "c1", all.degrees, all.ones);
    add_line(chart, "type two, unequal pairs", "c2", unequal.degrees, unequal.twos);
    add_line(chart, "type two, all pairs", "c2 dashed", all.degrees, all.twos);
    write_chart(file, chart);
}

struct Options : Arguments {
    std::size_t seed = option("--seed", &seed, "The seed of the simulation", 1);
    std::string pictures =
        option("--pictures", &pictures, "The folder for simulation-1.svg and simulation-2.svg");
};

void draw_simulations(const Options& options) {
    using braid::PairsOf;
    int number = 0;
    for (const double variance : {0.2, 1.3}) {
        const TrainingSet set = simulate(options.seed, variance);
        const std::string name = fmt::format("set {}, variances .2 and {}", ++number, variance);
        const Curves all = draw(set, PairsOf::kAll, name + ", F over all pairs");
        const Curves unequal =
            draw(set, PairsOf::kUnequal, name + ", F over pairs of unequal classes");
        if (options.pictures.empty()) continue;
        write_picture(fmt::format("{}/simulation-{}.svg", options.pictures, number),
                      "Bounds of the loss by the angle of the model, " + name, all, unequal);
    }
}

}  // namespace

void add_bounds(Program& program) {
    program.add("bounds", "How tight two bounds of a measure's loss are, by the model",
                draw_simulations);
}

}  // namespace braid::bench
