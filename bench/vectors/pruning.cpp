// SPDX-License-Identifier: GPL-2.0-or-later

// Nanoseconds a product that stops, after a block of 32 dimensions, once the bound on the rest
// shows that a threshold is missed: an LSA of package descriptions. The bound is
// |rest of q| sqrt(1 - |first part of d|^2); the product that stops and the full one are one loop
// over 8-bit codes as g++ vectorises it, so that they differ in stopping only.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/query_vector.h"

namespace braid::bench {
namespace {
using braid::StoredVector;
using Clock = std::chrono::steady_clock;

volatile double sink = 0;

/// 8-bit codes with the whole numbers of one query.
struct PruningQuery {
    static constexpr std::size_t kBlock = 32;
    std::vector<std::int16_t> wholes;
    std::vector<float> rest;  ///< |q from block b on|, by b.
    float unit = 0;

    explicit PruningQuery(const std::vector<float>& query) {
        unit = *std::max_element(query.begin(), query.end(),
                                 [](float a, float b) { return std::fabs(a) < std::fabs(b); });
        unit = std::fabs(unit) / 32767;
        for (const float x : query) {
            wholes.push_back(static_cast<std::int16_t>(std::nearbyint(x / unit)));
        }
        rest.assign(query.size() / kBlock + 1, 0);
        double squares = 0;
        for (std::size_t b = rest.size(); b-- > 0;) {
            for (std::size_t i = b * kBlock; i < std::min(query.size(), (b + 1) * kBlock); ++i) {
                squares += double{query[i]} * query[i];
            }
            rest[b] = static_cast<float>(std::sqrt(squares));
        }
    }

    /// `blocks` is how many it looked at.
    template <bool kStop>
    __attribute__((target("avx2"))) float dot(const std::int8_t* codes, float scale,
                                              float threshold, std::size_t& blocks) const {
        std::int32_t sum = 0;
        std::int32_t squares = 0;
        for (std::size_t b = 0; b * kBlock < wholes.size(); ++b) {
            if (kStop && b > 0) {
                const float left = 1 - static_cast<float>(squares) * scale * scale;
                const float bound = static_cast<float>(sum) * scale * unit +
                                    rest[b] * std::sqrt(std::max(0.0F, left));
                if (bound < threshold) return 0;
            }
            ++blocks;
            const std::size_t size = std::min(kBlock, wholes.size() - b * kBlock);
            const std::int16_t* q = wholes.data() + b * kBlock;
            const std::int8_t* c = codes + b * kBlock;
            for (std::size_t i = 0; i < size; ++i) sum += q[i] * c[i];
            if (kStop) {
                for (std::size_t i = 0; i < size; ++i) squares += c[i] * c[i];
            }
        }
        return static_cast<float>(sum) * scale * unit;
    }
};

/// Nanoseconds a product in the quickest of three passes over all documents.
template <typename Dot>
double quickest(std::size_t rows, const Dot& dot) {
    double best = 1e30;
    for (int run = 0; run < 3; ++run) {
        const auto start = Clock::now();
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) sum += dot(i);
        sink = sum;
        const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
        best = std::min(best, elapsed.count() / static_cast<double>(rows));
    }
    return best;
}

/// Words of every 400th document, three each, are the queries.
void time_pruning(const std::string& from, std::size_t dimensions, std::size_t documents) {
    const braid::TermDocumentCounts counts = read_or_generate(from, documents);
    const auto executor = braid::make_executor(1);
    const braid::TopicModel model =
        braid::fit_topic_model("lsa", counts, {.dimensions = dimensions}, *executor);
    const auto folding = braid::make_topic_folding(model.header);
    const std::size_t k = model.header.dimensions;
    const std::size_t rows = model.document_vectors.rows;
    std::vector<std::int8_t> codes(rows * k);
    std::vector<float> scales;
    for (std::size_t d = 0; d < rows; ++d) {
        const std::string bytes = braid::encode_vector({}, model.document_vectors.row(d));
        const StoredVector stored = braid::open_vector(bytes, k, "bench");
        std::memcpy(codes.data() + d * k, stored.codes.data(), k);
        scales.push_back(stored.scale);
    }
    for (const double share : {0.01, 0.05, 0.2}) {
        double full = 0;
        double stopped = 0;
        std::size_t queries = 0;
        std::size_t all = 0;
        std::size_t seen = 0;
        for (std::size_t d = 0; d < rows; d += 400) {
            const std::size_t first = counts.document_begin[d];
            if (counts.document_begin[d + 1] - first < 3) continue;
            const std::vector<std::uint32_t> terms(counts.terms.data() + first,
                                                   counts.terms.data() + first + 3);
            const std::vector<float> ones(3, 1.0F);
            const PruningQuery query(braid::fold_in(*folding, model, {terms, ones}));
            std::vector<float> scores;
            for (std::size_t i = 0; i < rows; ++i) {
                scores.push_back(query.dot<false>(codes.data() + i * k, scales[i], 0, all));
            }
            const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(rows));
            std::nth_element(scores.begin(), scores.begin() + place, scores.end(),
                             [](float a, float b) { return a > b; });
            const float threshold = scores[static_cast<std::size_t>(place)];
            std::size_t ignored = 0;
            full += quickest(rows, [&](std::size_t i) {
                return query.dot<false>(codes.data() + i * k, scales[i], threshold, ignored);
            });
            stopped += quickest(rows, [&](std::size_t i) {
                return query.dot<true>(codes.data() + i * k, scales[i], threshold, seen);
            });
            ++queries;
        }
        fmt::print(
            "K {} of {} documents, {:4.0f} % pass: full {:5.1f} ns, stopping {:5.1f} ns, "
            "{:.0f} % of blocks seen\n",
            k, rows, 100 * share, full / static_cast<double>(queries),
            stopped / static_cast<double>(queries),
            100.0 * static_cast<double>(seen) / 3 / static_cast<double>(all));
    }
}

struct Options : Arguments {
    std::string texts = required("TEXTS", &texts, kTextsHelp);
    std::size_t dimensions = required("K", &dimensions, "Dimensions of the LSA");
    std::size_t documents = option("--documents", &documents, kDocumentsHelp, 20'000);
};

void measure(const Options& options) {
    time_pruning(options.texts, options.dimensions, options.documents);
}

}  // namespace

void add_pruning(Program& program) {
    program.add("pruning", "Products that stop at a bound, beside the same that do not", measure);
}

}  // namespace braid::bench
