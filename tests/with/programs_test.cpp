// SPDX-License-Identifier: GPL-2.0-or-later
// Programs as Debian has them, over databases that they made themselves: in 50 of 50 searches the
// model ranks, and each page that the program got is Ranking's own. A spy tells query and page.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/ranking.h"
#include "braid/tests/with/with_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr int kSearches = 50;

/// 150 texts whose words follow topics, for a program to index.
struct Texts {
    Texts() {
        fs::create_directories(folder / "texts");
        for (int number = 0; number < 150; ++number) {
            Random random(seed(), static_cast<std::uint64_t>(number));
            const std::uint64_t topics[] = {random.below(5), random.below(5)};
            std::string text = "common";
            for (std::uint64_t i = 8 + random.below(20); i > 0; --i) {
                text += ' ' + word(random.below(12) * 5 + topics[random.below(2)]);
            }
            texts.push_back(text);
            write_file(folder / "texts" / ("t" + std::to_string(number) + ".txt"), text + '\n');
        }
    }

    /// Letters alone, as some programs don't index digits; no two have one stem.
    static std::string word(std::uint64_t number) {
        return std::string("qua") + "bcdfgklmnprt"[number / 5] + 'o' + "bdgkm"[number % 5] + "ur";
    }

    static std::string query(Random& random) {
        std::string words;
        for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
            words += (words.empty() ? "" : " ") + word(random.below(60));
        }
        return words;
    }

    /// Runs a call of a shell below the folder; returns its exit code.
    int shell(const std::string& call) const {
        const std::string line = "cd '" + folder.path().string() + "' && export HOME=\"$PWD\" && " +
                                 environment + " && { " + call + "; } >>output 2>&1";
        return std::system(line.c_str());
    }

    void adopt(const std::string& database, const std::string& id) const {
        REQUIRE(run_braid({"adopt", "--db", database, "--topics", "lsa:5", "--quiet", "--id", id})
                    .code == 0);
        install(database);
    }

    static void install(const std::string& database) {
        Xapian::WritableDatabase writable(database);
        FusionModel model;
        model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 20}};
        store_fusion_model(writable, model);
        writable.commit();
    }

    TemporaryFolder folder;
    std::string log = folder / "log";
    std::string spied = folder / "spied";
    std::string environment = "export BRAID_SPY='" + spied + "'";
    std::vector<std::string> texts;
};

std::string from_hexadecimal(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/// A page that a program got.
struct Page {
    explicit Page(const std::string& line) {
        std::istringstream in(line);
        std::string digits;
        in >> digits >> first >> count;
        query = Xapian::Query::unserialise(from_hexadecimal(digits));
        for (Xapian::docid docid = 0; in >> docid;) docids.push_back(docid);
    }

    Xapian::Query query;
    Xapian::doccount first = 0;
    Xapian::doccount count = 0;
    std::vector<Xapian::docid> docids;
};

std::vector<Page> pages_in(const std::string& file) {
    std::vector<Page> pages;
    if (!fs::exists(file)) return pages;
    for (const std::string& line : lines_of(read_file(file))) {
        const Page page(line);
        if (page.count > 0 && !page.query.empty()) pages.push_back(page);
    }
    return pages;
}

std::vector<Xapian::docid> best(Xapian::Enquire& enquire, const Page& page) {
    const Xapian::MSet found = enquire.get_mset(page.first, page.count);
    return {found.begin(), found.end()};
}

/// `call` with a query's words after it, 50 times; `program` is its process.
void check_acts(const Texts& texts, const std::string& program, const std::string& call,
                const std::string& path, const std::vector<Xapian::Database>& sidecars = {}) {
    const Xapian::Database database(path);
    RankingSetup setup;
    setup.sidecars = sidecars;
    Random random(seed(), 99);
    unsigned otherwise = 0;
    for (int i = 0; i < kSearches; ++i) {
        const std::string words = Texts::query(random);
        INFO(program << ' ' << words);
        fs::remove(texts.log);
        fs::remove(texts.spied);
        CHECK(texts.shell(call + '\'' + words + '\'') == 0);
        const Strings logged = fs::exists(texts.log) ? lines_of(read_file(texts.log)) : Strings();
        REQUIRE(!logged.empty());
        for (const std::string& line : logged) {
            INFO(line);
            CHECK(line.starts_with(program + '['));
            CHECK(line.find("] ranked: ") != std::string::npos);
        }
        const std::vector<Page> pages = pages_in(texts.spied);
        CHECK(pages.size() == logged.size());
        for (const Page& page : pages) {
            INFO(page.query.get_description());
            Xapian::Enquire own(database);
            own.set_query(page.query);
            if (best(own, page) != page.docids) ++otherwise;
            Xapian::Enquire enquire(database);
            Ranking ranking(database, setup);
            ranking.apply(enquire, page.query);
            CHECK(page.docids == best(enquire, page));
        }
    }
    CHECK(otherwise > 10);
}

std::string with_spy(const Texts& texts) {
    return "LD_PRELOAD='" + preload_name(BRAID_WITH_SPY) + "' '" BRAID_COMMAND "' with --log '" +
           texts.log + "' -- ";
}

}  // namespace

TEST_CASE("With: recoll's searches", "[programs]") {
    BRAID_SKIP_WITHOUT_PROGRAM("recollq");
    BRAID_SKIP_WITHOUT_PROGRAM("recollindex");
    const Texts texts;
    fs::create_directories(texts.folder / "conf");
    write_file(texts.folder / "conf/recoll.conf", "topdirs = " + (texts.folder / "texts").string() +
                                                      "\nindexstemminglanguages = english\n");
    REQUIRE(texts.shell("recollindex -c conf") == 0);
    const std::string database = texts.folder / "conf/xapiandb";
    texts.adopt(database, "term:Q");
    check_acts(texts, "recollq", with_spy(texts) + "recollq -c conf -n 10 ", database);
}

TEST_CASE("With: searches of Omega's CGI", "[programs]") {
    BRAID_SKIP_WITHOUT_PROGRAM("omindex");
    const std::string omega = "/usr/lib/cgi-bin/omega/omega";
    if (!fs::exists(omega)) {
        WARN("SKIPPED: " << omega << " is not there");
        return;
    }
    Texts texts;
    REQUIRE(texts.shell("mkdir data && omindex --db data/default --url / texts") == 0);
    texts.adopt(texts.folder / "data/default", "term:U");
    write_file(texts.folder / "omega.conf",
               "database_dir " + (texts.folder / "data").string() +
                   "\ntemplate_dir /usr/share/xapian-omega/templates\nlog_dir " +
                   texts.folder.path().string() + "\ncdb_dir " + texts.folder.path().string() +
                   '\n');
    texts.environment += " OMEGA_CONFIG_FILE=omega.conf";
    check_acts(texts, "omega", with_spy(texts) + omega + " HITSPERPAGE=10 FMT=xml P=",
               texts.folder / "data/default");
}

TEST_CASE("With: Omega under Apache", "[programs]") {
    const std::string omega = "/usr/lib/cgi-bin/omega/omega";
    const std::string modules = "/usr/lib/apache2/modules";
    for (const std::string& needed : {omega, modules + "/mod_cgi.so"}) {
        if (fs::exists(needed)) continue;
        WARN("SKIPPED: " << needed << " is not there");
        return;
    }
    BRAID_SKIP_WITHOUT_PROGRAM("omindex");
    BRAID_SKIP_WITHOUT_PROGRAM("curl");
    Texts texts;
    const std::string folder = texts.folder.path().string();
    REQUIRE(
        texts.shell("mkdir data served && chmod 777 served && omindex --db data/default --url / "
                    "texts") == 0);
    texts.adopt(texts.folder / "data/default", "term:U");
    write_file(texts.folder / "omega.conf",
               "database_dir " + folder +
                   "/data\ntemplate_dir /usr/share/xapian-omega/templates\nlog_dir " + folder +
                   "\ncdb_dir " + folder + '\n');
    // The server's children may be another user's.
    REQUIRE(texts.shell("chmod 755 . && chmod -R a+rX data omega.conf") == 0);
    texts.log = texts.folder / "served/log";
    texts.spied = texts.folder / "served/spied";
    const int port = 20'000 + static_cast<int>(getpid()) % 20'000;
    std::string configuration =
        "ServerRoot " + folder + "\nServerName localhost\nPidFile " + folder +
        "/apache.pid\nErrorLog " + folder + "/error.log\nDefaultRuntimeDir " + folder +
        "\nMutex file:" + folder + " default\nListen 127.0.0.1:" + std::to_string(port) +
        "\nStartServers 1\n";
    if (geteuid() == 0) configuration += "User www-data\nGroup www-data\n";
    for (const std::string name : {"mpm_prefork", "authz_core", "env", "alias", "cgi"}) {
        configuration += "LoadModule " + name + "_module " + modules + "/mod_" + name + ".so\n";
    }
    // The lines of docs/guide/with.md.
    configuration +=
        "ScriptAlias /cgi-bin/omega " + omega + "\nSetEnv OMEGA_CONFIG_FILE " + folder +
        "/omega.conf\nSetEnv BRAID_SPY " + texts.spied + "\nSetEnv BRAID_WITH_LOG " + texts.log +
        "\n<Location \"/cgi-bin/omega\">\n  SetEnv LD_PRELOAD " + preload_name(BRAID_WITH_LIBRARY) +
        ":" + preload_name(BRAID_WITH_SPY) + "\n</Location>\n";
    write_file(texts.folder / "apache.conf", configuration);
    const std::string apache = "/usr/sbin/apache2 -f \"$PWD/apache.conf\"";
    if (!fs::exists("/usr/sbin/apache2") || texts.shell(apache + " -k start") != 0) {
        WARN("SKIPPED: Apache doesn't start here: " << read_file(texts.folder / "output"));
        return;
    }
    const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/cgi-bin/omega";
    CHECK(texts.shell("for i in $(seq 100); do curl -s '" + url + "' && break; sleep .1; done") ==
          0);
    check_acts(texts, "omega",
               "curl -sfG " + url +
                   " --data-urlencode HITSPERPAGE=10 --data-urlencode FMT=xml --data-urlencode P=",
               texts.folder / "data/default");
    CHECK(texts.shell("kill $(cat apache.pid)") == 0);
}

// recoll's window searches at its start for what `-q` says; it is closed once it has.
TEST_CASE("With: the window of recoll", "[programs]") {
    for (const std::string program : {"recoll", "recollindex", "Xvfb"}) {
        if (is_installed(program)) continue;
        WARN("SKIPPED: no " << program << " is in PATH");
        return;
    }
    Texts texts;
    fs::create_directories(texts.folder / "conf");
    write_file(texts.folder / "conf/recoll.conf", "topdirs = " + (texts.folder / "texts").string() +
                                                      "\nindexstemminglanguages = english\n");
    REQUIRE(texts.shell("recollindex -c conf") == 0);
    const std::string database = texts.folder / "conf/xapiandb";
    texts.adopt(database, "term:Q");
    const int screen = 100 + static_cast<int>(getpid()) % 10'000;
    texts.environment += " QT_X11_NO_MITSHM=1 DISPLAY=:" + std::to_string(screen);
    write_file(texts.folder / "window",
               "#!/bin/sh\n" + with_spy(texts) +
                   "recoll -c conf -q \"$1\" &\nwindow=$!\nfor i in $(seq 600); do sleep .05; "
                   "[ -s '" +
                   texts.spied +
                   "' ] && break; done\nsleep .5\nkill $window\nwait "
                   "$window\nexit 0\n");
    REQUIRE(texts.shell("chmod +x window; Xvfb :" + std::to_string(screen) +
                        " -screen 0 800x600x24 >/dev/null 2>&1 & echo $! >screen; for i in $(seq "
                        "100); do [ -e /tmp/.X11-unix/X" +
                        std::to_string(screen) + " ] && break; sleep .1; done") == 0);
    check_acts(texts, "recoll", "./window ", database);
    CHECK(texts.shell("kill $(cat screen)") == 0);
}

TEST_CASE("With: a wiki reader's searches, by a sidecar", "[programs]") {
    for (const std::string program : {"kiwix-search", "zimwriterfs", "zimdump"}) {
        if (is_installed(program)) continue;
        WARN("SKIPPED: no " << program << " is in PATH");
        return;
    }
    const Texts texts;
    fs::create_directories(texts.folder / "pages");
    write_file(texts.folder / "pages/index.html",
               "<html><head><title>Main</title></head><body>main page</body></html>");
    for (std::size_t i = 0; i < texts.texts.size(); ++i) {
        const std::string number = std::to_string(i);
        write_file(texts.folder / "pages" / ("t" + number + ".html"),
                   "<html><head><title>Text " + number + "</title></head><body><p>" +
                       texts.texts[i] + "</p></body></html>");
    }
    // It isn't looked into.
    write_file(texts.folder / "pages/i.png", "\x89PNG\r\n\x1a\n");
    REQUIRE(texts.shell("zimwriterfs -w index.html -I i.png -l eng -t T -d D -c c -p p -n n pages "
                        "wiki.zim") == 0);
    // As in docs/guide/with.md.
    REQUIRE(texts.shell("pages=$(zimdump info wiki.zim | sed -n 's/^count-entries: //p'); for i in "
                        "$(seq $pages $((pages + 100))); do zimdump list --details --idx=$i "
                        "wiki.zim | grep -q 'path: fulltext/xapian' && break; done; zimdump show "
                        "--idx=$i wiki.zim >wiki.glass") == 0);
    const std::string sidecar = texts.folder / "wiki.braid";
    REQUIRE(run_braid({"adopt", "--db", texts.folder / "wiki.glass", "--sidecar", sidecar,
                       "--topics", "lsa:5", "--quiet"})
                .code == 0);
    Texts::install(sidecar);
    check_acts(texts, "kiwix-search",
               "LD_PRELOAD='" + preload_name(BRAID_WITH_SPY) +
                   "' '" BRAID_COMMAND "' with --sidecar '" + sidecar + "' --log '" + texts.log +
                   "' -- kiwix-search wiki.zim ",
               texts.folder / "wiki.glass", {Xapian::Database(sidecar)});
}

TEST_CASE("With: axi-cache's searches", "[programs]") {
    BRAID_SKIP_WITHOUT_PROGRAM("axi-cache");
    BRAID_SKIP_WITHOUT_PROGRAM("update-apt-xapian-index");
    Texts texts;
    std::string packages;
    for (std::size_t i = 0; i < texts.texts.size(); ++i) {
        packages += "Package: p" + std::to_string(i) + "\nVersion: 1\nArchitecture: all\n" +
                    "Maintainer: M <m@example.org>\nInstalled-Size: 1\nSection: text\n" +
                    "Filename: p\nSize: 1\nDescription: " + texts.texts[i] + "\n " +
                    texts.texts[i] + "\n\n";
    }
    write_file(texts.folder / "Packages", packages);
    texts.environment += " AXI_DB_PATH=\"$PWD/db\" AXI_CACHE_PATH=\"$PWD/cache\"";
    REQUIRE(texts.shell("mkdir db cache && update-apt-xapian-index --quiet --force --pkgfile "
                        "Packages") == 0);
    const std::string stub = read_file(texts.folder / "db/index");
    const std::string database = stub.substr(5, stub.find('\n') - 5);
    texts.adopt(database, "data");
    texts.environment += " PYTHONPATH='" BRAID_WITH_PYTHON_SPY "' PYTHONDONTWRITEBYTECODE=1";
    check_acts(texts, "python3",
               "'" BRAID_COMMAND "' with --log '" + texts.log + "' -- axi-cache search ", database);
}

TEST_CASE("With: notmuch sorts by date, as ever", "[programs]") {
    BRAID_SKIP_WITHOUT_PROGRAM("notmuch");
    Texts texts;
    for (const std::string folder : {"mail/cur", "mail/new", "mail/tmp"}) {
        fs::create_directories(texts.folder / folder);
    }
    for (std::size_t i = 0; i < texts.texts.size(); ++i) {
        const std::string number = std::to_string(i);
        write_file(texts.folder / "mail/cur" / number,
                   "From: a@example.org\nTo: b@example.org\nSubject: " + number +
                       "\nMessage-ID: <" + number + "@example.org>\nDate: Mon, 01 Jan 2024 10:" +
                       std::to_string(10 + i % 50) + ":00 +0000\n\n" + texts.texts[i] + '\n');
    }
    write_file(texts.folder / "config", "[database]\npath=" + (texts.folder / "mail").string() +
                                            "\n[user]\nname=A\nprimary_email=a@example.org\n");
    texts.environment += " NOTMUCH_CONFIG=config";
    REQUIRE(texts.shell("notmuch new --quiet") == 0);
    texts.adopt(texts.folder / "mail/.notmuch/xapian", "term:Q");
    Random random(seed(), 99);
    for (int i = 0; i < kSearches; ++i) {
        const std::string words = Texts::query(random);
        const std::string call = "notmuch search --limit=10 '" + words + '\'';
        REQUIRE(texts.shell(call + " >own") == 0);
        REQUIRE(texts.shell("'" BRAID_COMMAND "' with --log '" + texts.log + "' -- " + call +
                            " >found") == 0);
        CHECK(read_file(texts.folder / "own") == read_file(texts.folder / "found"));
    }
    for (const std::string& line : lines_of(read_file(texts.log))) {
        CHECK(line.find("] untouched: ") != std::string::npos);
    }
}
