// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

constexpr std::size_t kDocumentsPerChunk = 64;

struct Half {
    std::vector<FoldingTerm> terms;
    std::vector<std::uint32_t> ids;
};

/// Deals the tokens of a document to two halves at random; the first has one token fewer where
/// their number is odd.
void split(const TermCounts& document, const FloatMatrix& word_given_topic, Random& random,
           Half& seen, Half& unseen) {
    std::vector<std::uint32_t> tokens;
    for (std::size_t i = 0; i < document.size(); ++i) {
        const auto count = static_cast<std::size_t>(std::max(1.0F, std::round(document.counts[i])));
        tokens.insert(tokens.end(), count, document.terms[i]);
    }
    random.shuffle(tokens);
    const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2);
    std::sort(tokens.begin(), middle);
    std::sort(middle, tokens.end());
    const auto collect = [&](auto begin, auto end, Half& half) {
        for (auto token = begin; token != end; ++token) {
            if (half.ids.empty() || half.ids.back() != *token) {
                half.ids.push_back(*token);
                half.terms.push_back({0, word_given_topic.row(*token)});
            }
            ++half.terms.back().count;
        }
    };
    collect(tokens.begin(), middle, seen);
    collect(middle, tokens.end(), unseen);
}

void score(const Half& unseen, std::span<const float> topics, HeldOutScore& result) {
    for (const FoldingTerm& term : unseen.terms) {
        double likelihood = 0;
        for (std::size_t k = 0; k < topics.size(); ++k) {
            likelihood += static_cast<double>(topics[k]) * term.vector[k];
        }
        // A tool may give a word probability 0; its perplexity is then infinite, as it should be.
        result.log_likelihood += term.count * std::log(likelihood);
        result.tokens += static_cast<std::uint64_t>(term.count);
    }
}

}  // namespace

HeldOutScore document_completion(const FloatMatrix& word_given_topic, std::span<const float> alpha,
                                 const TermDocumentCounts& held_out, Executor& executor,
                                 std::uint64_t seed, const LdaInferenceOptions& options) {
    if (word_given_topic.rows != held_out.vocabulary.size() ||
        word_given_topic.columns != alpha.size() || alpha.empty()) {
        throw InvalidArgument(fmt::format(
            "document completion: p(w|z) of {} words and {} topics, expected {} words of the held "
            "out documents and {} topics, as alpha has",
            word_given_topic.rows, word_given_topic.columns, held_out.vocabulary.size(),
            alpha.size()));
    }
    const std::size_t chunks = (held_out.documents() + kDocumentsPerChunk - 1) / kDocumentsPerChunk;
    std::vector<HeldOutScore> scores(chunks);
    executor.run(chunks, [&](std::size_t chunk) {
        Random random(seed, chunk);
        std::vector<float> topics(alpha.size());
        const std::size_t begin = chunk * kDocumentsPerChunk;
        const std::size_t end = std::min(begin + kDocumentsPerChunk, held_out.documents());
        for (std::size_t d = begin; d < end; ++d) {
            Half seen;
            Half unseen;
            split(held_out.document(d), word_given_topic, random, seen, unseen);
            infer_topics(seen.terms, alpha, options, topics);
            score(unseen, topics, scores[chunk]);
        }
    });
    HeldOutScore result;
    for (const HeldOutScore& part : scores) {
        result.log_likelihood += part.log_likelihood;
        result.tokens += part.tokens;
    }
    if (result.tokens > 0) {
        result.perplexity = std::exp(-result.log_likelihood / static_cast<double>(result.tokens));
    }
    return result;
}

}  // namespace braid
