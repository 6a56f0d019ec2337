// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "braid/core/base/random.h"
#include "braid/tests/with/with_fixture.h"

namespace braid::test {

/// What a program printed, and its exit code (128 + the signal, as shells have it).
struct Outcome {
    int code = -1;
    std::string out;
    std::string err;

    bool operator==(const Outcome&) const = default;
};

/// A folder with 150 texts whose words follow topics, for programs to index and search.
struct Texts {
    Texts();

    /// Letters alone, as some programs don't index digits; no two have one stem.
    static std::string word(std::uint64_t number);
    static std::string query(Random& random);

    /// Runs a call of a shell below the folder; returns its exit code. What it prints is appended
    /// to the file `output`.
    int shell(const std::string& call) const;
    Outcome run(const std::string& call) const;

    /// Learns topics and calls `install`; returns the database's path.
    std::string adopt(const std::string& database, const std::string& id) const;
    /// A model that ranks otherwise than BM25.
    static void install(const std::string& database);

    TemporaryFolder folder;
    std::string log = folder / "log";
    std::string spied = folder / "spied";
    std::string environment = "export BRAID_SPY='" + spied + "'";
    std::vector<std::string> texts;
};

/// A program as Debian has it, over a database that it made itself.
struct InstalledProgram {
    std::string process;       ///< As the log names it.
    std::string call;          ///< A shell's words before a query's.
    std::string database;      ///< A folder, or a file that has only one.
    std::string sidecar = {};  ///< What holds the model; "": the database.
    std::string archive = {};  ///< A file that holds the database; "": it is one by itself.
    bool is_python = false;
    bool is_ranked = true;   ///< Else it sorts by a date.
    bool is_window = false;  ///< It shows what it finds: the spy tells.

    const std::string& holder() const { return sidecar.empty() ? database : sidecar; }
    /// The folder or file that another takes the place of.
    const std::string& replaced() const { return archive.empty() ? database : archive; }
    std::string alone(const std::string& words) const { return call + '\'' + words + '\''; }
    /// `before` is a program that starts it, with its arguments.
    std::string with_braid(const Texts& texts, const std::string& words,
                           const std::string& before = "") const;
    /// A shell's words before either, for the spy to note what it gets.
    std::string spied() const;
};

/// Makes a database by the program's own indexer, with topics and a model. Nothing where the
/// program isn't installed, which is told.
using MakeProgram = std::optional<InstalledProgram> (*)(Texts& texts);
std::optional<InstalledProgram> make_quest(Texts& texts);
std::optional<InstalledProgram> make_recollq(Texts& texts);
/// Ended by `end_window`.
std::optional<InstalledProgram> make_recoll_window(Texts& texts);
void end_window(const Texts& texts);
std::optional<InstalledProgram> make_omega(Texts& texts);
std::optional<InstalledProgram> make_kiwix(Texts& texts);
std::optional<InstalledProgram> make_axi_cache(Texts& texts);
std::optional<InstalledProgram> make_notmuch(Texts& texts);

/// Whether all are there; tells which isn't.
bool are_installed(const std::vector<std::string>& programs);

}  // namespace braid::test
