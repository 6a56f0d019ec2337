// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/word_form.h"

namespace braid {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool begins_prefix(char c) { return is_capital(c) || c == ':'; }

// Without what marks a stem; "" stays.
std::string_view without_mark(std::string_view term) {
    if (term.size() > 1 && term[0] == 'Z') term.remove_prefix(1);
    return term;
}

// Whether `text` is the prefix and a word.
bool is_prefixed(std::string_view prefix, std::string_view text) {
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           !begins_prefix(text[prefix.size()]);
}

}  // namespace

WordForm find_word_form(const Xapian::Database& database) {
    auto term = database.allterms_begin("Z");
    const auto end = database.allterms_end("Z");
    while (term != end) {
        const std::string text = *term;
        if (!word_of_term(WordForm::kStems, text).empty()) return WordForm::kStems;
        if (text.size() > 1 && begins_prefix(text[1])) {
            term.skip_to(std::string("Z") + static_cast<char>(text[1] + 1));  // past that prefix
        } else {
            ++term;
        }
    }
    return WordForm::kWords;
}

std::string_view first_term(WordForm form) { return form == WordForm::kStems ? "Z" : ""; }

std::string_view word_of_term(WordForm form, std::string_view term) {
    if (form == WordForm::kStems) {
        if (term.size() < 2 || term[0] != 'Z') return {};
        term.remove_prefix(1);
    }
    if (term.empty() || begins_prefix(term[0]) || term.size() > kMaxTopicWordBytes) return {};
    return term;
}

std::string term_of_word(WordForm form, std::string_view word) {
    std::string term = form == WordForm::kStems ? "Z" : "";
    return term += word;
}

bool is_word_of_field(WordForm form, std::string_view prefix, std::string_view term) {
    if (form == WordForm::kWords) return is_prefixed(prefix, term);
    return !term.empty() && term[0] == 'Z' && is_prefixed(prefix, without_mark(term));
}

std::string term_in_field(std::string_view prefix, std::string_view term) {
    const std::string_view text = without_mark(term);
    if (text.empty()) return "";
    if (begins_prefix(text[0])) return is_prefixed(prefix, text) ? std::string(term) : "";
    std::string result(text.size() < term.size() ? "Z" : "");
    result += prefix;
    return result += text;
}

}  // namespace braid
