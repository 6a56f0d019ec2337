// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>

#include <fmt/format.h>

#include "braid/cli/output/text_table.h"
#include "braid/cli/report/eval_report.h"
#include "braid/cli/report/train_report.h"
#include "braid/core/base/text.h"

namespace braid::cli {
namespace {

constexpr std::size_t kQueriesShown = 10;

std::string number(double value) { return fmt::format("{:.4f}", value); }

std::string signed_number(double value) { return fmt::format("{:+.4f}", value); }

// Control characters of names that come from files would reach the terminal.
std::string plain(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return text;
}

class Text {
  public:
    Text(const TrainReport& report, const ReportFacts& facts)
        : report_(report), facts_(facts), findings_(*report.findings) {}

    std::string build() {
        for (const std::string& sentence : verdicts(findings_)) text_ += plain(sentence) + "\n";
        if (!findings_.systems.empty()) {
            systems();
            precision();
        }
        weights();
        loss();
        distances();
        if (!findings_.systems.empty()) queries();
        settings();
        return std::move(text_);
    }

  private:
    void title(const std::string& name) { text_ += "\n" + name + "\n"; }
    void add(const TextTable& table) { text_ += table.text(); }

    void systems() {
        title("Measured on " + measured_part(findings_));
        TextTable table(1);
        std::vector<std::string> head = {""};
        head.insert(head.end(), findings_.measures.begin(), findings_.measures.end());
        head.insert(head.end(), {"learned is", "better", "worse", "p", "adjusted p"});
        table.row(head);
        for (std::size_t s = 0; s < findings_.systems.size(); ++s) {
            std::vector<std::string> row = {plain(system_title(findings_, s))};
            for (const double mean : findings_.systems[s].means) row.push_back(number(mean));
            if (const BaselineComparison* against = comparison_with(findings_, s)) {
                row.insert(row.end(),
                           {signed_number(against->difference), std::to_string(against->better),
                            std::to_string(against->worse), p_text(against->p),
                            p_text(against->p_adjusted)});
            }
            table.row(row);
        }
        add(table);
    }

    void precision() {
        title("Interpolated precision at recall 0, .1, .. 1");
        TextTable table(1);
        for (std::size_t s = 0; s < findings_.systems.size(); ++s) {
            const MeasuredSystem& system = findings_.systems[s];
            if (system.precision.empty()) continue;
            std::vector<std::string> row = {plain(system_title(findings_, s))};
            for (const double value : system.precision) row.push_back(fmt::format("{:.3f}", value));
            table.row(row);
        }
        add(table);
    }

    void weights() {
        const std::vector<RankerWeights> rankers = ranker_weights(report_);
        if (rankers.empty()) return;
        title("Weights");
        TextTable table(1);
        std::vector<std::string> head = {"ranker", "in the model", "as learned", "share"};
        if (rankers[0].folds) head.insert(head.end(), {"mean of folds", "deviation"});
        table.row(head);
        for (const RankerWeights& ranker : rankers) {
            std::vector<std::string> row = {
                plain(ranker.name), fmt::format("{:.6g}", ranker.served), number(ranker.learned),
                fmt::format("{:.1f} %", 100 * ranker.share)};
            if (ranker.folds) {
                row.push_back(number(ranker.folds->mean));
                row.push_back(number(ranker.folds->deviation));
            }
            table.row(row);
        }
        add(table);
    }

    void loss() {
        if (!findings_.uniform_loss) return;
        title("Loss = mean of rankers - ambiguity - term of the weights' sum");
        TextTable table(1);
        table.row({"", "loss", "rankers", "ambiguity", "sum term", "diversity estimate"});
        const auto row = [&](const char* name, const LossTerms& terms) {
            table.row({name, number(terms.ensemble), number(terms.rankers), number(terms.ambiguity),
                       number(std::abs(terms.sum_term) < 5e-5 ? 0 : terms.sum_term),
                       number(terms.diversity)});
        };
        if (findings_.loss) row("learned", *findings_.loss);
        row("uniform weights", *findings_.uniform_loss);
        add(table);
    }

    void distances() {
        const std::size_t size = findings_.mapped.size();
        title(fmt::format("How different first {} documents are, and the map", findings_.depth));
        TextTable table(1);
        for (std::size_t i = 0; i < size; ++i) {
            std::vector<std::string> row = {plain(findings_.mapped[i])};
            for (std::size_t j = 0; j < size; ++j) {
                row.push_back(fmt::format("{:.2f}", findings_.distances[i * size + j]));
            }
            row.push_back(fmt::format("({:+.2f}, {:+.2f})", findings_.map.points[2 * i],
                                      findings_.map.points[2 * i + 1]));
            table.row(row);
        }
        add(table);
    }

    void queries() {
        const std::vector<std::size_t> order = queries_by_gain(findings_);
        const std::vector<double>& learned = findings_.systems[0].values;
        const MeasuredSystem& single = findings_.systems[findings_.best_single];
        TextTable table(1);
        table.row({"query", "learned", plain(single.name), "difference"});
        const auto row = [&](std::size_t q) {
            table.row({plain(findings_.queries[q]), number(learned[q]), number(single.values[q]),
                       signed_number(learned[q] - single.values[q])});
        };
        const std::size_t shown = std::min(kQueriesShown, order.size());
        title("Queries that lose and gain most");
        for (std::size_t i = 0; i < shown; ++i) row(order[i]);
        for (std::size_t i = std::max(shown, order.size() - shown); i < order.size(); ++i) {
            row(order[i]);
        }
        add(table);
    }

    void settings() {
        title("Settings");
        TextTable table(2);
        for (const auto& [name, value] : settings_of_report(report_)) {
            table.row({plain(name), plain(value)});
        }
        add(table);
        if (!facts_.warnings.empty()) title("Warnings");
        for (const std::string& warning : facts_.warnings) text_ += plain(warning) + "\n";
        title(plain(shell_line(facts_.arguments)));
        text_ += fmt::format("braid {}, {}, {:.1f} s, {:.1f} s of processors\n", facts_.version,
                             facts_.finished, facts_.seconds, facts_.processor_seconds);
    }

    const TrainReport& report_;
    const ReportFacts& facts_;
    const TrainingFindings& findings_;
    std::string text_;
};

}  // namespace

std::string train_report_text(const TrainReport& report, const ReportFacts& facts) {
    return visible(Text(report, facts).build(), "\n");
}

}  // namespace braid::cli
