// SPDX-License-Identifier: GPL-2.0-or-later

// Truncated SVD side by side with Spectra, and, through bench/peers/svd_peers.py, with scikit-learn
// and gensim, on one matrix: log-entropy weighted package descriptions.
//
//   bench/svd export DESCRIPTIONS DOCUMENTS MATRIX    writes MATRIX from the first DOCUMENTS
//   bench/svd braid MATRIX K [THREADS]                seconds (quickest of 3), energy kept
//   bench/svd spectra MATRIX K [RUNS]                 the same; its energy is the exact one
//
// DESCRIPTIONS is a Translation-en file of Debian's package lists, in any packing the readers
// know. "Energy" is the sum of the squared singular values as a share of the matrix's own. MATRIX
// is a file as bench/texts/corpus.h describes.

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

#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"

namespace {

struct Matrix {
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    std::uint64_t width = 0;

    std::uint64_t rows() const { return begin.size() - 1; }
    double energy() const {
        double sum = 0;
        for (const double x : values) sum += x * x;
        return sum;
    }
};

template <typename T>
std::vector<T> read_all(std::ifstream& in, std::uint64_t count) {
    std::vector<T> values(count);
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
    if (!in) throw std::runtime_error("the matrix is cut short");
    return values;
}

void export_matrix(const std::string& from, std::size_t limit, const std::string& to) {
    const auto counts = braid::bench::read_or_generate(from, limit);
    const auto cf = counts.collection_frequencies();
    const double log_documents = std::log(static_cast<double>(counts.documents()));
    std::vector<double> entropy(cf.size(), 1);
    for (std::size_t i = 0; i < counts.nonzeros(); ++i) {
        const double p = counts.counts[i] / cf[counts.terms[i]];
        entropy[counts.terms[i]] += p * std::log(p) / log_documents;
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < counts.nonzeros(); ++i) {
        values.push_back(std::log1p(counts.counts[i]) * entropy[counts.terms[i]]);
    }
    braid::bench::write_matrix(counts, values, to);
    fmt::print("{} documents, {} words, {} entries\n", counts.documents(), counts.vocabulary.size(),
               counts.nonzeros());
}

Matrix import_matrix(const std::string& from) {
    std::ifstream in(from, std::ios::binary);
    if (!in) throw std::runtime_error(from + " can't be read");
    const auto head = read_all<std::uint64_t>(in, 3);
    Matrix matrix;
    matrix.width = head[1];
    matrix.begin = read_all<std::uint64_t>(in, head[0] + 1);
    matrix.columns = read_all<std::uint32_t>(in, head[2]);
    matrix.values = read_all<double>(in, head[2]);
    return matrix;
}

/// Wall clock and processor time of the quickest of `runs`; kept(result) is not timed.
template <typename Work, typename Kept>
void report(const std::string& name, double energy, int runs, const Work& work, const Kept& kept) {
    double best = 1e30;
    double processor = 1e30;
    double share = 0;
    for (int run = 0; run < runs; ++run) {
        const braid::bench::Stopwatch watch;
        const auto result = work();
        processor = std::min(processor, watch.processor_seconds());
        best = std::min(best, watch.seconds());
        share = kept(result) / energy;
    }
    fmt::print("{:<14} {:8.3f} s {:8.3f} s processor  energy {:.6f}\n", name, best, processor,
               share);
}

void run_braid(const Matrix& matrix, std::size_t rank, std::size_t threads) {
    braid::TermDocumentCounts counts;
    counts.document_begin = matrix.begin;
    counts.terms = matrix.columns;
    counts.counts.assign(matrix.values.begin(), matrix.values.end());
    for (std::size_t t = 0; t < matrix.width; ++t) {
        counts.vocabulary.push_back(fmt::format("{:08}", t));
    }
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
void run_spectra(const Matrix& matrix, int rank, int runs) {
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

int run(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "export" && argc == 5) {
        export_matrix(argv[2], std::stoul(argv[3]), argv[4]);
        return 0;
    }
    if (command == "braid" && (argc == 4 || argc == 5)) {
        run_braid(import_matrix(argv[2]), std::stoul(argv[3]), argc == 5 ? std::stoul(argv[4]) : 1);
        return 0;
    }
#ifdef BRAID_HAVE_SPECTRA
    if (command == "spectra" && (argc == 4 || argc == 5)) {
        run_spectra(import_matrix(argv[2]), std::stoi(argv[3]), argc == 5 ? std::stoi(argv[4]) : 3);
        return 0;
    }
#endif
    std::fputs(
        "usage: svd export DESCRIPTIONS DOCUMENTS MATRIX | braid MATRIX K [THREADS] | "
        "spectra MATRIX K [RUNS]\n",
        stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "svd: {}\n", error.what());
        return 1;
    }
}
