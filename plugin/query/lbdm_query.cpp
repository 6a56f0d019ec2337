// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/lbdm_query.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr double kMost = 4294967295;  // Of occurrences, as Xapian counts them.

void check(const char* name, double value, double minimum, double maximum) {
    if (value >= minimum && value <= maximum) return;
    throw InvalidArgument(
        fmt::format("LbdmSource: {} {}, expected {} to {}", name, value, minimum, maximum));
}

void check_word(const LbdmQuery& query, const LbdmWord& word) {
    constexpr double kLeast = std::numeric_limits<double>::min();
    if (word.term.empty()) throw InvalidArgument("LbdmSource: a word without a term");
    check("count", word.count, kLeast, kMost);
    check("share of the collection", word.collection_share, 1e-30, 1);
    if (!word.topics.empty() && word.topics.size() != query.dimensions) {
        throw InvalidArgument(fmt::format("LbdmSource: {} has {} topics, expected {}", word.term,
                                          word.topics.size(), query.dimensions));
    }
    for (const float share : word.topics) {
        if (!std::isfinite(share) || share < 0) {
            throw InvalidArgument(
                fmt::format("LbdmSource: {} has p(w|z) {}, expected 0 or more", word.term, share));
        }
    }
}

}  // namespace

void validate(const LbdmQuery& query) {
    if (query.chains == 0 || query.dimensions == 0 || query.dimensions % query.chains != 0) {
        throw InvalidArgument(
            fmt::format("LbdmSource: {} dimensions of {} chains, expected as "
                        "many of each chain",
                        query.dimensions, query.chains));
    }
    check("lambda", query.settings.lambda, 1e-6, 1);
    check("mu", query.settings.mu, 1e-3, 1e9);
    check("longest", query.longest, 1, kMost);
    check("words per unit of length", query.length_scale, 1e-12, 1);
    for (const LbdmWord& word : query.words) check_word(query, word);
}

void write(ByteWriter& out, const LbdmQuery& query) {
    out.text(query.model.id);
    out.varint(query.model.slot);
    out.varint(query.dimensions);
    out.varint(query.chains);
    out.real(query.settings.lambda);
    out.real(query.settings.mu);
    out.real(query.longest);
    out.real(query.length_scale);
    out.varint(query.words.size());
    for (const LbdmWord& word : query.words) {
        out.text(word.term);
        out.real(word.count);
        out.real(word.collection_share);
        out.floats(word.topics);
    }
}

LbdmQuery read_lbdm_query(ByteReader& in) {
    LbdmQuery query;
    query.model.id = in.text("topic model");
    query.model.slot =
        static_cast<Xapian::valueno>(in.varint_in("slot", 0, Xapian::BAD_VALUENO - 1));
    // A vector longer than a value of Xapian's can be is no vector of a document.
    query.dimensions = in.varint_in("dimensions", 1, std::numeric_limits<std::uint32_t>::max());
    query.chains = in.varint_in("chains", 1, query.dimensions);
    query.settings.lambda = in.finite_real("lambda");
    query.settings.mu = in.finite_real("mu");
    query.longest = in.finite_real("longest");
    query.length_scale = in.finite_real("words per unit of length");
    query.words.resize(in.count("words", 18));
    for (LbdmWord& word : query.words) {
        word.term = in.text("term");
        word.count = in.finite_real("count");
        word.collection_share = in.finite_real("share of the collection");
        word.topics = in.floats("topics");
    }
    validate(query);
    return query;
}

}  // namespace braid
