// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/term_document_counts.h"

#include <limits>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

namespace {

using braid::InvalidArgument;
using braid::TermDocumentCounts;
using braid::TermDocumentCountsBuilder;
using namespace braid::test;

TermDocumentCounts three_documents() {
    TermDocumentCountsBuilder builder;
    builder.begin_document();
    builder.add("pie");
    builder.add("apple", 2);
    builder.add("pie");
    builder.begin_document();
    builder.begin_document();
    builder.add("oil");
    builder.add("pie", 3);
    return builder.build();
}

}  // namespace

TEST_CASE("TermDocumentCounts: words are summed per document and sorted") {
    const TermDocumentCounts counts = three_documents();
    CHECK(counts.vocabulary == std::vector<std::string>{"apple", "oil", "pie"});
    CHECK(counts.document_begin == std::vector<std::uint64_t>{0, 2, 2, 4});
    CHECK(counts.terms == std::vector<std::uint32_t>{0, 2, 1, 2});
    CHECK(counts.counts == std::vector<float>{2, 2, 1, 3});
    CHECK(counts.documents() == 3);
    CHECK(counts.document(1).size() == 0);
    CHECK(counts.document_frequencies() == std::vector<std::uint32_t>{1, 1, 2});
    CHECK(counts.collection_frequencies() == std::vector<double>{2, 1, 5});
    CHECK(counts.document_lengths() == std::vector<double>{4, 0, 4});
    CHECK(counts.total() == 8);
    CHECK(counts.find("oil") == 1);
    CHECK(counts.find("oi") == 3);
    CHECK_NOTHROW(braid::validate(counts));
}

TEST_CASE("TermDocumentCountsBuilder: postings give the same counts as documents", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 20; ++round) {
        const std::size_t documents = 1 + random.below(12);
        const std::size_t words = 1 + random.below(9);
        std::vector<std::vector<float>> table(documents, std::vector<float>(words, 0));
        TermDocumentCountsBuilder by_document;
        for (auto& row : table) {
            by_document.begin_document();
            for (std::size_t w = words; w-- > 0;) {
                row[w] = static_cast<float>(random.below(3));
                if (row[w] > 0) by_document.add("w" + std::to_string(w), row[w]);
            }
        }
        TermDocumentCountsBuilder by_term;
        for (std::size_t w = 0; w < words; ++w) {
            std::vector<std::uint32_t> ids;
            std::vector<float> values;
            for (std::uint32_t d = 0; d < documents; ++d) {
                if (table[d][w] == 0) continue;
                ids.push_back(d);
                values.push_back(table[d][w]);
            }
            if (!ids.empty()) by_term.add_term("w" + std::to_string(w), ids, values);
        }
        const TermDocumentCounts a = by_document.build();
        const TermDocumentCounts b = by_term.build(documents);
        REQUIRE(a.vocabulary == b.vocabulary);
        REQUIRE(a.document_begin == b.document_begin);
        REQUIRE(a.terms == b.terms);
        REQUIRE(a.counts == b.counts);
        REQUIRE_NOTHROW(braid::validate(b));
    }
}

TEST_CASE("TermDocumentCountsBuilder: documents without any term are counted") {
    const TermDocumentCounts counts = TermDocumentCountsBuilder().build(2);
    CHECK(counts.documents() == 2);
    CHECK(counts.document_lengths() == std::vector<double>{0, 0});
    CHECK_NOTHROW(braid::validate(counts));
}

TEST_CASE("TermDocumentCountsBuilder: what makes no counts is refused") {
    TermDocumentCountsBuilder builder;
    CHECK_THROWS_WITH(builder.add("word"), Contains("before any document"));
    builder.begin_document();
    for (const double count : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(), 1e39}) {
        CHECK_THROWS_AS(builder.add("word", count), InvalidArgument);
    }
    const std::vector<std::uint32_t> ids = {0, 4};
    const std::vector<float> ones = {1, 1};
    CHECK_THROWS_WITH(builder.add_term("word", ids, ones), Contains("after documents"));
    CHECK(builder.build().documents() == 1);

    builder.add_term("word", ids, ones);
    CHECK_THROWS_WITH(builder.begin_document(), Contains("after terms"));
    CHECK_THROWS_WITH(builder.add_term("word", ids, ones), Contains("twice"));
    const std::vector<std::uint32_t> falling = {4, 0};
    CHECK_THROWS_WITH(builder.add_term("other", falling, ones), Contains("ascending"));
    CHECK_THROWS_WITH(builder.build(4), Contains("document 4, expected below 4"));
    CHECK(builder.build().documents() == 0);
}

TEST_CASE("TermDocumentCounts: validate names what is broken") {
    const auto broken = [](auto&& change) {
        TermDocumentCounts counts = three_documents();
        change(counts);
        return counts;
    };
    const auto says = [](const TermDocumentCounts& counts, const std::string& text) {
        CHECK_THROWS_WITH(braid::validate(counts), Contains(text));
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    says(broken([](auto& c) { c.document_begin.clear(); }), "rows from 0 to 0");
    says(broken([](auto& c) { c.document_begin.back() = 3; }), "rows from 0 to 3");
    says(broken([](auto& c) { c.counts.pop_back(); }), "3 counts");
    says(broken([](auto& c) { c.document_begin[1] = 4; }), "document 1 ends at 2");
    says(broken([](auto& c) { c.terms[1] = 3; }), "document 0 has term 3, expected below 3");
    says(broken([](auto& c) { c.terms[1] = 0; }), "term 0 after 0");
    says(broken([&](auto& c) { c.counts[3] = nan; }), "document 2 has term 'pie' nan times");
    says(broken([](auto& c) { c.counts[0] = 0; }), "0 times");
    says(broken([](auto& c) { c.vocabulary[1] = "apple"; }), "'apple' after 'apple'");
}

TEST_CASE("TermDocumentCounts: transposing keeps every entry") {
    const TermDocumentCounts counts = three_documents();
    const braid::TermPostings postings = braid::transpose(counts);
    CHECK(postings.term_begin == std::vector<std::uint64_t>{0, 1, 2, 4});
    CHECK(postings.documents == std::vector<std::uint32_t>{0, 2, 0, 2});
    CHECK(postings.place == std::vector<std::uint64_t>{0, 2, 1, 3});
}

TEST_CASE("TermDocumentCounts: the vocabulary is restricted by document frequency") {
    TermDocumentCountsBuilder builder;
    for (int d = 0; d < 4; ++d) {
        builder.begin_document();
        builder.add("all");
        if (d < 3) builder.add("most");
        if (d < 2) builder.add("some");
        if (d < 2) builder.add("rest");
        if (d < 1) builder.add("once");
    }
    const TermDocumentCounts counts = builder.build();
    const auto left = [&](braid::VocabularyLimits limits) {
        const TermDocumentCounts kept = braid::restrict_vocabulary(counts, limits);
        CHECK(kept.documents() == 4);
        CHECK_NOTHROW(braid::validate(kept));
        return kept.vocabulary;
    };
    using Words = std::vector<std::string>;
    CHECK(left({}) == Words{"all", "most", "rest", "some"});
    CHECK(left({.max_document_share = .75}) == Words{"most", "rest", "some"});
    CHECK(left({.min_documents = 1, .max_terms = 3}) == Words{"all", "most", "rest"});
    CHECK(left({.min_documents = 5}).empty());
    CHECK(braid::restrict_vocabulary(counts, {.min_documents = 3}).document(3).size() == 1);
    CHECK_THROWS_AS(left({.max_document_share = 0}), InvalidArgument);
    CHECK_THROWS_AS(left({.max_document_share = 1.5}), InvalidArgument);
}
