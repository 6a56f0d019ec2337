// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/base/registry.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/error.h"
#include "braid/parameters.h"
#include "braid/progress.h"

namespace braid {

struct KeptLdaChain;  // core/topics/lda.h

struct TopicOptions {
    /// Number of dimensions (K). Lowered, with a warning in TopicTraining, if the documents or
    /// words support fewer.
    std::size_t dimensions = 100;
    std::uint64_t seed = kDefaultSeed;
    std::size_t words_per_topic = 20;  ///< Number of Topic::words to keep.
    ParameterMap parameters = {};
    ChoiceMap choices = {};
    /// Work that models of the same counts share; it changes no model. May be null.
    std::shared_ptr<KeptLdaChain> kept = {};

    bool operator==(const TopicOptions&) const = default;
};

/// One entry of the topic model registry.
struct TopicModelInfo {
    std::string name = {};  ///< "lsa"; from the registry.
    std::string summary;    ///< One line for help texts and tables.
    TopicVectorKind kind = TopicVectorKind::kSigned;
    std::vector<ParameterInfo> parameters = {};
    std::vector<ChoiceInfo> choices = {};
    /// Expects validated counts with at least one entry, options with every parameter and choice
    /// filled in, and dimensions >= 1. The result has the same bits at any number of threads.
    /// Throws Cancelled if `progress` asks for it.
    std::function<TopicModel(const TermDocumentCounts&, const TopicOptions&, Executor&,
                             const Progress&)>
        fit;
    /// Throws FormatError for a header that no fit of this model can have made.
    std::function<std::unique_ptr<const TopicFolding>(const TopicModelHeader&)> make_folding;
};

/// All topic models that learn. A new one is a line in core/topics/topic_models.cpp.
BRAID_API const LazyRegistry<TopicModelInfo>& topic_models();

/// One of them, or word_vectors_info() (core/topics/word_vectors.h). Throws UnknownComponent.
BRAID_API const TopicModelInfo& topic_model_info(const std::string& name);

/// `options` with every parameter and choice of that model filled in. Throws UnknownComponent for
/// an unknown name, parameter or choice, InvalidArgument for a value out of range.
TopicOptions complete_options(const std::string& name, const TopicOptions& options);

/// Learns the model of that name. Throws UnknownComponent for an unknown name, parameter or choice;
/// InvalidArgument for a value out of range, for counts that don't validate, and if no document has
/// a word.
BRAID_API TopicModel fit_topic_model(const std::string& name, const TermDocumentCounts& counts,
                                     const TopicOptions& options, Executor& executor,
                                     const Progress& progress = {});

/// The folding of the model that `header` belongs to. Throws UnknownComponent, or FormatError for a
/// header that does not fit.
BRAID_API std::unique_ptr<const TopicFolding> make_topic_folding(const TopicModelHeader& header);

}  // namespace braid
