// SPDX-License-Identifier: GPL-2.0-or-later
// Every line that trec_eval printed for runs full of ties, binary and graded.
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

braid::Judgements parse_judgements(const std::string& text) {
    braid::Judgements judgements;
    std::istringstream in(text);
    std::string query;
    std::string zero;
    std::string document;
    int grade = 0;
    while (in >> query >> zero >> document >> grade) judgements.add(query, document, grade);
    return judgements;
}

braid::Run parse_run(const std::string& text) {
    braid::Run run;
    std::istringstream in(text);
    std::string query;
    std::string q0;
    std::string document;
    std::string tag;
    int rank = 0;
    double score = 0;
    while (in >> query >> q0 >> document >> rank >> score >> tag) {
        run.add(run.query(query), document, score);
    }
    return run;
}

std::string four_decimals(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", value);
    return text;
}

struct Line {
    std::string measure;
    std::string query;
    std::string value;
};

std::vector<Line> parse_lines(const std::string& text) {
    std::vector<Line> lines;
    std::istringstream in(text);
    for (Line line; in >> line.measure >> line.query >> line.value;) lines.push_back(line);
    return lines;
}

void check_collection(const std::string& name, const std::string& run_suffix,
                      std::size_t expected_lines) {
    const auto golden = braid::test::shared_file("golden/trec_eval/" + name + ".trec_eval");
    const auto qrels = braid::test::shared_file("golden/trec_eval/" + name + ".qrels");
    const auto run_file = braid::test::shared_file("golden/trec_eval/" + name + run_suffix);
    BRAID_SKIP_WITHOUT(golden && qrels && run_file);
    const std::vector<Line> lines = parse_lines(braid::test::read_file(*golden));
    REQUIRE(lines.size() == expected_lines);
    const braid::Judgements judgements = parse_judgements(braid::test::read_file(*qrels));
    const braid::Run run = parse_run(read_any(*run_file));
    const braid::JudgedPools pools(judgements);
    const braid::JudgedRun judged(pools, run);

    std::map<std::string, braid::Evaluation> by_measure;
    std::map<std::string, std::size_t> row;
    std::size_t wrong = 0;
    for (const Line& line : lines) {
        if (line.measure == "num_q") {
            CHECK(line.value == std::to_string(judgements.queries().size()));
            continue;
        }
        if (by_measure.count(line.measure) == 0) {
            by_measure[line.measure] = braid::evaluate(judged, {line.measure});
        }
        const braid::Evaluation& evaluation = by_measure[line.measure];
        double value = evaluation.mean(0);
        if (line.query != "all") {
            if (row.empty()) {
                for (std::size_t i = 0; i < evaluation.queries.size(); ++i) {
                    row[judgements.queries()[evaluation.queries[i]].query()] = i;
                }
            }
            value = evaluation.values[0].at(row.at(line.query));
        }
        if (four_decimals(value) != line.value && wrong++ < 10) {
            FAIL_CHECK(line.measure << " " << line.query << ": " << value << ", trec_eval "
                                    << line.value);
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
