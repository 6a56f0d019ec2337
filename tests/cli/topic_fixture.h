// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/tests/cli/run_command.h"
#include "braid/tests/support/support.h"

namespace braid::test {

/// A database of 60 documents whose words follow topics.
struct TopicFixture {
    explicit TopicFixture(int count = 60) {
        if (run_braid({"index", "--db", database, "--quiet", documents(0, count)}).code != 0) {
            throw std::runtime_error("can't index");
        }
    }

    /// A file with documents "d{first}" ...
    std::string documents(int first, int count) const {
        std::string text;
        for (int d = first; d < first + count; ++d) {
            Random random(seed(), static_cast<std::uint64_t>(d));
            const std::uint64_t topics[] = {random.below(5), random.below(5)};
            text += "{\"_id\": \"d" + std::to_string(d) + "\", \"text\": \"common";
            for (std::uint64_t i = 5 + random.below(10); i > 0; --i) {
                text += " w" + std::to_string(random.below(12) * 5 + topics[random.below(2)]);
            }
            text += "\"}\n";
        }
        const std::string path = folder / ("documents-" + std::to_string(first) + ".jsonl");
        write_file(path, text);
        return path;
    }

    CommandResult run(const std::string& command,
                      const std::vector<std::string>& arguments = {}) const {
        std::vector<std::string> all = {command, "--db", database};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_braid(all);
    }

    /// `topics` are models to learn, such as "lsa:4".
    void adopt_topics(const std::string& topics) const {
        const CommandResult result = run("adopt", {"--topics", topics, "--quiet"});
        INFO(result.err);
        REQUIRE(result.code == 0);
    }

    /// Changes the byte `at` in the value of each of Braid's metadata keys with this ending.
    void damage_keys(const std::string& ending, std::size_t at) const {
        Xapian::WritableDatabase writable(database);
        const std::vector<std::string> keys(writable.metadata_keys_begin("braid:"),
                                            writable.metadata_keys_end("braid:"));
        std::size_t damaged = 0;
        for (const std::string& key : keys) {
            if (!key.ends_with(ending)) continue;
            std::string bytes = writable.get_metadata(key);
            bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
            writable.set_metadata(key, bytes);
            ++damaged;
        }
        REQUIRE(damaged > 0);
        writable.commit();
    }

    TemporaryFolder folder;
    std::string database = folder / "db";
};

}  // namespace braid::test
