// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/hold_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "braid/core/base/random.h"

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

}  // namespace braid
