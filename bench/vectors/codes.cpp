// SPDX-License-Identifier: GPL-2.0-or-later

// How much of a ranking survives when LSA's document vectors are stored as codes: of the ten
// nearest documents by 32-bit floats, the share that is among the ten nearest by the codes.
//
// Queries of `codes` are documents, evenly spread, as they were
// learned from: not coded. Every document is a candidate but the query's own. A document that the
// floats put within 1e-6 of the tenth is as good as the tenth: copies of a text differ by rounding
// alone. `classic-codes` takes the judged queries of a classic collection, folded in.

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/texts/collection.h"
#include "braid/bench/texts/corpus.h"
#include "braid/core/topics/topic_models.h"
#include "braid/core/vectors/vector_codes.h"

namespace braid::bench {
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

struct TextOptions : Arguments {
    std::string texts = required("TEXTS", &texts, kTextsHelp);
    std::size_t documents = required("DOCUMENTS", &documents, kDocumentsHelp);
    std::size_t dimensions = required("K", &dimensions, "Dimensions of the LSA");
    std::size_t queries = option("--queries", &queries, "How many documents are queries", 1000);
};

struct ClassicOptions : Arguments {
    std::string data = required("DATA", &data, kClassicHelp);
    std::string collection = required("COLLECTION", &collection, "med, cran, cisi, cacm or merged");
    std::size_t dimensions = required("K", &dimensions, "Dimensions of the LSA");
    std::string weighting =
        option("--weighting", &weighting, "What counts become, as for lsa", "log-entropy");
};

void compare_texts(const TextOptions& options) {
    const auto counts = read_or_generate(options.texts, options.documents);
    const auto executor = braid::make_executor(1);
    const auto model =
        braid::fit_topic_model("lsa", counts, {.dimensions = options.dimensions}, *executor);
    std::vector<Query> asked;
    for (std::size_t q = 0; q < options.queries; ++q) {
        const std::size_t own = q * counts.documents() / options.queries;
        const auto row = model.document_vectors.row(own);
        asked.push_back({{row.begin(), row.end()}, own});
    }
    compare(model.document_vectors, asked);
}

void compare_classic(const ClassicOptions& options) {
    const Words words(options.data + "/stop/smart.571", true);
    const auto collection = read_collection(options.data, options.collection, words, 2);
    const auto executor = braid::make_executor(1);
    const auto model = braid::fit_topic_model(
        "lsa", collection.counts,
        {.dimensions = options.dimensions, .choices = {{"weighting", options.weighting}}},
        *executor);
    const auto folding = braid::make_topic_folding(model.header);
    std::vector<Query> asked;
    for (const auto& query : collection.queries) {
        asked.push_back({braid::fold_in(*folding, model, {query.terms, query.counts})});
    }
    fmt::print("{}: ", options.collection);
    compare(model.document_vectors, asked);
}

}  // namespace

void add_codes(Program& program) {
    program.add("codes", "The ten nearest documents by stored codes, beside those by 32-bit floats",
                compare_texts);
    program.add("classic-codes", "The same for the judged queries of a classic collection",
                compare_classic);
}

}  // namespace braid::bench
