// SPDX-License-Identifier: GPL-2.0-or-later
// Installed programs under `braid with` where something is wrong: each fault with each program.
// What it prints and its exit code are those of a run without Braid, or of one that the model
// ranks.
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/table_file.h"
#include "braid/tests/with/installed_programs.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

void set_model(const InstalledProgram& program, const std::function<void(std::string&)>& change) {
    Xapian::WritableDatabase writable(program.holder());
    std::string bytes = writable.get_metadata(kFusionModelKey);
    change(bytes);
    writable.set_metadata(kFusionModelKey, bytes);
    writable.commit();
}

std::string table_file(const InstalledProgram& program) {
    return program.holder() + "/" + TableFile::kName;
}

/// A process may read what it owns, even as root.
constexpr char kWithoutPrivileges[] =
    "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,"
    "-dac_read_search ";

std::string without_privileges() { return geteuid() == 0 ? kWithoutPrivileges : ""; }

/// A program with a database that can be made as it was.
class Trial {
  public:
    Trial(Texts& texts, InstalledProgram program)
        : texts_(texts),
          program_(std::move(program)),
          // One of them in every text: a program that wants both finds many, whose order can
          // differ.
          words_("common " + Texts::word(7)) {
        for (const std::string& path : kept()) {
            fs::copy(path, path + ".kept", fs::copy_options::recursive);
        }
        plain_ = texts_.run(spied() + program_.alone(words_));
        ranked_ = with_braid();
        INFO(plain_.out << plain_.err);
        REQUIRE(plain_.code == 0);
        REQUIRE(texts_.run(spied() + program_.alone(words_)) == plain_);
        CHECK(ranked_.code == 0);
        CHECK(ranked_.err == plain_.err);
        CHECK((ranked_.out != plain_.out) == program_.is_ranked);
        CHECK(logs_all(program_.is_ranked ? "ranked" : "untouched"));
    }

    const InstalledProgram& program() const { return program_; }
    std::string path(const std::string& name) const { return texts_.folder / name; }

    /// What `breaks` did leaves the program's own ranking.
    void leaves_untouched(const std::string& fault, const std::string& before = "") {
        INFO(program_.process << ": " << fault);
        check(with_braid(before), plain_);
        CHECK(logs_all("untouched"));
        restore();
    }
    /// The model ranks all the same.
    void ranks(const std::string& fault, const std::string& before = "") {
        INFO(program_.process << ": " << fault);
        check(with_braid(before), ranked_);
        restore();
    }
    /// `call` happens between opening and searching: the program prints what it does then without
    /// Braid, or the page of the model of before.
    void happens(const std::string& fault, const std::string& call) {
        INFO(program_.process << ": " << fault);
        const std::string act = "BRAID_SPY_DO=\"" + call + "\" " + program_.spied();
        const Outcome alone = texts_.run(act + program_.alone(words_));
        restore();
        const Outcome found = texts_.run(act + program_.with_braid(texts_, words_));
        INFO("alone: " << alone.out << alone.err << "with: " << found.out << found.err);
        CHECK(alone.code < 128);  // Else the call failed.
        CHECK((found == alone || found == ranked_ || found == plain_));
        CHECK(found.code == alone.code);
        restore();
    }
    /// Eight at once, forked by one shell.
    void run_side_by_side() {
        INFO(program_.process << ": side by side");
        const std::string shell =
            "sh -c 'for i in 1 2 3 4 5 6 7 8; do \"$@\" >out$i 2>err$i & done; wait' sh ";
        CHECK(with_braid(shell).code == 0);
        for (int i = 1; i <= 8; ++i) {
            CHECK(read_file(path("out" + std::to_string(i))) == ranked_.out);
            CHECK(read_file(path("err" + std::to_string(i))) == ranked_.err);
        }
    }

  private:
    std::string spied() const { return program_.is_window ? program_.spied() : ""; }

    Outcome with_braid(const std::string& before = "") const {
        fs::remove(texts_.log);
        return texts_.run(spied() + program_.with_braid(texts_, words_, before));
    }
    static void check(const Outcome& found, const Outcome& expected) {
        CHECK(found.code == expected.code);
        CHECK(found.out == expected.out);
        CHECK(found.err == expected.err);
    }
    bool logs_all(const std::string& what) const {
        const Strings lines = fs::exists(texts_.log) ? lines_of(read_file(texts_.log)) : Strings();
        for (const std::string& line : lines) {
            UNSCOPED_INFO(line);
            if (line.find("] " + what + ": ") == std::string::npos) return false;
        }
        return !lines.empty();
    }
    std::set<std::string> kept() const { return {program_.replaced(), program_.holder()}; }
    void restore() const {
        for (const std::string& path : kept()) {
            fs::remove_all(path);
            fs::copy(path + ".kept", path, fs::copy_options::recursive);
        }
    }

    Texts& texts_;
    InstalledProgram program_;
    std::string words_;
    Outcome plain_;
    Outcome ranked_;
};

void check_models(Trial& trial) {
    const InstalledProgram& program = trial.program();
    set_model(program, [](std::string& bytes) {
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    });
    trial.leaves_untouched("a corrupt model");
    set_model(program, [](std::string& bytes) { bytes = "another program's"; });
    trial.leaves_untouched("a foreign model");
    set_model(program, [](std::string& bytes) {
        ByteWriter body;
        body.text("what only a newer Braid knows");
        bytes = write_stored({.magic = bytes.substr(0, 4), .version = 99, .kind = ""}, body);
    });
    trial.leaves_untouched("a newer model");
    {
        Xapian::WritableDatabase writable(program.holder());
        const std::string key = kTopicCatalogueKey;
        writable.set_metadata(key, writable.get_metadata(key).substr(1));
    }
    trial.leaves_untouched("damaged topics");
}

void check_files(Trial& trial) {
    const InstalledProgram& program = trial.program();
    const std::string table = table_file(program);
    if (fs::exists(table)) {
        std::string bytes = read_file(table);
        for (std::size_t i = 0; i < bytes.size(); i += 61) bytes[i] = static_cast<char>(~bytes[i]);
        write_file(table, bytes);
        trial.ranks("a damaged table file");
        fs::permissions(table, fs::perms::none);
        trial.ranks("no permission for the table file", without_privileges());
    }
    const std::string model = trial.path("model.yaml");
    write_file(model, "model:\n  rankers:\n    - {ranker: lsa}\n");
    fs::permissions(model, fs::perms::none);
    trial.leaves_untouched("no permission for the model",
                           "env BRAID_WITH_MODEL='" + model + "' " + without_privileges());
    const std::string log = trial.path("closed.log");
    write_file(log, "");
    fs::permissions(log, fs::perms::none);
    trial.ranks("no permission for the log",
                "env BRAID_WITH_LOG='" + log + "' " + without_privileges());
    CHECK(fs::file_size(log) == 0);
    trial.ranks("a log on a full disk", "env BRAID_WITH_LOG=/dev/full ");
    const fs::path library = trial.path("libbraid-with.so");
    fs::copy(BRAID_WITH_LIBRARY, library);
    const std::string spy = program.is_window ? ":" + preload_name(BRAID_WITH_SPY) : "";
    trial.leaves_untouched("no ranking library",
                           "env LD_PRELOAD='" + library.string() + spy + "' ");
}

// Xapian's readers keep what they have opened, where they can.
void check_changes(Trial& trial) {
    const std::string path = trial.program().replaced();
    const std::string other = path + ".other";
    if (fs::is_directory(path)) {
        Xapian::WritableDatabase writable(other, Xapian::DB_CREATE);
        writable.add_document(Xapian::Document());
        writable.close();
        trial.happens("two commits", "'" BRAID_WITH_PROGRAM "' '" + path + "' commit");
    } else {
        write_file(other, "no such file");
    }
    trial.happens("replaced",
                  "mv '" + path + "' '" + path + ".gone' && cp -r '" + other + "' '" + path + "'");
    CHECK(fs::exists(path + ".gone"));
    fs::remove_all(path + ".gone");
}

void check_all(MakeProgram make) {
    Texts texts;
    const auto program = make(texts);
    if (!program) return;
    if (are_installed({"setpriv"})) {
        Trial trial(texts, *program);
        check_models(trial);
        check_files(trial);
        check_changes(trial);
        if (!program->is_window) trial.run_side_by_side();
    }
    if (program->is_window) end_window(texts);
}

}  // namespace

TEST_CASE("With: faults under quest", "[programs]") { check_all(make_quest); }

TEST_CASE("With: faults under recollq", "[programs]") { check_all(make_recollq); }

TEST_CASE("With: faults under recoll's window", "[programs]") { check_all(make_recoll_window); }

TEST_CASE("With: faults under Omega", "[programs]") { check_all(make_omega); }

TEST_CASE("With: faults under a wiki reader", "[programs]") { check_all(make_kiwix); }

TEST_CASE("With: faults under axi-cache", "[programs]") { check_all(make_axi_cache); }

TEST_CASE("With: faults under notmuch", "[programs]") { check_all(make_notmuch); }
