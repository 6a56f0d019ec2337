// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/learn/losses/smooth_measure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "braid/core/learn/losses/linear_risk.h"
#include "braid/core/learn/losses/smooth_sums.h"
#include "braid/core/model/ranking_function.h"
#include "braid/error.h"

namespace braid {

/// One thread's work on a smooth measure: handles one query after another in the same memory.
class SmoothQuery {
  public:
    explicit SmoothQuery(const SmoothMeasure& measure) : measure_(measure) {}

    /// Adds the query's value and, for higher orders, its derivatives to `sum`, whose parts already
    /// have their sizes.
    void add(std::size_t query, std::span<const double> weights, SmoothOrder order,
             SmoothPoint& sum);

    /// R' of each target.
    const std::vector<double>& positions(std::size_t query, std::span<const double> weights);

  private:
    using Query = SmoothMeasure::Query;

    void place(std::size_t query, std::span<const double> weights, SmoothOrder order);
    void find_shares(const Query& query);
    double weigh_positions(const Query& query);
    void add_gradient(SmoothOrder order, SmoothPoint& sum);
    void add_hessian(SmoothPoint& sum);

    const SmoothMeasure& measure_;
    SmoothPairs pairs_;
    SmoothPool pool_;
    TargetSums sums_;
    std::vector<double> z_;
    std::vector<double> positions_;
    std::vector<double> shares_;   // c_j of (3).
    std::vector<double> factors_;  // c_j f'(R_j).
    std::vector<double> bends_;    // c_j f''(R_j).
    std::vector<double> slopes_;
    std::vector<double> curvatures_;
    std::vector<double> products_;  // rankers x documents
    std::vector<std::uint32_t> order_;
};

// Equations are those of docs/algorithms/smooth-measures.md.

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix>;

// What one relevant document adds at position r, and its first two derivatives.
struct Worth {
    double value;
    double slope;
    double curvature;
};

Worth reciprocal(double r) { return {1 / r, -1 / (r * r), 2 / (r * r * r)}; }

Worth discount(double r) {
    const double x = 1 + r;
    const double natural = std::log(x);
    const double base = std::numbers::ln2;
    const double slope = -base / (natural * natural * x);
    return {base / natural, slope, -slope * (1 + 2 / natural) / x};
}

ConstMatrix matrix_of(std::span<const double> values, std::size_t width) {
    return {values.data(), static_cast<Eigen::Index>(values.size() / width),
            static_cast<Eigen::Index>(width)};
}

}  // namespace

void SmoothQuery::place(std::size_t query, std::span<const double> weights, SmoothOrder order) {
    const TrainingSet& set = measure_.set();
    const SmoothOptions& options = measure_.options();
    z_.resize(set.pool_size(query));
    weighted_sums(set.query_scores(query), weights, z_);
    for (double& z : z_) z *= options.beta;
    pool_ = {z_, set.query_scores(query), set.width(), measure_.prepared_[query].targets,
             options.window};
    pairs_.gather(pool_, order, sums_);
    positions_.resize(pool_.targets.size());
    // The document itself has s(0) = 1/2 in its sum.
    for (std::size_t j = 0; j < positions_.size(); ++j) positions_[j] = 0.5 + sums_.position[j];
}

const std::vector<double>& SmoothQuery::positions(std::size_t query,
                                                  std::span<const double> weights) {
    place(query, weights, SmoothOrder::kValue);
    return positions_;
}

// (3). Equal scores keep the order of the rows.
void SmoothQuery::find_shares(const Query& query) {
    if (!query.gains.empty()) {
        shares_ = query.gains;
        return;
    }
    const std::vector<std::uint32_t>& targets = query.targets;
    order_.resize(targets.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return z_[targets[a]] > z_[targets[b]];
    });
    shares_.assign(targets.size(), 0);
    for (const SmoothMeasure::Level& level : query.levels) {
        double found = 0;
        for (const std::uint32_t j : order_) {
            if (query.grades[j] >= level.from) shares_[j] += ++found * level.share;
        }
    }
}

double SmoothQuery::weigh_positions(const Query& query) {
    const bool is_discount = !query.gains.empty();
    double value = 0;
    factors_.resize(shares_.size());
    bends_.resize(shares_.size());
    for (std::size_t j = 0; j < shares_.size(); ++j) {
        const Worth worth = is_discount ? discount(positions_[j]) : reciprocal(positions_[j]);
        value += shares_[j] * worth.value;
        factors_[j] = shares_[j] * worth.slope;
        bends_[j] = shares_[j] * worth.curvature;
    }
    return value;
}

// (6), (7)
void SmoothQuery::add_gradient(SmoothOrder order, SmoothPoint& sum) {
    slopes_.assign(z_.size(), 0);
    curvatures_.assign(z_.size(), 0);
    pairs_.spread(pool_, order, factors_, slopes_, curvatures_);
    for (std::size_t j = 0; j < factors_.size(); ++j) {
        slopes_[pool_.targets[j]] -= factors_[j] * sums_.slope[j];
    }
    const double beta = measure_.options().beta;
    const std::size_t width = pool_.width;
    const double* row = pool_.rows.data();
    for (const double slope : slopes_) {
        if (slope != 0) {
            const double factor = beta * slope;
            for (std::size_t k = 0; k < width; ++k) sum.gradient[k] += factor * row[k];
        }
        row += width;
    }
}

// (8)
void SmoothQuery::add_hessian(SmoothPoint& sum) {
    const std::size_t width = pool_.width;
    const double square = measure_.options().beta * measure_.options().beta;
    const ConstMatrix rows = matrix_of(pool_.rows, width);
    const ConstMatrix slope_rows = matrix_of(sums_.slope_rows, width);
    const ConstMatrix curvature_rows = matrix_of(sums_.curvature_rows, width);
    Matrix hessian = Matrix::Zero(rows.cols(), rows.cols());
    // One row a ranker: its scores times the documents' curvatures.
    products_.resize(width * curvatures_.size());
    for (std::size_t d = 0; d < curvatures_.size(); ++d) {
        for (std::size_t k = 0; k < width; ++k) {
            products_[k * curvatures_.size() + d] = curvatures_[d] * pool_.rows[d * width + k];
        }
    }
    add_row_products(products_.data(), curvatures_.size(), width, pool_.rows, width,
                     hessian.data());
    for (std::size_t j = 0; j < factors_.size(); ++j) {
        const auto i = static_cast<Eigen::Index>(j);
        const Eigen::VectorXd x = rows.row(static_cast<Eigen::Index>(pool_.targets[j]));
        const Eigen::VectorXd slope = slope_rows.row(i).transpose() - sums_.slope[j] * x;
        const Eigen::VectorXd bend = factors_[j] * curvature_rows.row(i).transpose();
        hessian += bends_[j] * slope * slope.transpose();
        hessian -= bend * x.transpose() + x * bend.transpose();
        hessian += factors_[j] * sums_.curvature[j] * x * x.transpose();
    }
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t l = 0; l < width; ++l) {
            // Products add in another order on either side of the diagonal.
            const auto low = static_cast<Eigen::Index>(std::min(k, l));
            const auto high = static_cast<Eigen::Index>(std::max(k, l));
            sum.hessian[k * width + l] += square * hessian(low, high);
        }
    }
}

void SmoothQuery::add(std::size_t query, std::span<const double> weights, SmoothOrder order,
                      SmoothPoint& sum) {
    const Query& prepared = measure_.prepared_[query];
    place(query, weights, order);
    find_shares(prepared);
    sum.value += weigh_positions(prepared);
    if (order == SmoothOrder::kValue) return;
    add_gradient(order, sum);
    if (order == SmoothOrder::kHessian) add_hessian(sum);
}

std::vector<ParameterInfo> smooth_parameters() {
    return {
        {"beta", 200, 1e-3, 1e9, "sharpness of the sigmoid (Wang, Choi, Liu 2017)"},
        {"window", 0, 0, 1e9,
         "score differences above this / beta get no derivative; 0: all get one (the paper: 2)"}};
}

ChoiceInfo aim_choice() {
    return {"aim",
            "map",
            {"map", "graded-map", "ndcg"},
            "the smoothed measure; graded-map averages map over the relevance thresholds"};
}

SmoothOptions smooth_options(const LearnerOptions& options) {
    SmoothOptions result;
    result.beta = options.parameters.at("beta");
    result.window = options.parameters.at("window");
    const std::string& aim = options.choices.at("aim");
    if (aim == "graded-map") result.aim = SmoothOptions::Aim::kGradedMap;
    if (aim == "ndcg") result.aim = SmoothOptions::Aim::kNdcg;
    return result;
}

double length(std::span<const double> weights) {
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    return std::sqrt(squares);
}

namespace {

constexpr std::size_t kListsPerChunk = 16;

// Those of `from` and above.
void add_relevant(std::span<const Grade> grades, Grade from, std::vector<Grade>& to) {
    for (const Grade grade : grades) {
        if (grade >= from) to.push_back(grade);
    }
}

double ideal_gain(const std::vector<Grade>& grades) {
    double sum = 0;
    for (std::size_t i = 0; i < grades.size(); ++i) {
        sum += grades[i] / std::log2(static_cast<double>(i) + 2);
    }
    return sum;
}

}  // namespace

SmoothMeasure::SmoothMeasure(const TrainingSet& set, const SmoothOptions& options,
                             const MeasureOptions& judging)
    : set_(set), options_(options) {
    check_options();
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        std::vector<Grade> relevant;
        add_relevant(set.query_grades(q), judging.relevant_from, relevant);
        if (!set.unpooled.empty()) add_relevant(set.unpooled[q], judging.relevant_from, relevant);
        add_query(q, set.query_grades(q), std::move(relevant), judging.relevant_from);
    }
}

SmoothMeasure::SmoothMeasure(const TrainingSet& set, std::span<const Grade> grades,
                             const SmoothOptions& options)
    : set_(set), options_(options) {
    check_options();
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const std::span<const Grade> pool = grades.subspan(set.query_begin[q], set.pool_size(q));
        std::vector<Grade> relevant;
        add_relevant(pool, 1, relevant);
        add_query(q, pool, std::move(relevant), 1);
    }
}

void SmoothMeasure::check_options() const {
    if (options_.beta > 0 && std::isfinite(options_.beta) && options_.window >= 0) return;
    throw InvalidArgument(
        fmt::format("smooth measure: beta is {} and window {}, expected above 0 and from 0 up",
                    options_.beta, options_.window));
}

// `relevant` holds the grades of all relevant documents, in the pool and out of it.
void SmoothMeasure::add_query(std::size_t query, std::span<const Grade> pool,
                              std::vector<Grade> relevant, Grade relevant_from) {
    Query result;
    for (std::size_t i = 0; i < pool.size(); ++i) {
        if (pool[i] < relevant_from) continue;
        result.targets.push_back(static_cast<std::uint32_t>(i));
        result.grades.push_back(pool[i]);
    }
    std::sort(relevant.begin(), relevant.end(), std::greater<>());
    if (options_.aim == SmoothOptions::Aim::kNdcg) {
        const double ideal = ideal_gain(relevant);
        for (const Grade grade : result.grades) result.gains.push_back(grade / ideal);
    } else {
        for (std::size_t i = 0; i < relevant.size(); ++i) {
            const bool is_last = i + 1 == relevant.size();
            const bool ends_level = is_last || (options_.aim == SmoothOptions::Aim::kGradedMap &&
                                                relevant[i + 1] != relevant[i]);
            if (ends_level) result.levels.push_back({relevant[i], 1 / static_cast<double>(i + 1)});
        }
        for (Level& level : result.levels) level.share /= static_cast<double>(result.levels.size());
    }
    if (!result.targets.empty()) queries_.push_back(query);
    prepared_.push_back(std::move(result));
}

std::string SmoothMeasure::name() const {
    switch (options_.aim) {
        case SmoothOptions::Aim::kGradedMap:
            return "smooth graded map";
        case SmoothOptions::Aim::kNdcg:
            return "smooth ndcg";
        default:
            return "smooth map";
    }
}

SmoothPoint SmoothMeasure::mean(std::span<const double> weights, int order,
                                Executor& executor) const {
    const auto wanted = static_cast<SmoothOrder>(order);
    const std::size_t width = set_.width();
    SmoothPoint empty;
    if (wanted != SmoothOrder::kValue) empty.gradient.assign(width, 0);
    if (wanted == SmoothOrder::kHessian) empty.hessian.assign(width * width, 0);
    const std::size_t chunks = (queries_.size() + kListsPerChunk - 1) / kListsPerChunk;
    std::vector<SmoothPoint> parts(chunks, empty);
    executor.run(chunks, [&](std::size_t chunk) {
        SmoothQuery work(*this);
        const std::size_t end = std::min(queries_.size(), (chunk + 1) * kListsPerChunk);
        for (std::size_t i = chunk * kListsPerChunk; i < end; ++i) {
            work.add(queries_[i], weights, wanted, parts[chunk]);
        }
    });
    SmoothPoint result = empty;
    const double count = std::max(1.0, static_cast<double>(queries_.size()));
    for (const SmoothPoint& part : parts) {
        result.value += part.value / count;
        for (std::size_t i = 0; i < part.gradient.size(); ++i) {
            result.gradient[i] += part.gradient[i] / count;
        }
        for (std::size_t i = 0; i < part.hessian.size(); ++i) {
            result.hessian[i] += part.hessian[i] / count;
        }
    }
    return result;
}

double SmoothMeasure::value(std::span<const double> weights, Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kValue), executor).value;
}

SmoothPoint SmoothMeasure::with_gradient(std::span<const double> weights,
                                         Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kGradient), executor);
}

SmoothPoint SmoothMeasure::with_hessian(std::span<const double> weights, Executor& executor) const {
    return mean(weights, static_cast<int>(SmoothOrder::kHessian), executor);
}

SmoothPoint SmoothMeasure::of_query(std::size_t query, std::span<const double> weights) const {
    SmoothPoint result;
    result.gradient.assign(set_.width(), 0);
    SmoothQuery(*this).add(query, weights, SmoothOrder::kGradient, result);
    return result;
}

std::vector<double> SmoothMeasure::positions(std::size_t query,
                                             std::span<const double> weights) const {
    return SmoothQuery(*this).positions(query, weights);
}

}  // namespace braid
