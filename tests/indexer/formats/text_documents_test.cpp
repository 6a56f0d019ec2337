// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "braid/tests/indexer/formats/read_documents.h"

using namespace braid;
using namespace braid::test;
namespace fs = std::filesystem;

namespace {

Texts ids(const ReadResult& result) {
    Texts all;
    for (const braid::SourceDocument& document : result.documents) all.push_back(document.id);
    return all;
}

}  // namespace

TEST_CASE("Text documents: the first line is the title, the rest the text") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.txt", "\r\n  A title \r\n\r\nSome\r\ntext\r\n");
    CHECK(flat(read_paths({path}, "")) == Texts{path + "|title=A title|text=Some\ntext"});
    write_file(path, "## A title\n# text\n");
    CHECK(flat(read_paths({path}, "")) == Texts{path + "|title=A title|text=# text"});
    for (const char* kept : {"#!/bin/sh", "#", "####### x", "#x"}) {
        write_file(path, kept);
        CHECK(flat(read_paths({path}, "")) == Texts{path + "|title=" + kept});
    }
    write_file(path, "only");
    CHECK(flat(read_paths({path}, "text")) == Texts{path + "|title=only"});
    const std::string paragraph(201, 'x');
    write_file(path, paragraph + "\ny");
    CHECK(flat(read_paths({path}, "text")) ==
          Texts{path + "|title=a.txt|text=" + paragraph + "\ny"});
    write_file(path, "");
    CHECK(flat(read_paths({path}, "text")) == Texts{path + "|title=a.txt"});
}

TEST_CASE("Text documents: text from memory or a pipe has its name or none") {
    CHECK(flat(read_text("t\nx", "text")) == Texts{"input|title=t|text=x"});
    std::vector<braid::SourceDocument> documents(1);
    CHECK(braid::open_documents(braid::Input::from_memory("t\nx", "-"), "text", {})
              ->next(documents[0]));
    CHECK(flat(documents[0]) == "|title=t|text=x");
}

TEST_CASE("Text documents: a file over the limit is skipped") {
    ReaderOptions options;
    options.max_record = 1000;
    const TemporaryFolder folder;
    write_file(folder / "a", std::string(1000, 'x'));
    write_file(folder / "b", std::string(1001, 'x'));
    const ReadResult result = read_paths({folder.path()}, "text", options);
    CHECK(ids(result) == Texts{"a"});
    CHECK(result.warnings ==
          Texts{(folder / "b").string() + ": record skipped: longer than 1000 bytes"});
}

TEST_CASE("Folders: every file is a document, in the order of the paths' bytes") {
    const TemporaryFolder folder;
    fs::create_directories(folder / "a/deep/er");
    fs::create_directories(folder / ".hidden");
    for (const char* name : {"a/z", "a/deep/er/x", "a/b", "a-b", "a.txt", "B", "b", "\u00E9",
                             ".dot", ".hidden/x", "a/.dot"}) {
        write_file(folder / name, "title\ntext");
    }
    const Texts expected{"B", "a-b", "a.txt", "a/b", "a/deep/er/x", "a/z", "b", "\u00E9"};
    for (const std::string& path : {folder.path().string(), folder.path().string() + "//"}) {
        const ReadResult result = read_paths({path}, "");
        CHECK(ids(result) == expected);
        CHECK(result.warnings.empty());
        CHECK(result.documents[0].where.to_string() == folder.path().string() + "/B:1");
    }
}

TEST_CASE("Folders: links are followed out of the folder, and loops end") {
    const TemporaryFolder folder;
    const TemporaryFolder elsewhere;
    fs::create_directories(folder / "b");
    write_file(folder / "b/x", "x");
    write_file(elsewhere / "y", "y");
    fs::create_symlink("../b", folder / "b/self");
    fs::create_symlink("b", folder / "a");  // Before what it leads to.
    fs::create_symlink(folder.path(), folder / "top");
    fs::create_symlink("x", folder / "b/link");
    fs::create_symlink(elsewhere.path(), folder / "c");
    fs::create_symlink(elsewhere.path(), folder / "d");
    fs::create_symlink(elsewhere.path(), elsewhere / "again");
    fs::create_symlink("nowhere", folder / "broken");
    const ReadResult result = read_paths({folder.path()}, "text");
    CHECK(ids(result) == Texts{"b/link", "b/x", "c/y"});
    const std::string twice = ": folder skipped: it was read already, by another path";
    CHECK(result.warnings == Texts{(folder / "broken").string() +
                                       ": file skipped: can't be read (No such file or directory)",
                                   (folder / "c/again/").string() + twice,
                                   (folder / "d/").string() + twice});
    // A folder that is itself named by a link is entered.
    fs::create_symlink(folder.path(), elsewhere / "to");
    fs::remove(folder / "broken");
    fs::remove(folder / "c");
    fs::remove(folder / "d");
    CHECK(ids(read_paths({elsewhere / "to"}, "text")) == Texts{"b/link", "b/x"});
}

TEST_CASE("Folders: what is no text is skipped, with a warning") {
    const TemporaryFolder folder;
    write_file(folder / "a", "text");
    write_file(folder / "binary", std::string("\x7F"
                                              "ELF\0\0",
                                              6));
    write_file(folder / "late", std::string(100000, 'x') + '\0');
    write_file(folder / "packed", std::string("\xFD\x37zXZ\0", 6));
    write_file(folder / "utf16", std::string("\xFF\xFEh\0", 4));
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const ReadResult result = read_paths({folder.path()}, "text");
    CHECK(ids(result) == Texts{"a"});
    REQUIRE(result.warnings.size() == 5);
    CHECK_THAT(result.warnings[0],
               Catch::EndsWith("pipe: file skipped: neither a file nor a folder"));
    CHECK_THAT(result.warnings[1],
               Catch::EndsWith("binary: file skipped (is binary (byte 5 is NUL); expected text)"));
    CHECK_THAT(result.warnings[2], Catch::EndsWith("late: file skipped: binary"));
    CHECK_THAT(result.warnings[3], Catch::Contains("packed: file skipped (is xz-compressed;"));
    CHECK_THAT(result.warnings[4], Catch::Contains("utf16: file skipped (is UTF-16 text;"));
}

TEST_CASE("Folders: what may not be read is skipped, with a warning") {
    if (geteuid() == 0) {
        WARN("SKIPPED: root may read everything");
        return;
    }
    const TemporaryFolder folder;
    write_file(folder / "a", "text");
    write_file(folder / "b", "text");
    fs::create_directory(folder / "c");
    fs::permissions(folder / "b", fs::perms::none);
    fs::permissions(folder / "c", fs::perms::none);
    const ReadResult result = read_paths({folder.path()}, "text");
    fs::permissions(folder / "c", fs::perms::owner_all);
    CHECK(ids(result) == Texts{"a"});
    CHECK(result.warnings.size() == 2);
}

TEST_CASE("Folders: an empty one has no documents") {
    const TemporaryFolder folder;
    const ReadResult result = read_paths({folder.path()}, "");
    CHECK(result.documents.empty());
    CHECK(result.warnings == Texts{folder.path().string() + ": no documents found"});
}

TEST_CASE("Folders: of records, every file is read in their format") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "disk1");
    write_file(folder / "disk1/a", "<DOC><DOCNO>1</DOCNO></DOC><DOC><DOCNO>2</DOCNO></DOC>");
    write_file(folder / "disk1/b", "<DOC><DOCNO>3</DOCNO></DOC>");
    CHECK(ids(read_paths({folder.path()}, "")) == Texts{"1", "2", "3"});
    // Beside them, TREC's disks have files about the files.
    write_file(folder / "disk1/aa_readme", "All about disk 1.");
    CHECK_THROWS_WITH(read_paths({folder.path()}, ""),
                      Catch::Contains("holds files of several formats (trec, text)"));
    const ReadResult result = read_paths({folder.path()}, "trec");
    CHECK(ids(result) == Texts{"1", "2", "3"});
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Catch::Contains("aa_readme: file skipped (") &&
                                       Catch::Contains("not TREC: no <DOC> found"));
}
