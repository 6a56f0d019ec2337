// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/job/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "braid/core/eval/folds.h"
#include "braid/core/model/model_function.h"

// Equations are those of docs/algorithms/calibration.md.

namespace braid {
namespace {

constexpr std::size_t kParts = 5;
constexpr std::size_t kFirst = 10;
constexpr std::size_t kLeastBin = 10;
constexpr double kBinGrowth = 1.2;
constexpr double kMostOfAll = 1.0 / 20;
constexpr std::size_t kReliabilityBins = 10;

using Rows = std::vector<std::size_t>;
using Fit = Calibration (*)(const HeldOutScores&, const Rows&);

// As they are calibrated: (2), where `by_bound`.
std::vector<double> scores_of(const RankingFunction& function, const Preparation& preparation,
                              const TrainingSet& raw, bool by_bound) {
    const TrainingSet set = prepared_set(raw, preparation);
    const std::vector<double> weights = by_bound ? bound_weights(function) : std::vector<double>();
    std::vector<double> scores(set.rows());
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<double> own(scores.data() + set.query_begin[q], set.pool_size(q));
        score_pool(function, set, q, own);
        if (!by_bound) continue;
        double bound = 0;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            bound += weights[k] * set.bounds[q * set.width() + k];
        }
        for (double& score : own) score = bound > 0 ? score / bound : 0;
    }
    return scores;
}

// Whether the scores of `model` are calibrated by bounds; nullopt where `set` has no scores that
// can be calibrated.
std::optional<bool> calibrated_by_bound(const FusionModel& model, const TrainingSet& set) {
    if (!can_be_calibrated(model)) return std::nullopt;
    if (bound_weights(model).empty()) return false;
    const bool has_bounds =
        !set.bounds.empty() && std::all_of(set.bounds.begin(), set.bounds.end(),
                                           [](double bound) { return std::isfinite(bound); });
    return has_bounds ? std::optional(true) : std::nullopt;
}

// Its ten best documents, equal scores in the order of their rows.
void add_query(HeldOutScores& to, const TrainingSet& set, std::size_t query, std::size_t part,
               const std::vector<double>& scores) {
    if (set.pool_size(query) == 0 || !is_judged(set, query)) return;
    Rows rows(set.pool_size(query));
    std::iota(rows.begin(), rows.end(), set.query_begin[query]);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    rows.resize(std::min(kFirst, rows.size()));
    for (const std::size_t row : rows) {
        to.scores.push_back(scores[row]);
        to.grades.push_back(set.grades[row]);
    }
    to.query_begin.push_back(to.scores.size());
    to.parts.push_back(part);
}

struct Moments {
    double mean = 0;
    double deviation = 0;
};

Moments moments(const std::vector<double>& scores, const TrainingSet& set,
                const std::vector<bool>& counts) {
    double sum = 0;
    double count = 0;
    const auto each = [&](const auto& use) {
        for (std::size_t q = 0; q < counts.size(); ++q) {
            if (!counts[q]) continue;
            for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
                use(scores[i]);
            }
        }
    };
    each([&](double score) {
        sum += score;
        ++count;
    });
    if (count == 0) return {};
    Moments result{.mean = sum / count};
    double squares = 0;
    each([&](double score) { squares += (score - result.mean) * (score - result.mean); });
    result.deviation = std::sqrt(squares / count);
    return result;
}

}  // namespace

HeldOutScores fold_scores(const TrainedModel& trained, const CrossValidation& folds,
                          const TrainingSet& set, Grade relevant_from) {
    HeldOutScores result{.relevant_from = relevant_from};
    const std::optional<bool> by_bound = calibrated_by_bound(trained.model, set);
    if (!by_bound) return result;
    const std::vector<double> final_scores =
        scores_of(trained.result.function, trained.preparation, set, *by_bound);
    for (const FoldResult& fold : folds.folds) {
        if (fold.seed != folds.folds.front().seed) break;
        std::vector<double> scores = scores_of(fold.function, fold.preparation, set, *by_bound);
        std::vector<bool> is_trained(set.queries.size(), true);
        for (const std::size_t q : fold.queries) is_trained[q] = false;
        const Moments target = moments(final_scores, set, is_trained);
        const Moments own = moments(scores, set, is_trained);
        const double stretch = own.deviation > 0 ? target.deviation / own.deviation : 0;
        for (double& score : scores) score = target.mean + stretch * (score - own.mean);  // (3)
        for (const std::size_t q : fold.queries) add_query(result, set, q, fold.fold, scores);
    }
    return result;
}

HeldOutScores own_scores(const TrainedModel& trained, const TrainingSet& set, Grade relevant_from) {
    HeldOutScores result{.relevant_from = relevant_from};
    const std::optional<bool> by_bound = calibrated_by_bound(trained.model, set);
    if (!by_bound) return result;
    const std::vector<double> scores =
        scores_of(trained.result.function, trained.preparation, set, *by_bound);
    std::vector<std::size_t> parts(set.queries.size(), 0);
    const std::size_t count = std::min(kParts, set.queries.size());
    if (count > 1) {
        const std::vector<Fold> folds = cross_validation_folds(set.queries, count);
        for (std::size_t f = 0; f < folds.size(); ++f) {
            for (const std::size_t q : folds[f].test) parts[q] = f;
        }
    }
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        add_query(result, set, q, parts[q], scores);
    }
    return result;
}

namespace {

// Neighbouring documents by score.
struct Block {
    double documents = 0;
    double score = 0;  ///< Mean.
    double value = 0;

    void join(const Block& other) {
        const double all = documents + other.documents;
        score = (documents * score + other.documents * other.score) / all;
        value = (documents * value + other.documents * other.value) / all;
        documents = all;
    }
};

// From the greatest score down.
std::vector<Block> bins_of(const HeldOutScores& held_out, const Rows& descending) {
    const auto all = static_cast<double>(descending.size());
    double relevant = 0;
    for (const std::size_t row : descending) relevant += held_out.is_relevant(row) ? 1 : 0;
    const double share = relevant / all;
    const double most = std::max<double>(kLeastBin, std::floor(all * kMostOfAll));
    std::vector<Block> bins;
    double size = kLeastBin;
    for (std::size_t begin = 0; begin < descending.size();) {
        std::size_t end = std::min(descending.size(), begin + static_cast<std::size_t>(size));
        while (end < descending.size() &&
               held_out.scores[descending[end]] == held_out.scores[descending[end - 1]]) {
            ++end;
        }
        double found = 0;
        double score = 0;
        for (std::size_t i = begin; i < end; ++i) {
            found += held_out.is_relevant(descending[i]) ? 1 : 0;
            score += held_out.scores[descending[i]];
        }
        const auto count = static_cast<double>(end - begin);
        bins.push_back({count, score / count, (found + share) / (count + 1)});
        size = std::min(size * kBinGrowth, most);
        begin = end;
    }
    return bins;
}

Calibration points_of(const std::vector<Block>& ascending) {
    Calibration result;
    for (const Block& block : ascending) {
        // Means of neighbours can be equal by rounding only.
        if (!result.empty() && !(block.score > result.scores.back())) continue;
        result.scores.push_back(block.score);
        result.probabilities.push_back(std::clamp(block.value, 0.0, 1.0));
    }
    return result;
}

}  // namespace

Calibration fit_isotonic(const HeldOutScores& held_out, const Rows& rows) {
    Rows order = rows;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return held_out.scores[a] > held_out.scores[b];
    });
    std::vector<Block> bins = bins_of(held_out, order);
    std::reverse(bins.begin(), bins.end());
    std::vector<Block> blocks;  // (4)
    for (const Block& bin : bins) {
        blocks.push_back(bin);
        while (blocks.size() > 1 && blocks[blocks.size() - 2].value >= blocks.back().value) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().join(last);
        }
    }
    return points_of(blocks);
}

namespace {

constexpr double kPointsApart = 0.25;
constexpr int kPointsBeside = 48;  // Logits up to 12.
constexpr int kNewtonSteps = 100;

double logistic(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace

Calibration fit_logistic(const HeldOutScores& held_out, const Rows& rows) {
    double mean = 0;
    double relevant = 0;
    const auto all = static_cast<double>(rows.size());
    for (const std::size_t row : rows) {
        mean += held_out.scores[row] / all;
        relevant += held_out.is_relevant(row) ? 1 : 0;
    }
    double deviation = 0;
    for (const std::size_t row : rows) {
        deviation += (held_out.scores[row] - mean) * (held_out.scores[row] - mean) / all;
    }
    deviation = deviation > 0 ? std::sqrt(deviation) : 1;
    const double high = (relevant + 1) / (relevant + 2);
    const double low = 1 / (all - relevant + 2);
    double slope = 0;
    double offset = std::log((relevant + 1) / (all - relevant + 1));
    for (int step = 0; step < kNewtonSteps; ++step) {
        double gradient[2] = {0, 0};
        double curvature[3] = {1e-9, 0, 1e-9};
        for (const std::size_t row : rows) {
            const double x = (held_out.scores[row] - mean) / deviation;
            const double p = logistic(slope * x + offset);
            const double off = (held_out.is_relevant(row) ? high : low) - p;
            const double weight = p * (1 - p);
            gradient[0] += off * x;
            gradient[1] += off;
            curvature[0] += weight * x * x;
            curvature[1] += weight * x;
            curvature[2] += weight;
        }
        const double determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
        if (!(determinant > 0)) break;
        // The likelihood is concave; short steps keep Newton's from leaping where it is flat.
        double by_slope = (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant;
        double by_offset = (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant;
        const double largest = std::max(std::abs(by_slope), std::abs(by_offset));
        if (largest > 1) {
            by_slope /= largest;
            by_offset /= largest;
        }
        slope += by_slope;
        offset += by_offset;
        if (largest < 1e-10) break;
    }
    if (!(slope > 0)) return {{mean}, {std::clamp(relevant / all, 0.0, 1.0)}};
    Calibration result;
    for (int point = -kPointsBeside; point <= kPointsBeside; ++point) {
        const double logit = point * kPointsApart;
        const double score = mean + deviation * (logit - offset) / slope;
        if (!std::isfinite(score) || (!result.empty() && score <= result.scores.back())) continue;
        result.scores.push_back(score);
        result.probabilities.push_back(logistic(logit));
    }
    return result;
}

namespace {

// Documents with the probability that something gave them.
struct Predictions {
    Rows rows = {};
    std::vector<double> probabilities = {};

    void add(std::size_t row, double probability) {
        rows.push_back(row);
        probabilities.push_back(probability);
    }
};

Reliability reliability_of(const HeldOutScores& held_out, const Predictions& predicted) {
    Reliability result;
    std::array<Reliability::Bin, kReliabilityBins> bins{};
    result.documents = predicted.rows.size();
    if (result.documents == 0) return result;
    const auto all = static_cast<double>(result.documents);
    for (std::size_t i = 0; i < predicted.rows.size(); ++i) {
        const std::size_t row = predicted.rows[i];
        const double p = predicted.probabilities[i];
        const double y = held_out.is_relevant(row) ? 1 : 0;
        result.judged += held_out.grades[row] != kUnjudged ? 1 : 0;
        result.relevant += held_out.is_relevant(row) ? 1 : 0;
        result.brier += (p - y) * (p - y) / all;
        result.log_loss -= std::log(std::max(y > 0 ? p : 1 - p, 1e-300)) / all;
        const auto place = static_cast<std::size_t>(p * kReliabilityBins);
        Reliability::Bin& bin = bins[std::min(place, kReliabilityBins - 1)];
        ++bin.documents;
        bin.probability += p;
        bin.relevant += y;
    }
    const double share = static_cast<double>(result.relevant) / all;
    result.constant_brier = share * (1 - share);
    for (Reliability::Bin& bin : bins) {
        if (bin.documents == 0) continue;
        const auto count = static_cast<double>(bin.documents);
        bin.probability /= count;
        bin.relevant /= count;
        result.error += count / all * std::abs(bin.probability - bin.relevant);
        result.bins.push_back(bin);
    }
    return result;
}

bool has_both(const HeldOutScores& held_out, const Rows& rows) {
    const auto is_relevant = [&](std::size_t row) { return held_out.is_relevant(row); };
    return std::any_of(rows.begin(), rows.end(), is_relevant) &&
           !std::all_of(rows.begin(), rows.end(), is_relevant);
}

// Rows of the queries for which `counts` is true of their part.
Rows rows_of(const HeldOutScores& held_out, const std::function<bool(std::size_t)>& counts) {
    Rows rows;
    for (std::size_t q = 0; q < held_out.parts.size(); ++q) {
        if (!counts(held_out.parts[q])) continue;
        for (std::size_t i = held_out.query_begin[q]; i < held_out.query_begin[q + 1]; ++i) {
            rows.push_back(i);
        }
    }
    return rows;
}

// Each part by what was fitted to the others; empty if one can't be.
Predictions predictions_by(const HeldOutScores& held_out, Fit fit) {
    Predictions predicted;
    const std::size_t last = *std::max_element(held_out.parts.begin(), held_out.parts.end());
    for (std::size_t part = 0; part <= last; ++part) {
        const Rows outside = rows_of(held_out, [&](std::size_t p) { return p == part; });
        if (outside.empty()) continue;
        const Rows inside = rows_of(held_out, [&](std::size_t p) { return p != part; });
        if (!has_both(held_out, inside)) return {};
        const Calibration fitted = fit(held_out, inside);
        for (const std::size_t row : outside) {
            predicted.add(row, fitted.probability(held_out.scores[row]));
        }
    }
    return predicted;
}

}  // namespace

CalibrationFindings calibrate(const HeldOutScores& held_out) {
    CalibrationFindings findings;
    findings.queries = held_out.parts.size();
    if (held_out.parts.empty()) return findings;
    const Predictions isotonic = predictions_by(held_out, fit_isotonic);
    const Predictions curved = predictions_by(held_out, fit_logistic);
    if (isotonic.rows.empty() || curved.rows.empty()) return findings;
    const bool is_isotonic =
        reliability_of(held_out, isotonic).log_loss <= reliability_of(held_out, curved).log_loss;
    findings.method = is_isotonic ? "isotonic" : "logistic";
    findings.reliability = reliability_of(held_out, is_isotonic ? isotonic : curved);
    findings.measured_on = held_out.parts.size();
    const Rows all = rows_of(held_out, [](std::size_t) { return true; });
    findings.calibration = (is_isotonic ? fit_isotonic : fit_logistic)(held_out, all);
    return findings;
}

void measure_on_test(CalibrationFindings& findings, const HeldOutScores& test) {
    if (findings.calibration.empty() || test.scores.empty()) return;
    Predictions predicted;
    for (std::size_t i = 0; i < test.scores.size(); ++i) {
        predicted.add(i, findings.calibration.probability(test.scores[i]));
    }
    findings.is_of_test = true;
    findings.reliability = reliability_of(test, predicted);
    findings.measured_on = test.parts.size();
}

}  // namespace braid
