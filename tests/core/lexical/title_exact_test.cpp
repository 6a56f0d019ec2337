// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/lexical/title_exact.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/core/lexical/field_weights.h"
#include "braid/core/lexical/ranker.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// A stem is the word without a final s; "the" and "of" are stop words.
std::vector<TitleWord> title(const std::string& text) {
    std::vector<TitleWord> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        const std::string stem = word.back() == 's' ? word.substr(0, word.size() - 1) : word;
        words.push_back({word, stem, word == "the" || word == "of"});
    }
    return words;
}

// "~word" is a stem.
std::vector<NameWord> query(const std::string& text) {
    std::vector<NameWord> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        const bool is_stem = word[0] == '~';
        words.push_back({is_stem ? word.substr(1) : word, is_stem});
    }
    return words;
}

TitleMatch match(const std::string& a, const std::string& b) {
    return match_title(title(a), query(b));
}

// (1) to (3) of the page, row by row.
TitleMatch naive_words(const std::vector<TitleWord>& t, const std::vector<NameWord>& q) {
    const auto same_from = [&](std::size_t j) {
        for (std::size_t i = 0; i < q.size(); ++i) {
            const TitleWord& word = t[j + i];
            if (q[i].is_stem ? word.stem != q[i].text : word.word != q[i].text) return false;
        }
        return true;
    };
    if (q.empty() || t.size() < q.size()) return TitleMatch::kNone;
    if (same_from(0)) return t.size() == q.size() ? TitleMatch::kEquals : TitleMatch::kBegins;
    for (std::size_t j = 1; j + q.size() <= t.size(); ++j) {
        if (same_from(j)) return TitleMatch::kContains;
    }
    return TitleMatch::kNone;
}

}  // namespace

TEST_CASE("Title: equals, begins and contains as on the page") {
    CHECK(match("recover deleted files", "recover deleted files") == TitleMatch::kEquals);
    CHECK(match("recover deleted files", "recover deleted") == TitleMatch::kBegins);
    CHECK(match("recover deleted files", "deleted files") == TitleMatch::kContains);
    CHECK(match("recover deleted files", "files deleted") == TitleMatch::kNone);
    CHECK(match("recover deleted files", "recover files") == TitleMatch::kNone);
    CHECK(match("recover deleted files", "recover deleted file") == TitleMatch::kNone);
    CHECK(match("recover deleted files", "recover deleted ~file") == TitleMatch::kEquals);
    CHECK(match("the lord of the rings", "~lord ~ring") == TitleMatch::kEquals);
    CHECK(match("the lord of the rings", "the lord of the rings") == TitleMatch::kEquals);
    CHECK(match("the lord of the rings", "lord of") == TitleMatch::kContains);
    CHECK(match("the who", "the who") == TitleMatch::kEquals);
    CHECK(match("the", "the") == TitleMatch::kEquals);
    CHECK(match("", "w") == TitleMatch::kNone);
    CHECK(match("w", "") == TitleMatch::kNone);
    const TitleScores scores;
    CHECK(scores.of(TitleMatch::kEquals) == 1);
    CHECK(scores.of(TitleMatch::kBegins) == 0.5);
    CHECK(scores.of(TitleMatch::kContains) == 0.25);
    CHECK(scores.of(TitleMatch::kNone) == 0);
}

TEST_CASE("Title: as a naive comparison, of random titles and queries", "[property]") {
    Random random(seed());
    std::size_t found = 0;
    for (int round = 0; round < 5000; ++round) {
        std::vector<TitleWord> words(random.below(6));
        for (TitleWord& word : words) {
            word.stem = std::string(1, static_cast<char>('a' + random.below(3)));
            word.word = word.stem + (random.below(2) == 0 ? "s" : "");
            word.is_stop = word.stem == "c";
        }
        std::vector<NameWord> wanted(random.below(4));
        for (NameWord& word : wanted) {
            word.is_stem = random.below(2) == 0;
            word.text = std::string(1, static_cast<char>('a' + random.below(3)));
            if (!word.is_stem && random.below(2) == 0) word.text += "s";
        }
        std::vector<TitleWord> rest;
        for (const TitleWord& word : words) {
            if (!word.is_stop) rest.push_back(word);
        }
        const TitleMatch expected = std::max(naive_words(words, wanted), naive_words(rest, wanted));
        CHECK(match_title(words, wanted) == expected);
        found += expected != TitleMatch::kNone;
    }
    CHECK(found > 500);
}

TEST_CASE("Field weights: fields with weights, and what is none") {
    const FieldWeights read = parse_field_weights(" name^5  title *^0.5 ");
    CHECK(read.whole == 0.5);
    CHECK(read.fields == std::vector<FieldWeight>{{"name", 5}, {"title", 1}});
    CHECK(parse_field_weights("title").whole == 1);
    CHECK(parse_field_weights("*^0 title").whole == 0);
    for (const char* wrong : {"", "  ", "*", "title^", "title^x", "title^0", "title^-1",
                              "title^1001", "title^nan", "title title^2", "^3", "title^1^2"}) {
        INFO(wrong);
        CHECK_THROWS_AS(parse_field_weights(wrong), InvalidArgument);
    }
}

// The example of docs/algorithms/bm25f.md.
TEST_CASE("BM25F: saturates the weighed sum of occurrences") {
    const auto ranker = make_lexical_ranker("bm25f", {});
    const auto scorer = ranker->term_scorer(
        {.collection = {4, 400}, .documents = 1, .occurrences = 2, .query_occurrences = 1});
    CHECK(scorer->score({.occurrences = 1, .length = 100}) == Approx(0.8473).epsilon(1e-4));
    CHECK(scorer->score({.occurrences = 1 + 5 * 1, .length = 100}) == Approx(1.5534).epsilon(1e-4));
    CHECK(scorer->score({.occurrences = 1e9, .length = 100}) < 1.8641);
}

TEST_CASE("Field weights: those to try are each combination, and never the given ones") {
    const auto one = field_weights_to_try("title^5");
    CHECK(one == std::vector<std::string>{"title^0.5", "title^1", "title^2", "title^10"});
    const auto two = field_weights_to_try("title keywords^2 *^0.5");
    CHECK(two.size() == 24);
    CHECK(std::find(two.begin(), two.end(), "title^10 keywords^0.5 *^0.5") != two.end());
    CHECK(std::find(two.begin(), two.end(), "title^1 keywords^2 *^0.5") == two.end());
    // One at a time.
    const auto three = field_weights_to_try("a b c");
    CHECK(three.size() == 12);
    for (const std::string& text : three) {
        const FieldWeights weights = parse_field_weights(text);
        CHECK(field_weights_text(weights) == text);
        CHECK(std::count_if(weights.fields.begin(), weights.fields.end(),
                            [](const FieldWeight& field) { return field.weight != 1; }) == 1);
    }
}
