// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/indexer/formats/joined_warnings.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

LetorData read_letor_text(const std::string& text, LetorOptions options = {},
                          std::string* warnings = nullptr) {
    const TemporaryFolder folder;
    options.warn = joined_into(warnings);
    return read_letor(folder.file("letor", text), options);
}

void read_rows(const std::string& text) { read_letor_text(text); }

void check_values(const LetorData& data, const std::vector<std::vector<double>>& rows) {
    REQUIRE(data.rows() == rows.size());
    REQUIRE(data.values.size() == data.rows() * data.features);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        REQUIRE(data.features == rows[r].size());
        for (std::size_t c = 0; c < data.features; ++c) {
            CAPTURE(r, c);
            if (std::isnan(rows[r][c])) {
                CHECK(std::isnan(data.row(r)[c]));
            } else {
                CHECK(data.row(r)[c] == rows[r][c]);
            }
        }
    }
}

void check_equal(const LetorData& a, const LetorData& b) {
    CHECK(a.labels == b.labels);
    CHECK(a.documents == b.documents);
    CHECK(a.queries == b.queries);
    CHECK(a.query_offsets == b.query_offsets);
    CHECK(a.feature_names == b.feature_names);
    CHECK(a.places == b.places);
    CHECK(a.missing == b.missing);
    REQUIRE(a.features == b.features);
    REQUIRE(a.values.size() == b.values.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        if (a.values[i] != b.values[i] && !(std::isnan(a.values[i]) && std::isnan(b.values[i]))) {
            ++different;
        }
    }
    CHECK(different == 0);
}

using Strings = std::vector<std::string>;
using Sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("Letor: labels, queries, features, missing values and documents") {
    const LetorData data = read_letor_text(
        "# 1:bm25 2:lsa 3:age\n"
        "2 qid:10 1:0.5 2:NULL 3:-1e-3 #docid = GX008-86 inc = 1 prob = 0.08\r\n"
        "\n"
        "# a remark\n"
        "0 qid:10 1:+2 2:0 3:7.25 # docid = D7\n"
        "-1 qid:q2 1:nan 2:.5 3:5. # 1A");
    check_values(data, {{0.5, kMissing, -1e-3}, {2, 0, 7.25}, {kMissing, 0.5, 5}});
    CHECK(data.labels == std::vector<int>{2, 0, -1});
    CHECK(data.queries == Strings{"10", "q2"});
    CHECK(data.query_offsets == Sizes{0, 2, 3});
    CHECK(data.documents == Strings{"GX008-86", "D7", ""});
    CHECK(data.feature_names == Strings{"bm25", "lsa", "age"});
    CHECK(data.missing == 2);
    CHECK(data.places.empty());
}

TEST_CASE("Letor: absent features are 0, in any order and in rows of any width") {
    check_values(read_letor_text("0 qid:1\n1 qid:1 3:3 1:1\n0 qid:1 2:2\n1 qid:2 7:7 5:5\n0 qid:2"),
                 {{0, 0, 0, 0, 0, 0, 0},
                  {1, 0, 3, 0, 0, 0, 0},
                  {0, 2, 0, 0, 0, 0, 0},
                  {0, 0, 0, 0, 5, 0, 7},
                  {0, 0, 0, 0, 0, 0, 0}});
    check_values(read_letor_text("1 qid:1\n0 qid:1\n"), {{}, {}});
    LetorOptions options;
    options.features = 3;
    check_values(read_letor_text("1 qid:1 1:1\n0 qid:2 2:2\n", options), {{1, 0, 0}, {0, 2, 0}});
    check_values(read_letor_text("# 1:a 2:b 3:c 4:d\n1 qid:1 1:1\n", options), {{1, 0, 0, 0}});
    options.first_feature = 0;
    options.features = 0;
    check_values(read_letor_text("# 0:a 1:b\n1 qid:1 0:1 1:2\n", options), {{1, 2}});
    check_values(read_letor_text("1 qid:1 0:1 2:2\n", options), {{1, 0, 2}});
}

TEST_CASE("Letor: rows of a scattered query are gathered, and their places kept") {
    std::string warnings;
    const LetorData data = read_letor_text(
        "0 qid:2 1:1 # docid = a\n1 qid:1 1:2 # docid = b\n2 qid:2 1:3 # docid = c\n"
        "3 qid:1 1:4 # docid = d\n4 qid:1 1:5 # docid = e\n",
        {}, &warnings);
    check_values(data, {{1}, {3}, {2}, {4}, {5}});
    CHECK(data.labels == std::vector<int>{0, 2, 1, 3, 4});
    CHECK(data.documents == Strings{"a", "c", "b", "d", "e"});
    CHECK(data.queries == Strings{"2", "1"});
    CHECK(data.query_offsets == Sizes{0, 2, 5});
    CHECK(data.places == Sizes{0, 2, 1, 3, 4});
    CHECK_THAT(warnings, Contains("letor:3: a query goes on after others; its rows were brought "
                                  "together (query '2')\n"));
    CHECK_THAT(warnings, Contains("letor:4: a query goes on"));
    CHECK_THAT(warnings, !Contains("letor:5"));
}

TEST_CASE("Letor: labels are whole numbers, however they are written") {
    CHECK(read_letor_text("1.0 qid:1 1:1\n2e0 qid:1 1:1\n+1 qid:1\n").labels ==
          std::vector<int>{1, 2, 1});
    check_refused(read_rows,
                  {{"0 qid:1\n0.5 qid:1 1:1\n", "letor:2: label '0.5' is no whole number"},
                   {"1e10 qid:1\n", "label '1e10' is no whole number"},
                   {"nan qid:1\n", "label 'nan' is no whole number"},
                   {"x qid:1\n", "letor:1: found 'x' as the label"}});
}

TEST_CASE("Letor: wrong rows are refused with file, line and the right form") {
    const auto refuses = [](const std::string& text, const std::string& message) {
        CAPTURE(text);
        CHECK_THROWS_WITH(read_letor_text(text),
                          Contains(message) && Contains("as in '2 qid:10 1:0.5"));
    };
    refuses("", "letor: there are no rows");
    refuses("# only a remark\n\n", "letor: there are no rows");
    refuses("1\n", "letor:1: found '' after the label, expected the query");
    refuses("1 qid: 1:1\n", "found 'qid:' after the label");
    refuses("1 1:0.5 2:1\n", "found '1:0.5' after the label, expected the query");
    refuses("1 qid:1 1:1\n\n1 qid:1 1:1 1:2", "letor:3: feature 1 is there twice");
    refuses("1 qid:1 2:2 1:1 2:2", "feature 2 is there twice");
    refuses("1 qid:1 0:1", "found '0:1', expected features to count from 1");
    refuses("1 qid:1 99999:1", "found '99999:1', expected at most 16384 features");
    refuses("1 qid:1 99999999999999999999999:1", "expected at most 16384 features");
    refuses("# 1:a\n1 qid:1 2:1", "letor:2: found '2:1', expected only the 1 named above");
    for (const char* word : {"1", "1:", ":1", "x:1", "1:x", "1:inf", "1:-inf", "1:1e999", "1:1,5",
                             "-1:1", "1 :1", "1: 1", "1:1:1", "1:null", "1:--1", "1:0x1p1"}) {
        refuses(std::string("1 qid:1 ") + word, "letor:1: found ");
    }
    CHECK_THROWS_WITH(read_letor("/nonexistent/letor"), Contains("can't open"));
}

TEST_CASE("Letor: the line of names") {
    CHECK(read_letor_text("# 1:a:b 2:c#d\n1 qid:1 1:1\n").feature_names == Strings{"a:b", "c#d"});
    CHECK(read_letor_text("#1:a\n1 qid:1 1:1\n#1:a\n0 qid:1\n").feature_names == Strings{"a"});
    CHECK(read_letor_text("# 2:a\n1 qid:1 1:1\n").feature_names.empty());
    check_refused(read_rows, {{"\n# 1:a 3:b\n",
                               "letor:2: found '3:b' among the features' "
                               "names, expected 2 and its name"},
                              {"# 1:a 2:\n", "letor:1: feature name '' is empty"},
                              {"# 1:a 2:a\n", "two features are named 'a'"},
                              {"# 1:a b\n", "found 'b' among"},
                              {"# 1:a\n# 1:b\n1 qid:1 1:1\n", "letor:2: the features are"},
                              {"1 qid:1 1:1\n# 1:b\n", "letor:2: the features are"}});
    LetorOptions options;
    options.features = 2;
    CHECK_THROWS_WITH(read_letor_text("# 1:a\n1 qid:1\n", options),
                      Contains("found names of 1 feature, expected 2 to 16384"));
}

TEST_CASE("Letor: a document's name in comments of several kinds") {
    const auto document = [](const std::string& comment) {
        return read_letor_text("1 qid:1 1:1 " + comment + "\n").documents[0];
    };
    check_texts(document, {{"#docid = 1 inc = 2", "1"},
                           {"#docid=1", "1"},
                           {"# inc = 2 docid = 1", "1"},
                           {"# mydocid = 1 docid =2", "2"},
                           {"# docid", ""},
                           {"# docid =", ""},
                           {"# docid = \"a \"\"b\"\" c\" inc = 1", "a \"b\" c"},
                           {"# docid = \"a b", "\"a"},
                           {"# docid = a#b", "a#b"},
                           {"", ""}});
}

TEST_CASE("Letor: reading can be given up") {
    LetorOptions options;
    options.progress = [](const braid::ProgressReport& report) {
        CHECK(report.unit == "bytes");
        return false;
    };
    CHECK_THROWS_AS(read_letor_text("1 qid:1 1:1\n", options), braid::Cancelled);
}

TEST_CASE("LetorWriter: rows are dense and numbered from 1") {
    std::string out = braid::letor_names_line({"bm25", "lsa"});
    const std::vector<double> values{0.1, kMissing};
    braid::append_letor_row(out, 2, "10", values, "D7");
    braid::append_letor_row(out, 0, "10", values, "a \"file\".txt");
    braid::append_letor_row(out, -1, "11", values, "");
    CHECK(out ==
          "# 1:bm25 2:lsa\n"
          "2 qid:10 1:0.1 2:NULL # docid = D7\n"
          "0 qid:10 1:0.1 2:NULL # docid = \"a \"\"file\"\".txt\"\n"
          "-1 qid:11 1:0.1 2:NULL\n");
    const LetorData data = read_letor_text(out);
    CHECK(data.documents == Strings{"D7", "a \"file\".txt", ""});
    CHECK(braid::letor_text(data) == out);
}

TEST_CASE("LetorWriter: what a row can't hold is refused and nothing is written") {
    const std::vector<double> values{1};
    const std::vector<double> infinite{-std::numeric_limits<double>::infinity()};
    std::string out = "before";
    for (const char* query : {"", "a b", "a#b", "a\n"}) {
        CHECK_THROWS_AS(braid::append_letor_row(out, 1, query, values, "d"),
                        braid::InvalidArgument);
    }
    CHECK_THROWS_AS(braid::append_letor_row(out, 1, "1", values, "d\n"), braid::InvalidArgument);
    CHECK_THROWS_WITH(braid::append_letor_row(out, 1, "1", infinite, "d"),
                      Contains("feature 1 of document 'd' is infinite"));
    CHECK(out == "before");
    for (const char* name : {"", "a b", "a\n"}) {
        CHECK_THROWS_AS(braid::letor_names_line({"x", name}), braid::InvalidArgument);
    }
    CHECK_THROWS_AS(braid::letor_names_line({"x", "x"}), braid::InvalidArgument);
}

TEST_CASE("Letor: what was written is read, to the last bit", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 60; ++round) {
        LetorData data;
        data.features = random.below(20);
        if (random.below(2) == 0) {
            for (std::size_t c = 0; c < data.features; ++c) {
                data.feature_names.push_back("f" + std::to_string(c));
            }
        }
        data.query_offsets.push_back(0);
        const std::size_t queries = 1 + random.below(10);
        for (std::size_t q = 0; q < queries; ++q) {
            data.queries.push_back("q" + std::to_string(q));
            for (std::size_t r = 1 + random.below(10); r-- > 0;) {
                data.labels.push_back(static_cast<int>(random.below(5)) - 1);
                data.documents.push_back(random.below(3) == 0 ? "" : "d " + std::to_string(r));
                for (std::size_t c = 0; c < data.features; ++c) {
                    const double scale =
                        std::pow(10.0, static_cast<double>(random.below(640)) - 330);
                    const std::uint64_t kind = random.below(5);
                    double value = random.normal() * scale;
                    if (kind == 0) value = kMissing;
                    if (kind == 1) value = 0;
                    if (kind == 2) value = std::round(random.normal() * 1e6) / 1e6;
                    if (std::isinf(value)) value = 1;
                    if (kind == 0) ++data.missing;
                    data.values.push_back(value);
                }
            }
            data.query_offsets.push_back(data.rows());
        }
        check_equal(read_letor_text(braid::letor_text(data)), data);
    }
}

TEST_CASE("Letor: sparse rows give the same matrix as dense ones", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 60; ++round) {
        const std::size_t features = 1 + random.below(40);
        std::vector<std::vector<double>> rows(1 + random.below(30),
                                              std::vector<double>(features, 0.0));
        std::string text;
        std::size_t widest = 0;
        for (auto& row : rows) {
            text += "0 qid:1";
            std::vector<std::size_t> columns;
            for (std::size_t c = 0; c < features; ++c) {
                if (random.below(4) == 0) columns.push_back(c);
            }
            random.shuffle(columns);
            for (const std::size_t c : columns) {
                row[c] = static_cast<double>(random.below(1000)) / 8;
                text += ' ' + std::to_string(c + 1) + ':' + std::to_string(row[c]);
                widest = std::max(widest, c + 1);
            }
            text += '\n';
        }
        for (auto& row : rows) row.resize(widest);
        check_values(read_letor_text(text), rows);
    }
}

TEST_CASE("Letor: no truncation of a file does more than throw a format error", "[property]") {
    const std::string whole =
        "# 1:bm25 2:lsa 3:x\n2 qid:10 1:0.5 2:NULL 3:-1e-3 #docid = GX inc = 1\r\n\n0 qid:10 1:+2 "
        "3:.5 "
        "# docid = \"a b\"\n1 qid:3 2:1e5";
    check_truncations(whole, "letor", [](const std::string& text) {
        std::string warnings;
        read_letor_text(text, {}, &warnings);
    });
}
