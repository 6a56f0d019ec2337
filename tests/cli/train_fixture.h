// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/tests/cli/topic_fixture.h"

namespace braid::test {

/// What `braid train --json` prints.
inline nlohmann::json train_json(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    arguments.push_back("--json");
    const CommandResult result = run_braid(arguments);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return nlohmann::json::parse(result.out);
}

/// TopicFixture with topics, and queries, judgements, clicks and rankers to learn from.
struct TrainFixture : TopicFixture {
    TrainFixture() {
        std::string query_lines;
        std::string judgement_lines;
        std::string click_lines = "query\tdocument\tposition\tshown\tclicks\n";
        for (int q = 0; q < 8; ++q) {
            const std::string id = std::to_string(q);
            query_lines += id + "\tw" + std::to_string(5 * q) + " w" + std::to_string(5 * q + 1) +
                           " w" + std::to_string(q) + " common\n";
            for (int d = q; d < 60; d += 3) {
                const int grade = d % 2;
                judgement_lines +=
                    id + " 0 d" + std::to_string(d) + " " + std::to_string(grade) + "\n";
                click_lines +=
                    id + "\td" + std::to_string(d) + "\t1\t10\t" + std::to_string(4 * grade) + "\n";
            }
        }
        write_file(queries, query_lines);
        write_file(qrels, judgement_lines);
        write_file(clicks, click_lines);
        write_file(rankers,
                   "model:\n  rankers:\n    - {ranker: bm25, parameters: {k1: 2}, weight: 3}\n"
                   "    - {ranker: lsa}\n    - {ranker: dph, name: other}\n");
        adopt_topics("lsa:8");
    }

    CommandResult train(std::vector<std::string> options) const {
        options.insert(options.begin(), {"--queries", queries, "--model-rankers", rankers});
        return run("train", options);
    }

    std::string queries = folder / "queries.tsv";
    std::string qrels = folder / "qrels";
    std::string clicks = folder / "clicks.tsv";
    std::string rankers = folder / "rankers.yaml";
    std::string model = folder / "model.yaml";
};

}  // namespace braid::test
