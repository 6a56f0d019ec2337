// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/document_words.h"

#include <string>

namespace braid {

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
