// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/topics/lda_settings.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/core/topics/topic_words.h"
#include "braid/error.h"

namespace braid {
namespace {

void bayes(std::span<const float> word, std::span<const double> topic_share,
           std::span<float> result) {
    double sum = 0;
    const auto joint = [&](std::size_t k) {
        return word[k] * (topic_share.empty() ? 1.0 : topic_share[k]);
    };
    for (std::size_t k = 0; k < word.size(); ++k) sum += joint(k);
    for (std::size_t k = 0; k < word.size(); ++k) {
        result[k] = sum > 0 ? static_cast<float>(joint(k) / sum) : 0.0F;
    }
}

class LdiFolding final : public TopicFolding {
  public:
    explicit LdiFolding(std::size_t chains) : chains_(chains) {}

    void fold(std::span<const FoldingTerm> terms, std::span<float> result) const override {
        topic_given_text(terms, result);
        const std::size_t topics = result.size() / chains_;
        const float scale = 1 / std::sqrt(static_cast<float>(chains_));
        for (std::size_t c = 0; c < chains_; ++c) {
            const std::span<float> part = result.subspan(c * topics, topics);
            scale_to_unit(part);
            if (chains_ > 1) {
                for (float& x : part) x *= scale;
            }
        }
    }

  private:
    std::size_t chains_;
};

std::unique_ptr<const TopicFolding> make_ldi_folding(const TopicModelHeader& header) {
    const double chains = header.folding.size() == 1 ? header.folding[0] : 0;
    const auto dimensions = static_cast<double>(header.dimensions);
    if (!(chains >= 1 && chains <= dimensions && std::fmod(dimensions, chains) == 0)) {
        throw FormatError(
            fmt::format("topic model ldi: folding constants {} of {} dimensions, expected the "
                        "number of chains, which divides the dimensions",
                        fmt::join(header.folding, ", "), header.dimensions));
    }
    return std::make_unique<LdiFolding>(static_cast<std::size_t>(chains));
}

TopicModel fit_ldi(const TermDocumentCounts& counts, const TopicOptions& options,
                   Executor& executor, const Progress& progress) {
    const LdaOptions lda = lda_options(options, counts);
    const std::vector<LdaModel> models =
        fit_lda_chains(counts, lda, lda_chains(options), executor, progress, options.kept.get());
    const bool weighted = options.choices.at("topic-share") == "estimated";
    TopicModel model;
    model.header.model = "ldi";
    model.header.kind = TopicVectorKind::kProbability;
    model.header.folding = {static_cast<double>(models.size())};
    model.vocabulary = counts.vocabulary;
    model.term_vectors =
        concatenate_rows(models, [&](const LdaModel& chain, std::size_t word, std::span<float> to) {
            bayes(chain.word_given_topic.row(word),
                  weighted ? std::span<const double>(chain.topic_share) : std::span<const double>(),
                  to);
        });
    finish_model(model, models, counts, options, executor);
    return model;
}

}  // namespace

FloatMatrix topic_given_word(const FloatMatrix& word_given_topic,
                             std::span<const double> topic_share) {
    if (!topic_share.empty() && topic_share.size() != word_given_topic.columns) {
        throw InvalidArgument(fmt::format("ldi: {} topic shares for {} topics, expected as many",
                                          topic_share.size(), word_given_topic.columns));
    }
    FloatMatrix result(word_given_topic.rows, word_given_topic.columns);
    for (std::size_t w = 0; w < result.rows; ++w) {
        bayes(word_given_topic.row(w), topic_share, result.row(w));
    }
    return result;
}

void topic_given_text(std::span<const FoldingTerm> terms, std::span<float> result) {
    std::vector<double> sum(result.size(), 0);
    double length = 0;
    for (const FoldingTerm& term : terms) {
        length += term.count;
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += term.count * term.vector[k];
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
        result[k] = length > 0 ? static_cast<float>(sum[k] / length) : 0.0F;
    }
}

TopicModelInfo ldi_info() {
    std::vector<ChoiceInfo> choices = lda_choices();
    choices.push_back({"topic-share",
                       "uniform",
                       {"uniform", "estimated"},
                       "p(z) in Bayes' rule: the paper's, or the share of the tokens"});
    return {
        .summary = "indexing by LDA: a text is the mean of its words' p(z|w), over several chains",
        .kind = TopicVectorKind::kProbability,
        .parameters = lda_parameters(5),
        .choices = std::move(choices),
        .fit = fit_ldi,
        .make_folding = make_ldi_folding};
}

}  // namespace braid
