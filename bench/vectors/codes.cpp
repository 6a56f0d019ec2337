// SPDX-License-Identifier: GPL-2.0-or-later

// How much of a ranking survives when LSA's document vectors are stored as codes: of the ten
// nearest documents by 32-bit floats, the share that is among the ten nearest by the codes.
//
//   bench/topic_codes TEXTS DOCUMENTS K [QUERIES]
//   bench/topic_codes classic DATA COLLECTION K [WEIGHTING]
//
// TEXTS as bench/topic_scale takes it. Queries (1000) are documents, evenly spread, as they were
// learned from: not coded. Every document is a candidate but the query's own. A document that the
// floats put within 1e-6 of the tenth is as good as the tenth: copies of a text differ by rounding
// alone. The second form takes the judged queries of a classic collection, folded in.

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/texts/collection.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/vector_codes.h"

namespace {

constexpr std::size_t kTop = 10;

constexpr double kTie = 1e-6;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

struct Query {
    std::vector<float> vector;
    std::size_t own = kNone;  // The document that it is.
};

std::vector<double> similarities(const braid::FloatMatrix& documents, const Query& query) {
    std::vector<double> result;
    for (std::size_t d = 0; d < documents.rows; ++d) {
        const auto row = documents.row(d);
        double dot = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            dot += static_cast<double>(query.vector[k]) * row[k];
        }
        result.push_back(d == query.own ? -2 : dot);
    }
    return result;
}

std::vector<std::size_t> nearest(const std::vector<double>& similarities) {
    std::vector<std::size_t> ranking(similarities.size());
    std::iota(ranking.begin(), ranking.end(), std::size_t{0});
    std::partial_sort(ranking.begin(), ranking.begin() + kTop, ranking.end(),
                      [&](std::size_t a, std::size_t b) {
                          if (similarities[a] != similarities[b]) {
                              return similarities[a] > similarities[b];
                          }
                          return a < b;
                      });
    ranking.resize(kTop);
    return ranking;
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

void compare(const braid::FloatMatrix& vectors, const std::vector<Query>& queries) {
    if (vectors.rows <= kTop || queries.empty()) throw std::runtime_error("too few documents");
    fmt::print("{} documents, K {}, {} queries, top-10 overlap:", vectors.rows, vectors.columns,
               queries.size());
    for (const auto& [name, coding] : {std::pair{"8 bits", braid::VectorCoding::kSigned8},
                                       std::pair{"float16", braid::VectorCoding::kFloat16}}) {
        const braid::FloatMatrix coded = stored(vectors, coding);
        std::size_t same = 0;
        for (const Query& query : queries) {
            const std::vector<double> exact = similarities(vectors, query);
            const double tenth = exact[nearest(exact).back()];
            for (const std::size_t d : nearest(similarities(coded, query))) {
                same += exact[d] >= tenth - kTie;
            }
        }
        fmt::print(" {} {:.4f}", name,
                   static_cast<double>(same) / static_cast<double>(queries.size() * kTop));
    }
    fmt::print("\n");
}

void compare_texts(const std::string& texts, std::size_t documents, std::size_t topics,
                   std::size_t queries) {
    const auto counts = braid::bench::read_or_generate(texts, documents);
    const auto executor = braid::make_executor(1);
    const auto model = braid::fit_topic_model("lsa", counts, {.dimensions = topics}, *executor);
    std::vector<Query> asked;
    for (std::size_t q = 0; q < queries; ++q) {
        const std::size_t own = q * counts.documents() / queries;
        const auto row = model.document_vectors.row(own);
        asked.push_back({{row.begin(), row.end()}, own});
    }
    compare(model.document_vectors, asked);
}

void compare_classic(const std::string& data, const std::string& name, std::size_t topics,
                     const std::string& weighting) {
    const braid::bench::Words words(data + "/stop/smart.571", true);
    const auto collection = braid::bench::read_collection(data, name, words, 2);
    const auto executor = braid::make_executor(1);
    const auto model = braid::fit_topic_model(
        "lsa", collection.counts, {.dimensions = topics, .choices = {{"weighting", weighting}}},
        *executor);
    const auto folding = braid::make_topic_folding(model.header);
    std::vector<Query> asked;
    for (const auto& query : collection.queries) {
        asked.push_back({braid::fold_in(*folding, model, {query.terms, query.counts})});
    }
    fmt::print("{}: ", name);
    compare(model.document_vectors, asked);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs(
            "usage: topic_codes TEXTS DOCUMENTS K [QUERIES] | "
            "classic DATA COLLECTION K [WEIGHTING]\n",
            stderr);
        return 2;
    }
    try {
        if (argv[1] == std::string("classic") && argc > 4) {
            compare_classic(argv[2], argv[3], std::stoul(argv[4]),
                            argc > 5 ? argv[5] : "log-entropy");
        } else {
            compare_texts(argv[1], std::stoul(argv[2]), std::stoul(argv[3]),
                          argc > 4 ? std::stoul(argv[4]) : 1000);
        }
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "topic_codes: {}\n", error.what());
        return 1;
    }
}
