// SPDX-License-Identifier: GPL-2.0-or-later
// Every rule on a small project in which it is broken, and on what only looks as if it were.
#include "braid/tests/architecture/build_lists.h"
#include "braid/tests/architecture/code_scanner.h"
#include "braid/tests/architecture/rules.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

using namespace braid::architecture;
using namespace braid::test;

namespace {

const std::string kLicence = "// SPDX-License-Identifier: GPL-2.0-or-later\n";

SourceTree tree_of(const std::string& path, const std::string& text) {
    SourceTree tree;
    tree.add(path, text);
    return tree;
}

std::string joined(const Violations& violations) {
    std::string result;
    for (const Violation& violation : violations) result += violation.to_string() + "\n";
    return result;
}

// What a rule says of one line of code in a library.
template <typename Rule>
std::string verdict(const Rule& rule, const std::string& code) {
    return joined(rule(tree_of("core/x.cpp", code)));
}

bool is_global(const std::string& code) { return !verdict(check_globals, code).empty(); }
bool has_effect(const std::string& code) { return !verdict(check_side_effects, code).empty(); }

// Paths and what stands in them.
using Places = std::initializer_list<std::pair<std::string, std::string>>;

template <typename Verdict>
void check_broken(const Verdict& verdict_on, Places places) {
    for (const auto& [path, target] : places) {
        INFO(path << ", " << target);
        CHECK(verdict_on(path, target) != "");
    }
}

template <typename Verdict>
void check_kept(const Verdict& verdict_on, Places places) {
    for (const auto& [path, target] : places) {
        INFO(path << ", " << target);
        CHECK(verdict_on(path, target) == "");
    }
}

}  // namespace

TEST_CASE("Planted violations: a source file with another header before its own") {
    const auto verdict_on = [](const std::string& code) {
        SourceTree tree = tree_of("core/x.cpp", code);
        tree.add("core/x.h", "#pragma once\n");
        return joined(check_own_header_first(tree));
    };
    CHECK(verdict_on("#include <string>\n#include \"braid/core/x.h\"\n") ==
          "core/x.cpp:1: includes string first, expected its own header braid/core/x.h, which "
          "shows that it needs nothing before it\n");
    CHECK(verdict_on("int x;\n") != "");
    CHECK(verdict_on("#include \"braid/core/x.h\"\n\n#include <string>\n") == "");
    const auto public_verdict = [](const std::string& code) {
        SourceTree tree = tree_of("core/eval/run.cpp", code);
        tree.add("include/braid/run.h", "#pragma once\n");
        return joined(check_own_header_first(tree));
    };
    CHECK(public_verdict("#include \"braid/run.h\"\n") == "");
    CHECK(public_verdict("#include <string>\n") != "");
}

TEST_CASE("Planted violations: an include against the layers") {
    const auto verdict_on = [](const std::string& path, const std::string& target) {
        return joined(check_includes(tree_of(path, "#include \"braid/" + target + "\"\n")));
    };
    CHECK(verdict_on("core/base/x.h", "plugin/search/searcher.h") ==
          "core/base/x.h:1: core includes braid/plugin/search/searcher.h, against "
          "docs/architecture.md\n");
    CHECK(verdict_on("core/lexical/x.cpp", "core/model/y.h") ==
          "core/lexical/x.cpp:1: core/lexical includes braid/core/model/y.h, against "
          "docs/architecture.md\n");
    CHECK(verdict_on("core/x.h", "core/base/y.h") ==
          "core/x.h:1: is in none of the folders of core\n");
    check_broken(verdict_on, {// Another library's header.
                              {"config/x.cpp", "indexer/formats/input.h"},
                              {"indexer/formats/x.cpp", "indexer/documents/indexer.h"},
                              {"indexer/formats/x.cpp", "plugin/store/keys.h"},
                              {"plugin/store/x.cpp", "plugin/search/searcher.h"},
                              {"plugin/search/x.cpp", "plugin/training/pool.h"},
                              {"plugin/search/x.cpp", "config/settings_yaml.h"},
                              {"indexer/topics/x.cpp", "plugin/search/searcher.h"},
                              {"core/base/x.cpp", "tests/support/support.h"},
                              // A higher layer of the same library.
                              {"core/topics/linalg/x.cpp", "core/topics/y.h"},
                              {"core/learn/x.h", "core/learn/methods/y.h"},
                              {"core/learn/methods/x.h", "core/learn/job/y.h"},
                              {"plugin/sources/x.h", "plugin/ranking/y.h"},
                              {"indexer/topics/x.h", "indexer/documents/y.h"},
                              {"cli/report/x.h", "cli/commands/y.h"},
                              // A folder that is no layer.
                              {"plugin/new/x.h", "core/base/y.h"},
                              {"core/learn/job/x.cpp", "core/new/y.h"}});
    check_kept(verdict_on, {{"plugin/training/x.cpp", "plugin/search/searcher.h"},
                            {"indexer/topics/x.cpp", "plugin/store/keys.h"},
                            {"cli/commands/x.cpp", "config/settings_yaml.h"},
                            {"tests/core/x.cpp", "plugin/search/searcher.h"},
                            {"core/model/x.cpp", "core/lexical/y.h"},
                            {"core/topics/x.cpp", "core/topics/linalg/y.h"},
                            {"core/learn/job/x.cpp", "core/learn/job/y.h"}});
}

TEST_CASE("Planted violations: an include that is not from the top") {
    CHECK(joined(check_includes(tree_of("tests/x.cpp", "\n  #  include \"y.h\"\n"))) ==
          "tests/x.cpp:2: includes \"y.h\", expected \"braid/...\", or <...> for another library's "
          "header\n");
    CHECK(check_includes(tree_of("tests/x.cpp",
                                 "#include <vector>\n// #include \"y.h\"\n"
                                 "const char* s = \"\\n#include \\\"y.h\\\"\";"))
              .empty());
}

TEST_CASE("Planted violations: another library where it has no business") {
    const auto verdict_on = [](const std::string& path, const std::string& header) {
        return joined(check_foreign_includes(tree_of(path, "#include <" + header + ">\n")));
    };
    CHECK(verdict_on("plugin/search/searcher.h", "Eigen/Dense") ==
          "plugin/search/searcher.h:1: plugin has no business with Eigen\n");
    CHECK(verdict_on("core/model/x.h", "Eigen/Core") ==
          "core/model/x.h:1: a header for applications asks for Eigen\n");
    check_broken(verdict_on,
                 {{"core/settings/x.h", "Eigen/Core"}, {"core/lexical/x.h", "Eigen/Core"}});
    check_kept(verdict_on, {{"core/model/x.cpp", "Eigen/Core"}, {"core/topics/x.h", "Eigen/Core"}});
    check_broken(verdict_on, {{"core/x.cpp", "yaml-cpp/yaml.h"}, {"cli/x.cpp", "yaml-cpp/yaml.h"}});
    CHECK(verdict_on("config/x.cpp", "yaml-cpp/yaml.h") == "");
    for (const char* folder : {"core", "config", "indexer/formats"}) {
        CHECK(verdict_on(std::string(folder) + "/x.cpp", "xapian.h") != "");
    }
    check_kept(verdict_on, {{"indexer/x.cpp", "xapian.h"}, {"plugin/store/x.h", "xapian.h"}});
    check_broken(verdict_on, {{"indexer/x.cpp", "CLI/CLI.hpp"}, {"core/x.h", "catch2/catch.hpp"}});
    CHECK(verdict_on("tests/core/x.cpp", "xapian.h") == "");
}

TEST_CASE("Planted violations: a header of Catch2 beside the wrapper") {
    const auto verdict_on = [](const std::string& path, const std::string& header) {
        return joined(check_catch_includes(tree_of(path, "#include " + header + "\n")));
    };
    CHECK(verdict_on("tests/core/x_test.cpp", "<catch2/catch.hpp>") ==
          "tests/core/x_test.cpp:1: includes <catch2/catch.hpp>, expected "
          "\"braid/tests/support/catch.h\"\n");
    CHECK(verdict_on("tests/support/x.h", "<catch2/catch_test_macros.hpp>") != "");
    check_kept(verdict_on, {{"tests/support/catch.h", "<catch2/catch.hpp>"},
                            {"tests/core/x_test.cpp", "\"braid/tests/support/catch.h\""}});
}

TEST_CASE("Planted violations: a public header that asks for what its reader may not have") {
    SourceTree tree;
    tree.add("config/CMakeLists.txt",
             "braid_library(config\n  SOURCES x.cpp  # not y.h\n  HEADERS config.h\n"
             "  PUBLIC braid::core\n  PRIVATE z.h)\n");
    tree.add("include/braid/config.h",
             "#include <yaml-cpp/yaml.h>\n#include \"braid/config/y.h\"\n");
    tree.add("config/y.h", "#include <yaml-cpp/yaml.h>\n");
    tree.add("config/x.cpp", "#include \"braid/config/y.h\"\n");
    CHECK(read_build_lists(tree).headers == std::set<std::string>{"include/braid/config.h"});
    CHECK(joined(check_foreign_includes(tree)) ==
          "include/braid/config.h:1: a header for applications asks for yaml-cpp\n");
    CHECK(joined(check_includes(tree)) ==
          "include/braid/config.h:2: is public and includes braid/config/y.h, which is not\n");
    CHECK(joined(check_installed_headers(tree)) == "");
}

TEST_CASE("Planted violations: public headers of higher layers, and of none") {
    const auto verdict_on = [](const std::string& path, const std::string& target) {
        return joined(check_includes(tree_of(path, "#include \"braid/" + target + "\"\n")));
    };
    check_kept(verdict_on, {{"core/base/x.cpp", "error.h"},
                            {"plugin/search/x.cpp", "model.h"},
                            {"include/braid/model.h", "error.h"}});
    CHECK(verdict_on("core/lexical/x.cpp", "model.h") ==
          "core/lexical/x.cpp:1: core/lexical includes braid/core/pool/model.h, against "
          "docs/architecture.md\n");
    check_broken(verdict_on,
                 {{"plugin/search/x.cpp", "config.h"}, {"include/braid/model.h", "searcher.h"}});
    CHECK(verdict_on("include/braid/x.h", "error.h") ==
          "include/braid/x.h: is in no row of public_headers()\n");
    // The Python module is a user's program.
    check_kept(verdict_on, {{"python/x.cpp", "searcher.h"}, {"python/x.cpp", "train.h"}});
    CHECK(verdict_on("python/x.cpp", "adopt.h") != "");
    CHECK(verdict_on("python/x.cpp", "plugin/search/y.h") ==
          "python/x.cpp:1: is built on what is installed and includes braid/plugin/search/y.h, "
          "which is not public\n");
}

TEST_CASE("Planted violations: too many public headers, too long ones, and lists that lie") {
    SourceTree tree;
    std::string names;
    for (int i = 0; i < 26; ++i) {
        const std::string name = "h" + std::to_string(i) + ".h";
        names += " " + name;
        tree.add("include/braid/" + name, repeated("//\n", 154));
    }
    tree.add("core/CMakeLists.txt", "braid_library(core HEADERS" + names + ")\n");
    CHECK(joined(check_installed_headers(tree)) ==
          "include/braid: 26 public headers, expected at most 25\n"
          "include/braid: 4004 lines of public headers, expected at most 4000\n");
    SourceTree other = tree_of("include/braid/x.h", "");
    other.add("core/CMakeLists.txt", "braid_library(core HEADERS y.h)\n");
    CHECK(joined(check_installed_headers(other)) ==
          "include/braid/x.h: is public, but in no HEADERS\n"
          "include/braid/y.h: is in HEADERS, but not there\n");
}

TEST_CASE("Planted violations: printing past cli/output/output.cpp") {
    const auto verdict_on = [](const std::string& path) {
        return joined(check_printing(tree_of(path, "void f() { fmt::print(\"x\"); }")));
    };
    CHECK(verdict_on("cli/x.cpp") ==
          "cli/x.cpp:1: uses fmt::print; only cli/output/output.cpp prints\n");
    CHECK(verdict_on("cli/report/x.h") != "");
    CHECK(verdict_on("cli/output/output.cpp") == "");
    CHECK(verdict_on("tests/x.cpp") == "");
}

TEST_CASE("Planted violations: a second file that walks queries") {
    const auto verdict_on = [](const std::string& path) {
        return joined(check_query_walks(tree_of(path, "Query q = query.get_subquery(0);")));
    };
    CHECK(verdict_on("plugin/x.cpp") ==
          "plugin/x.cpp:1: uses get_subquery; only plugin/query/query_tree.cpp walks queries\n");
    CHECK(verdict_on("plugin/query/query_tree.cpp") == "");
}

TEST_CASE("Planted violations: printing, exiting, reading the environment") {
    CHECK(joined(check_side_effects(tree_of("core/x.cpp", "void f() {\n  std::cout << 1;\n}"))) ==
          "core/x.cpp:2: uses std::cout; only cli prints, exits or reads the environment\n");
    for (const char* code : {"std::cerr << 1;",
                             "std :: clog << 1;",
                             "printf(\"x\");",
                             "std::printf(\"x\");",
                             "fprintf(stderr, \"x\");",
                             "::puts(\"x\");",
                             "fputs(\"x\", stdout);",
                             "fmt::print(\"x\");",
                             "std::perror(\"x\");",
                             "exit(1);",
                             "std::exit(1);",
                             "if (x) abort();",
                             "_exit(0);",
                             "std::quick_exit(1);",
                             "std::_Exit(1);",
                             "std::terminate();",
                             "auto* p = getenv(\"A\");",
                             "std::getenv(\"A\");",
                             "extern char** environ;",
                             "setenv(\"A\", \"\", 1);"}) {
        INFO(code);
        CHECK(has_effect(code));
    }
    for (const char* code :
         {"snprintf(b, n, \"x\");", "parser.exit(1);", "app->exit(1);", "on_exit(f);",
          "// std::cout << 1;", "/* abort(); */", "const char* s = \"printf(\";",
          "auto s = R\"(std::cerr)\";", "int exit_code = 1;", "fmt::format(\"x\");",
          "bool aborted(); ", "void terminate_early();", "char c = '\"'; int n = 1'000;"}) {
        INFO(code);
        CHECK_FALSE(has_effect(code));
    }
    for (const char* path : {"cli/x.cpp", "tests/x.cpp", "bench/x.cpp", "examples/x.cpp"}) {
        CHECK(check_side_effects(tree_of(path, "void f() { std::cout << 1; }")).empty());
    }
    for (const char* path : {"config/x.h", "plugin/store/x.cpp", "indexer/formats/x.cpp"}) {
        CHECK(check_side_effects(tree_of(path, "void f() { std::cout << 1; }")).size() == 1);
    }
}

TEST_CASE("Planted violations: variables that outlive calls and can change") {
    for (const char* code : {"int counter = 0;",
                             "int counter;",
                             "static int counter = 0;",
                             "std::string name;",
                             "namespace braid { namespace { std::vector<int> cache; } }",
                             "extern int counter;",
                             "inline int counter{0};",
                             "const char* name = \"x\";",
                             "constinit int counter = 0;",
                             "std::function<void(int)> hook;",
                             "std::map<std::string, int> names = {{\"a\", 1}};",
                             "struct { int x; } state;",
                             "template <typename T> int value = 0;",
                             "thread_local int depth = 0;",
                             "std::atomic<int> uses{0};",
                             "int table[3] = {1, 2, 3};",
                             "void f() { static int calls = 0; ++calls; }",
                             "int f() { static std::map<int, int> memo; return memo[1]; }",
                             "void f() { if (x) { for (;;) { static bool done; } } }",
                             "void f() { thread_local std::string buffer; }",
                             "auto g = [] { return 1; }();",
                             "void f() { auto l = [] { static int n = 0; return ++n; }; }",
                             "class A { static int count; };",
                             "struct A { inline static int count = 0; };",
                             "class A { public: static std::string name; };",
                             "struct A { int f() const { static int n; return n; } };",
                             "A::A() : x_{1}, y_(2) { static int n; }",
                             "static const char* names[] = {\"a\"};"}) {
        INFO(code);
        CHECK(is_global(code));
    }
    for (const char* code :
         {"const int kLimit = 3;",
          "constexpr const char* kName = \"x\";",
          "const char* const kName = \"x\";",
          "inline constexpr std::size_t kSize = 4;",
          "static const std::vector<int*> kPointers;",
          "constexpr std::array<int, 2> kPair = {1, 2};",
          "int f();",
          "int f(int x = 3);",
          "static int f(const std::vector<int>& x);",
          "int f(std::function<void(int)> g = nullptr);",
          "bool operator<(const A& a, const A& b);",
          "class A;",
          "struct A { int x = 0; mutable int cache; static int f(); };",
          "enum class E { kA, kB };",
          "enum E : unsigned { kA = 1 };",
          "using A = std::vector<int>;",
          "typedef int A;",
          "template <typename T> class A;",
          "static_assert(sizeof(int) == 4);",
          "template <typename T> concept C = requires(T x) { x.f(); };",
          "friend class A;",
          "namespace a = b;",
          "extern \"C\" { int f(); }",
          "void f() { int x = 0; std::string s; }",
          "void f() { static const std::regex pattern(\"x\"); }",
          "const R& f() { static const R r = [] { return R({a(), b()}); }(); return r; }",
          "void f() { static constexpr int kSize = 3; int y = static_cast<int>(kSize); }",
          "class A { static constexpr int kSize = 3; static const std::string kName; };",
          "A::A(int x) : Base(x), x_{x}, y_{x, 2} { y_ = 3; }",
          "auto A::f() const -> std::vector<int> { int n = 0; return {n}; }",
          "struct BRAID_API A final : public B<int(int)> { int x; };",
          "#define X int y;\nint f();",
          "#define X \\\n  int y;\nint f();",
          "template <> const int A<int>::kX = 3;",
          "[[noreturn]] void f();",
          "BRAID_API void f();",
          "A operator+(const A& a, int x) { int n = 0; return a; }",
          "A make() { return A{1}; }",
          "void f() { g({1, 2}, [&](int x) { int y = x; return y; }); }",
          "void f() { switch (x) { case 1: { int y; break; } default: break; } }"}) {
        INFO(code << "\n" << verdict(check_globals, code));
        CHECK_FALSE(is_global(code));
    }
    CHECK(check_globals(tree_of("cli/x.cpp", "int signal_seen = 0;")).empty());
    for (const char* path : {"plugin/query/x.cpp", "cli/x.cpp"}) {
        CHECK(joined(check_globals(tree_of(path, "\nauto f() { return Query::MatchAll; }"))) ==
              std::string(path) +
                  ":2: uses Query::MatchAll, which all threads share; expected a query of its "
                  "own, Query(std::string()) or Query()\n");
    }
    CHECK(check_globals(tree_of("plugin/x.cpp", "auto f() { return Query(std::string()); }"))
              .empty());
    CHECK(verdict(check_globals, "\n\nnamespace a {\nint x;\n}\n") ==
          "core/x.cpp:4: declares a variable that outlives calls and can change\n");
}

TEST_CASE("Planted violations: files and functions that are too long") {
    const auto lines = [](std::size_t count) { return repeated("\n", count); };
    CHECK(check_lengths(tree_of("core/x.h", lines(200)), {}).empty());
    CHECK(joined(check_lengths(tree_of("core/x.h", lines(201)), {})) ==
          "core/x.h: has 201 lines, expected at most 200\n");
    CHECK(check_lengths(tree_of("core/x.cpp", lines(600)), {}).empty());
    CHECK(check_lengths(tree_of("tests/x.cpp", lines(601)), {}).size() == 1);

    CHECK(check_lengths(tree_of("core/x.cpp", "void f() {" + lines(59) + "}"), {}).empty());
    CHECK(joined(check_lengths(tree_of("core/x.cpp", "\nvoid f() {" + lines(60) + "}"), {})) ==
          "core/x.cpp:2: a function of 61 lines, expected at most 60\n");
    CHECK(check_lengths(tree_of("core/x.h", "class A {" + lines(70) + "};"), {}).empty());
    CHECK(check_lengths(tree_of("core/x.h", "class A { int f() const {" + lines(70) + "} };"), {})
              .size() == 1);
    CHECK(check_lengths(tree_of("core/x.cpp", "const int kTable[] = {" + lines(70) + "};"), {})
              .empty());
}

TEST_CASE("Planted violations: an excuse for a length that is wrong itself") {
    const SourceTree tree = tree_of("core/x.h", repeated("\n", 201));
    CHECK(check_lengths(tree, {{"core/x.h", "a table"}}).empty());
    CHECK(joined(check_lengths(tree, {{"core/x.h", ""}})) ==
          "core/x.h: is excused without a reason\n");
    CHECK(joined(check_lengths(tree_of("core/x.h", "\n"), {{"core/x.h", "a table"}})) ==
          "core/x.h: is excused from the limits, but keeps them\n");
    CHECK(joined(check_lengths(tree_of("core/x.h", "\n"), {{"core/y.h", "a table"}})) ==
          "core/y.h: is excused from the limits, but isn't there\n");
}

TEST_CASE("Planted violations: a source without its head, or that nothing builds") {
    CHECK(check_file_heads(tree_of("core/x.h", kLicence + "#pragma once\n")).empty());
    CHECK(joined(check_file_heads(tree_of("core/x.h", kLicence))) ==
          "core/x.h: is a header without #pragma once\n");
    CHECK(joined(check_file_heads(tree_of("core/x.cpp", "\n" + kLicence))) ==
          "core/x.cpp:1: doesn't begin with its licence\n");

    SourceTree tree;
    tree.add("core/CMakeLists.txt", "braid_library(core SOURCES a.cpp lexical/b.cpp)  # c.cpp\n");
    tree.add("bench/CMakeLists.txt", "braid_bench(speed SOURCES speed/main.cpp)\n");
    tree.add("examples/CMakeLists.txt", "function(braid_example name)\nbraid_example(search)\n");
    tree.add("tests/fuzz/CMakeLists.txt", "braid_fuzzer(settings settings_fuzzer.cpp)\n");
    for (const char* path : {"core/a.cpp", "core/lexical/b.cpp", "core/d.h", "bench/speed/main.cpp",
                             "examples/search.cpp", "tests/fuzz/settings_fuzzer.cpp"}) {
        tree.add(path, "");
    }
    CHECK(joined(check_build_lists(tree)) == "");
    tree.add("core/c.cpp", "");
    tree.add("core/lexical/a.cpp", "");
    CHECK(joined(check_build_lists(tree)) ==
          "core/c.cpp: is in no CMakeLists.txt\n"
          "core/lexical/a.cpp: is in no CMakeLists.txt\n");
}

TEST_CASE("Planted violations: bytes that no fuzz target reads") {
    SourceTree tree;
    tree.add("tests/fuzz/CMakeLists.txt", "foreach(class FusedWeight OldSource)\n");
    tree.add("tests/fuzz/stored_values_fuzzer.cpp", "{{\"BrAA\", 2, 1}, {\"BrBB\", 1, 1}}");
    tree.add("plugin/a.cpp",
             "registry.register_weighting_scheme(FusedWeight(reader));\n"
             "f{.magic = \"BrAA\", .version = 2}, g{.magic = \"BrAA\", .version = 1}");
    CHECK(check_fuzz_targets(tree).empty());
    tree.add("plugin/b.cpp", "\nregistry.register_posting_source(NewSource());\n");
    tree.add("core/c.cpp", "kFormat{\n    .magic = \"BrBB\",\n .version = 2, .kind = \"\"};\n");
    CHECK(joined(check_fuzz_targets(tree)) ==
          "plugin/b.cpp:2: registers NewSource, which has no fuzz target\n"
          "core/c.cpp:2: stores \"BrBB\", 2, which no fuzz target reads\n");
}

TEST_CASE("Planted violations: punctuation that no keyboard has") {
    CHECK(joined(check_punctuation(tree_of("docs/x.md", "a\nb \xE2\x80\x94 c\n"))) ==
          "docs/x.md:2: has '\xE2\x80\x94', expected a comma or a colon\n");
    CHECK(check_punctuation(tree_of("core/x.h", "// it\xE2\x80\x99s\n")).size() == 1);
    CHECK(check_punctuation(tree_of("docs/x.md", "a - b, \"c\", na\xC3\xAFve, a \xE2\x89\xA4 b\n"))
              .empty());
}

TEST_CASE("Planted violations: links that lead nowhere") {
    SourceTree tree;
    tree.add("README.md", "# Top\n\n## Two words, `code` & more\n");
    tree.add("docs/formats.md", "# Formats\n");
    const auto verdict_on = [&](const std::string& text) {
        SourceTree with_page = tree;
        with_page.add("docs/guide/x.md", "# Here\n" + text + "\n");
        return joined(check_links(with_page));
    };
    check_texts(verdict_on, {{"see [a](../formats.md), [b](../../README.md) and [c](..)", ""},
                             {"[a](../formats.md#formats) [b](#here) [c](y \"title\")",
                              "docs/guide/x.md:2: links to y, which isn't there\n"},
                             {"\n[a](../missing.md)",
                              "docs/guide/x.md:3: links to ../missing.md, which isn't there\n"}});
    CHECK(verdict_on("![picture](p.png)") != "");
    check_texts(
        verdict_on,
        {{"[a](../formats.md#bytes)",
          "docs/guide/x.md:2: links to ../formats.md#bytes, a heading that isn't there\n"},
         {"[a](../../README.md#two-words-code--more)", ""},
         {"[a]: ../missing.md", "docs/guide/x.md:2: links to ../missing.md, which isn't there\n"},
         {"[a](https://example.org/x) [b](mailto:a@b.c)", ""},
         {"`[a](missing.md)`\n```\n[a](missing.md)\n```\n", ""}});
}

TEST_CASE("Code scanner: comments and literals are blanked in place") {
    CHECK(without_comments("a // b\nc /* d\ne */ f", true) == "a     \nc     \n     f");
    CHECK(without_comments("f(\"a // b\", '\"'); // c", true) == "f(\"      \", ' ');     ");
    CHECK(without_comments("f(\"a\\\"b\"); // c", false) == "f(\"a\\\"b\");     ");
    CHECK(without_comments("R\"x(a \" // )\" b)x\" c", true) == "R\"               \" c");
    CHECK(without_comments("1'000 // x", true) == "1'000     ");
}
