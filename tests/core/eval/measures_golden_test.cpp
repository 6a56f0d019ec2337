// SPDX-License-Identifier: GPL-2.0-or-later
// Every line that trec_eval printed for runs full of ties, binary and graded.
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include <zlib.h>

#include "braid/core/eval/evaluation.h"
#include "braid/tests/support/support.h"

namespace {

std::string read_any(const std::filesystem::path& path) {
    gzFile file = gzopen(path.c_str(), "rb");
    REQUIRE(file != nullptr);
    std::string text;
    std::vector<char> buffer(1 << 16);
    for (int got = 0; (got = gzread(file, buffer.data(), 1 << 16)) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    gzclose(file);
    return text;
}

// The words of each line: `Count` of them.
template <std::size_t Count>
std::vector<std::array<std::string, Count>> words_of_lines(const std::string& text) {
    std::vector<std::array<std::string, Count>> lines;
    std::istringstream in(text);
    for (std::array<std::string, Count> line; in >> line[0];) {
        for (std::size_t i = 1; i < Count; ++i) in >> line[i];
        lines.push_back(line);
    }
    return lines;
}

braid::Judgements parse_judgements(const std::string& text) {
    braid::Judgements judgements;
    for (const auto& [query, zero, document, grade] : words_of_lines<4>(text)) {
        judgements.add(query, document, std::stoi(grade));
    }
    return judgements;
}

braid::Run parse_run(const std::string& text) {
    braid::Run run;
    for (const auto& [query, q0, document, rank, score, tag] : words_of_lines<6>(text)) {
        run.add(run.query(query), document, std::stod(score));
    }
    return run;
}

std::string four_decimals(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", value);
    return text;
}

void check_collection(const std::string& name, const std::string& run_suffix,
                      std::size_t expected_lines) {
    const auto golden = braid::test::shared_file("golden/trec_eval/" + name + ".trec_eval");
    const auto qrels = braid::test::shared_file("golden/trec_eval/" + name + ".qrels");
    const auto run_file = braid::test::shared_file("golden/trec_eval/" + name + run_suffix);
    BRAID_SKIP_WITHOUT(golden && qrels && run_file);
    const auto lines = words_of_lines<3>(braid::test::read_file(*golden));
    REQUIRE(lines.size() == expected_lines);
    const braid::Judgements judgements = parse_judgements(braid::test::read_file(*qrels));
    const braid::Run run = parse_run(read_any(*run_file));
    const braid::JudgedPools pools(judgements);
    const braid::JudgedRun judged(pools, run);

    std::map<std::string, braid::Evaluation> by_measure;
    std::map<std::string, std::size_t> row;
    std::size_t wrong = 0;
    for (const auto& [measure, query, expected] : lines) {
        if (measure == "num_q") {
            CHECK(expected == std::to_string(judgements.queries().size()));
            continue;
        }
        if (by_measure.count(measure) == 0) {
            by_measure[measure] = braid::evaluate(judged, {measure});
        }
        const braid::Evaluation& evaluation = by_measure[measure];
        double value = evaluation.mean(0);
        if (query != "all") {
            if (row.empty()) {
                for (std::size_t i = 0; i < evaluation.queries.size(); ++i) {
                    row[judgements.queries()[evaluation.queries[i]].query()] = i;
                }
            }
            value = evaluation.values[0].at(row.at(query));
        }
        if (four_decimals(value) != expected && wrong++ < 10) {
            FAIL_CHECK(measure << " " << query << ": " << value << ", trec_eval " << expected);
        }
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("Measures: every line of trec_eval for MED", "[golden]") {
    check_collection("med", ".run", 404);
}

TEST_CASE("Measures: every line of trec_eval for CRAN", "[golden]") {
    check_collection("cran", ".run.gz", 2939);
}

TEST_CASE("Measures: every line of trec_eval for graded MQ2008", "[golden]") {
    check_collection("mq2008-fold1-test-f40", ".run", 2042);
}
