// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/block_lanczos.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

constexpr std::size_t kWidth = kPanelWidth;

// What is left of a column after projection is rounding error, not direction, below this share
// of |Gx|: single precision gives 6e-8 a product.
constexpr double kNoise = 1e-6;
// A column that shrinks below this share of its length while a panel is made orthonormal is taken
// for one that the others hold.
constexpr double kShrunk = 0.05;

double norm_of_column(const PanelSquare& gram, std::size_t j) {
    return std::sqrt(std::max(0.0, gram[j * kWidth + j]));
}

double largest_norm(const PanelSquare& gram) {
    double largest = 0;
    for (std::size_t j = 0; j < kWidth; ++j) largest = std::max(largest, norm_of_column(gram, j));
    return largest;
}

/// Upper triangular R with R'R = gram. A column whose pivot is at most `floor` is taken as 0.
PanelSquare cholesky(const PanelSquare& gram, double floor, std::array<bool, kWidth>& alive) {
    PanelSquare r{};
    for (std::size_t j = 0; j < kWidth; ++j) {
        double pivot = gram[j * kWidth + j];
        for (std::size_t i = 0; i < j; ++i) pivot -= r[i * kWidth + j] * r[i * kWidth + j];
        alive[j] = alive[j] && pivot > floor * floor;
        if (!alive[j]) continue;
        r[j * kWidth + j] = std::sqrt(pivot);
        for (std::size_t k = j + 1; k < kWidth; ++k) {
            double dot = gram[j * kWidth + k];
            for (std::size_t i = 0; i < j; ++i) dot -= r[i * kWidth + j] * r[i * kWidth + k];
            r[j * kWidth + k] = dot / r[j * kWidth + j];
        }
    }
    return r;
}

/// The inverse of upper triangular `r` on the columns that are alive, 0 elsewhere.
PanelSquare inverse(const PanelSquare& r, const std::array<bool, kWidth>& alive) {
    PanelSquare result{};
    for (std::size_t j = 0; j < kWidth; ++j) {
        if (!alive[j]) continue;
        result[j * kWidth + j] = 1 / r[j * kWidth + j];
        for (std::size_t i = j; i-- > 0;) {
            if (!alive[i]) continue;
            double dot = 0;
            for (std::size_t k = i + 1; k <= j; ++k) {
                dot += r[i * kWidth + k] * result[k * kWidth + j];
            }
            result[i * kWidth + j] = -dot / r[i * kWidth + i];
        }
    }
    return result;
}

/// The product of two upper triangular squares.
PanelSquare product(const PanelSquare& a, const PanelSquare& b) {
    PanelSquare result{};
    for (std::size_t i = 0; i < kWidth; ++i) {
        for (std::size_t j = i; j < kWidth; ++j) {
            double dot = 0;
            for (std::size_t k = i; k <= j; ++k) dot += a[i * kWidth + k] * b[k * kWidth + j];
            result[i * kWidth + j] = dot;
        }
    }
    return result;
}

PanelSquare symmetric(const PanelSquare& square) {
    PanelSquare result;
    for (std::size_t i = 0; i < kWidth; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) {
            result[i * kWidth + j] = (square[i * kWidth + j] + square[j * kWidth + i]) / 2;
        }
    }
    return result;
}

void negate(std::vector<PanelSquare>& squares) {
    for (PanelSquare& square : squares) {
        for (double& x : square) x = -x;
    }
}

}  // namespace

BlockLanczos::BlockLanczos(const SparseMatrix& matrix, Executor& executor,
                           const PanelKernels& kernels, std::uint64_t seed)
    : algebra_(executor, kernels),
      by_term_(matrix.by_term.rows() <= matrix.by_document.rows()),
      outward_(by_term_ ? matrix.by_document : matrix.by_term),
      homeward_(by_term_ ? matrix.by_term : matrix.by_document),
      rows_(homeward_.rows()),
      random_(seed),
      middle_(outward_.rows()) {
    for (std::size_t i = 0; i < middle_.rows() * kWidth; ++i) {
        middle_.data()[i] = static_cast<float>(2 * random_.uniform() - 1);
    }
    Panel first(rows_);
    algebra_.multiply(homeward_, middle_, first);
    Alive alive;
    alive.fill(true);
    const double largest = largest_norm(algebra_.inner({&first}, first)[0]);
    orthonormalise(first, kNoise * largest, alive);
    refill(first, alive);
    panels_.push_back(std::move(first));
}

bool BlockLanczos::expand() {
    if (dimension() + kWidth > rows_) return false;
    Panel next(rows_);
    apply(panels_.back(), next);
    const PanelSquare before = algebra_.inner({&next}, next)[0];
    scale_ = std::max(scale_, largest_norm(before));

    // W <- W - Q (Q'W); the last square of Q'W is T's diagonal block.
    std::vector<PanelSquare> shares = algebra_.inner(all_panels(), next);
    alpha_.push_back(symmetric(shares.back()));
    negate(shares);
    algebra_.accumulate(all_panels(), shares, next);

    Alive alive;
    alive.fill(true);
    PanelSquare r = orthonormalise(next, kNoise * scale_, alive);
    // Once leaves an error that every block multiplies, and copies of the leading values follow
    // from it; twice is enough.
    project_out(all_panels(), next);
    r = product(orthonormalise(next, kShrunk, alive), r);
    beta_.push_back(r);
    refill(next, alive);
    panels_.push_back(std::move(next));
    return true;
}

void BlockLanczos::apply(const Panel& in, Panel& out) {
    algebra_.multiply(outward_, in, middle_);
    algebra_.multiply(homeward_, middle_, out);
}

/// panel <- panel R^-1, orthonormal in the columns alive and 0 in the others; returns R. Twice,
/// since one Cholesky step leaves an error that grows with the square of the condition number.
PanelSquare BlockLanczos::orthonormalise(Panel& panel, double floor, Alive& alive) const {
    PanelSquare total{};
    for (std::size_t j = 0; j < kWidth; ++j) total[j * kWidth + j] = 1;
    for (const double limit : {floor, kShrunk}) {
        const PanelSquare r = cholesky(algebra_.inner({&panel}, panel)[0], limit, alive);
        algebra_.transform(inverse(r, alive), panel);
        total = product(r, total);
    }
    return total;
}

void BlockLanczos::project_out(const std::vector<const Panel*>& basis, Panel& panel) const {
    std::vector<PanelSquare> shares = algebra_.inner(basis, panel);
    negate(shares);
    algebra_.accumulate(basis, shares, panel);
}

/// Gives columns that are not alive a random direction outside the basis, which costs nothing
/// but finds what an invariant space would hide: then T has a 0 in the coupling to it. Columns
/// stay 0 where the whole space is used up.
void BlockLanczos::refill(Panel& panel, const Alive& alive) {
    if (std::all_of(alive.begin(), alive.end(), [](bool a) { return a; })) return;
    Panel fresh(rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
        for (std::size_t j = 0; j < kWidth; ++j) {
            if (!alive[j]) fresh.row(r)[j] = static_cast<float>(2 * random_.uniform() - 1);
        }
    }
    std::vector<const Panel*> others = all_panels();
    others.push_back(&panel);
    Alive filled;
    for (std::size_t j = 0; j < kWidth; ++j) filled[j] = !alive[j];
    project_out(others, fresh);
    orthonormalise(fresh, 1e-3 * std::sqrt(static_cast<double>(rows_)), filled);
    project_out(others, fresh);
    orthonormalise(fresh, kShrunk, filled);
    for (std::size_t i = 0; i < rows_ * kWidth; ++i) panel.data()[i] += fresh.data()[i];
}

std::vector<const Panel*> BlockLanczos::all_panels() const {
    std::vector<const Panel*> result;
    for (const Panel& panel : panels_) result.push_back(&panel);
    return result;
}

std::vector<const Panel*> BlockLanczos::basis() const {
    std::vector<const Panel*> result = all_panels();
    result.resize(alpha_.size());
    return result;
}

SymmetricBand BlockLanczos::projected() const {
    SymmetricBand t(dimension(), kWidth);
    for (std::size_t block = 0; block < alpha_.size(); ++block) {
        const std::size_t first = block * kWidth;
        for (std::size_t j = 0; j < kWidth; ++j) {
            for (std::size_t i = j; i < kWidth; ++i) {
                t.at(first + i, first + j) = alpha_[block][i * kWidth + j];
            }
            // The coupling is upper triangular, so that T has no more than kWidth diagonals.
            if (block + 1 == alpha_.size()) continue;
            for (std::size_t i = 0; i <= j; ++i) {
                t.at(first + kWidth + i, first + j) = beta_[block][i * kWidth + j];
            }
        }
    }
    return t;
}

}  // namespace braid
