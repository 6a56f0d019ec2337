// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/plugin/store/settings_store.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/cli/topic_fixture.h"
#include "braid/tests/support/support.h"
#include "braid/tests/support/texts.h"

namespace braid::test {

using Strings = std::vector<std::string>;

inline bool is_installed(const std::string& program) {
    std::istringstream folders(std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (std::filesystem::exists(std::filesystem::path(folder) / program)) return true;
    }
    return false;
}

/// A database with topics and, unless told otherwise, an installed model.
struct WithFixture : TopicFixture {
    explicit WithFixture(bool installs = true) {
        adopt_topics("lsa:5");
        if (!installs) return;
        Xapian::WritableDatabase writable(database);
        FusionModel model;
        model.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 20}};
        store_fusion_model(writable, model);
        writable.commit();
    }

    CommandResult with(const Strings& program, const Strings& options = {}) const {
        Strings words = {"with", "--log", log};
        words.insert(words.end(), options.begin(), options.end());
        words.push_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return run_braid(words);
    }

    CommandResult quest(const std::string& query, const Strings& options = {}) const {
        return with(quest_call(query), options);
    }

    Strings quest_call(const std::string& query) const {
        return {"quest", "--db=" + database, "--msize=10", query};
    }

    /// The lines of the log.
    Strings logged() const {
        return std::filesystem::exists(log) ? lines_of(read_file(log)) : Strings();
    }

    std::string log = folder / "log";
};

}  // namespace braid::test

#define BRAID_SKIP_WITHOUT_PROGRAM(program)             \
    do {                                                \
        if (!is_installed(program)) {                   \
            WARN("SKIPPED: no " program " is in PATH"); \
            return;                                     \
        }                                               \
    } while (false)
