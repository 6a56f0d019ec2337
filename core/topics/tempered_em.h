// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "braid/core/base/float_matrix.h"
#include "braid/core/topics/linalg/sparse_matrix.h"
#include "braid/core/topics/mixture_kernels.h"
#include "braid/error.h"
#include "braid/progress.h"

namespace braid {

/// Entries of counts, for learning or held out.
struct CountRows {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> terms;
    std::vector<float> counts;
};

/// The state of tempered expectation maximisation for the aspect model, as expected counts: n(d,
/// z), n(w, z) and n(z); p(d|z), p(w|z) and p(z) are their ratios. One step costs 3 K
/// multiplications and additions for each entry and one power for each number of the state.
/// Bit-equal at any number of threads and on every instruction set.
class TemperedEm {
  public:
    /// Borrows the executor. Documents start uniform; words start random, which breaks the
    /// symmetry.
    TemperedEm(const CountRows& rows, std::size_t vocabulary, std::size_t topics,
               std::uint64_t seed, Executor& executor, InstructionLevel level);

    /// Continues with other counts of the same documents and words. Documents and words without
    /// counts so far start at p(z).
    void replace_counts(const CountRows& rows);

    /// One EM step with p(z|d,w) ~ p(z) (p(d|z) p(w|z))^power: docs/algorithms/plsi.md (3), (4).
    void step(double power);

    /// exp(- sum n log p(w|d) / sum n) over `rows`, with p(w|d) at least 1e-9. Skips words and
    /// documents that had no count; 1 if none is left.
    double perplexity(const CountRows& rows) const;

    std::size_t topics() const { return topics_; }
    double topic_mass(std::size_t topic) const { return mass_[topic]; }
    /// n(w, z).
    float word_mass(std::size_t word, std::size_t topic) const {
        return words_.data()[word * stride_ + topic];
    }

  private:
    void set_rows(const CountRows& rows);
    void start_words(std::uint64_t seed);
    void add_up_topics();
    void temper(const AlignedFloats& from, const std::vector<std::size_t>& chunks,
                const AlignedFloats& factors, double power, AlignedFloats& to) const;
    AlignedFloats factors(double power) const;

    std::size_t topics_;
    std::size_t stride_;  // topics_, padded.
    Executor& executor_;
    const MixtureKernels& kernels_;
    CountRows rows_;
    TermPostings postings_;
    std::vector<std::size_t> document_chunks_;
    std::vector<std::size_t> word_chunks_;
    AlignedFloats documents_;  // n(d, z)
    AlignedFloats words_;      // n(w, z)
    AlignedFloats tempered_documents_;
    AlignedFloats tempered_words_;
    std::vector<float> ratios_;
    std::vector<double> mass_;  // n(z)
};

}  // namespace braid
