// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/truncated_svd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Dense>

#include "braid/core/base/random.h"
#include "braid/core/topics/linalg/band_eigen.h"
#include "braid/core/topics/linalg/panel_matrix.h"
#include "braid/core/topics/linalg/sparse_matrix.h"

namespace braid {

/// Block Lanczos on the Gram matrix of a sparse matrix A, on its shorter side: G = A'A if A has no
/// more terms than documents, else AA'. Builds, block by block, an orthonormal basis Q of the space
/// spanned by X, GX, GGX, ... from a random block X, and T = Q'GQ, which is block tridiagonal:
/// docs/algorithms/lsa.md (5). Every block is orthogonalised against the whole basis, so no ghost
/// values appear.
class BlockLanczos {
  public:
    /// Borrows its arguments. Costs one sparse product.
    BlockLanczos(const SparseMatrix& matrix, Executor& executor, const PanelKernels& kernels,
                 std::uint64_t seed);

    /// Adds a block: two sparse products and 4 n d kPanelWidth operations, for n rows and a basis
    /// of dimension d. Returns false if the space has no room for it.
    bool expand();

    bool by_term() const { return by_term_; }
    std::size_t rows() const { return rows_; }
    /// Number of columns of Q and rows of T.
    std::size_t dimension() const { return alpha_.size() * kPanelWidth; }
    SymmetricBand projected() const;
    /// GQ = QT + Q_next `coupling` E', with E the last kPanelWidth columns of the identity.
    const PanelSquare& coupling() const { return beta_.back(); }
    /// Q in panels; borrowed until expand().
    std::vector<const Panel*> basis() const;

  private:
    using Alive = std::array<bool, kPanelWidth>;

    void apply(const Panel& in, Panel& out);
    PanelSquare orthonormalise(Panel& panel, double floor, Alive& alive) const;
    void project_out(const std::vector<const Panel*>& basis, Panel& panel) const;
    void refill(Panel& panel, const Alive& alive);
    std::vector<const Panel*> all_panels() const;

    PanelAlgebra algebra_;
    bool by_term_;
    const SparseRows& outward_;  // From the shorter side to the longer one, and back.
    const SparseRows& homeward_;
    std::size_t rows_;
    Random random_;
    double scale_ = 0;  // The largest |Gx| of a unit vector x so far.
    Panel middle_;
    std::vector<Panel> panels_;  // The last is not yet multiplied by G.
    std::vector<PanelSquare> alpha_;
    std::vector<PanelSquare> beta_;
};

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

namespace {

// Squared singular values below this share of the first are rounding errors of single precision.
constexpr double kNoiseFloor = 1e-6;

Eigen::MatrixXd dense_gram(const SparseRows& rows, const SparseRows& columns) {
    const auto size = static_cast<Eigen::Index>(rows.rows());
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t c = 0; c < columns.rows(); ++c) {
        for (std::uint64_t i = columns.begin[c]; i < columns.begin[c + 1]; ++i) {
            for (std::uint64_t j = columns.begin[c]; j < columns.begin[c + 1]; ++j) {
                gram(columns.columns[i], columns.columns[j]) +=
                    static_cast<double>(columns.values[i]) * columns.values[j];
            }
        }
    }
    return gram;
}

Eigenpairs dense_eigenpairs(const Eigen::MatrixXd& symmetric, std::size_t count) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
    Eigenpairs pairs;
    const double floor = kNoiseFloor * solver.eigenvalues().maxCoeff();
    for (Eigen::Index i = symmetric.rows(); i-- > 0 && pairs.values.size() < count;) {
        if (solver.eigenvalues()(i) <= floor) break;
        pairs.values.push_back(solver.eigenvalues()(i));
        const auto vector = solver.eigenvectors().col(i);
        pairs.vectors.insert(pairs.vectors.end(), vector.begin(), vector.end());
    }
    return pairs;
}

/// The vectors of output panel `to`, of `size` numbers each, in squares padded with 0.
std::vector<PanelSquare> squares_of(const Eigenpairs& pairs, std::size_t size, std::size_t to) {
    const std::size_t width = kPanelWidth;
    std::vector<PanelSquare> squares((size + width - 1) / width, PanelSquare{});
    for (std::size_t j = 0; j < width && to * width + j < pairs.values.size(); ++j) {
        const double* vector = pairs.vector(to * width + j, size);
        for (std::size_t r = 0; r < size; ++r) {
            squares[r / width][(r % width) * width + j] = vector[r];
        }
    }
    return squares;
}

void copy_panel(const Panel& panel, std::size_t to, FloatMatrix& matrix) {
    const std::size_t first = to * kPanelWidth;
    const std::size_t count = std::min(kPanelWidth, matrix.columns - first);
    for (std::size_t r = 0; r < matrix.rows; ++r) {
        std::copy_n(panel.row(r), count, matrix.row(r).data() + first);
    }
}

class Solver {
  public:
    Solver(const SparseMatrix& matrix, const SvdOptions& options, Executor& executor,
           const std::function<void(std::size_t, double)>& step)
        : matrix_(matrix),
          options_(options),
          executor_(executor),
          kernels_(panel_kernels(options.instruction_level)),
          algebra_(executor, kernels_),
          step_(step) {}

    TruncatedSvd solve() {
        const std::size_t shorter = std::min(matrix_.by_document.rows(), matrix_.by_term.rows());
        const std::size_t rank = std::min(options_.rank, shorter);
        // The Krylov basis would hardly be smaller than the space itself.
        if (2 * shorter <= 3 * rank + 8 * kPanelWidth || !solve_by_lanczos(rank)) {
            result_ = TruncatedSvd();  // Nothing that was estimated on the way is true of it.
            solve_densely(rank);
        }
        return std::move(result_);
    }

  private:
    void solve_densely(std::size_t rank) {
        const bool by_term = matrix_.by_term.rows() <= matrix_.by_document.rows();
        const SparseRows& rows = by_term ? matrix_.by_term : matrix_.by_document;
        const SparseRows& columns = by_term ? matrix_.by_document : matrix_.by_term;
        const Eigenpairs pairs = dense_eigenpairs(dense_gram(rows, columns), rank);
        begin_result(pairs);
        for (std::size_t to = 0; to * kPanelWidth < rank_; ++to) {
            Panel panel(rows.rows());
            for (std::size_t j = 0; j < kPanelWidth && to * kPanelWidth + j < rank_; ++j) {
                const double* vector = pairs.vector(to * kPanelWidth + j, rows.rows());
                for (std::size_t r = 0; r < rows.rows(); ++r) {
                    panel.row(r)[j] = static_cast<float>(vector[r]);
                }
            }
            finish_panel(by_term, std::move(panel), to);
        }
    }

    /// Returns false where the basis would fill the whole space before it is good enough.
    bool solve_by_lanczos(std::size_t rank) {
        BlockLanczos lanczos(matrix_, executor_, kernels_, options_.seed);
        const std::size_t limit = options_.basis_limit * rank + 32 * kPanelWidth;
        std::size_t next_test = 2 * rank + 2 * kPanelWidth;
        Eigenpairs pairs;
        for (bool done = false; !done;) {
            const bool room = lanczos.expand();
            const bool last = !room || lanczos.dimension() >= limit;
            const bool test = last || lanczos.dimension() >= next_test;
            if (test) {
                pairs = leading_eigenpairs(lanczos.projected(), rank, kNoiseFloor);
                measure(lanczos, pairs);
                next_test = lanczos.dimension() + step_to_next_test(rank);
            }
            step_(lanczos.dimension(), test ? result_.missing : -1);
            result_.converged = test && result_.missing <= options_.tolerance;
            if (!room && !result_.converged) return false;
            done = result_.converged || last;
        }
        result_.basis = lanczos.dimension();
        begin_result(pairs);
        const std::vector<const Panel*> basis = lanczos.basis();
        for (std::size_t to = 0; to * kPanelWidth < rank_; ++to) {
            Panel panel(lanczos.rows());
            algebra_.accumulate(basis, squares_of(pairs, lanczos.dimension(), to), panel);
            finish_panel(lanczos.by_term(), std::move(panel), to);
        }
        return true;
    }

    /// docs/algorithms/lsa.md (6) to (8): |Gv - s^2 v| = |coupling * the last rows of T's vector|.
    void measure(const BlockLanczos& lanczos, const Eigenpairs& pairs) {
        const std::size_t size = lanczos.dimension();
        double gain = 0;
        double energy = 0;
        result_.residual = 0;
        for (std::size_t k = 0; k < pairs.values.size(); ++k) {
            const double* last = pairs.vector(k, size) + (size - kPanelWidth);
            double squares = 0;
            for (std::size_t i = 0; i < kPanelWidth; ++i) {
                double dot = 0;
                for (std::size_t j = i; j < kPanelWidth; ++j) {
                    dot += lanczos.coupling()[i * kPanelWidth + j] * last[j];
                }
                squares += dot * dot;
            }
            gain += squares / pairs.values[k];
            energy += pairs.values[k];
            result_.residual = std::max(result_.residual, std::sqrt(squares) / pairs.values[k]);
        }
        const double blocks = static_cast<double>(pairs.values.size()) / kPanelWidth;
        result_.missing = (1 + blocks) * gain / energy;
        result_.trace.push_back(result_.missing);
    }

    /// How much the basis grows until the next test, which costs about as much as a few blocks.
    std::size_t step_to_next_test(std::size_t rank) const {
        const std::size_t usual = rank / 5;
        const std::size_t tests = result_.trace.size();
        if (tests < 2 || result_.missing <= options_.tolerance) return usual;
        // What is missing falls faster and faster: a line through its logarithm says too much.
        const double slope = std::log(result_.trace[tests - 2] / result_.missing);
        const double todo = std::log(result_.missing / options_.tolerance);
        const double steps = slope > 0 ? 0.85 * todo / slope : 2;
        return static_cast<std::size_t>(std::clamp(steps, 0.25, 2.0) * static_cast<double>(usual));
    }

    void begin_result(const Eigenpairs& pairs) {
        rank_ = pairs.values.size();
        for (const double value : pairs.values) {
            result_.singular_values.push_back(std::sqrt(value));
        }
        result_.right = FloatMatrix(matrix_.by_term.rows(), rank_);
        result_.left_scaled = FloatMatrix(matrix_.by_document.rows(), rank_);
    }

    /// `shorter` holds kPanelWidth singular vectors of the shorter side.
    void finish_panel(bool by_term, Panel shorter, std::size_t to) {
        Panel left(matrix_.by_document.rows());
        if (!by_term) {
            Panel right(matrix_.by_term.rows());  // V = A'U S^-1
            algebra_.multiply(matrix_.by_term, shorter, right);
            PanelSquare inverse{};
            for (std::size_t j = 0; j < kPanelWidth && to * kPanelWidth + j < rank_; ++j) {
                inverse[j * kPanelWidth + j] = 1 / result_.singular_values[to * kPanelWidth + j];
            }
            algebra_.transform(inverse, right);
            shorter = std::move(right);
        }
        algebra_.multiply(matrix_.by_document, shorter, left);
        copy_panel(shorter, to, result_.right);
        copy_panel(left, to, result_.left_scaled);
    }

    const SparseMatrix& matrix_;
    const SvdOptions& options_;
    Executor& executor_;
    const PanelKernels& kernels_;
    PanelAlgebra algebra_;
    const std::function<void(std::size_t, double)>& step_;
    std::size_t rank_ = 0;
    TruncatedSvd result_;
};

}  // namespace

TruncatedSvd truncated_svd(const SparseMatrix& matrix, const SvdOptions& options,
                           Executor& executor,
                           const std::function<void(std::size_t, double)>& step) {
    return Solver(matrix, options, executor, step).solve();
}

}  // namespace braid
