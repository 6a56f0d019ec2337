// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/analysis.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <vector>

#include "braid/core/settings/stop_words.h"
#include "braid/error.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool begins_prefix(char c) { return is_capital(c) || c == ':'; }

// Removes the mark of a stem; "" stays.
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

namespace {

// Asked once for each word of each document: a hash set, since Xapian's own SimpleStopper compares
// its way down a tree.
class WordSetStopper final : public Xapian::Stopper {
  public:
    explicit WordSetStopper(std::unordered_set<std::string> words) : words_(std::move(words)) {}
    bool operator()(const std::string& word) const override { return words_.contains(word); }
    std::string get_description() const override {
        return "braid stop words: " + std::to_string(words_.size());
    }

  private:
    std::unordered_set<std::string> words_;
};

class ExactFieldProcessor final : public Xapian::FieldProcessor {
  public:
    explicit ExactFieldProcessor(std::string prefix) : prefix_(std::move(prefix)) {}
    Xapian::Query operator()(const std::string& value) override {
        return Xapian::Query(exact_term(prefix_, value));
    }

  private:
    std::string prefix_;
};

std::vector<std::string> words_of(const std::string& text) {
    Xapian::TermGenerator generator;
    generator.set_max_word_length(kMaxTermBytes);
    generator.index_text(text);
    const Xapian::Document document = generator.get_document();
    return {document.termlist_begin(), document.termlist_end()};
}

std::vector<std::string> languages() {
    std::istringstream names(Xapian::Stem::get_available_languages());
    std::vector<std::string> result = {"none"};
    for (std::string name; names >> name;) result.push_back(name);
    return result;
}

void add_range(Xapian::QueryParser& parser, const FieldSettings& field) {
    const auto slot = static_cast<Xapian::valueno>(field.slot);
    const std::string marker = field.name + ":";
    Xapian::RangeProcessor* processor = nullptr;
    if (field.numeric) {
        processor = new Xapian::NumberRangeProcessor(slot, marker);
    } else {
        processor = new Xapian::RangeProcessor(slot, marker);
    }
    parser.add_rangeprocessor(processor->release());
}

}  // namespace

Xapian::Stem make_stemmer(const AnalysisSettings& analysis) {
    try {
        return Xapian::Stem(analysis.stemmer);
    } catch (const Xapian::InvalidArgumentError&) {
        throw UnknownComponent("stemmer", analysis.stemmer, languages());
    }
}

Xapian::Stem make_query_stemmer(const AnalysisSettings& analysis) {
    if (analysis.stemming == AnalysisSettings::Stemming::kNone) return {};
    return make_stemmer(analysis);
}

std::unique_ptr<Xapian::Stopper> make_stopper(const AnalysisSettings& analysis) {
    AnalysisSettings resolved = analysis;
    resolve_stop_words(resolved);
    std::unordered_set<std::string> words;
    for (const std::string& entry : resolved.stop_list) {
        const std::vector<std::string> found = words_of(entry);
        if (found.size() != 1) {
            std::string message = "stop word '" + entry + "' is not one word";
            for (std::size_t i = 0; i < found.size(); ++i) {
                message += (i == 0 ? " but: " : ", ") + found[i];
            }
            throw InvalidArgument(message + " (in the stop words '" + analysis.stop_words + "')");
        }
        words.insert(found.front());
    }
    if (words.empty()) return nullptr;
    return std::make_unique<WordSetStopper>(std::move(words));
}

unsigned longest_word(const AnalysisSettings& analysis, const std::string& prefix) {
    // The Z of stems, and the few bytes that some stemmers append.
    constexpr std::size_t kReserve = 5;
    const std::size_t taken = std::min(prefix.size() + kReserve, kMaxTermBytes);
    return std::min(analysis.max_word_length, static_cast<unsigned>(kMaxTermBytes - taken));
}

void configure(Xapian::TermGenerator& generator, const AnalysisSettings& analysis,
               const Xapian::Stopper* stopper) {
    generator.set_stemmer(make_stemmer(analysis));
    using Generator = Xapian::TermGenerator;
    generator.set_stemming_strategy(strategy_of(analysis.stemming, Generator::STEM_SOME,
                                                Generator::STEM_ALL, Generator::STEM_NONE));
    generator.set_stopper(stopper);
    generator.set_stopper_strategy(analysis.stop_documents ? Xapian::TermGenerator::STOP_ALL
                                                           : Xapian::TermGenerator::STOP_STEMMED);
    generator.set_flags(analysis.spelling ? Xapian::TermGenerator::FLAG_SPELLING : 0);
    generator.set_max_word_length(longest_word(analysis, ""));
}

void configure(Xapian::QueryParser& parser, const IndexSettings& settings,
               const Xapian::Stopper* stopper) {
    parser.set_stemmer(make_stemmer(settings.analysis));
    using Parser = Xapian::QueryParser;
    parser.set_stemming_strategy(strategy_of(settings.analysis.stemming, Parser::STEM_SOME,
                                             Parser::STEM_ALL, Parser::STEM_NONE));
    parser.set_stopper(stopper);
    for (const FieldSettings& field : settings.fields) {
        if (field.exact) {
            parser.add_boolean_prefix(field.name,
                                      (new ExactFieldProcessor(field.prefix))->release());
        } else if (!field.prefix.empty()) {
            parser.add_prefix(field.name, field.prefix);
        }
        if (field.slot >= 0) add_range(parser, field);
    }
}

}  // namespace braid
