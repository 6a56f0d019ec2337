// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/sgml.h"
#include "braid/tests/indexer/formats/read_documents.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

std::string fields_of(const std::string& content) {
    const ReadResult result = read_text("<DOC>" + content + "</DOC>", "trec");
    return result.documents.size() == 1 ? flat(result.documents[0]) : "no document";
}

std::string decoded(std::string_view text) {
    std::string result;
    braid::append_decoded(text, result);
    return result;
}

}  // namespace

TEST_CASE("TREC documents: elements are fields, the number is the id") {
    const ReadResult result = read_text(
        "<DOC>\n<DOCNO> WSJ-1 </DOCNO>\n<HL> A headline </HL>\n<TEXT>\nOne\ntwo.\n</TEXT>\n</DOC>\n"
        "<doc><docid>7</docid><Text>x</Text></doc>\n",
        "trec");
    CHECK(flat(result) == Texts{"WSJ-1|hl=A headline|text=One\ntwo.", "7|text=x"});
    CHECK(result.warnings.empty());
    CHECK(result.documents[1].where.to_string() == "input:9");
}

TEST_CASE("TREC documents: the number goes before the internal one, which stays a field") {
    check_texts(fields_of,
                {{"<DOCID>5</DOCID><DOCNO>A</DOCNO>", "A|docid=5"}, {"<TEXT>x</TEXT>", "|text=x"}});
}

TEST_CASE("TREC documents: what is inside an element belongs to it") {
    check_texts(fields_of,
                {{"<TEXT><P>a</P>\n<P>b <I>c</I></P></TEXT><LP>l</LP>", "|text=a \n b  c|lp=l"},
                 {"<HEADER><H3><TI>t</TI></H3></HEADER>", "|header=t"},
                 {"<TEXT>a<TEXT>b</TEXT>c</TEXT><X>d</X>", "|text=a b c|x=d"}});
}

TEST_CASE("TREC documents: an element without end tag ends where the next begins") {
    check_texts(fields_of,
                {{"<DOCNO> A\n<TITLE> t\n<TEXT> x <P> y <BR> z\n", "A|title=t|text=x   y   z"},
                 {"<TITLE>t<TEXT><P>a<P>b</TEXT><LP>c", "|title=t|text=a b|lp=c"},
                 {"<TEXT>a</TITLE>b</TEXT>", "|text=a b"}});
}

TEST_CASE("TREC documents: text outside all elements, and of mere paragraphs, is text") {
    check_texts(fields_of, {{"<DOCNO>1</DOCNO>\nloose <B>words</B>\n<T>t</T>\nmore",
                             "1|text=loose  words|t=t|text=more"},
                            {"<P>a</P><P>b</P>", "|text=a  b"}});
}

TEST_CASE("TREC documents: comments, declarations and scripts go; other angle brackets stay") {
    check_texts(fields_of, {{"<TEXT>a<!-- <B> -->b<!X y>c<?p?>d</TEXT>", "|text=a b c d"},
                            {"<TEXT>a<script>if (x < y) z</script>b</TEXT>", "|text=ab"},
                            {"<TEXT>a<script>b</TEXT>", "|text=a b"},
                            {"<TEXT>1 < 2, 3<4, a <- b, <<x>, <1>, <e@mail.org> <!-- open</TEXT>",
                             "|text=1 < 2, 3<4, a <- b, < , <1>, <e@mail.org> <!-- open"},
                            {"<TEXT>a <img alt=\"x > y\" src=z/> b</TEXT>", "|text=a   b"},
                            {"<TEXT><![CDATA[a]]></TEXT>", "|text=a]]>"}});
}

TEST_CASE("TREC documents: DOC's attributes are fields, and may give the id") {
    const ReadResult result = read_text(
        "<doc id=\"12\" url='http://x/?a=1&amp;b' title=\"A &gt; B\" flag n=3>text\n</doc>",
        "trec");
    CHECK(flat(result) == Texts{"12|url=http://x/?a=1&b|title=A > B|n=3|text=text"});
}

TEST_CASE("TREC documents: many on one line, and one over many lines") {
    CHECK(flat(read_text("<DOC><DOCNO>1</DOCNO>a</DOC><DOC><DOCNO>2</DOCNO>b</DOC> <DOC\n>\n"
                         "<DOCNO>\n3\n</DOCNO>\n</DOC\n>\n",
                         "trec")) == Texts{"1|text=a", "2|text=b", "3"});
}

TEST_CASE("TREC documents: what surrounds the records is skipped") {
    CHECK(flat(read_text("<?xml version='1.0'?>\n<ROOT>\n<DOC><DOCNO>1</DOCNO></DOC>\n</ROOT>\n",
                         "trec")) == Texts{"1"});
}

TEST_CASE("TREC documents: tags whose names only begin with DOC begin no record") {
    CHECK(flat(read_text("<DOCS><DOC><DOCNO>1</DOCNO><DOCTYPE>x</DOCTYPE></DOC></DOCS>", "trec")) ==
          Texts{"1|doctype=x"});
}

TEST_CASE("TREC documents: a missing end of a document is warned of") {
    const ReadResult result =
        read_text("<DOC>\n<DOCNO>1</DOCNO>\na\n<DOC>\n<DOCNO>2</DOCNO>\nb\n", "trec");
    CHECK(flat(result) == Texts{"1|text=a", "2|text=b"});
    const std::string what =
        ": no </DOC>: the document ends where the next begins, or the file ends";
    CHECK(result.warnings == Texts{"input:1" + what, "input:4" + what});
    const ReadResult stray = read_text("<DOC>a</DOC>\nb</DOC>\n<DOC>c</DOC>", "trec");
    CHECK(flat(stray) == Texts{"|text=a", "|text=c"});
    CHECK(stray.warnings == Texts{"input:2: </DOC> without <DOC>: what is before it was skipped"});
}

TEST_CASE("TREC documents: a file without a document is refused, an empty one is not") {
    CHECK_THROWS_WITH(read_text("Hello\n<b>world</b>\n", "trec"),
                      "input:1: not TREC: no <DOC> found");
    CHECK(read_text("", "trec").warnings == Texts{"input: no documents found"});
}

TEST_CASE("TREC documents: a record over the limit is skipped") {
    ReaderOptions options;
    options.max_record = 50;
    const std::string many_lines = "<DOC>\n" + std::string(30, 'x') + "\n" + std::string(30, 'x');
    const ReadResult result = read_text("<DOC>a</DOC>\n" + many_lines + "\n</DOC>\n<DOC>" +
                                            std::string(99, 'y') + "\nz</DOC>\n<DOC>b</DOC>",
                                        "trec", options);
    CHECK(flat(result) == Texts{"|text=a", "|text=b"});
    CHECK(result.warnings == Texts{"input:2: record skipped: longer than 50 bytes",
                                   "input:6: record skipped: longer than 50 bytes"});
}

TEST_CASE("Character references: names, numbers and what is neither") {
    check_texts(decoded,
                {{"AT&amp;T &lt;b&gt; &quot;&apos;", "AT&T <b> \"'"},
                 {"caf&eacute; &Eacute; &yuml; &nbsp;", "caf\u00E9 \u00C9 \u00FF \u00A0"},
                 {"&#233;&#xE9;&#XE9;&#8364;&#128512;", "\u00E9\u00E9\u00E9\u20AC\U0001F600"},
                 {"&#150;&hyph;&blank;", "\u2013\u2010 "},
                 {"&#55296; &#1114112;", "\uFFFD \uFFFD"},
                 {"& &; &x; &amp &#; &#x; &#0; &#12x; &#99999999999; &toolongtobeone;",
                  "& &; &x; &amp &#; &#x; &#0; &#12x; &#99999999999; &toolongtobeone;"},
                 {"&amp;lt;", "&lt;"},
                 {"", ""},
                 {"&", "&"}});
}

TEST_CASE("SGML: deep, unclosed and unopened tags take linear time") {
    std::string text = ">";
    for (int i = 0; i < 200000; ++i) text += "<a" + std::to_string(i % 7) + "></b><!--";
    std::vector<braid::SourceField> fields;
    braid::parse_sgml_record(text, fields);
    CHECK_FALSE(fields.empty());
}
