// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"
#include "braid/cli/report/eval_report.h"
#include "braid/cli/report/train_report.h"
#include "braid/core/base/text.h"
#include "braid/core/model/model_function.h"

namespace braid::cli {
namespace {

constexpr std::size_t kQueriesShown = 10;

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
        if (report_.calibration) {
            title("Probabilities of relevance");
            text_ += calibration_text(*report_.calibration);
        }
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
            for (const double mean : findings_.systems[s].means) row.push_back(four_places(mean));
            if (const BaselineComparison* against = comparison_with(findings_, s)) {
                row.insert(row.end(),
                           {signed_four_places(against->difference),
                            std::to_string(against->better), std::to_string(against->worse),
                            p_text(against->p), p_text(against->p_adjusted)});
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
                plain(ranker.name), fmt::format("{:.6g}", ranker.served),
                four_places(ranker.learned), fmt::format("{:.1f} %", 100 * ranker.share)};
            if (ranker.folds) {
                row.push_back(four_places(ranker.folds->mean));
                row.push_back(four_places(ranker.folds->deviation));
            }
            table.row(row);
        }
        add(table);
    }

    void loss() {
        if (!findings_.uniform_loss) return;
        title("Loss = mean of rankers - ambiguity - term of the weights' sum");
        TextTable table(1);
        table.row(
            {"", "weight sum", "loss", "rankers", "ambiguity", "sum term", "diversity estimate"});
        const auto row = [&](const char* name, const LossTerms& terms) {
            table.row({name, four_places(terms.weight_sum), four_places(terms.ensemble),
                       four_places(terms.rankers), four_places(terms.ambiguity),
                       four_places(std::abs(terms.sum_term) < 5e-5 ? 0 : terms.sum_term),
                       four_places(terms.diversity)});
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
            table.row({plain(findings_.queries[q]), four_places(learned[q]),
                       four_places(single.values[q]),
                       signed_four_places(learned[q] - single.values[q])});
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

namespace {

using Json = nlohmann::ordered_json;
using Kind = MeasuredSystem::Kind;

const char* kind_name(Kind kind) {
    switch (kind) {
        case Kind::kLearned:
            return "learned";
        case Kind::kBefore:
            return "before";
        case Kind::kUniform:
            return "uniform";
        case Kind::kSingle:
            return "single";
        case Kind::kFixed:
            return "fixed";
        case Kind::kOracle:
            break;
    }
    return "oracle";
}

Json in_json(const BaselineComparison& comparison) {
    return {{"mean", comparison.difference},
            {"interval_95",
             {finite_json(comparison.interval.low), finite_json(comparison.interval.high)}},
            {"better", comparison.better},
            {"worse", comparison.worse},
            {"p", comparison.p},
            {"p_adjusted", comparison.p_adjusted}};
}

Json systems_json(const TrainingFindings& findings) {
    Json systems = Json::array();
    for (std::size_t s = 0; s < findings.systems.size(); ++s) {
        const MeasuredSystem& system = findings.systems[s];
        Json one = {{"name", system.name}, {"kind", kind_name(system.kind)}};
        for (std::size_t m = 0; m < findings.measures.size(); ++m) {
            one["mean"][findings.measures[m]] = system.means[m];
        }
        if (s == findings.best_single) one["best_single"] = true;
        if (!system.precision.empty()) one["interpolated_precision"] = system.precision;
        if (!system.pair_errors.empty()) one["pair_errors"] = system.pair_errors;
        const BaselineComparison* comparison = comparison_with(findings, s);
        if (comparison != nullptr) one["learned_minus_this"] = in_json(*comparison);
        systems.push_back(std::move(one));
    }
    return systems;
}

Json queries_json(const TrainingFindings& findings) {
    Json queries = Json::array();
    for (std::size_t q = 0; q < findings.queries.size(); ++q) {
        Json one = {{"query", findings.queries[q]},
                    {"documents", findings.documents[q]},
                    {"relevant", findings.relevant[q]},
                    {"unequal_pairs", findings.unequal_pairs[q]}};
        // Names of rankers can be anything; those of the others can't be theirs.
        Json rankers = Json::object();
        for (const MeasuredSystem& system : findings.systems) {
            if (system.kind == Kind::kSingle) {
                rankers[system.name] = system.values[q];
            } else {
                one[kind_name(system.kind)] = system.values[q];
            }
        }
        one["rankers"] = std::move(rankers);
        if (findings.adaptive && !findings.adaptive->weights[q].empty()) {
            one["weights"] = findings.adaptive->weights[q];
        }
        queries.push_back(std::move(one));
    }
    return queries;
}

Json curve_json(const std::vector<CurvePoint>& curve) {
    Json points = Json::array();
    for (const CurvePoint& point : curve) {
        Json one = {{"iteration", point.iteration}, {"objective", finite_json(point.objective)}};
        if (!point.watched.empty()) one["training"] = finite_json(point.watched[0]);
        if (point.watched.size() > 1) one["held_out"] = finite_json(point.watched[1]);
        if (point.validation) one["validation"] = *point.validation;
        if (point.bound) one["bound"] = *point.bound;
        points.push_back(std::move(one));
    }
    return points;
}

Json folds_json(const CrossValidation& folds) {
    Json list = Json::array();
    for (const FoldResult& fold : folds.folds) {
        Json one = {{"seed", fold.seed},
                    {"fold", fold.fold + 1},
                    {"training", fold.train},
                    {"test", fold.test},
                    {"iterations", fold.iterations},
                    {"stop_reason", fold.stop_reason}};
        const std::vector<double>* weights = fixed_weights(fold.function);
        if (weights != nullptr) one["weights"] = *weights;
        one["curve"] = curve_json(fold.curve);
        list.push_back(std::move(one));
    }
    return list;
}

Json weights_json(const TrainReport& report) {
    Json list = Json::array();
    for (const RankerWeights& ranker : ranker_weights(report)) {
        Json one = {{"name", ranker.name},
                    {"weight", ranker.served},
                    {"learned_weight", ranker.learned},
                    {"share", ranker.share}};
        if (ranker.folds) {
            one["folds"] = {{"mean", ranker.folds->mean},
                            {"deviation", ranker.folds->deviation},
                            {"least", ranker.folds->least},
                            {"most", ranker.folds->most}};
        }
        list.push_back(std::move(one));
    }
    return list;
}

Json loss_json(const LossTerms& terms) {
    return {{"ensemble", terms.ensemble},   {"rankers", terms.rankers},
            {"ambiguity", terms.ambiguity}, {"weight_sum", terms.weight_sum},
            {"sum_term", terms.sum_term},   {"diversity", terms.diversity},
            {"queries", terms.queries}};
}

Json starts_json(const TrainReport& report) {
    Json list = Json::array();
    for (const StartCurve& start : report.trained.result.starts) {
        list.push_back({{"weights", start.weights}, {"curve", curve_json(start.curve)}});
    }
    return list;
}

Json pairs_json(const TrainingFindings& findings) {
    Json list = Json::array();
    for (const GradePair& pair : findings.grade_pairs) {
        list.push_back({{"upper", pair.upper}, {"lower", pair.lower}, {"pairs", pair.pairs}});
    }
    return list;
}

Json groups_json(const TrainingFindings& findings) {
    Json list = Json::array();
    for (const QueryGroup& group : query_groups(findings)) {
        list.push_back({{"from", group.from},
                        {"to", group.to},
                        {"queries", group.queries},
                        {"learned", group.means[0]},
                        {"best_single", group.means[findings.best_single]},
                        {"unlearned", group.means[1]}});
    }
    return list;
}

Json bounds_json(const LossBounds& bounds, bool has_two) {
    Json out = {{"queries", bounds.queries}, {"loss", bounds.loss}};
    const char* const forms[] = {"exponential", "logistic", "hinge"};
    for (std::size_t f = 0; f < LossBounds::kForms; ++f) {
        out["type_one"][forms[f]] = bounds.one[f];
        if (!has_two) continue;
        out["type_two"][forms[f]] = bounds.two[f];
        out["type_two_all_pairs"][forms[f]] = bounds.two_all_pairs[f];
    }
    return out;
}

Json two_rankers_json(const TwoRankers& two) {
    Json circle = Json::array();
    for (std::size_t i = 0; i < two.circle.size(); ++i) {
        Json one = bounds_json(two.circle[i], true);
        one["degrees"] = i * TwoRankers::kDegrees;
        circle.push_back(std::move(one));
    }
    return {{"first_weight", two.first},
            {"measure", two.measure},
            {"smooth", two.smooth},
            {"circle", std::move(circle)}};
}

Json map_json(const TrainingFindings& findings) {
    const std::size_t size = findings.mapped.size();
    Json distances = Json::array();
    Json points = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < size; ++j) row.push_back(findings.distances[i * size + j]);
        distances.push_back(std::move(row));
        points.push_back({findings.map.points[2 * i], findings.map.points[2 * i + 1]});
    }
    return {{"names", findings.mapped},
            {"depth", findings.depth},
            {"distances", std::move(distances)},
            {"map", std::move(points)},
            {"map_share", findings.map.share}};
}

Json adaptive_json(const TrainingFindings& findings) {
    const AdaptiveFindings& adaptive = *findings.adaptive;
    Json features = Json::array();
    for (const auto& feature : adaptive.features) {
        features.push_back(
            {{"name", feature.name}, {"helped", feature.helped}, {"harmed", feature.harmed}});
    }
    return {{"fixed_learner", adaptive.fixed_learner},
            {"gain", in_json(adaptive.gain)},
            {"helps", adaptive.helps},
            {"fits", adaptive.fits},
            {"kept_fixed", adaptive.kept_fixed},
            {"features", std::move(features)},
            {"verdict", adaptive_verdict(findings)}};
}

}  // namespace

std::string train_report_json(const TrainReport& report, const ReportFacts& facts) {
    const TrainingFindings& findings = *report.findings;
    Json out = {{"command", facts.arguments},
                {"version", facts.version},
                {"finished", facts.finished},
                {"seconds", facts.seconds},
                {"processor_seconds", facts.processor_seconds}};
    for (const auto& [name, value] : settings_of_report(report)) out["settings"][name] = value;
    out["warnings"] = facts.warnings;
    out["verdicts"] = verdicts(findings);
    out["measured_on"] = measured_part(findings);
    out["measures"] = findings.measures;
    const LearningRecord& learning = report.trained.model.provenance.learning;
    out["training"] = learning.measures;
    if (!learning.validation.empty()) out["validation"] = learning.validation;
    out["systems"] = systems_json(findings);
    out["queries"] = queries_json(findings);
    out["rankers"] = weights_json(report);
    out["objective_name"] = report.trained.result.objective_name;
    out["curve"] = curve_json(report.trained.result.curve);
    if (!report.trained.result.starts.empty()) out["starts"] = starts_json(report);
    if (report.folds) out["folds"] = folds_json(*report.folds);
    if (!findings.grade_pairs.empty()) out["grade_pairs"] = pairs_json(findings);
    if (!findings.unequal_pairs.empty()) out["groups"] = groups_json(findings);
    if (findings.bounds) out["bounds"]["all"] = bounds_json(*findings.bounds, false);
    if (findings.enumerated) out["bounds"]["enumerated"] = bounds_json(*findings.enumerated, true);
    if (findings.two_rankers) out["two_rankers"] = two_rankers_json(*findings.two_rankers);
    if (findings.loss) out["loss"]["learned"] = loss_json(*findings.loss);
    if (findings.uniform_loss) out["loss"]["uniform"] = loss_json(*findings.uniform_loss);
    out["distances"] = map_json(findings);
    if (report.calibration) out["calibration"] = calibration_json(*report.calibration);
    if (findings.adaptive) out["query_dependent"] = adaptive_json(findings);
    return json_text(out, 2);
}

}  // namespace braid::cli
