// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <Eigen/Eigenvalues>

#include "braid/core/topics/topic_fits.h"
#include "braid/core/topics/topic_words.h"

namespace braid {
namespace {

bool is_zero(std::span<const float> vector) {
    return std::all_of(vector.begin(), vector.end(), [](float x) { return x == 0; });
}

// (2) or (3), by term.
std::vector<double> weights_of(const TermDocumentCounts& counts,
                               const WordVectorSettings& settings) {
    std::vector<double> weights;
    if (settings.idf) {
        const auto documents = static_cast<double>(counts.documents());
        for (const std::uint32_t having : counts.document_frequencies()) {
            weights.push_back(having == 0 ? 0 : std::log(documents / having));
        }
        return weights;
    }
    const double total = std::max(counts.total(), 1.0);
    for (const double occurrences : counts.collection_frequencies()) {
        weights.push_back(settings.a / (settings.a + occurrences / total));
    }
    return weights;
}

// Rows of length 1, by (1) with the words' vectors as they are.
FloatMatrix document_vectors(const TermDocumentCounts& counts, const FloatMatrix& words) {
    FloatMatrix result(counts.documents(), words.columns);
    std::vector<double> sum(words.columns);
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        std::fill(sum.begin(), sum.end(), 0.0);
        const TermCounts document = counts.document(d);
        for (std::size_t i = 0; i < document.size(); ++i) {
            const double weight = local_weight(LocalWeight::kLog1p, document.counts[i]);
            const std::span<const float> word = words.row(document.terms[i]);
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * word[k];
        }
        std::copy(sum.begin(), sum.end(), result.row(d).begin());
        scale_to_unit(result.row(d));
    }
    return result;
}

// u_1 .. u_m, as columns.
Eigen::MatrixXd common_components(const FloatMatrix& documents, std::size_t count) {
    const auto size = static_cast<Eigen::Index>(documents.columns);
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t d = 0; d < documents.rows; ++d) {
        const Eigen::VectorXd row =
            Eigen::Map<const Eigen::VectorXf>(documents.row(d).data(), size).cast<double>();
        products.selfadjointView<Eigen::Lower>().rankUpdate(row);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
    return solver.eigenvectors().rightCols(static_cast<Eigen::Index>(count));
}

void take_away(const Eigen::MatrixXd& components, FloatMatrix& words) {
    const auto size = static_cast<Eigen::Index>(words.columns);
    for (std::size_t t = 0; t < words.rows; ++t) {
        Eigen::Map<Eigen::VectorXf> row(words.row(t).data(), size);
        const Eigen::VectorXd given = row.cast<double>();
        const Eigen::VectorXd shared = components.transpose() * given;
        row = (given - components * shared).cast<float>();
    }
}

// The columns of the words' vectors say nothing alone; the words furthest along each, for display.
std::vector<Topic> describe(const TopicModel& model, std::size_t words) {
    std::vector<Topic> topics;
    const auto share = 1 / static_cast<double>(model.header.dimensions);
    for (std::size_t k = 0; k < model.header.dimensions; ++k) {
        topics.push_back({top_words(model.vocabulary, words,
                                    [&](std::size_t t) { return model.term_vectors.row(t)[k]; }),
                          share});
    }
    return topics;
}

}  // namespace

const TopicModelInfo& word_vectors_info() {
    static const TopicModelInfo info = [] {
        const WordVectorSettings defaults;
        TopicModelInfo result = lsa_info();  // For its folding.
        result.name = kWordVectorsModel;
        result.summary =
            "weighted sum of words' vectors made elsewhere, less what all have in common";
        result.parameters = {{"a", defaults.a, 1e-9, 1e9, "weight of frequent words (sif)"},
                             {"components", static_cast<double>(defaults.components), 0, 1000,
                              "shared directions taken away", kWhole}};
        result.choices = {{"weighting", "idf", {"idf", "sif"}, "weights of words"}};
        result.fit = [](const TermDocumentCounts&, const TopicOptions&, Executor&,
                        const Progress&) -> TopicModel {
            throw InvalidArgument(
                "word-vectors: found no vectors of words, expected a file of them "
                "(`braid adopt --word-vectors`)");
        };
        return result;
    }();
    return info;
}

double coverage(const TermDocumentCounts& counts, const FloatMatrix& vectors) {
    const std::vector<double> occurrences = counts.collection_frequencies();
    double known = 0;
    double all = 0;
    for (std::size_t t = 0; t < occurrences.size(); ++t) {
        all += occurrences[t];
        if (!is_zero(vectors.row(t))) known += occurrences[t];
    }
    return all > 0 ? known / all : 0;
}

WordVectorSettings word_vector_settings(const TopicOptions& options) {
    const TopicOptions complete = complete_options(kWordVectorsModel, options);
    return {.idf = complete.choices.at("weighting") == "idf",
            .a = complete.parameters.at("a"),
            .components = static_cast<std::size_t>(complete.parameters.at("components"))};
}

TopicModel fit_word_vectors(const TermDocumentCounts& counts, const FloatMatrix& vectors,
                            const WordVectorSettings& settings) {
    FloatMatrix words = vectors;
    const std::vector<double> weights = weights_of(counts, settings);
    for (std::size_t t = 0; t < words.rows; ++t) {
        for (float& x : words.row(t)) x = static_cast<float>(x * weights[t]);
    }
    const std::size_t most = vectors.columns == 0 ? 0 : vectors.columns - 1;
    const std::size_t components = std::min(settings.components, most);
    if (components > 0) {
        take_away(common_components(document_vectors(counts, words), components), words);
    }
    TopicModel model;
    model.header = {kWordVectorsModel,
                    vectors.columns,
                    TopicVectorKind::kSigned,
                    {static_cast<double>(LocalWeight::kLog1p)}};
    model.document_vectors = document_vectors(counts, words);
    std::vector<float> kept;
    for (std::size_t t = 0; t < words.rows; ++t) {
        if (is_zero(vectors.row(t))) continue;
        model.vocabulary.push_back(counts.vocabulary[t]);
        kept.insert(kept.end(), words.row(t).begin(), words.row(t).end());
    }
    if (model.vocabulary.empty()) {
        throw InvalidArgument("word-vectors: no word of the documents has a vector");
    }
    model.term_vectors.rows = model.vocabulary.size();
    model.term_vectors.columns = vectors.columns;
    model.term_vectors.values = std::move(kept);
    model.topics = describe(model, 20);
    model.training.stop_reason = "given";
    model.training.objective_name = "share of the words' occurrences that have a vector";
    model.training.objective = coverage(counts, vectors);
    return model;
}

}  // namespace braid
