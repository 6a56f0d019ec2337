// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/text_cells.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/eval/measures.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

constexpr std::size_t kRecallPoints = 11;

std::vector<double> numbers_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<double> numbers;
    for (double number = 0; in >> number;) numbers.push_back(number);
    return numbers;
}

// Of one line: key, seconds, weights, recall, curve and a column for each measure's values.
Cell cell_of(std::istringstream& line) {
    std::vector<std::string> columns;
    for (std::string column; std::getline(line, column, '\t');) columns.push_back(column);
    if (columns.size() < 4 + table_measures().size()) throw Error("too few columns");
    Cell cell;
    cell.seconds = std::stod(columns[0]);
    cell.weights = numbers_of(columns[1]);
    cell.recall = numbers_of(columns[2]);
    cell.curve = numbers_of(columns[3]);
    for (std::size_t m = 0; m < table_measures().size(); ++m) {
        cell.values.push_back(numbers_of(columns[4 + m]));
    }
    return cell;
}

}  // namespace

const std::vector<std::string>& table_measures() {
    static const std::vector<std::string> names = {"map", "p@1", "p@5"};
    return names;
}

TextCells::TextCells(const std::string& file) {
    if (file.empty()) return;
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
        std::istringstream line(text);
        std::string key;
        std::getline(line, key, '\t');
        try {
            cells_[key] = cell_of(line);
        } catch (const std::exception&) {
            throw Error(fmt::format("{}: a line is no cell of a table; remove it: {}", file, key));
        }
    }
    out_.open(file, std::ios::app);
    if (!out_) throw Error(file + ": can't be written");
}

const Cell* TextCells::find(const std::string& key) const {
    const auto found = cells_.find(key);
    return found == cells_.end() ? nullptr : &found->second;
}

const Cell& TextCells::add(const std::string& key, Cell cell) {
    if (out_.is_open()) {
        out_ << fmt::format("{}\t{:.3f}\t{}\t{}\t{}", key, cell.seconds,
                            fmt::join(cell.weights, " "), fmt::join(cell.recall, " "),
                            fmt::join(cell.curve, " "));
        for (const std::vector<double>& values : cell.values) {
            out_ << fmt::format("\t{}", fmt::join(values, " "));
        }
        // Ends in a tab, so that a last column without numbers is one all the same.
        out_ << "\t\n" << std::flush;
    }
    return cells_[key] = std::move(cell);
}

CellMeasures::CellMeasures(const TrainingSet& testing) : testing_(testing) {
    measures_.reserve(table_measures().size());
    for (const std::string& name : table_measures()) measures_.emplace_back(testing, name);
}

void CellMeasures::measure(const RankingFunction& function, Executor& executor, Cell& cell) const {
    const std::size_t queries = testing_.queries.size();
    cell.values.assign(measures_.size(), std::vector<double>(queries, 0));
    std::vector<std::vector<double>> recalls(queries, std::vector<double>(kRecallPoints, 0));
    executor.run(queries, [&](std::size_t q) {
        std::vector<double> scores(testing_.pool_size(q));
        score_pool(function, testing_, q, scores);
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            cell.values[m][q] = measures_[m].of_scores(q, scores);
        }
        const TrainingMeasure& map = measures_.front();
        const std::vector<Grade> ranked = map.ranked_grades(q, scores);
        add_interpolated_precision({ranked, map.pool(q)}, map.relevant_from(), recalls[q]);
    });
    cell.recall.assign(kRecallPoints, 0);
    for (const std::vector<double>& recall : recalls) {
        for (std::size_t i = 0; i < kRecallPoints; ++i) cell.recall[i] += recall[i];
    }
}

}  // namespace braid::bench
