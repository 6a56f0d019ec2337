// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/query_reader.h"

#include "braid/core/base/random.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/tests/indexer/formats/joined_warnings.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

std::vector<SourceQuery> read_query_text(const std::string& text, QueryOptions options = {},
                                         std::string* warnings = nullptr) {
    const TemporaryFolder folder;
    options.warn = joined_into(warnings);
    return read_queries(folder.file("queries", text), options);
}

// "id@line=text|...", with the newlines between fields as slashes.
std::string shown(const std::vector<SourceQuery>& queries) {
    std::string result;
    for (const SourceQuery& query : queries) {
        std::string text = query.text;
        std::replace(text.begin(), text.end(), '\n', '/');
        result += query.id + "@" + std::to_string(query.where.line) + "=" + text + "|";
    }
    return result;
}

QueryOptions fields(const std::vector<std::string>& names) {
    QueryOptions options;
    options.fields = names;
    return options;
}

QueryOptions in(const std::string& format) {
    QueryOptions options;
    options.format = format;
    return options;
}

QueryOptions sequence() {
    QueryOptions options;
    options.ids = QueryOptions::Ids::kSequence;
    return options;
}

const std::string kSmart =
    ".I 001\n.W\nwhat similarity\nlaws\n.I 4\r\n.T \r\na title\r\n.A\r\nPrieve, B.\r\n.W\r\n "
    "body\r\n"
    ".N\nwho asked\n";

const std::string kTopics =
    "\n<top>\n\n<num> Number: 301 \n<title> International Organized Crime \n\n<desc> Description: "
    "\n"
    "Identify organizations.\n\n<narr> Narrative: \nA relevant document: yes &amp; "
    "no.\n\n</top>\nbetween topics\n"
    "<top>\n<head> Tipster Topic Description\n<num> Number:  002\n<dom> Domain: Economics\n<title> "
    "Topic:  foot-and-mouth: a disease\n<con> Concept(s):\n1. x\n</top>\n";

}  // namespace

TEST_CASE("Queries: SMART records; title and text by default, no authors and notes") {
    CHECK(shown(read_query_text(kSmart)) == "001@1=what similarity/laws|4@5=a title/body|");
    CHECK(shown(read_query_text(kSmart, sequence())) ==
          "1@1=what similarity/laws|2@5=a title/body|");
    std::string warnings;
    CHECK(shown(read_query_text(kSmart, fields({"title", "author"}), &warnings)) ==
          "001@1=|4@5=a title/Prieve, B.|");
    CHECK_THAT(warnings, Contains("queries:1: the query has no text in the wanted fields (query "
                                  "001, fields title, author)"));
}

TEST_CASE("Queries: TREC topics without closing tags, labels left out") {
    CHECK(shown(read_query_text(kTopics)) ==
          "301@2=International Organized Crime|002@15=foot-and-mouth: a disease|");
    std::string warnings;
    CHECK(shown(read_query_text(kTopics, fields({"desc", "narr"}), &warnings)) ==
          "301@2=Identify organizations./A relevant document: yes & no.|002@15=|");
    CHECK(shown(read_query_text(kTopics, fields({"con", "dom", "desc"}))) ==
          "301@2=Identify organizations.|002@15=Economics/1. x|");
}

TEST_CASE("Queries: TREC topics as XML") {
    CHECK(shown(read_query_text(
              "<?xml version=\"1.0\"?>\n<topics task=\"adhoc\">\n<topic number=\"1\" "
              "type=\"faceted\">\n<query>obama family tree</query>\n<description>Find "
              "it\n</description>\n</topic>\n<TOPIC number=\"2\"><query>x &lt; y</query>"
              "</TOPIC>\n</topics>")) == "1@3=obama family tree|2@8=x < y|");
    CHECK_THROWS_WITH(
        read_query_text("<topic number='1'><note>n</note><summary>s</summary></topic>"),
        Contains("no query has the wanted fields (title or else query); there are: "
                 "note, summary"));
}

TEST_CASE("Queries: JSON lines") {
    CHECK(shown(read_query_text(
              "{\"_id\": \"PLAIN-2\", \"text\": \"Do cholesterol \\u0041\", "
              "\"metadata\": {\"url\": \"x\"}}\n\n{\"_id\": 3, \"text\": \"b\"}\n")) ==
          "PLAIN-2@1=Do cholesterol A|3@3=b|");
    CHECK(shown(read_query_text("{\"qid\": \"q\", \"query\": \"a\"}")) == "q@1=a|");
    CHECK(shown(read_query_text(R"({"topic": "t", "_id": "q", "text": "a"})")) == "q@1=a|");
    CHECK(shown(read_query_text("{\"id\": 1, \"text\": \"a\", \"title\": \"b\"}")) == "1@1=a|");
    CHECK(shown(read_query_text("{\"id\": 1, \"text\": \"a\", \"Title\": \"b\"}",
                                fields({"title"}))) == "1@1=b|");
    CHECK_THROWS_WITH(read_query_text("{\"text\": \"a\"}"),
                      Contains("queries:1: the query has no id"));
    CHECK(shown(read_query_text("{\"text\": \"a\"}", sequence())) == "1@1=a|");
    CHECK_THROWS_AS(read_query_text("{\"text\": "), braid::FormatError);
}

TEST_CASE("Queries: tab-separated, with and without a header") {
    CHECK(shown(read_query_text("301\torganized crime\n\n302\tx\ty\r\n")) ==
          "301@1=organized crime|302@3=x\ty|");
    CHECK(shown(read_query_text("query-id\ttext\n1\ta\n")) == "1@2=a|");
    CHECK(shown(read_query_text("Title\tqid\tquery\nt\t1\ta\n")) == "1@2=a|");
    CHECK(shown(read_query_text("title\tqid\tquery\nt\t1\ta\n", fields({"title", "query"}))) ==
          "1@2=t/a|");
    CHECK_THROWS_WITH(read_query_text("qid\tquery\n1\ta\tb\n"),
                      Contains("queries:2: found 3 columns, expected at most the 2 that"));
    CHECK_THROWS_WITH(read_query_text("1\ta\nb\n", in("tsv")),
                      Contains("queries:2: found no tab in 'b'"));
}

TEST_CASE("Queries: plain lines are named by their numbers") {
    CHECK(shown(read_query_text("organized crime\n\n a\tb \n")) == "1@1=organized crime|3@3=a\tb|");
    CHECK(shown(read_query_text("organized crime\n\n a\tb \n", sequence())) ==
          "1@1=organized crime|2@3=a\tb|");
    CHECK(shown(read_query_text("1\ta\n2\tb\n", in("lines"))) == "1@1=1\ta|2@2=2\tb|");
    CHECK(shown(read_query_text("<b> c\n")) == "1@1=<b> c|");
    CHECK(shown(read_query_text("\ta\n")) == "1@1=a|");
}

TEST_CASE("Queries: ids that are there twice are refused, unless they are numbered") {
    const std::string text = ".I 1\n.W\na\n.I 2\n.W\nb\n.I 1\n.W\nc\n";
    CHECK_THROWS_WITH(read_query_text(text),
                      Contains("queries:7: query id '1' is there twice, first at line 1"));
    CHECK(shown(read_query_text(text, sequence())) == "1@1=a|2@4=b|3@7=c|");
}

TEST_CASE("Queries: bytes that are not UTF-8 are converted, with a warning") {
    std::string warnings;
    CHECK(shown(read_query_text("1\tcaf\xE9\n", {}, &warnings)) == "1@1=caf\xC3\xA9|");
    CHECK_THAT(warnings, Contains("queries:1: not UTF-8"));
    warnings.clear();
    CHECK(shown(read_query_text("<top><num> 1 <title> caf\xE9 </top>", {}, &warnings)) ==
          "1@1=caf\xC3\xA9|");
    CHECK_THAT(warnings, Contains("queries:1: not UTF-8"));
}

TEST_CASE("Queries: files without queries are refused") {
    CHECK_THROWS_WITH(read_query_text(""), Contains("queries: no queries: the file is empty"));
    CHECK_THROWS_WITH(read_query_text(" \n\n"), Contains("queries: no queries: the file is empty"));
    CHECK_THROWS_WITH(read_query_text("<b> c\n", in("trec")),
                      Contains("no queries, expected format trec, as in '<top>'"));
    CHECK_THROWS_WITH(read_query_text(kSmart, fields({"subject"})),
                      Contains("no query has the wanted fields (subject); there are: text, title, "
                               "author, note"));
    CHECK_THROWS_AS(read_query_text("a", in("xml")), braid::UnknownComponent);
    CHECK_THROWS_WITH(read_queries("/nonexistent/queries"), Contains("can't open"));
}

TEST_CASE("Queries: every format is in the guide, and its name reads it") {
    for (const braid::QueryFormat& format : braid::query_formats()) {
        check_in_table("guide/queries-and-judgements.md", format.name);
        CHECK_FALSE(format.summary.empty());
        CHECK_FALSE(format.default_fields.empty());
    }
    CHECK(read_query_text(kSmart, in("smart")).size() == 2);
    CHECK(read_query_text(kTopics, in("trec")).size() == 2);
    CHECK(read_query_text("{\"id\": 1, \"text\": \"a\"}", in("jsonl")).size() == 1);
    CHECK(read_query_text("1\ta", in("tsv")).size() == 1);
}

TEST_CASE("Queries: no truncation of a file does more than throw a format error", "[property]") {
    const std::string json = "{\"_id\": \"a\", \"text\": \"b \\u00e9\"}\n{\"_id\": \"c\"}\n";
    const std::string table = "query-id\ttext\r\n1\ta\r\n2\tcaf\xC3\xA9\n";
    for (const std::string& whole : {kSmart, kTopics, json, table}) {
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            for (const char* format : {"", "smart", "trec", "jsonl", "tsv", "lines"}) {
                std::string warnings;
                try {
                    for (const auto& query :
                         read_query_text(whole.substr(0, size), in(format), &warnings)) {
                        CHECK_FALSE(query.id.empty());
                    }
                } catch (const braid::FormatError& error) {
                    CHECK_THAT(error.what(), Contains("queries"));
                }
            }
        }
    }
}

TEST_CASE("Queries: what was written is read", "[property]") {
    braid::Random random(braid::test::seed());
    const std::vector<std::string> words{"a",   "Number:",     "crime", "x<y",
                                         "3.5", "caf\xC3\xA9", "{}"};
    for (int round = 0; round < 50; ++round) {
        std::string smart, topics, table, lines, expected;
        const std::size_t count = 1 + random.below(20);
        for (std::size_t i = 1; i <= count; ++i) {
            std::string text = "q";
            for (std::uint64_t w = random.below(6); w-- > 0;) {
                text += ' ' + words[random.below(words.size())];
            }
            const std::string id = std::to_string(i);
            smart += ".I " + id + "\n.W\n" + text + "\n";
            topics += "<top>\n<num> Number: " + id + "\n<title> " + text + "\n</top>\n";
            table += id + "\t" + text + "\n";
            lines += text + "\n";
            expected += id + "=" + text + "|";
        }
        for (const std::string& file : {smart, topics, table, lines}) {
            std::string result;
            for (const auto& query : read_query_text(file))
                result += query.id + "=" + query.text + "|";
            CHECK(result == expected);
        }
    }
}

TEST_CASE("Queries: the test collections have what their descriptions say") {
    const auto read = [](const char* path, const QueryOptions& options = {}) {
        return read_queries(shared_file(path)->string(), options);
    };
    BRAID_SKIP_WITHOUT(shared_file("data/README.md"));
    const auto med = read("data/med/MED.QRY");
    CHECK(med.size() == 30);
    CHECK(med[0].text == "the crystalline lens in vertebrates, including humans.");

    const auto cran = read("data/cran/cran.qry");
    CHECK(cran.size() == 225);
    CHECK(cran[2].id == "004");
    CHECK(cran.back().id == "365");
    const auto numbered = read("data/cran/cran.qry", sequence());
    const auto judgements = braid::read_judgements(shared_file("data/cran/cranqrel")->string());
    for (const SourceQuery& query : numbered) CHECK(judgements.find(query.id) != nullptr);

    const auto cisi = read("data/cisi/CISI.QRY");
    CHECK(cisi.size() == 112);
    CHECK(cisi[56].text.find('\n') != std::string::npos);
    CHECK_THAT(cisi[110].text, Catch::StartsWith("Document Clustering Using an Inverted File"));
    CHECK_THAT(cisi[110].text, !Contains("Willett"));
    CHECK_THAT(cisi[110].text, !Contains("Processing & Management"));

    const auto cacm = read("data/cacm/query.text");
    CHECK(cacm.size() == 64);
    CHECK_THAT(cacm[1].text, Catch::EndsWith("Udo Pooch"));
    const auto cacm_judgements =
        braid::read_judgements(shared_file("data/cacm/qrels.text")->string());
    std::size_t judged = 0;
    for (const SourceQuery& query : cacm) judged += cacm_judgements.find(query.id) != nullptr;
    CHECK(judged == 52);
}

TEST_CASE("Queries: a prefix stands before every id, and numbers lose their zeros") {
    QueryOptions options;
    options.id_prefix = "med:";
    CHECK(shown(read_query_text("007\tseven\nx08\teight\n", options)) ==
          "med:7@1=seven|med:x08@2=eight|");
    options.ids = QueryOptions::Ids::kSequence;
    CHECK(shown(read_query_text("007\tseven\n8\teight\n", options)) ==
          "med:1@1=seven|med:2@2=eight|");
    options.ids = QueryOptions::Ids::kGiven;
    CHECK_THROWS_WITH(read_query_text("07\tseven\n7\teight\n", options), Contains("'med:7'"));
}
