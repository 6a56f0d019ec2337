// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/tempered_em.h"

#include <algorithm>
#include <cmath>

#include "braid/core/base/random.h"

namespace braid {
namespace {

// Of a row's largest number; keeps every posterior defined and far from the subnormal numbers,
// which are slow.
constexpr float kFloor = 1e-12F;
constexpr double kLeastProbability = 1e-9;

std::size_t padded(std::size_t topics) {
    return (topics + kTopicBlock - 1) / kTopicBlock * kTopicBlock;
}

}  // namespace

TemperedEm::TemperedEm(const CountRows& rows, std::size_t vocabulary, std::size_t topics,
                       std::uint64_t seed, Executor& executor, InstructionLevel level)
    : topics_(topics),
      stride_(padded(topics)),
      executor_(executor),
      kernels_(mixture_kernels(level)),
      documents_((rows.begin.size() - 1) * stride_),
      words_(vocabulary * stride_),
      tempered_documents_(documents_.size()),
      tempered_words_(words_.size()) {
    mass_.assign(stride_, 0);
    set_rows(rows);
    start_words(seed);
    add_up_topics();
    for (std::size_t d = 0; d + 1 < rows_.begin.size(); ++d) {
        float* row = documents_.data() + d * stride_;
        if (rows_.begin[d] < rows_.begin[d + 1]) std::fill_n(row, topics_, 1.0F);
    }
}

void TemperedEm::set_rows(const CountRows& rows) {
    rows_ = rows;
    postings_ = transpose_rows(rows_.begin, rows_.terms, words_.size() / stride_);
    document_chunks_ = cut_rows(rows_.begin);
    word_chunks_ = cut_rows(postings_.term_begin);
    ratios_.assign(rows_.terms.size(), 0);
}

/// n(w, z): the word's count, cut at random places (uniform over the simplex).
void TemperedEm::start_words(std::uint64_t seed) {
    executor_.run(word_chunks_.size() - 1, [&](std::size_t chunk) {
        Random random(seed, chunk);
        std::vector<double> shares(topics_);
        for (std::size_t w = word_chunks_[chunk]; w < word_chunks_[chunk + 1]; ++w) {
            double count = 0;
            for (std::uint64_t i = postings_.term_begin[w]; i < postings_.term_begin[w + 1]; ++i) {
                count += rows_.counts[postings_.place[i]];
            }
            double sum = 0;
            for (double& share : shares) sum += share = -std::log(1 - random.uniform());
            for (std::size_t z = 0; z < topics_; ++z) {
                words_.data()[w * stride_ + z] = static_cast<float>(count * shares[z] / sum);
            }
        }
    });
}

void TemperedEm::add_up_topics() {
    std::vector<double> partial((word_chunks_.size() - 1) * stride_, 0);
    executor_.run(word_chunks_.size() - 1, [&](std::size_t chunk) {
        double* sums = partial.data() + chunk * stride_;
        for (std::size_t w = word_chunks_[chunk]; w < word_chunks_[chunk + 1]; ++w) {
            const float* row = words_.data() + w * stride_;
            for (std::size_t z = 0; z < stride_; ++z) sums[z] += row[z];
        }
    });
    std::fill(mass_.begin(), mass_.end(), 0.0);
    for (std::size_t i = 0; i < partial.size(); ++i) mass_[i % stride_] += partial[i];
}

void TemperedEm::replace_counts(const CountRows& rows) {
    set_rows(rows);
    const auto start = [&](float* row) {
        if (std::any_of(row, row + topics_, [](float x) { return x > 0; })) return;
        for (std::size_t z = 0; z < topics_; ++z) row[z] = static_cast<float>(mass_[z]);
    };
    for (std::size_t d = 0; d + 1 < rows_.begin.size(); ++d) {
        if (rows_.begin[d] < rows_.begin[d + 1]) start(documents_.data() + d * stride_);
    }
    for (std::size_t w = 0; w + 1 < postings_.term_begin.size(); ++w) {
        if (postings_.term_begin[w] < postings_.term_begin[w + 1]) {
            start(words_.data() + w * stride_);
        }
    }
}

/// n(z) ^ power, 0 for topics without mass and for padding.
AlignedFloats TemperedEm::factors(double power) const {
    AlignedFloats result(stride_);
    for (std::size_t z = 0; z < topics_; ++z) {
        if (mass_[z] > 0) result.data()[z] = static_cast<float>(std::pow(mass_[z], power));
    }
    return result;
}

void TemperedEm::temper(const AlignedFloats& from, const std::vector<std::size_t>& chunks,
                        const AlignedFloats& factors, double power, AlignedFloats& to) const {
    executor_.run(chunks.size() - 1, [&](std::size_t chunk) {
        for (std::size_t r = chunks[chunk]; r < chunks[chunk + 1]; ++r) {
            kernels_.temper(stride_, from.data() + r * stride_, factors.data(), kFloor,
                            static_cast<float>(power), to.data() + r * stride_);
        }
    });
}

void TemperedEm::step(double power) {
    // p(z) p(d|z)^power ~ (n(d,z) n(z)^((1 - power) / power))^power, and p(w|z)^power; the scale
    // of a row cancels in the posterior.
    temper(documents_, document_chunks_, factors((1 - power) / power), power, tempered_documents_);
    temper(words_, word_chunks_, factors(-1), power, tempered_words_);

    executor_.run(document_chunks_.size() - 1, [&](std::size_t chunk) {
        for (std::size_t d = document_chunks_[chunk]; d < document_chunks_[chunk + 1]; ++d) {
            const std::uint64_t first = rows_.begin[d];
            const float* tempered = tempered_documents_.data() + d * stride_;
            float* expected = documents_.data() + d * stride_;
            kernels_.attribute(stride_, rows_.begin[d + 1] - first, rows_.terms.data() + first,
                               rows_.counts.data() + first, tempered, tempered_words_.data(),
                               ratios_.data() + first, expected);
            for (std::size_t z = 0; z < stride_; ++z) expected[z] *= tempered[z];
        }
    });
    executor_.run(word_chunks_.size() - 1, [&](std::size_t chunk) {
        for (std::size_t w = word_chunks_[chunk]; w < word_chunks_[chunk + 1]; ++w) {
            const std::uint64_t first = postings_.term_begin[w];
            const float* tempered = tempered_words_.data() + w * stride_;
            float* expected = words_.data() + w * stride_;
            kernels_.gather(stride_, postings_.term_begin[w + 1] - first,
                            postings_.documents.data() + first, postings_.place.data() + first,
                            ratios_.data(), tempered_documents_.data(), expected);
            for (std::size_t z = 0; z < stride_; ++z) expected[z] *= tempered[z];
        }
    });
    add_up_topics();
}

double TemperedEm::perplexity(const CountRows& rows) const {
    struct Sum {
        double log_likelihood = 0;
        double count = 0;
    };
    const std::vector<std::size_t> chunks = cut_rows(rows.begin);
    const AlignedFloats inverse = factors(-1);
    std::vector<Sum> sums(chunks.size() - 1);
    executor_.run(chunks.size() - 1, [&](std::size_t chunk) {
        AlignedFloats row(stride_);
        AlignedFloats unused(stride_);
        std::vector<float> ratios;
        for (std::size_t d = chunks[chunk]; d < chunks[chunk + 1]; ++d) {
            const float* mass = documents_.data() + d * stride_;
            double length = 0;
            for (std::size_t z = 0; z < stride_; ++z) length += mass[z];
            if (length == 0) continue;
            // p(w|d) = sum_z n(d,z) / n(d) * n(w,z) / n(z)
            for (std::size_t z = 0; z < stride_; ++z) {
                row.data()[z] = static_cast<float>(mass[z] / length * inverse.data()[z]);
            }
            const std::uint64_t first = rows.begin[d];
            ratios.resize(rows.begin[d + 1] - first);
            kernels_.attribute(stride_, ratios.size(), rows.terms.data() + first,
                               rows.counts.data() + first, row.data(), words_.data(), ratios.data(),
                               unused.data());
            for (std::size_t i = 0; i < ratios.size(); ++i) {
                const double count = rows.counts[first + i];
                const double probability = count / ratios[i];
                if (probability == 0) continue;
                sums[chunk].log_likelihood +=
                    count * std::log(std::max(kLeastProbability, probability));
                sums[chunk].count += count;
            }
        }
    });
    Sum total;
    for (const Sum& sum : sums) {
        total.log_likelihood += sum.log_likelihood;
        total.count += sum.count;
    }
    return total.count > 0 ? std::exp(-total.log_likelihood / total.count) : 1;
}

}  // namespace braid
