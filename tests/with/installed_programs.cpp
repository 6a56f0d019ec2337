// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/with/installed_programs.h"

#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <xapian.h>

#include "braid/plugin/store/table_file.h"

namespace braid::test {
namespace {

namespace fs = std::filesystem;

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void write_recoll_configuration(const Texts& texts) {
    fs::create_directories(texts.folder / "conf");
    write_file(texts.folder / "conf/recoll.conf", "topdirs = " + (texts.folder / "texts").string() +
                                                      "\nindexstemminglanguages = english\n");
}

}  // namespace

Texts::Texts() {
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

std::string Texts::word(std::uint64_t number) {
    return std::string("qua") + "bcdfgklmnprt"[number / 5] + 'o' + "bdgkm"[number % 5] + "ur";
}

std::string Texts::query(Random& random) {
    std::string words;
    for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
        words += (words.empty() ? "" : " ") + word(random.below(60));
    }
    return words;
}

int Texts::shell(const std::string& call) const {
    const std::string line = "cd '" + folder.path().string() + "' && export HOME=\"$PWD\" && " +
                             environment + " && { " + call + "; } >>output 2>&1";
    return std::system(line.c_str());
}

Outcome Texts::run(const std::string& call) const {
    const std::string line = "cd '" + folder.path().string() + "' && export HOME=\"$PWD\" && " +
                             environment + " && { " + call + "; } >out 2>err";
    Outcome outcome;
    outcome.code = code_of(std::system(line.c_str()));
    outcome.out = read_file(folder / "out");
    outcome.err = read_file(folder / "err");
    return outcome;
}

std::string Texts::adopt(const std::string& database, const std::string& id) const {
    REQUIRE(
        run_braid({"adopt", "--db", database, "--topics", "lsa:5", "--quiet", "--id", id}).code ==
        0);
    install(database);
    return database;
}

void Texts::install(const std::string& database) {
    {
        Xapian::WritableDatabase writable(database);
        FusionModel model;
        model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 20}};
        store_fusion_model(writable, model);
        writable.commit();
    }
    write_table_files({database}, TableFiles::kRenew);
}

std::string InstalledProgram::with_braid(const Texts& texts, const std::string& words,
                                         const std::string& before) const {
    const std::string option = sidecar.empty() ? "" : "--sidecar '" + sidecar + "' ";
    return "'" BRAID_COMMAND "' with " + option + "--log '" + texts.log + "' -- " + before +
           alone(words);
}

std::string InstalledProgram::spied() const {
    if (is_python) {
        return "PYTHONPATH='" BRAID_WITH_PYTHON_SPY "' PYTHONDONTWRITEBYTECODE=1 ";
    }
    return "LD_PRELOAD='" + preload_name(BRAID_WITH_SPY) + "' ";
}

bool are_installed(const std::vector<std::string>& programs) {
    for (const std::string& program : programs) {
        if (program.starts_with('/') ? fs::exists(program) : is_installed(program)) continue;
        WARN("SKIPPED: no " << program << " is there");
        return false;
    }
    return true;
}

std::optional<InstalledProgram> make_quest(Texts& texts) {
    if (!are_installed({"quest"})) return {};
    const std::string database = texts.folder / "db";
    {
        Xapian::WritableDatabase writable(database, Xapian::DB_CREATE);
        Xapian::TermGenerator generator;
        generator.set_stemmer(Xapian::Stem("en"));
        for (const std::string& text : texts.texts) {
            Xapian::Document document;
            document.set_data(text);
            generator.set_document(document);
            generator.index_text(text);
            writable.add_document(document);
        }
    }
    return InstalledProgram{.process = "quest",
                            .call = "quest --msize=10 --db='" + database + "' ",
                            .database = texts.adopt(database, "data")};
}

std::optional<InstalledProgram> make_recollq(Texts& texts) {
    if (!are_installed({"recollq", "recollindex"})) return {};
    write_recoll_configuration(texts);
    REQUIRE(texts.shell("recollindex -c conf") == 0);
    return InstalledProgram{.process = "recollq",
                            .call = "recollq -c conf -n 10 ",
                            .database = texts.adopt(texts.folder / "conf/xapiandb", "term:Q")};
}

// It searches at its start for what `-q` says, and is closed once it has. What it got is printed.
std::optional<InstalledProgram> make_recoll_window(Texts& texts) {
    if (!are_installed({"recoll", "recollindex", "Xvfb"})) return {};
    write_recoll_configuration(texts);
    REQUIRE(texts.shell("recollindex -c conf") == 0);
    const std::string database = texts.adopt(texts.folder / "conf/xapiandb", "term:Q");
    const std::string screen = std::to_string(100 + getpid() % 10'000);
    texts.environment += " QT_X11_NO_MITSHM=1 DISPLAY=:" + screen;
    write_file(texts.folder / "window",
               "#!/bin/sh\nexec 2>/dev/null  # Its messages depend on the time.\nrm -f "
               "\"$BRAID_SPY\"\nrecoll -c conf -q \"$1\" >/dev/null &\nwindow=$!\n"
               "for i in $(seq 600); do sleep .05; [ -s \"$BRAID_SPY\" ] && break; done\n"
               "sleep .5\nkill $window || echo 'the window has ended'\nwait $window\n"
               "cat \"$BRAID_SPY\"\n");
    REQUIRE(texts.shell("chmod +x window; Xvfb :" + screen +
                        " -screen 0 800x600x24 >/dev/null 2>&1 & echo $! >screen; for i in $(seq "
                        "100); do [ -e /tmp/.X11-unix/X" +
                        screen + " ] && break; sleep .1; done") == 0);
    return InstalledProgram{
        .process = "recoll", .call = "./window ", .database = database, .is_window = true};
}

void end_window(const Texts& texts) { CHECK(texts.shell("kill $(cat screen)") == 0); }

std::optional<InstalledProgram> make_omega(Texts& texts) {
    const std::string omega = "/usr/lib/cgi-bin/omega/omega";
    if (!are_installed({"omindex", omega})) return {};
    REQUIRE(texts.shell("mkdir data && omindex --db data/default --url / texts") == 0);
    const std::string folder = texts.folder.path().string();
    write_file(texts.folder / "omega.conf",
               "database_dir " + folder +
                   "/data\ntemplate_dir /usr/share/xapian-omega/templates\nlog_dir " + folder +
                   "\ncdb_dir " + folder + '\n');
    texts.environment += " OMEGA_CONFIG_FILE='" + folder + "/omega.conf'";
    return InstalledProgram{.process = "omega",
                            .call = omega + " HITSPERPAGE=10 FMT=xml P=",
                            .database = texts.adopt(texts.folder / "data/default", "term:U")};
}

std::optional<InstalledProgram> make_kiwix(Texts& texts) {
    if (!are_installed({"kiwix-search", "zimwriterfs", "zimdump"})) return {};
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
    return InstalledProgram{.process = "kiwix-search",
                            .call = "kiwix-search wiki.zim ",
                            .database = texts.folder / "wiki.glass",
                            .sidecar = sidecar,
                            .archive = texts.folder / "wiki.zim"};
}

std::optional<InstalledProgram> make_axi_cache(Texts& texts) {
    if (!are_installed({"axi-cache", "update-apt-xapian-index"})) return {};
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
    return InstalledProgram{.process = "python3",
                            .call = "axi-cache search ",
                            .database = texts.adopt(stub.substr(5, stub.find('\n') - 5), "data"),
                            .is_python = true};
}

std::optional<InstalledProgram> make_notmuch(Texts& texts) {
    if (!are_installed({"notmuch"})) return {};
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
    return InstalledProgram{
        .process = "notmuch",
        .call = "notmuch search --limit=10 ",
        .database = texts.adopt(texts.folder / "mail/.notmuch/xapian", "term:Q"),
        .is_ranked = false};
}

}  // namespace braid::test
