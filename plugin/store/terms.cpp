// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/terms.h"

#include <algorithm>
#include <string>

#include "braid/core/base/checksum.h"

namespace braid {
namespace {

bool needs_colon(std::string_view prefix, char first) {
    return prefix.size() > 1 && prefix.back() != ':' &&
           ((first >= 'A' && first <= 'Z') || first == ':');
}

std::size_t stored_size(std::string_view term) {
    return term.size() + static_cast<std::size_t>(std::count(term.begin(), term.end(), '\0'));
}

// 16 hexadecimal digits.
std::string hash_digits(std::string_view text) {
    Fnv1a hash;
    hash.add(text);
    return hash.digits();
}

}  // namespace

std::string exact_term(std::string_view prefix, std::string_view value) {
    std::string term(prefix);
    if (!value.empty() && needs_colon(prefix, value.front())) term += ':';
    term += value;
    if (stored_size(term) <= kMaxTermBytes) return term;
    const std::string tail = '#' + hash_digits(value);
    // Zero bytes count twice: a term that is too long may have fewer bytes than fit.
    std::size_t kept = std::min(term.size(), kMaxTermBytes - tail.size());
    while (stored_size({term.data(), kept}) > kMaxTermBytes - tail.size()) --kept;
    return term.substr(0, kept) + tail;
}

std::string_view exact_value(std::string_view prefix, std::string_view term) {
    std::string_view value = term.substr(prefix.size());
    if (value.size() > 1 && value.front() == ':' && needs_colon(prefix, value[1])) {
        value.remove_prefix(1);
    }
    return value;
}

DocumentWords document_words(const Xapian::Document& document, WordForm form) {
    DocumentWords result;
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        const Xapian::termcount occurrences = term.get_wdf();
        if (occurrences == 0) continue;
        result.length += occurrences;
        const std::string text = *term;
        const std::string_view word = word_of_term(form, text);
        if (word.empty()) continue;
        result.words.emplace_hint(result.words.end(), word, static_cast<double>(occurrences));
    }
    return result;
}

}  // namespace braid
