// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/terms.h"
#include "braid/tests/plugin/store/topic_samples.h"
#include "braid/tests/support/support.h"

using braid::find_word_form;
using braid::term_of_word;
using braid::word_of_term;
using braid::WordForm;

namespace {

WordForm form_of(const std::vector<std::string>& terms) {
    Xapian::WritableDatabase database = braid::test::memory_database();
    Xapian::Document document;
    for (const std::string& term : terms) document.add_term(term);
    database.add_document(document);
    return find_word_form(database);
}

}  // namespace

TEST_CASE("Word form: stems where the database has any without a prefix, else words") {
    CHECK(find_word_form(braid::test::memory_database()) == WordForm::kWords);
    CHECK(form_of({"cat"}) == WordForm::kWords);
    CHECK(form_of({"cat", "Zcat"}) == WordForm::kStems);
    CHECK(form_of({"Z2024"}) == WordForm::kStems);
    CHECK(form_of({"Z\xC3\xA9t\xC3\xA9"}) == WordForm::kStems);
    CHECK(form_of({"cat", "Z"}) == WordForm::kWords);
    CHECK(form_of({"cat", "ZSred", "ZXTAGred", "ZX:red", "ZZfoo", "Z:foo"}) == WordForm::kWords);
    CHECK(form_of({"cat", "ZSred", "ZXTAGred", "ZZfoo", "Zred"}) == WordForm::kStems);
    CHECK(form_of({"Q1", "XTAGfoo", "Z" + std::string(201, 'a')}) == WordForm::kWords);
}

TEST_CASE("Word form: a term's word, or none") {
    CHECK(word_of_term(WordForm::kStems, "Zcat") == "cat");
    CHECK(word_of_term(WordForm::kWords, "cat") == "cat");
    CHECK(word_of_term(WordForm::kWords, "2024") == "2024");
    for (const char* term : {"cat", "Z", "", "ZScat", "Z:cat", "XTAGcat", "ZZcat"}) {
        CHECK(word_of_term(WordForm::kStems, term).empty());
    }
    for (const char* term : {"", "Zcat", "Scat", "XTAG:cat", ":cat", "Q1"}) {
        CHECK(word_of_term(WordForm::kWords, term).empty());
    }
    const std::string longest(braid::kMaxTopicWordBytes, 'a');
    CHECK(word_of_term(WordForm::kWords, longest) == longest);
    CHECK(word_of_term(WordForm::kWords, longest + "a").empty());
    CHECK(word_of_term(WordForm::kStems, "Z" + longest) == longest);
    CHECK(word_of_term(WordForm::kStems, "Z" + longest + "a").empty());
}

TEST_CASE("Word form: the term of a word is one that has it") {
    for (const WordForm form : {WordForm::kStems, WordForm::kWords}) {
        for (const std::string word : {"cat", "2024", "\xC3\xA9t\xC3\xA9", "c++"}) {
            const std::string term = term_of_word(form, word);
            CHECK(word_of_term(form, term) == word);
            CHECK(term.starts_with(braid::first_term(form)));
        }
    }
}

TEST_CASE("Word form: a document's words, and its length with all that counts") {
    Xapian::Document document;
    document.add_posting("cat", 1);
    document.add_posting("cat", 2);
    document.add_posting("Zcat", 1, 3);
    document.add_posting("Scat", 1);
    document.add_term("dog", 5);
    document.add_boolean_term("mouse");
    document.add_boolean_term("Q1");
    const auto words = braid::document_words(document, WordForm::kWords);
    CHECK(words.words == braid::WordCounts{{"cat", 2}, {"dog", 5}});
    CHECK(words.length == 11);
    const auto stems = braid::document_words(document, WordForm::kStems);
    CHECK(stems.words == braid::WordCounts{{"cat", 3}});
    CHECK(stems.length == 11);
    Xapian::WritableDatabase database = braid::test::memory_database();
    CHECK(database.get_doclength(database.add_document(document)) == stems.length);
}
