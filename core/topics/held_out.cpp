// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "braid/core/base/random.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

/// Documents whose tokens can be split in two.
std::vector<std::size_t> divisible(const TermDocumentCounts& counts) {
    std::vector<std::size_t> result;
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        double tokens = 0;
        for (const float count : counts.document(d).counts) {
            tokens += std::max(1.0F, std::round(count));
        }
        if (tokens >= 2) result.push_back(d);
    }
    return result;
}

std::vector<bool> terms_of(const TermDocumentCounts& counts, const std::vector<bool>& documents) {
    std::vector<bool> seen(counts.vocabulary.size(), false);
    for (std::size_t d = 0; d < documents.size(); ++d) {
        if (!documents[d]) continue;
        for (const std::uint32_t term : counts.document(d).terms) seen[term] = true;
    }
    return seen;
}

/// The documents that `keep` says and no others, with the words that have a new id.
TermDocumentCounts take(const TermDocumentCounts& counts, const std::vector<bool>& keep,
                        const std::vector<std::uint32_t>& new_ids) {
    TermDocumentCounts result;
    for (std::size_t t = 0; t < new_ids.size(); ++t) {
        if (new_ids[t] != kAbsent) result.vocabulary.push_back(counts.vocabulary[t]);
    }
    for (std::size_t d = 0; d < keep.size(); ++d) {
        if (!keep[d]) continue;
        const TermCounts row = counts.document(d);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (new_ids[row.terms[i]] == kAbsent) continue;
            result.terms.push_back(new_ids[row.terms[i]]);
            result.counts.push_back(row.counts[i]);
        }
        result.document_begin.push_back(result.terms.size());
    }
    return result;
}

}  // namespace

HeldOutDocuments hold_out_documents(const TermDocumentCounts& counts,
                                    const HoldOutOptions& options) {
    std::vector<std::size_t> drawn = divisible(counts);
    if (drawn.size() < std::max<std::size_t>(options.least, 2)) return {};
    Random random(options.seed);
    random.shuffle(drawn);
    const auto wanted =
        static_cast<std::size_t>(std::lround(options.share * static_cast<double>(drawn.size())));
    drawn.resize(std::clamp<std::size_t>(wanted, 1, std::min(options.most, drawn.size() - 1)));
    std::vector<bool> held_out(counts.documents(), false);
    for (const std::size_t d : drawn) held_out[d] = true;
    std::vector<bool> training = held_out;
    training.flip();

    const std::vector<bool> seen = terms_of(counts, training);
    std::vector<std::uint32_t> new_ids(seen.size(), kAbsent);
    std::uint32_t next = 0;
    for (std::size_t t = 0; t < seen.size(); ++t) {
        if (seen[t]) new_ids[t] = next++;
    }
    return {take(counts, training, new_ids), take(counts, held_out, new_ids)};
}

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
