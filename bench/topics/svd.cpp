// SPDX-License-Identifier: GPL-2.0-or-later
// Truncated SVD side by side with Spectra, and, through bench/peers/svd_peers.py, with scikit-learn
// and gensim, on one matrix that the command export-weighted wrote. "Energy" is the sum of the
// squared singular values as a share of the matrix's own; Spectra's is the exact one.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#ifdef BRAID_HAVE_SPECTRA
#include <Spectra/contrib/PartialSVDSolver.h>

#include <Eigen/SparseCore>
#endif

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace braid::bench {
namespace {

/// Wall clock and processor time of the quickest of `runs`; kept(result) is not timed.
template <typename Work, typename Kept>
void report(const std::string& name, double energy, std::size_t runs, const Work& work,
            const Kept& kept) {
    double best = 1e30;
    double processor = 1e30;
    double share = 0;
    for (std::size_t run = 0; run < runs; ++run) {
        const Stopwatch watch;
        const auto result = work();
        processor = std::min(processor, watch.processor_seconds());
        best = std::min(best, watch.seconds());
        share = kept(result) / energy;
    }
    fmt::print("{:<14} {:8.3f} s {:8.3f} s processor  energy {:.6f}\n", name, best, processor,
               share);
}

void run_braid(const Matrix& matrix, std::size_t rank, std::size_t threads) {
    const braid::TermDocumentCounts counts = counts_of(matrix);
    const auto executor = braid::make_executor(threads);
    // The whole of it: checks, both orders of the matrix, vectors of words and documents. Values
    // are weighted already; without scaling the term vectors are V.
    const auto fit = [&] {
        return braid::fit_topic_model(
            "lsa", counts,
            {.dimensions = rank, .parameters = {{"scaling", 0}}, .choices = {{"weighting", "raw"}}},
            *executor);
    };
    // |A V|^2 from the vectors themselves, not from what the solver says.
    const auto kept = [&](const braid::TopicModel& model) {
        double squares = 0;
        std::vector<double> row(model.header.dimensions);
        for (std::size_t d = 0; d < matrix.rows(); ++d) {
            std::fill(row.begin(), row.end(), 0.0);
            for (std::uint64_t i = matrix.begin[d]; i < matrix.begin[d + 1]; ++i) {
                const auto vector = model.term_vectors.row(matrix.columns[i]);
                for (std::size_t k = 0; k < row.size(); ++k) row[k] += matrix.values[i] * vector[k];
            }
            for (const double x : row) squares += x * x;
        }
        return squares;
    };
    report(fmt::format("braid ({})", threads), matrix.energy(), 3, fit, kept);
}

#ifdef BRAID_HAVE_SPECTRA
void run_spectra(const Matrix& matrix, int rank, std::size_t runs) {
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    std::vector<int> begin(matrix.begin.begin(), matrix.begin.end());
    std::vector<int> columns(matrix.columns.begin(), matrix.columns.end());
    const Sparse a = Eigen::Map<const Sparse>(static_cast<Eigen::Index>(matrix.rows()),
                                              static_cast<Eigen::Index>(matrix.width),
                                              static_cast<Eigen::Index>(matrix.values.size()),
                                              begin.data(), columns.data(), matrix.values.data());
    // Vectors of both sides belong to the work: Braid's time includes them.
    const auto solve = [&] {
        Spectra::PartialSVDSolver<Sparse> solver(a, rank, 2 * rank);
        solver.compute();
        return std::pair<Eigen::MatrixXd, Eigen::MatrixXd>(solver.matrix_U(rank),
                                                           solver.matrix_V(rank));
    };
    report("spectra", matrix.energy(), runs, solve,
           [&](const auto& vectors) { return (a * vectors.second).squaredNorm(); });
}
#endif

struct MatrixOptions : Arguments {
    std::string matrix = required("MATRIX", &matrix, "What export-weighted wrote");
    std::size_t dimensions = required("K", &dimensions, "Dimensions");
};

struct Options : MatrixOptions {
    std::size_t threads = option("--threads", &threads, "Threads", 1);
};

void measure(const Options& options) {
    run_braid(read_matrix(options.matrix), options.dimensions, options.threads);
}

#ifdef BRAID_HAVE_SPECTRA
struct PeerOptions : MatrixOptions {
    std::size_t runs = option("--runs", &runs, "The quickest of how many", 3);
};

void measure_spectra(const PeerOptions& options) {
    run_spectra(read_matrix(options.matrix), static_cast<int>(options.dimensions), options.runs);
}
#endif

}  // namespace

void add_svd(Program& program) {
    program.add("svd", "Seconds and energy of LSA's truncated SVD", measure);
#ifdef BRAID_HAVE_SPECTRA
    program.add("svd-spectra", "The same by Spectra", measure_spectra);
#endif
}

}  // namespace braid::bench
