// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/cli/options/query_input.h"
#include "braid/core/eval/evaluation.h"
#include "braid/judgements.h"

namespace braid::cli {

/// Options of `braid eval`.
struct EvalSettings {
    enum class Format { kText, kTrec, kJson };

    JudgementInput qrels;
    std::vector<std::string> runs;
    std::string interleaved;  ///< A log to judge instead of runs; "": none.
    std::string baseline;     ///< "": the first run.
    std::vector<std::string> measures;
    std::string test = "t";
    std::uint64_t seed = kDefaultSeed;
    EvaluationOptions evaluation;
    RankingOptions ranking;
    bool per_query = false;
    Format format = Format::kText;
    std::string html;  ///< "": no report.
};

/// One run with its printed results.
struct EvaluatedRun {
    std::string file;
    std::string label;  ///< Name in tables: the shortened file name.
    std::string tag;    ///< The last column of the run file.
    Evaluation evaluation;
    JudgedRun::Oddities oddities;
    std::vector<bool> in_run;   ///< By query of the judgements.
    std::vector<double> curve;  ///< Precision at recall 0, .01, .. 1.
    /// Comparisons with the baseline, by measure; empty for the baseline itself and for measures
    /// without better and worse.
    std::vector<Comparison> comparisons;
};

/// Input of the printers. Borrows the judgements.
struct EvalReport {
    EvalReport(const EvalSettings& given, const Judgements& read)
        : settings(given), judgements(read) {}

    const EvalSettings& settings;
    const Judgements& judgements;
    std::vector<std::string> measures;
    std::vector<EvaluatedRun> runs;
    std::size_t baseline = 0;
    std::size_t relevant = 0;  ///< Number of relevant documents.
    std::string test_title;

    bool compares() const { return runs.size() > 1; }
    const std::string& query_name(std::size_t query) const {
        return judgements.queries()[query].query();
    }
};

/// False for measures that describe a run without rating it: judged@k.
bool is_quality(std::string_view measure);

/// "", "*" or "**" for a comparison's corrected p value.
std::string significance_mark(const Comparison& comparison);

/// "0.0312" or "<0.0001".
std::string p_text(double p);

/// Natural order of query names: digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b);

/// The queries evaluated for any run, in natural order.
std::vector<std::size_t> all_queries(const EvalReport& report);

/// For each judged query its index in `evaluation.queries`, or kNotEvaluated.
inline constexpr std::size_t kNotEvaluated = ~std::size_t{0};
std::vector<std::size_t> places_of(const EvalReport& report, const Evaluation& evaluation);

void print_text(const EvalReport& report);
void print_trec(const EvalReport& report);
void print_json(const EvalReport& report);

/// Writes one self-contained page. Throws Error if the file can't be written.
void write_html(const EvalReport& report);

}  // namespace braid::cli
