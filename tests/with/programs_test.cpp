// SPDX-License-Identifier: GPL-2.0-or-later
// Programs as Debian has them, over databases that they made themselves: in 50 of 50 searches the
// model ranks, and each page that the program got is Ranking's own. A spy tells query and page.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/ranking.h"
#include "braid/tests/with/installed_programs.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr int kSearches = 50;

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

/// Searches 50 times, each by `call(words)`.
template <typename Call>
void check_acts(const Texts& texts, const InstalledProgram& program, const Call& call) {
    const Xapian::Database database(program.database);
    RankingSetup setup;
    if (!program.sidecar.empty()) setup.sidecars.emplace_back(program.sidecar);
    Random random(seed(), 99);
    unsigned otherwise = 0;
    for (int i = 0; i < kSearches; ++i) {
        const std::string words = Texts::query(random);
        INFO(program.process << ' ' << words);
        fs::remove(texts.log);
        fs::remove(texts.spied);
        CHECK(texts.shell(call(words)) == 0);
        const Strings logged = fs::exists(texts.log) ? lines_of(read_file(texts.log)) : Strings();
        REQUIRE(!logged.empty());
        for (const std::string& line : logged) {
            INFO(line);
            CHECK(line.starts_with(program.process + '['));
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

void check_acts(const Texts& texts, const InstalledProgram& program) {
    check_acts(texts, program, [&](const std::string& words) {
        return program.spied() + program.with_braid(texts, words);
    });
}

void check_acts(MakeProgram make) {
    Texts texts;
    const auto program = make(texts);
    if (!program) return;
    check_acts(texts, *program);
    if (program->is_window) end_window(texts);
}

}  // namespace

TEST_CASE("With: recoll's searches", "[programs]") { check_acts(make_recollq); }

TEST_CASE("With: searches of Omega's CGI", "[programs]") { check_acts(make_omega); }

TEST_CASE("With: Omega under Apache", "[programs]") {
    const std::string modules = "/usr/lib/apache2/modules";
    if (!are_installed({modules + "/mod_cgi.so", "curl"})) return;
    Texts texts;
    const auto program = make_omega(texts);
    if (!program) return;
    const std::string folder = texts.folder.path().string();
    // The server's children may be another user's.
    REQUIRE(texts.shell("mkdir served && chmod 777 served && chmod 755 . && chmod -R a+rX data "
                        "omega.conf") == 0);
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
        "ScriptAlias /cgi-bin/omega /usr/lib/cgi-bin/omega/omega"
        "\nSetEnv OMEGA_CONFIG_FILE " +
        folder + "/omega.conf\nSetEnv BRAID_SPY " + texts.spied + "\nSetEnv BRAID_WITH_LOG " +
        texts.log + "\n<Location \"/cgi-bin/omega\">\n  SetEnv LD_PRELOAD " +
        preload_name(BRAID_WITH_LIBRARY) + ":" + preload_name(BRAID_WITH_SPY) + "\n</Location>\n";
    write_file(texts.folder / "apache.conf", configuration);
    const std::string apache = "/usr/sbin/apache2 -f \"$PWD/apache.conf\"";
    if (!fs::exists("/usr/sbin/apache2") || texts.shell(apache + " -k start") != 0) {
        WARN("SKIPPED: Apache doesn't start here: " << read_file(texts.folder / "output"));
        return;
    }
    const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/cgi-bin/omega";
    CHECK(texts.shell("for i in $(seq 100); do curl -s '" + url + "' && break; sleep .1; done") ==
          0);
    const std::string call =
        "curl -sfG " + url +
        " --data-urlencode HITSPERPAGE=10 --data-urlencode FMT=xml --data-urlencode P=";
    check_acts(texts, *program,
               [&](const std::string& words) { return call + '\'' + words + '\''; });
    CHECK(texts.shell("kill $(cat apache.pid)") == 0);
}

TEST_CASE("With: the window of recoll", "[programs]") { check_acts(make_recoll_window); }

TEST_CASE("With: a wiki reader's searches, by a sidecar", "[programs]") { check_acts(make_kiwix); }

TEST_CASE("With: axi-cache's searches", "[programs]") { check_acts(make_axi_cache); }

TEST_CASE("With: notmuch sorts by date, as ever", "[programs]") {
    Texts texts;
    const auto program = make_notmuch(texts);
    if (!program) return;
    Random random(seed(), 99);
    for (int i = 0; i < kSearches; ++i) {
        const std::string words = Texts::query(random);
        CHECK(texts.run(program->with_braid(texts, words)) == texts.run(program->alone(words)));
    }
    for (const std::string& line : lines_of(read_file(texts.log))) {
        CHECK(line.find("] untouched: ") != std::string::npos);
    }
}
