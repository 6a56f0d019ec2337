// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "braid/tests/cli/train_fixture.h"
#include "braid/tests/trust/process.h"

namespace braid::test {

/// What a user sees of a folder of databases, and what is in them.
struct Seen {
    std::string run;      ///< What `braid run` prints; its message where it fails.
    std::string topics;   ///< Of `braid topics`: the catalogue, without times.
    std::string content;  ///< All metadata but records with times, postings, data, values.
    std::string files;    ///< Names, one a line, without tables of glass.

    bool operator==(const Seen&) const = default;
};

/// A command that writes, and where it begins.
struct Scenario {
    std::string name;
    std::filesystem::path before;  ///< A folder to begin with a copy of; "" for an empty one.
    /// The command's arguments where that copy is in `state`.
    std::function<std::vector<std::string>(const std::filesystem::path& state)> arguments;
    bool has_sidecar = false;
    /// Whether searches see all of the result or none.
    bool at_once = false;
};

/// Which call that changes files, or which allocation, fails, and how; see fault_library.cpp.
struct Fault {
    std::string kind = "kill";  ///< kill, torn, fail; null and memory count allocations
    long at = 0;                ///< From 1 on.
    long keep = 0;              ///< torn: thousandths of the write.
    int error = 0;              ///< fail: an errno.
    bool no_exchange = false;   ///< The file system can't exchange two folders.

    std::string to_string() const;
    std::map<std::string, std::string> environment() const;
};

/// The seven commands that write, over a small collection with queries and judgements.
class Scenarios {
  public:
    Scenarios();

    const std::vector<Scenario>& all() const { return all_; }
    const Scenario& find(const std::string& name) const;
    std::filesystem::path folder() const { return base_.folder.path(); }
    /// With topic models, clusters, records of documents and an installed model.
    std::filesystem::path complete() const { return folder() / "complete"; }

    /// `run --db DB` over the collection's queries, without notes.
    std::vector<std::string> run_arguments(const std::filesystem::path& state,
                                           bool has_sidecar) const;
    Seen look(const std::filesystem::path& state, bool has_sidecar) const;

  private:
    void add(std::string name, const char* before, bool at_once,
             std::vector<std::string> arguments);
    void make_states();

    TrainFixture base_;
    std::string later_documents_;
    std::vector<Scenario> all_;
};

/// Replaces `to` by a copy of `from`, or by an empty folder where `from` is "".
void copy_state(const std::filesystem::path& from, const std::filesystem::path& to);

/// This build's programs.
std::string braid_program();
std::string walk_program();
/// A run of the command in which a fault happens.
Outcome run_with(const Fault& fault, const Scenario& scenario, const std::filesystem::path& state);
/// What a run that nothing disturbs does.
struct Calls {
    long files = 0;        ///< Calls that change files.
    long allocations = 0;  ///< Calls of malloc.
};
Calls count_calls(const Scenario& scenario, const std::filesystem::path& state);

}  // namespace braid::test
