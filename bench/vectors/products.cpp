// SPDX-License-Identifier: GPL-2.0-or-later

// Nanoseconds a product of a query's vector with stored ones:
//
//   bench/dot                            each coding and instruction set, beside plain loops
//   bench/dot pruning DESCRIPTIONS K [DOCUMENTS]
//
// The second learns LSA on package descriptions (a Translation-en file) and measures products that
// stop, after a block of 32 dimensions, once the bound on the rest shows that a threshold is
// missed. The bound is |rest of q| sqrt(1 - |first part of d|^2); both kinds of product are
// one loop over 8-bit codes as g++ vectorises it, so that they differ in stopping only.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "braid/bench/texts/collection.h"
#include "braid/core/random.h"
#include "braid/core/topics/term_document_counts_builder.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/indexer/formats/document_reader.h"

namespace {

using braid::StoredVector;
using braid::VectorCoding;
using Clock = std::chrono::steady_clock;

volatile double sink = 0;

/// The median of 15 runs over `count` vectors, each long enough for the clock.
template <typename Dot>
double nanoseconds(std::size_t count, const Dot& dot) {
    std::vector<double> times;
    const std::size_t repeats = 1 + 200'000 / count;
    for (int run = 0; run < 15; ++run) {
        const auto start = Clock::now();
        double sum = 0;
        for (std::size_t r = 0; r < repeats; ++r) {
            for (std::size_t i = 0; i < count; ++i) sum += dot(i);
        }
        sink = sum;
        const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
        times.push_back(elapsed.count() / static_cast<double>(count * repeats));
    }
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
}

std::vector<float> random_unit(braid::Random& random, std::size_t dimensions) {
    Eigen::VectorXf x(static_cast<Eigen::Index>(dimensions));
    for (float& value : x) value = static_cast<float>(std::fabs(random.normal()));
    x.normalize();
    return {x.begin(), x.end()};
}

/// 500 vectors one after the other, which fit the second-level cache up to K = 400.
void time_kernels(std::size_t dimensions) {
    constexpr std::size_t count = 500;
    constexpr const char* names[] = {"s8", "u8", "f16", "f32"};
    braid::Random random(1);
    const std::vector<float> query = random_unit(random, dimensions);
    for (unsigned coding = 0; coding < 4; ++coding) {
        std::string bytes;
        std::vector<std::size_t> begin = {0};
        std::vector<StoredVector> stored;
        for (std::size_t i = 0; i < count; ++i) {
            bytes += braid::encode_vector({static_cast<VectorCoding>(coding), 0, 70},
                                          random_unit(random, dimensions));
            begin.push_back(bytes.size());
        }
        const auto bytes_of = [&](std::size_t i) {
            return std::string_view(bytes).substr(begin[i], begin[i + 1] - begin[i]);
        };
        for (std::size_t i = 0; i < count; ++i) {
            stored.push_back(braid::open_vector(bytes_of(i), dimensions, "bench"));
        }
        fmt::print("K {} {:4}", dimensions, names[coding]);
        std::vector<float> decoded(dimensions);
        const auto naive = [&](std::size_t i) {
            braid::decode_vector(stored[i], decoded);
            float sum = 0;
            for (std::size_t k = 0; k < dimensions; ++k) sum += query[k] * decoded[k];
            return sum;
        };
        fmt::print("  decode and loop {:6.1f}", nanoseconds(count, naive));
        if (coding == 3) {
            using Map = Eigen::Map<const Eigen::VectorXf>;
            const auto size = static_cast<Eigen::Index>(dimensions);
            const auto eigen = [&](std::size_t i) {
                const void* codes = stored[i].codes.data();
                return Map(query.data(), size).dot(Map(static_cast<const float*>(codes), size));
            };
            fmt::print("  Eigen {:5.1f}", nanoseconds(count, eigen));
        }
        for (const auto level : braid::kInstructionLevels) {
            if (!braid::is_supported(level)) continue;
            const braid::QueryVector prepared(query, level);
            fmt::print("  {} {:5.1f}", braid::to_string(level),
                       nanoseconds(count, [&](std::size_t i) { return prepared.dot(stored[i]); }));
        }
        const auto open = [&](std::size_t i) {
            return braid::open_vector(bytes_of(i), dimensions, "slot 5").scale;
        };
        fmt::print("  open_vector {:5.1f}\n", nanoseconds(count, open));
    }
}

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

braid::TermDocumentCounts read_counts(const std::string& from, std::size_t limit) {
    const braid::bench::Words words("", false);
    braid::TermDocumentCountsBuilder builder;
    braid::SourceDocument document;
    const auto reader = braid::open_documents(from, "", {});
    for (std::size_t d = 0; d < limit && reader->next(document); ++d) {
        builder.begin_document();
        for (const auto& field : document.fields) {
            if (field.name != "title" && field.name != "text") continue;
            for (const std::string& word : words.of(field.text)) builder.add(word);
        }
    }
    return braid::restrict_vocabulary(builder.build(), {.min_documents = 5});
}

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
    const braid::TermDocumentCounts counts = read_counts(from, documents);
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

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc >= 4 && std::string(argv[1]) == "pruning") {
            time_pruning(argv[2], std::stoul(argv[3]), argc > 4 ? std::stoul(argv[4]) : 20'000);
            return 0;
        }
        if (argc != 1) throw std::runtime_error("usage: dot [pruning DESCRIPTIONS K [DOCUMENTS]]");
        for (const std::size_t dimensions : {100U, 400U}) time_kernels(dimensions);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "dot: {}\n", error.what());
        return 1;
    }
}
