// SPDX-License-Identifier: GPL-2.0-or-later
// The registry's entry of lda: folding, and the model as others use it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/topics/lda.h"
#include "braid/core/topics/lda_inference.h"
#include "braid/core/topics/lda_settings.h"
#include "braid/core/topics/vectors.h"

namespace braid {
namespace {

class LdaFolding final : public TopicFolding {
  public:
    LdaFolding(std::size_t chains, std::vector<float> alpha)
        : chains_(chains), alpha_(std::move(alpha)) {}

    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        if (terms.empty()) {
            std::fill(result.begin(), result.end(), 0.0F);
            return;
        }
        const std::size_t topics = alpha_.size() / chains_;
        const float scale = 1 / std::sqrt(static_cast<float>(chains_));
        std::vector<FoldingTerm> of_chain(terms.begin(), terms.end());
        for (std::size_t c = 0; c < chains_; ++c) {
            for (std::size_t i = 0; i < terms.size(); ++i) {
                of_chain[i].vector = terms[i].vector.subspan(c * topics, topics);
            }
            const std::span<float> part = result.subspan(c * topics, topics);
            infer_topics(of_chain, std::span(alpha_).subspan(c * topics, topics), {}, part);
            scale_to_unit(part);
            if (chains_ > 1) {
                for (float& x : part) x *= scale;
            }
        }
    }

  private:
    std::size_t chains_;
    std::vector<float> alpha_;
};

std::unique_ptr<const TopicFolding> make_lda_folding(const TopicModelHeader& header) {
    const std::vector<double>& given = header.folding;
    const bool good = given.size() == header.dimensions + 1 && given[0] >= 1 &&
                      given[0] == std::floor(given[0]) &&
                      given[0] <= static_cast<double>(header.dimensions) &&
                      header.dimensions % static_cast<std::size_t>(given[0]) == 0 &&
                      std::all_of(given.begin() + 1, given.end(),
                                  [](double alpha) { return std::isfinite(alpha) && alpha > 0; });
    if (!good) {
        throw FormatError(
            fmt::format("topic model lda: {} folding constants of {} dimensions, expected the "
                        "number of chains and an alpha over 0 for each dimension",
                        given.size(), header.dimensions));
    }
    return std::make_unique<LdaFolding>(static_cast<std::size_t>(given[0]),
                                        std::vector<float>(given.begin() + 1, given.end()));
}

TopicModel fit_lda_model(const TermDocumentCounts& counts, const TopicOptions& options,
                         Executor& executor, const Progress& progress) {
    const LdaOptions lda = lda_options(options);
    const std::vector<LdaModel> models =
        fit_lda_chains(counts, lda, lda_chains(options), executor, progress);
    TopicModel model;
    model.header.model = "lda";
    model.header.kind = TopicVectorKind::kProbability;
    model.header.folding = {static_cast<double>(models.size())};
    for (const LdaModel& chain : models) {
        model.header.folding.insert(model.header.folding.end(), chain.alpha.begin(),
                                    chain.alpha.end());
    }
    model.vocabulary = counts.vocabulary;
    model.term_vectors =
        concatenate_rows(models, [](const LdaModel& chain, std::size_t word, std::span<float> to) {
            const std::span<const float> row = chain.word_given_topic.row(word);
            std::copy(row.begin(), row.end(), to.begin());
        });
    finish_model(model, models, counts, options, executor);
    return model;
}

}  // namespace

TopicModelInfo lda_info() {
    TopicModelInfo info;
    info.name = "lda";
    info.summary = "latent Dirichlet allocation: collapsed Gibbs sampling";
    info.kind = TopicVectorKind::kProbability;
    info.parameters = lda_parameters(1);
    info.choices = lda_choices();
    info.fit = fit_lda_model;
    info.make_folding = make_lda_folding;
    return info;
}

}  // namespace braid
