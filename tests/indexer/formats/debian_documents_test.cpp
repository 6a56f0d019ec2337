// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/indexer/formats/read_documents.h"
#include "braid/tests/support/texts.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr const char* kPackages =
    "Package: abc\n"
    "Source: abc-src (1.0)\n"
    "Version: 1.0-1\n"
    "Maintainer: J. Ren\xC3\xA9 <j@example.org>\n"
    "Description: does things\n"
    "Description-md5: m1\n"
    "Tag: role::program, works-with::{text,\n"
    " mail}, use::searching\n"
    "Section: utils\n"
    "Filename: pool/a.deb\n"
    "Size: 12\n"
    "MD5sum: 0\n"
    "SHA256: 0\n"
    "\n"
    "Package: lib\n"
    "Version: 2\n"
    "Description: a library\n"
    "Description-md5: m2\n"
    "Section: libs\n";

constexpr const char* kTranslation =
    "Package: abc\n"
    "Description-md5: m1\n"
    "Description-en: does things well\n"
    " It does them.\n"
    " .\n"
    "  * one\n"
    "\n"
    "Package: abc\n"
    "Description-md5: m0\n"
    "Description-en: an older one\n"
    " Old text.\n"
    "\n"
    "Package: other\n"
    "Description-md5: m9\n"
    "Description-en: not listed\n"
    " Text.\n";

}  // namespace

TEST_CASE("Debian documents: a package list") {
    const ReadResult result = read_text(kPackages, "");
    CHECK(flat(result) ==
          Texts{"abc|name=abc|source=abc-src (1.0)|version=1.0-1|maintainer=J. Ren\u00E9 "
                "<j@example.org>|title=does things|tag=role::program|tag=works-with::text|"
                "tag=works-with::mail|tag=use::searching|section=utils",
                "lib|name=lib|version=2|title=a library|section=libs"});
    CHECK(result.documents[1].where.to_string() == "input:15");
}

TEST_CASE("Debian documents: long descriptions keep their paragraphs") {
    CHECK(flat(read_text(kTranslation, "")) ==
          Texts{"abc|name=abc|title=does things well|text=It does them.\n\n * one",
                "abc|name=abc|title=an older one|text=Old text.",
                "other|name=other|title=not listed|text=Text."});
    CHECK(flat(read_text("Package: a\nDescription:\n only long\n", "debian")) ==
          Texts{"a|name=a|text=only long"});
}

TEST_CASE("Debian documents: paragraphs end at blank lines, comments are none") {
    CHECK(flat(read_text("\n\n# c\nPackage: a\r\n# c\nX-Y: 1\r\n\t2\r\n \t \n\n\nPackage: b\n\n",
                         "debian")) == Texts{"a|name=a|x-y=1\n2", "b|name=b"});
}

TEST_CASE("Debian documents: a first line of another kind is an error, a later one is skipped") {
    CHECK_THROWS_WITH(read_text("hello\n", "debian"),
                      "input:1: not a package list: expected 'Name: value', found 'hello'");
    CHECK_THROWS_WITH(read_text(" hello\n", "debian"),
                      Catch::Contains("input:1: not a package list"));
    const ReadResult result =
        read_text("Package: a\n\nPackage: b\nrubbish\nx: 1\n\n c\n", "debian");
    CHECK(flat(result) == Texts{"a|name=a", "b|name=b|x=1"});
    const std::string what = ": line skipped: neither 'Name: value' nor its continuation";
    CHECK(result.warnings == Texts{"input:4" + what, "input:7" + what});
}

TEST_CASE("Debian documents: a paragraph over the limit is skipped") {
    ReaderOptions options;
    options.max_record = 60;
    const ReadResult result = read_text("Package: a\n\nPackage: b\nX: " + std::string(30, 'x') +
                                            "\n " + std::string(30, 'x') + "\n\nPackage: c\n",
                                        "debian", options);
    CHECK(flat(result) == Texts{"a|name=a", "c|name=c"});
    CHECK(result.warnings == Texts{"input:3: record skipped: longer than 60 bytes"});
}

TEST_CASE("Debian documents: tags in any shape") {
    const auto tags = [](const std::string& value) {
        const ReadResult result = read_text("Package: a\nTag: " + value + "\n", "debian");
        return result.documents[0].text_of("tag");
    };
    check_texts(tags, {{"a::b", "a::b"},
                       {"a::{b, c}, d", "a::b\na::c\nd"},
                       {",a,,b,", "a\nb"},
                       {"a::{b,c", "a::{b,c"},
                       {"a::}b, {}, c", "a::}b\nc"}});
}

TEST_CASE("Debian join: descriptions from the translation, all else from the list") {
    const TemporaryFolder folder;
    write_file(folder / "Packages", kPackages);
    write_file(folder / "Translation-en", kTranslation);
    const Texts expected{
        "abc|name=abc|title=does things well|text=It does them.\n\n * one|source=abc-src "
        "(1.0)|version=1.0-1|maintainer=J. Ren\u00E9 <j@example.org>|tag=role::program|"
        "tag=works-with::text|tag=works-with::mail|tag=use::searching|section=utils",
        "other|name=other|title=not listed|text=Text.",
        "lib|name=lib|version=2|title=a library|section=libs"};
    const ReadResult result =
        read_paths({folder / "Packages", folder / "Translation-en"}, "debian");
    CHECK(flat(result) == expected);
    CHECK(result.warnings.empty());
    CHECK(result.documents[0].where.to_string() == (folder / "Translation-en").string() + ":1");
    CHECK(result.documents[2].where.to_string() == (folder / "Packages").string() + ":15");
    // In any order, and guessed.
    CHECK(flat(read_paths({folder / "Translation-en", folder / "Packages"}, "")) == expected);
}

TEST_CASE("Debian join: several lists, of which the last one wins, and several translations") {
    const TemporaryFolder folder;
    write_file(folder / "a",
               "Package: p\nVersion: 1\nDescription-md5: m\n\n"
               "Package: p\nVersion: 2\nDescription-md5: n\n");
    write_file(folder / "b",
               "Package: p\nVersion: 3\nDescription-md5: m\n\nPackage: q\nVersion: 1\n");
    write_file(folder / "c",
               "Package: p\nDescription-md5: n\nDescription-en: s\n\n"
               "Package: q\nDescription-md5: x\nDescription-en: t\n");
    write_file(folder / "d", "Package: p\nDescription-md5: m\nDescription-de: u\n");
    CHECK(flat(read_paths({folder / "a", folder / "b", folder / "c", folder / "d"}, "")) ==
          Texts{"p|name=p|title=s|version=2", "q|name=q|title=t|version=1",
                "p|name=p|title=u|version=3"});
}

TEST_CASE("Debian join: lists alone, and translations alone, are read one after the other") {
    const TemporaryFolder folder;
    write_file(folder / "a", "Package: p\nVersion: 1\n");
    write_file(folder / "b", "Package: p\nVersion: 1\n");
    CHECK(flat(read_paths({folder / "a", folder / "b"}, "")) ==
          Texts{"p|name=p|version=1", "p|name=p|version=1"});
}
