// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/judgement_reader.h"

#include <map>

#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/tests/indexer/formats/joined_warnings.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

using Pairs = std::map<std::pair<std::string, std::string>, int>;

Pairs pairs_of(const Judgements& judgements) {
    Pairs pairs;
    for (const auto& query : judgements.queries()) {
        for (const auto& [document, grade] : query.all()) {
            pairs[{query.query(), std::string(document)}] = grade;
        }
    }
    CHECK(pairs.size() == judgements.size());
    return pairs;
}

// What a file with this text says; warnings are joined into `*warnings`.
Pairs read_judgement_text(const std::string& text, JudgementOptions options = {},
                          std::string* warnings = nullptr) {
    const TemporaryFolder folder;
    options.warn = joined_into(warnings);
    return pairs_of(read_judgements(folder.file("qrels", text), options));
}

JudgementOptions as(const std::string& format, const std::string& grades = "") {
    return {format, GradeMap(grades), {}};
}

const Pairs kTwo{{{"1", "13"}, 1}, {{"1", "14"}, 1}};

}  // namespace

TEST_CASE("Judgements: every form is told from the others by its columns") {
    for (const char* text :
         {"1 0 13 1\n1 0 14 1\n", "1 Q0 13 1\n1 Q0 14 1\n",
          "1   13     0   0.000000\n1   14     0   0.000000\n",
          "     1     13\t0\t0.000000\n     1     14\t0\t0.000000\n", "1 13  0 0\n1 14  0 0\n",
          "1 13\n1 14\n", "1 13 1 \n1 14  1", "query-id\tcorpus-id\tscore\n1\t13\t1\n1\t14\t1\n",
          "1,13,1\n1,14,1\n", "relevance,doc_id,topic\n1,13,1\n1,14,1\n", "qid,docid\n1,13\n1,14\n",
          "\xEF\xBB\xBF\r\n1 0 13 1\r\n\r\n1 0 14 1\r\n"}) {
        INFO(text);
        CHECK(read_judgement_text(text) == kTwo);
    }
}

TEST_CASE("Judgements: a single line is told apart, too") {
    const Pairs one{{{"1", "13"}, 1}};
    CHECK(read_judgement_text("1 0 13 1") == one);
    CHECK(read_judgement_text("1 13 0 0.000000") == one);
    CHECK(read_judgement_text("1 13 1") == one);
    CHECK(read_judgement_text("1 13") == one);
    // Nothing tells these two apart; the first is what everyone else reads.
    CHECK(read_judgement_text("1 0 0 0") == Pairs{{{"1", "0"}, 0}});
    CHECK(read_judgement_text("1 0 0 0", as("smart")) == Pairs{{{"1", "0"}, 1}});
}

TEST_CASE("Judgements: subtopics in TREC's second column vary less than documents") {
    CHECK(read_judgement_text("1 1 a 0\n1 2 b 1\n1 1 c 2\n") ==
          Pairs{{{"1", "a"}, 0}, {{"1", "b"}, 1}, {{"1", "c"}, 2}});
    CHECK(read_judgement_text("1 a 1 0\n1 b 2 1\n1 c 1 2\n") ==
          Pairs{{{"1", "a"}, 1}, {{"1", "b"}, 1}, {{"1", "c"}, 1}});
}

TEST_CASE("Judgements: the form can be named") {
    CHECK(read_judgement_text("1 13 1 1\n1 14 0 1\n", as("smart")) == kTwo);
    CHECK(read_judgement_text("1 13 1 1\n1 14 0 1\n", as("trec")) ==
          Pairs{{{"1", "1"}, 1}, {{"1", "0"}, 1}});
    CHECK(read_judgement_text("1\ta b\t1\n", as("tsv")) == Pairs{{{"1", "a b"}, 1}});
    CHECK(read_judgement_text("1,\"a, \"\"b\"\"\",1\n", as("csv")) ==
          Pairs{{{"1", "a, \"b\""}, 1}});
    CHECK_THROWS_AS(read_judgement_text("1 0 13 1", as("tre")), braid::UnknownComponent);
}

TEST_CASE("Judgements: names between tabs and commas may have blanks") {
    CHECK(read_judgement_text("q 1\tdoc a\t2\nq 1\tdoc b and more\t0\n") ==
          Pairs{{{"q 1", "doc a"}, 2}, {{"q 1", "doc b and more"}, 0}});
    CHECK(read_judgement_text("qid,doc,rel\n1,\"x, y\",2\n") == Pairs{{{"1", "x, y"}, 2}});
}

TEST_CASE("Judgements: the guide shows every form") {
    for (const braid::JudgementFormat& format : braid::judgement_formats()) {
        check_in_table("guide/queries-and-judgements.md", format.name);
        CHECK_FALSE(format.summary.empty());
        CHECK_FALSE(format.example.empty());
    }
}

TEST_CASE("Judgements: grades are mapped") {
    const std::string text = "1 a 1\n1 b 4\n1 c -1\n";
    CHECK(read_judgement_text(text, as("", "1=4,2=3,3=2,4=1,-1=4")) ==
          Pairs{{{"1", "a"}, 4}, {{"1", "b"}, 1}, {{"1", "c"}, 4}});
    CHECK(read_judgement_text(text, as("", "all=1")) ==
          Pairs{{{"1", "a"}, 1}, {{"1", "b"}, 1}, {{"1", "c"}, 1}});
    CHECK(read_judgement_text(text, as("", " -1=0 , all=same ")) ==
          Pairs{{{"1", "a"}, 1}, {{"1", "b"}, 4}, {{"1", "c"}, 0}});
    CHECK_THROWS_WITH(read_judgement_text(text, as("", "1=1,4=2")),
                      Contains("qrels:3: grade '-1' is not"));
    CHECK(read_judgement_text("1 a 0.5\n1 b 2.0\n", as("", "0.5=1,2=2")) ==
          Pairs{{{"1", "a"}, 1}, {{"1", "b"}, 2}});
    CHECK(read_judgement_text("1 a 0.0\n1 b 2.0\n") == Pairs{{{"1", "a"}, 0}, {{"1", "b"}, 2}});
    CHECK_THROWS_WITH(read_judgement_text("1 a 0.5"),
                      Contains("qrels:1: grade '0.5' is no whole number"));
    CHECK_THROWS_WITH(read_judgement_text("1 a 99999999999"), Contains("no whole number"));
    CHECK(read_judgement_text("1 13\n1 14\n", as("", "all=3")) ==
          Pairs{{{"1", "13"}, 3}, {{"1", "14"}, 3}});
}

TEST_CASE("GradeMap: what it can't read is refused") {
    for (const char* text : {"1", "1=", "=1", "1=2=3", "1=x", "x=1", "1=1,1=2", "all=1,all=2",
                             "1=0.5", "inf=1", "1=nan", ",", "1=1,,2=2"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(GradeMap(text), braid::InvalidArgument);
    }
    CHECK(GradeMap(" ").empty());
}

TEST_CASE("Judgements: repeated and contradicting lines are counted, the first stays") {
    std::string warnings;
    const Pairs pairs =
        read_judgement_text("1 0 a 1\n1 0 a 1\n1 0 a 0\n1 0 a 2\n1 0 b 0\n", {}, &warnings);
    CHECK(pairs == Pairs{{{"1", "a"}, 1}, {{"1", "b"}, 0}});
    CHECK_THAT(warnings, Contains("qrels:2: judged before, with the same grade (query '1', "
                                  "document 'a')\n"));
    CHECK_THAT(warnings, Contains("qrels:3: judged before, with another grade, which stays (query "
                                  "'1', document 'a', as 1 and now as 0)\n"));
    CHECK_THAT(warnings, Contains("qrels:4: judged before, with another grade"));
    warnings.clear();
    read_judgement_text("1 0 a 1\n1 0 a 1\n1 0 a 1\n1 0 a 1\n1 0 a 1\n1 0 a 1\n1 0 a 1\n", {},
                        &warnings);
    CHECK_THAT(warnings, Contains("6 times in all: judged before, with the same grade"));
}

TEST_CASE("Judgements: leading zeros of a query's number don't matter") {
    const TemporaryFolder folder;
    write_file(folder / "qrels", "01 0 a 1\n2 0 b 1\nx1 0 c 1\n003 0 d 1\n03 0 e 1\n");
    const Judgements judgements = read_judgements((folder / "qrels").string());
    CHECK(judgements.find("1")->query() == "01");
    CHECK(judgements.find("001")->query() == "01");
    CHECK(judgements.find("002")->query() == "2");
    CHECK(judgements.find("x01") == nullptr);
    CHECK(judgements.find("03")->grade("e") == 1);
    CHECK(judgements.find("3") == nullptr);  // Either of two.
    CHECK(judgements.find("") == nullptr);
    CHECK(judgements.find("0") == nullptr);
}

TEST_CASE("Judgements: a prefix stands before queries' and documents' names") {
    const TemporaryFolder folder;
    write_file(folder / "qrels", "01 0 a 1\nx01 0 b 1\n");
    JudgementOptions options;
    options.id_prefix = "med:";
    const Judgements judgements = read_judgements((folder / "qrels").string(), options);
    // A number's zeros would mean something behind the prefix.
    CHECK(judgements.find("med:1")->grade("med:a") == 1);
    CHECK(judgements.find("med:x01")->grade("med:b") == 1);
    CHECK(judgements.find("1") == nullptr);
}

TEST_CASE("Judgements: wrong files are refused with file, line and the right form") {
    const auto read = [](const std::string& text) { read_judgement_text(text); };
    check_refused(
        read,
        {{"", "qrels: no judgements: the file is empty"},
         {" \n\t\r\n", "empty"},
         {"\nhello\n", "qrels:2: no judgements: found 'hello'"},
         {"1 0 a 1\n1 0 b\n1 0 c 1\n",
          "qrels:2: found 3 columns in '1 0 b', expected 4, as in '301 0"},
         {"1 13\t0\t0.0\n1 14\t0\t0.0\nbad\n", "qrels:3: found 1 column in 'bad', expected 4"},
         {"1 0 a 1\n1 0 b x\n", "qrels:2: found 'x' as the grade, expected a number"},
         {"query-id\tcorpus-id\tscore\n", "after the header"},
         {"query-id\tcorpus-id\tscore\n1\t\t1\n", "qrels:2: the document has no name"},
         {std::string("\x7f\x45LF\x00\x01", 6), "qrels:1: no judg"}});
    CHECK_THROWS_WITH(read_judgements("/nonexistent/qrels"), Contains("can't open"));
}

TEST_CASE("Judgements: no truncation of a file does more than throw a format error", "[property]") {
    const std::string text =
        "query-id\tcorpus-id\tscore\n\"1\"\ta b\t1\r\n01 13 0 0.000000\n1,\"x\"\"\",-1\n\n2 0 d "
        "1\n";
    for (const std::string& whole : {text, text.substr(26), text.substr(40)}) {
        for (const char* format : {"", "trec", "smart", "plain", "tsv", "csv"}) {
            check_truncations(whole, "qrels", [&](const std::string& cut) {
                std::string warnings;
                read_judgement_text(cut, as(format), &warnings);
            });
        }
    }
}

TEST_CASE("Judgements: what was written is read", "[property]") {
    braid::Random random(braid::test::seed());
    for (int round = 0; round < 50; ++round) {
        Pairs pairs;
        const std::size_t documents = 1 + random.below(200);
        for (std::size_t i = 0; i < documents; ++i) {
            const auto query = std::to_string(1 + random.below(5));
            pairs[{query, "d" + std::to_string(random.below(1000))}] =
                static_cast<int>(random.below(5)) - 1;
        }
        std::string trec, plain, tsv, smart;
        for (const auto& [pair, grade] : pairs) {
            const auto& [query, document] = pair;
            trec += query + " 0 " + document + " " + std::to_string(grade) + "\n";
            plain += query + "  " + document + " " + std::to_string(grade) + " \r\n";
            tsv += query + "\t" + document + "\t" + std::to_string(grade) + "\n";
            smart += " " + query + "\t" + document + "\t0\t0.000000\n";
        }
        CHECK(read_judgement_text(trec) == pairs);
        CHECK(read_judgement_text(plain) == pairs);
        CHECK(read_judgement_text("query-id\tcorpus-id\tscore\n" + tsv) == pairs);
        for (auto& [pair, grade] : pairs) grade = 1;
        CHECK(read_judgement_text(smart) == pairs);
    }
}

TEST_CASE("Judgements: the test collections have what their descriptions say") {
    struct Collection {
        const char* path;
        std::size_t queries;
        std::size_t pairs;
    };
    for (const Collection& collection :
         {Collection{"data/med/MED.REL", 30, 696}, Collection{"data/med/MED.REL.OLD", 30, 696},
          Collection{"data/cran/cranqrel", 225, 1837}, Collection{"data/cisi/CISI.REL", 76, 3114},
          Collection{"data/cacm/qrels.text", 52, 796}}) {
        const auto path = shared_file(collection.path);
        BRAID_SKIP_WITHOUT(path);
        CAPTURE(collection.path);
        JudgementOptions options;
        options.warn = [](const std::string& message) { FAIL(message); };
        const Judgements judgements = read_judgements(path->string(), options);
        CHECK(judgements.queries().size() == collection.queries);
        CHECK(judgements.size() == collection.pairs);
    }
    const auto pairs = [](const char* path, const std::string& grades = "") {
        return pairs_of(read_judgements(shared_file(path)->string(), as("", grades)));
    };
    CHECK(pairs("data/med/MED.REL") == pairs("data/med/MED.REL.OLD"));
    // Cranfield's codes, counted; -1 is a query's last line.
    std::map<int, int> codes;
    for (const auto& [pair, grade] : pairs("data/cran/cranqrel")) ++codes[grade];
    CHECK(codes == std::map<int, int>{{-1, 225}, {1, 128}, {2, 387}, {3, 734}, {4, 363}});
    CHECK(pairs("data/cran/cranqrel", "all=1") == pairs("golden/trec_eval/cran.qrels"));
}
