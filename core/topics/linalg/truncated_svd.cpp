// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/linalg/truncated_svd.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "braid/core/topics/linalg/band_eigen.h"
#include "braid/core/topics/linalg/block_lanczos.h"

namespace braid {
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
