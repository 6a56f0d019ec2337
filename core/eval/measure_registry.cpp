// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/eval/measure.h"
#include "braid/core/eval/measures.h"
#include "braid/error.h"

namespace braid {

JudgedPool JudgedPool::of(std::vector<Grade> grades) {
    std::sort(grades.begin(), grades.end(), std::greater<>());
    return {std::move(grades)};
}

JudgedPool JudgedPool::of(const QueryJudgements& judgements) {
    std::vector<Grade> grades;
    grades.reserve(judgements.all().size());
    for (const Judgement& judgement : judgements.all()) grades.push_back(judgement.grade);
    return of(std::move(grades));
}

std::size_t JudgedPool::count_from(Grade grade) const {
    const auto end =
        std::partition_point(grades.begin(), grades.end(), [grade](Grade g) { return g >= grade; });
    return static_cast<std::size_t>(end - grades.begin());
}

namespace {

using Cutoff = MeasureInfo::Cutoff;

std::vector<MeasureInfo> all_measures() {
    return {
        {"map",
         "average precision: the mean of the precisions at each relevant document, 0 for those "
         "not found",
         Cutoff::kOptional,
         make_average_precision,
         {"ap"},
         "",
         "map_cut"},
        {"ndcg",
         "normalised discounted gain: sum of grade / log2(rank + 1), divided by the ideal "
         "ranking's",
         Cutoff::kOptional,
         make_ndcg,
         {},
         "",
         "ndcg_cut"},
        {"ndcg-whole", "ndcg@k divided by the whole ideal ranking's, not by that of its first k",
         Cutoff::kRequired, make_ndcg_whole},
        {"ndcg-exp", "ndcg with the gain 2^grade - 1", Cutoff::kOptional, make_ndcg_exp},
        {"ndcg-letor",
         "LETOR's script: gain 2^grade - 1, ranks 1 and 2 weigh 1, then 1 / log2(rank); 0 for "
         "lists shorter than k; without k its MeanNDCG",
         Cutoff::kOptional, make_ndcg_letor},
        {"p",
         "precision: the share of the first k that is relevant",
         Cutoff::kRequired,
         make_precision,
         {"precision"},
         "",
         "P"},
        {"rprec",
         "precision at rank R, where R is the number of relevant documents",
         Cutoff::kNone,
         make_r_precision,
         {"r-prec"},
         "Rprec"},
        {"recall",
         "the share of the relevant documents that is among the first k",
         Cutoff::kOptional,
         make_recall,
         {"r"},
         "set_recall"},
        {"recall-min",
         "recall where at most k documents count: relevant found / min(k, R)",
         Cutoff::kRequired,
         make_recall_min,
         {"recall-cap"}},
        {"mrr",
         "1 / rank of the first relevant document",
         Cutoff::kOptional,
         make_reciprocal_rank,
         {"rr"},
         "recip_rank",
         "recip_rank"},
        {"wta", "winner takes all: 1 if the first document has the best grade there is",
         Cutoff::kNone, make_winner_takes_all},
        {"success", "1 if a relevant document is among the first k", Cutoff::kRequired,
         make_success},
        {"err",
         "expected reciprocal rank: a reader stops at a document with probability "
         "(2^grade - 1) / 2^highest",
         Cutoff::kOptional, make_err},
        {"bpref",
         "binary preference: over the relevant documents, the share of judged irrelevant ones not "
         "ranked above them",
         Cutoff::kNone, make_bpref},
        {"judged", "the share of the first k that somebody judged", Cutoff::kOptional,
         make_judged_share},
    };
}

struct MeasureName {
    const MeasureInfo& info;
    std::size_t cutoff;  // 0: none.
};

std::string trec_form(const MeasureInfo& info, bool cut) {
    const std::string& given = cut ? info.trec_cut_name : info.trec_name;
    std::string result = given.empty() ? info.name : given;
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

// 0 where `digits` is no number from 1 to a billion.
std::size_t parse_cutoff(std::string_view digits) {
    std::size_t cutoff = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, cutoff);
    return error == std::errc() && stop == end && cutoff <= 1000000000 ? cutoff : 0;
}

// "P_5" and the like; nullptr where `text` has not that form.
const MeasureInfo* find_trec_cut(const std::string& text, std::size_t& cutoff) {
    const std::size_t mark = text.rfind('_');
    if (mark == std::string::npos) return nullptr;
    cutoff = parse_cutoff(std::string_view(text).substr(mark + 1));
    if (cutoff == 0) return nullptr;
    for (const MeasureInfo& info : measures()) {
        if (info.cutoff != Cutoff::kNone &&
            lower_cased(trec_form(info, true)) == text.substr(0, mark)) {
            return &info;
        }
    }
    return nullptr;
}

const MeasureInfo& find_by_any_name(const std::string& base, std::string_view as_written) {
    for (const MeasureInfo& info : measures()) {
        if (base == info.name || base == lower_cased(trec_form(info, false)) ||
            std::find(info.also.begin(), info.also.end(), base) != info.also.end()) {
            return info;
        }
    }
    throw UnknownComponent(measures().kind(), std::string(as_written), measures().names());
}

MeasureName parse_name(std::string_view text) {
    const std::string lower = lower_cased(text);
    std::size_t cutoff = 0;
    if (const MeasureInfo* info = find_trec_cut(lower, cutoff)) return {*info, cutoff};
    const std::size_t mark = lower.find('@');
    const std::string stem = lower.substr(0, mark);
    const MeasureInfo& info = find_by_any_name(stem, text.substr(0, mark));
    if (mark == std::string::npos) {
        if (info.cutoff == Cutoff::kRequired) {
            throw InvalidArgument(
                fmt::format("measure '{}' has no cut-off, expected {}@k, for "
                            "example {}@10",
                            text, info.name, info.name));
        }
        return {info, 0};
    }
    if (info.cutoff == Cutoff::kNone) {
        throw InvalidArgument(
            fmt::format("measure '{}' has a cut-off, expected {} alone", text, info.name));
    }
    cutoff = parse_cutoff(std::string_view(lower).substr(mark + 1));
    if (cutoff == 0) {
        throw InvalidArgument(
            fmt::format("measure '{}': the cut-off is '{}', expected a number "
                        "from 1 to 1000000000",
                        text, text.substr(mark + 1)));
    }
    return {info, cutoff};
}

}  // namespace

const Registry<MeasureInfo>& measures() {
    static const Registry<MeasureInfo> registry("measure", all_measures());
    return registry;
}

std::unique_ptr<const Measure> make_measure(std::string_view text, const MeasureOptions& options) {
    if (options.relevant_from < 1) {
        throw InvalidArgument(fmt::format("the least relevant grade is {}, expected 1 or more",
                                          options.relevant_from));
    }
    if (options.highest_grade < 1 || options.highest_grade > 30) {
        throw InvalidArgument(
            fmt::format("the highest grade is {}, expected 1 to 30", options.highest_grade));
    }
    const MeasureName name = parse_name(text);
    return name.info.make(name.cutoff, options);
}

std::string trec_eval_name(std::string_view text) {
    const MeasureName name = parse_name(text);
    if (name.cutoff == 0) return trec_form(name.info, false);
    return fmt::format("{}_{}", trec_form(name.info, true), name.cutoff);
}

}  // namespace braid
