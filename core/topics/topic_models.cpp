// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/topic_models.h"

#include <fmt/format.h>

#include "braid/core/topics/lda.h"
#include "braid/core/topics/topic_fits.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/error.h"

namespace braid {

const LazyRegistry<TopicModelInfo>& topic_models() {
    static const LazyRegistry<TopicModelInfo> registry(
        "topic model",
        {{"lsa", lsa_info}, {"plsi", plsi_info}, {"lda", lda_info}, {"ldi", ldi_info}});
    return registry;
}

const TopicModelInfo& topic_model_info(const std::string& name) {
    return name == kWordVectorsModel ? word_vectors_info() : topic_models().find(name);
}

TopicOptions complete_options(const std::string& name, const TopicOptions& options) {
    const TopicModelInfo& info = topic_model_info(name);
    TopicOptions resolved = options;
    const std::vector<double> values =
        resolve_parameters(info.name, info.parameters, options.parameters);
    for (std::size_t i = 0; i < values.size(); ++i) {
        resolved.parameters[info.parameters[i].name] = values[i];
    }
    resolved.choices = resolve_choices(info.name, info.choices, options.choices);
    return resolved;
}

TopicModel fit_topic_model(const std::string& name, const TermDocumentCounts& counts,
                           const TopicOptions& options, Executor& executor,
                           const Progress& progress) {
    const TopicModelInfo& info = topic_model_info(name);
    const TopicOptions resolved = complete_options(name, options);
    if (options.dimensions == 0) {
        throw InvalidArgument(name + ": dimensions is 0, expected from 1 up");
    }
    validate(counts);
    if (counts.nonzeros() == 0) {
        throw InvalidArgument(fmt::format("{}: none of the {} documents has a word to learn from",
                                          name, counts.documents()));
    }
    return info.fit(counts, resolved, executor, progress);
}

std::unique_ptr<const TopicFolding> make_topic_folding(const TopicModelHeader& header) {
    const TopicModelInfo& info = topic_model_info(header.model);
    if (header.dimensions == 0 || header.kind != info.kind) {
        throw FormatError(
            fmt::format("topic model {}: {} dimensions of kind {}, expected at least 1 of kind {}",
                        header.model, header.dimensions, static_cast<int>(header.kind),
                        static_cast<int>(info.kind)));
    }
    return info.make_folding(header);
}

std::vector<float> fold_in(const TopicFolding& folding, const TopicModel& model,
                           const TermCounts& text) {
    std::vector<FoldingTerm> terms(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        terms[i] = {text.counts[i], model.term_vectors.row(text.terms[i])};
    }
    std::vector<float> result(model.header.dimensions);
    folding.fold(terms, result);
    return result;
}

}  // namespace braid
