// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/report/train_report.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/cli/output/output.h"
#include "braid/cli/report/charts.h"
#include "braid/cli/report/eval_report.h"
#include "braid/core/model/model_function.h"
#include "braid/error.h"

namespace braid::cli {
namespace {

using Kind = MeasuredSystem::Kind;
using Part = TrainingFindings::Part;

std::string ending(const std::string& file) {
    return file == "-" ? ".txt" : std::filesystem::path(file).extension().string();
}

ReportFacts facts_of(const Session& session) {
    ReportFacts facts;
    facts.arguments = session.arguments;
    facts.warnings = session.given_warnings();
    facts.seconds = session.seconds();
    facts.processor_seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    facts.finished = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
    facts.version = BRAID_VERSION;
    return facts;
}

void write_figures(const TrainReport& report) {
    const std::filesystem::path folder = report.command.figures;
    const std::pair<const char*, std::string> pictures[] = {
        {"precision-recall.svg", precision_chart(report)},
        {"learning-curve.svg", learning_chart(report)},
        {"objective.svg", objective_chart(report)},
        {"starts.svg", start_chart(report)},
        {"rankers.svg", ranker_chart(report)}};
    if (report.calibration) {
        write_file((folder / "reliability.svg").string(),
                   standalone_svg(reliability_chart(*report.calibration)));
    }
    for (const auto& [name, picture] : pictures) {
        if (!picture.empty()) write_file((folder / name).string(), standalone_svg(picture));
    }
}

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

// "is .0123 above uniform weights (p .0021)"
std::string beside(const TrainingFindings& findings, const BaselineComparison& comparison,
                   const std::string& title) {
    const std::string which = comparison.difference < 0 ? "below" : "above";
    std::string text = fmt::format("{:.4f} {} {}", std::abs(comparison.difference), which, title);
    if (findings.part != Part::kTraining) text += " (p " + p_text(comparison.p) + ")";
    return text;
}

}  // namespace

void check_report_options(const TrainCommand& command) {
    bool prints = false;
    for (const std::string& file : command.reports) {
        const std::string kind = ending(file);
        if (kind != ".html" && kind != ".htm" && kind != ".json" && kind != ".txt") {
            throw CLI::ValidationError("--report " + file +
                                       ": expected a name that ends in .html, .json or .txt, or -");
        }
        prints = prints || file == "-";
    }
    if (prints && command.json) {
        throw CLI::ValidationError("--report - and --json both write to standard output");
    }
}

void check_reports_writable(const TrainCommand& command) {
    for (const std::string& file : command.reports) {
        if (file != "-") check_writable(file);
    }
    if (command.figures.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directory(command.figures, ignored);
    if (std::filesystem::is_directory(command.figures, ignored)) return;
    throw Error(command.figures + ": is no folder, expected one that figures can go into");
}

void write_reports(const TrainReport& report, const Session& session) {
    const ReportFacts facts = facts_of(session);
    for (const std::string& file : report.command.reports) {
        const std::string kind = ending(file);
        if (file == "-") {
            print_text("\n" + train_report_text(report, facts));
            continue;
        }
        write_file(file, kind == ".json"  ? train_report_json(report, facts)
                         : kind == ".txt" ? train_report_text(report, facts)
                                          : train_page(report, facts));
        session.note("report written to " + file);
    }
    if (report.command.figures.empty()) return;
    write_figures(report);
    session.note("figures written to " + report.command.figures);
}

std::vector<RankerWeights> ranker_weights(const TrainReport& report) {
    const RankingFunction& function = report.trained.result.function;
    const std::vector<double>* learned = fixed_weights(function);
    if (learned == nullptr) return {};
    const RankingFunction model = model_function(report.trained.model);
    const std::vector<double>& served = *fixed_weights(model);
    std::vector<RankerWeights> result;
    for (std::size_t k = 0; k < learned->size(); ++k) {
        RankerWeights ranker{.name = report.trained.model.rankers[k].label(),
                             .served = served[k],
                             .learned = (*learned)[k],
                             .share = report.shares[k]};
        std::vector<double> weights;
        for (std::size_t f = 0; report.folds && f < report.folds->folds.size(); ++f) {
            const std::vector<double>* fold = fixed_weights(report.folds->folds[f].function);
            if (fold != nullptr) weights.push_back((*fold)[k]);
        }
        if (!weights.empty()) {
            const auto count = static_cast<double>(weights.size());
            RankerWeights::Spread spread;
            spread.mean = std::accumulate(weights.begin(), weights.end(), 0.0) / count;
            for (const double weight : weights) {
                spread.deviation += (weight - spread.mean) * (weight - spread.mean);
            }
            spread.deviation = count > 1 ? std::sqrt(spread.deviation / (count - 1)) : 0;
            spread.least = *std::min_element(weights.begin(), weights.end());
            spread.most = *std::max_element(weights.begin(), weights.end());
            ranker.folds = spread;
        }
        result.push_back(std::move(ranker));
    }
    return result;
}

std::string measured_part(const TrainingFindings& findings) {
    if (findings.part == Part::kFolds) return "held-out folds";
    return findings.part == Part::kTest ? "the test file" : "the queries learned from";
}

std::string ranker_title(const std::string& name) {
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? "feature " + name : name;
}

std::string system_title(const TrainingFindings& findings, std::size_t system) {
    const MeasuredSystem& one = findings.systems[system];
    if (one.kind == Kind::kLearned) return "learned";
    if (one.kind == Kind::kBefore) return "weights as before";
    if (one.kind == Kind::kUniform) return "uniform weights";
    if (one.kind == Kind::kOracle) return "ceiling: best weights of each query";
    if (one.kind == Kind::kFixed) return "fixed weights by " + one.name;
    const std::string name = ranker_title(one.name);
    return system == findings.best_single ? name + ", best single ranker" : name;
}

std::string adaptive_verdict(const TrainingFindings& findings) {
    const AdaptiveFindings& adaptive = *findings.adaptive;
    const BaselineComparison& gain = adaptive.gain;
    std::string text = fmt::format(
        "Weights that depend on the query are {:+.4f} {} from fixed ones ({}) on {}: better on {} "
        "queries, worse on {}, p {}.",
        std::abs(gain.difference) < 5e-5 ? 0 : gain.difference, findings.measures[0],
        adaptive.fixed_learner, measured_part(findings), gain.better, gain.worse, p_text(gain.p));
    if (adaptive.kept_fixed > 0) {
        text += fmt::format(" The learner itself came back to fixed weights in {} of {} fits.",
                            adaptive.kept_fixed, adaptive.fits);
    }
    if (findings.part == Part::kTraining) {
        return text + " These queries were learned from: only --folds or --test can tell.";
    }
    if (adaptive.helps) return text + " They help: keep them.";
    return text + fmt::format(" That is no gain: keep fixed weights, --learner {}.",
                              adaptive.fixed_learner);
}

std::vector<std::string> verdicts(const TrainingFindings& findings) {
    if (findings.systems.empty()) return {};
    std::vector<std::string> result;
    const double learned = findings.systems[0].means[0];
    const std::string best = ranker_title(findings.systems[findings.best_single].name);
    const BaselineComparison* single = comparison_with(findings, findings.best_single);
    // The weights as they were, or uniform ones.
    const BaselineComparison& unlearned = findings.baselines[0];
    const std::string unlearned_title = system_title(findings, 1);
    result.push_back(fmt::format("On {}, {} is {:.4f}: {}, {}.", measured_part(findings),
                                 findings.measures[0], learned,
                                 beside(findings, *single, best + ", the best single ranker"),
                                 beside(findings, unlearned, unlearned_title)));
    if (const MeasuredSystem* oracle = findings.system(Kind::kOracle)) {
        const double room = oracle->means[0] - unlearned.mean;
        std::string text =
            fmt::format("The ceiling, the best weights of each query, is {:.4f}", oracle->means[0]);
        if (room > 1e-9) {
            text += fmt::format("; what was learned goes {:.0f} % of the way from {}",
                                100 * (learned - unlearned.mean) / room, unlearned_title);
        }
        result.push_back(text + ".");
    }
    if (findings.part == Part::kTraining) {
        result.push_back(
            "These are the queries learned from, so all of it is too good: --folds or --test "
            "measures on others.");
    }
    if (findings.adaptive) result.push_back(adaptive_verdict(findings));
    return result;
}

const BaselineComparison* comparison_with(const TrainingFindings& findings, std::size_t system) {
    const MeasuredSystem& one = findings.systems[system];
    if (one.kind == Kind::kFixed) return &findings.adaptive->gain;
    if (one.kind == Kind::kBefore || one.kind == Kind::kUniform || one.kind == Kind::kSingle) {
        return &findings.baselines[system - 1];
    }
    return nullptr;
}

std::vector<std::size_t> queries_by_gain(const TrainingFindings& findings) {
    const std::vector<double>& learned = findings.systems[0].values;
    const std::vector<double>& single = findings.systems[findings.best_single].values;
    std::vector<std::size_t> order(learned.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return learned[a] - single[a] < learned[b] - single[b];
    });
    return order;
}

std::string shell_line(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) {
        if (!line.empty()) line += ' ';
        if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void add(Pairs& pairs, const std::string& name, const std::string& value) {
    if (!value.empty()) pairs.emplace_back(name, value);
}

std::string seeds_of(const std::vector<std::uint64_t>& seeds) {
    return fmt::format("{}", fmt::join(seeds, ", "));
}

std::string parameters_of(const ParameterMap& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    }
    return text;
}

void add_input(Pairs& pairs, const TrainCommand& command) {
    add(pairs, "features", command.letor);
    add(pairs, "validation file", command.validation);
    add(pairs, "test file", command.test);
    add(pairs, "database", fmt::format("{}", fmt::join(command.setup.databases, ", ")));
    add(pairs, "queries", command.queries.name());
    add(pairs, "judgements", command.judgements.name());
    add(pairs, "clicks", command.clicks);
    add(pairs, "continued from", command.continued);
}

void add_learning(Pairs& pairs, const TrainReport& report) {
    const TrainCommand& command = report.command;
    const ModelProvenance& provenance = report.trained.model.provenance;
    add(pairs, "learner", provenance.learner);
    std::string options;
    for (const auto& [name, value] : provenance.options) {
        options += fmt::format("{}{}={}", options.empty() ? "" : " ", name, value);
    }
    add(pairs, "parameters", options);
    add(pairs, "measure", report.measures[0]);
    add(pairs, "least relevant grade", std::to_string(command.job.options.judging.relevant_from));
    const Normalisation& normaliser = report.trained.model.normaliser;
    std::string how =
        command.job.scale ? "scale, by each ranker's mean spread" : normaliser.normaliser;
    if (!normaliser.parameters.empty()) how += ' ' + parameters_of(normaliser.parameters);
    add(pairs, "normaliser", how);
    add(pairs, "queries without a relevant document",
        command.job.skip_empty ? "left out of means" : "count 0");
    if (command.folding.folds > 0) {
        add(pairs, "folds", std::to_string(command.folding.folds));
        add(pairs, "seeds of the folds", seeds_of(command.folding.seeds));
    }
    add(pairs, "paired test", command.folding.baselines.test);
    add(pairs, "seed", std::to_string(provenance.seed));
}

void add_ranker_rows(Pairs& pairs, const FusionModel& model) {
    for (const RankerSpec& spec : model.rankers) {
        std::string what = spec.ranker;
        if (!spec.field.empty()) what += ", field " + spec.field;
        if (!spec.topics.empty()) what += ", topics " + spec.topics;
        if (!spec.parameters.empty()) what += ", " + parameters_of(spec.parameters);
        if (what != spec.label() && spec.ranker != "feature") {
            add(pairs, "ranker " + spec.label(), what);
        }
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of_report(const TrainReport& report) {
    Pairs pairs;
    add_input(pairs, report.command);
    add_learning(pairs, report);
    add_ranker_rows(pairs, report.trained.model);
    for (const TopicModelIdentity& identity : report.trained.model.provenance.topic_models) {
        add(pairs, "topic model " + identity.name, fmt::format("{}", identity.id));
    }
    if (report.now > 0) {
        add(pairs, "ages counted from", fmt::format("{:.0f} seconds after 1970", report.now));
    }
    add(pairs, "model", report.command.model);
    return pairs;
}

namespace {

using Json = nlohmann::ordered_json;

Json reliability_in_json(const Reliability& part) {
    Json bins = Json::array();
    for (const Reliability::Bin& bin : part.bins) {
        bins.push_back({{"documents", bin.documents},
                        {"probability", bin.probability},
                        {"relevant", bin.relevant}});
    }
    return {{"documents", part.documents},
            {"judged", part.judged},
            {"relevant", part.relevant},
            {"brier", part.brier},
            {"constant_brier", part.constant_brier},
            {"log_loss", part.log_loss},
            {"expected_calibration_error", part.error},
            {"bins", std::move(bins)}};
}

std::string where(const CalibrationFindings& findings) {
    return findings.is_of_test ? fmt::format("{} test queries", findings.measured_on)
                               : fmt::format("{} held-out queries, each by a fit to other ones",
                                             findings.measured_on);
}

double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::string of_pools(const CalibrationFindings& findings) {
    const Reliability& top = findings.reliability;
    const double judged = share(top.judged, top.documents);
    if (top.judged == top.documents) return "";
    return fmt::format(
        "{:.0f} % of each query's first ten were judged; the others count as irrelevant, so "
        "probabilities are lower bounds",
        100 * judged);
}

ChartLine line_of(const Reliability& part, const std::string& label, const std::string& kind) {
    ChartLine line = {.label = label, .xs = {}, .ys = {}, .kind = kind, .dots = true};
    for (const Reliability::Bin& bin : part.bins) {
        line.xs.push_back(bin.probability);
        line.ys.push_back(bin.relevant);
    }
    return line;
}

}  // namespace

Json calibration_json(const CalibrationFindings& findings) {
    return {{"method", findings.method},
            {"fitted_to_queries", findings.queries},
            {"measured_on", findings.is_of_test ? "test queries" : "held-out queries"},
            {"measured_queries", findings.measured_on},
            {"first_ten", reliability_in_json(findings.reliability)},
            {"scores", findings.calibration.scores},
            {"probabilities", findings.calibration.probabilities}};
}

std::string calibration_text(const CalibrationFindings& findings) {
    const Reliability& found = findings.reliability;
    std::string text = fmt::format(
        "probability of relevance, {}, fitted to {} held-out queries; of each query's first ten:\n"
        "expected calibration error {:.4f}, Brier score {:.4f} ({:.4f} for the constant {:.3f}); "
        "measured on {}\n",
        findings.method, findings.queries, found.error, found.brier, found.constant_brier,
        share(found.relevant, found.documents), where(findings));
    const std::string pools = of_pools(findings);
    if (!pools.empty()) text += pools + "\n";
    if (found.brier >= found.constant_brier) {
        text +=
            "these scores say no more than the constant does: too few queries held out, or "
            "scores that don't compare between queries\n";
    }
    return text;
}

std::string reliability_chart(const CalibrationFindings& findings) {
    LineChart chart = share_chart("Share of relevant documents over their probability",
                                  "probability, mean of a bin", "share of relevant documents");
    chart.lines.push_back(line_of(findings.reliability, "first ten of each query", "c0"));
    chart.lines.push_back(
        {.label = "as it should be", .xs = {0, 1}, .ys = {0, 1}, .kind = "c2 dashed"});
    return line_chart_svg(chart);
}

void add_calibration(Html& html, const CalibrationFindings& findings) {
    html.add("<h2 id=\"calibration\">Probabilities of relevance</h2>\n");
    html.print(
        "<p>A score says how probably its document is relevant ({}, fitted to {} held-out "
        "queries). Measured on {}:</p>\n",
        findings.method, findings.queries, where(findings));
    begin_scroll(html, "calibration");
    html.add(
        "<table><thead><tr><th scope=\"col\">documents</th><th scope=\"col\">number</th>"
        "<th scope=\"col\">relevant</th><th scope=\"col\">expected calibration error</th>"
        "<th scope=\"col\">Brier score</th><th scope=\"col\">Brier score of a constant</th>"
        "</tr></thead><tbody>\n");
    const Reliability& found = findings.reliability;
    html.print(
        "<tr><th scope=\"row\">the first ten of each "
        "query</th><td>{}</td><td>{}</td><td>{:.4f}</td>"
        "<td>{:.4f}</td><td>{:.4f}</td></tr>\n",
        found.documents, found.relevant, found.error, found.brier, found.constant_brier);
    html.add("</tbody></table>");
    end_scroll(html);
    add_chart(html, reliability_chart(findings), "reliability");
    const std::string pools = of_pools(findings);
    if (!pools.empty()) html.print("<p class=\"soft\">{}.</p>\n", escape_html(pools));
}

}  // namespace braid::cli
