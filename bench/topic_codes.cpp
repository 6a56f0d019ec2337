// SPDX-License-Identifier: GPL-2.0-or-later

// How much of a ranking survives when LSA's document vectors are stored as codes: of the ten
// nearest documents by 32-bit floats, the share that is among the ten nearest by the codes.
//
//   bench/topic_codes TEXTS DOCUMENTS K [QUERIES]
//
// TEXTS as bench/topic_scale takes it. Queries (1000) are documents, evenly spread, as they were
// learned from: not coded. Every document is a candidate but the query's own.

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/topic_corpus.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/vector_codes.h"

namespace {

constexpr std::size_t kTop = 10;

std::vector<std::size_t> nearest(const braid::FloatMatrix& documents, std::span<const float> query,
                                 std::size_t own) {
    std::vector<std::pair<double, std::size_t>> ranking;
    for (std::size_t d = 0; d < documents.rows; ++d) {
        if (d == own) continue;
        const auto row = documents.row(d);
        double dot = 0;
        for (std::size_t k = 0; k < row.size(); ++k) dot += static_cast<double>(query[k]) * row[k];
        ranking.emplace_back(-dot, d);
    }
    std::partial_sort(ranking.begin(), ranking.begin() + kTop, ranking.end());
    std::vector<std::size_t> top;
    for (std::size_t i = 0; i < kTop; ++i) top.push_back(ranking[i].second);
    std::sort(top.begin(), top.end());
    return top;
}

/// What a search sees of `documents` stored with `coding`.
braid::FloatMatrix stored(const braid::FloatMatrix& documents, braid::VectorCoding coding) {
    braid::FloatMatrix result(documents.rows, documents.columns);
    for (std::size_t d = 0; d < documents.rows; ++d) {
        braid::VectorInfo info;
        info.coding = coding;
        const std::string bytes = braid::encode_vector(info, documents.row(d));
        braid::decode_vector(braid::open_vector(bytes, documents.columns, "benchmark"),
                             result.row(d));
    }
    return result;
}

void run(const std::string& texts, std::size_t documents, std::size_t topics, std::size_t queries) {
    const auto counts = braid::bench::read_or_generate(texts, documents);
    const auto executor = braid::make_executor(1);
    const auto model = braid::fit_topic_model("lsa", counts, {.dimensions = topics}, *executor);
    const braid::FloatMatrix& vectors = model.document_vectors;
    if (vectors.rows <= kTop || queries == 0) throw std::runtime_error("too few documents");
    const braid::FloatMatrix eight = stored(vectors, braid::VectorCoding::kSigned8);
    const braid::FloatMatrix half = stored(vectors, braid::VectorCoding::kFloat16);
    std::size_t same_eight = 0;
    std::size_t same_half = 0;
    std::vector<std::size_t> both;
    const auto overlap = [&](const auto& a, const auto& b) {
        both.clear();
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return both.size();
    };
    for (std::size_t q = 0; q < queries; ++q) {
        const std::size_t own = q * vectors.rows / queries;
        const auto exact = nearest(vectors, vectors.row(own), own);
        same_eight += overlap(exact, nearest(eight, vectors.row(own), own));
        same_half += overlap(exact, nearest(half, vectors.row(own), own));
    }
    const double all = static_cast<double>(queries * kTop);
    fmt::print("{} documents, K {}, {} queries: top-10 overlap 8 bits {:.4f}, float16 {:.4f}\n",
               vectors.rows, vectors.columns, queries, static_cast<double>(same_eight) / all,
               static_cast<double>(same_half) / all);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: topic_codes TEXTS DOCUMENTS K [QUERIES]\n", stderr);
        return 2;
    }
    try {
        run(argv[1], std::stoul(argv[2]), std::stoul(argv[3]),
            argc > 4 ? std::stoul(argv[4]) : 1000);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "topic_codes: {}\n", error.what());
        return 1;
    }
}
