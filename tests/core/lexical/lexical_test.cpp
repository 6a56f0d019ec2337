// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <map>
#include <set>

#include "braid/core/lexical/ranker.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid::test;

namespace {

// 10 documents of 10 words on average, 100 in all; the term is in 2 of them, 5 times, and twice
// in a query of 3 words. The document has 20 words, 8 of them different, and the term 3 times.
const braid::TermStatistics kTerm{{10, 100}, 2, 5, 2};
const braid::DocumentStatistics kDocument{3, 20, 8};
const braid::QueryStatistics kQuery{{10, 100}, 3};

double term_score(const std::string& ranker) {
    return braid::make_lexical_ranker(ranker, {})->term_scorer(kTerm)->score(kDocument);
}

double document_score(const std::string& ranker) {
    return braid::make_lexical_ranker(ranker, {})->document_scorer(kQuery)->score(kDocument);
}

}  // namespace

TEST_CASE("Lexical rankers: bm25 worked by hand") {
    // r = 8.5 / 2.5 = 3.4; K = 1.2 (.25 + .75 * 20/10) = 2.1; 2.2 * 3 / 5.1 = 1.2941176;
    // (8+1) 2 / (8+2) = 1.8; log 3.4 = 1.2237754.
    CHECK_THAT(term_score("bm25"), WithinRel(1.2237754316221157 * 6.6 / 5.1 * 1.8, 1e-12));
    CHECK_THAT(term_score("bm25"), WithinRel(2.850676887778576, 1e-12));
    // log(11/2) = 1.7047481; (1.2941176 + 1) * 1.8 = 4.1294118.
    CHECK_THAT(term_score("bm25+"), WithinRel(7.039606827949263, 1e-12));
}

TEST_CASE("Lexical rankers: bm25's idf stays positive for a word that most documents have") {
    // r = 1.5 / 9.5 < 2, so idf = log(1 + r/2) = log(1.0789474) = .0759859.
    const auto bm25 = braid::make_lexical_ranker("bm25", {{"k1", 0}});
    CHECK_THAT(bm25->term_scorer({{10, 100}, 9, 30, 1})->score(kDocument),
               WithinRel(0.07598590697792199, 1e-12));
}

TEST_CASE("Lexical rankers: bm25's minimum length stops short documents from gaining more") {
    const auto bm25 = braid::make_lexical_ranker("bm25", {{"min_length", 0.5}});
    const auto scorer = bm25->term_scorer(kTerm);
    CHECK(scorer->score({1, 2, 1}) == scorer->score({1, 5, 1}));
    CHECK(scorer->score({1, 5, 1}) > scorer->score({1, 6, 1}));
}

TEST_CASE("Lexical rankers: an average length that is given counts instead of the collection's") {
    // K = 1.2 (.25 + .75 * 20/5) = 3.9; 2.2 * 3 / 6.9.
    const auto bm25 = braid::make_lexical_ranker("bm25", {{"average_length", 5}});
    CHECK_THAT(bm25->term_scorer(kTerm)->score(kDocument),
               WithinRel(1.2237754316221157 * 6.6 / 6.9 * 1.8, 1e-12));
    for (const char* name : {"bm25", "bm25+", "log-bm25", "tfidf-pivoted", "pl2"}) {
        INFO(name);
        const auto ranker = braid::make_lexical_ranker(name, {{"average_length", 10}});
        const auto plain = braid::make_lexical_ranker(name, {});
        CHECK(ranker->term_scorer(kTerm)->score(kDocument) == term_score(name));
        CHECK(ranker->term_scorer({{10, 7000}, 2, 5, 2})->score(kDocument) == term_score(name));
        CHECK(ranker->finish(2) == plain->finish(2));
    }
    CHECK_THROWS_AS(braid::make_lexical_ranker("dph", {{"average_length", 10}}),
                    braid::UnknownComponent);
}

TEST_CASE("Lexical rankers: the tf-idf family worked by hand") {
    // 2 (1 + log 3) log 5 = 2 * 2.0986123 * 1.6094379
    CHECK_THAT(term_score("tfidf"), WithinRel(6.755172361765105, 1e-12));
    // 2 (1 + log 2.0986123) / (.8 + .2 * 2) * log 5.5 = 2 * 1.7412761 / 1.2 * 1.7047481
    CHECK_THAT(term_score("tfidf-pivoted"), WithinRel(4.947395783127532, 1e-12));
    // 2 sqrt(.15) (1 + log(11/3))^2 = 2 * .3872983 * 2.2992830^2
    CHECK_THAT(term_score("tfidf-lucene"), WithinRel(4.095061947236032, 1e-12));
}

TEST_CASE("Lexical rankers: language models worked by hand") {
    // cf/T = .05. 2 log(1 + 3 / (2000 * .05)) = 2 log 1.03; 3 log(10002000 / 2020)
    CHECK_THAT(term_score("lm-dirichlet"), WithinRel(0.05911760448308886, 1e-12));
    CHECK_THAT(document_score("lm-dirichlet"), WithinRel(25.522328521697204, 1e-12));
    // 2 log(1 + 9 * .15 / .05) = 2 log 28
    CHECK_THAT(term_score("lm-jm"), WithinRel(6.664409020350408, 1e-12));
    // 2 log(1 + 2.3 / (.7 * 8 * .05)) = 2 log 9.2142857; 3 log(1e7 * 8 / 20) = 3 log 4e6
    CHECK_THAT(term_score("lm-absdiscount"), WithinRel(4.441510149492827, 1e-12));
    CHECK_THAT(document_score("lm-absdiscount"), WithinRel(45.60541475725249, 1e-12));
}

TEST_CASE("Lexical rankers: divergence from randomness worked by hand") {
    // f = .15: 2 * .85^2 / 4 * (3 log2(.15 * 20) + log2(2 pi * 3 * .85) / 2)
    //        = .36125 * (3 * 1.5849625 + 2.0008933)
    CHECK_THAT(term_score("dph"), WithinRel(2.4405631637970617, 1e-12));
    // x = 3 log2 1.5 = 1.7548875, m = .5:
    // 2 / 2.7548875 * (x log2(2x) - 1.2548875 log2 e + log2(2 pi x) / 2)
    CHECK_THAT(term_score("pl2"), WithinRel(2.2503880377275185, 1e-12));
}

TEST_CASE("Lexical rankers: the low-level features worked by hand") {
    const std::map<std::string, double> expected = {
        {"tf", 2 * 3.0},
        {"log-tf", 2 * 1.3862943611198906},            // log 4
        {"tf-share", 2 * 0.15},                        // 3/20
        {"log-tf-share", 2 * 0.13976194237515868},     // log 1.15
        {"idf", 2 * 1.6094379124341003},               // log 5
        {"log-idf", 2 * 0.959134838920824},            // log 2.6094379
        {"log-icf", 2 * 3.044522437723423},            // log(1 + 100/5)
        {"log-tf-share-idf", 2 * 0.2162524113483117},  // log(1 + .15 * 1.6094379)
        {"tfidf-raw", 2 * 4.828313737302301},          // 3 * 1.6094379
        {"log-tf-share-icf", 2 * 1.3862943611198906},  // log(1 + .15 * 20)
    };
    for (const auto& [name, value] : expected) {
        INFO(name);
        CHECK_THAT(term_score(name), WithinRel(value, 1e-12));
    }
}

TEST_CASE("Lexical rankers: the registry describes each, and names are not repeated") {
    std::set<std::string> names;
    for (const braid::LexicalRankerInfo& info : braid::lexical_rankers()) {
        INFO(info.name);
        CHECK(names.insert(info.name).second);
        CHECK_FALSE(info.summary.empty());
        CHECK_FALSE(info.formula.empty());
        for (const braid::ParameterInfo& parameter : info.parameters) {
            INFO(parameter.name);
            CHECK_FALSE(parameter.summary.empty());
            CHECK(parameter.minimum <= parameter.default_value);
            CHECK(parameter.default_value <= parameter.maximum);
        }
    }
    CHECK(names.size() == 23);
}

TEST_CASE("Lexical rankers: every one and every parameter is on the docs page") {
    const std::string page =
        braid::test::read_file(braid::test::source_dir() / "docs/algorithms/lexical.md");
    for (const braid::LexicalRankerInfo& info : braid::lexical_rankers()) {
        INFO(info.name);
        CHECK_THAT(page, Catch::Contains("`" + info.name + "`"));
        for (const braid::ParameterInfo& parameter : info.parameters) {
            INFO(parameter.name);
            CHECK_THAT(page, Catch::Contains("`" + parameter.name + "`"));
        }
    }
}

TEST_CASE("Lexical rankers: an unknown ranker, a parameter of another and a wrong value fail") {
    CHECK_THROWS_WITH(braid::make_lexical_ranker("bm52", {}),
                      Catch::Contains("unknown ranker 'bm52'; did you mean 'bm25'?"));
    CHECK_THROWS_WITH(braid::make_lexical_ranker("bm25", {{"mu", 3}}),
                      Catch::Contains("unknown parameter of bm25 'mu'"));
    CHECK_THROWS_AS(braid::make_lexical_ranker("lm-jm", {{"lambda", 0}}), braid::InvalidArgument);
}
