// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

#include "braid/core/eval/measures.h"
#include "braid/core/eval/name_table.h"
#include "braid/core/eval/paired_tests.h"
#include "braid/core/eval/summary.h"
#include "braid/error.h"

namespace braid {

JudgedPools::JudgedPools(const Judgements& judgements) : judgements_(judgements) {
    pools_.reserve(judgements.queries().size());
    for (const QueryJudgements& query : judgements.queries()) {
        pools_.push_back(JudgedPool::of(query));
    }
}

namespace {

// Marks a document that its list has at a better place.
constexpr Grade kDropped = kUnjudged + 1;

// A document of a list: where it was and what decides its rank.
struct Place {
    double score;
    std::uint32_t index;
};

// Turns one list after another into grades; keeps its memory from list to list.
class ListJudge {
  public:
    ListJudge(const RankingOptions& options, JudgedRun::Oddities& oddities)
        : options_(options), oddities_(oddities) {}

    // Appends the grades of `list` in ranked order to `grades`.
    void judge(const QueryRun& list, const QueryJudgements& judgements,
               std::vector<Grade>& grades) {
        const std::vector<ScoredDocument>& documents = list.documents;
        const auto name_of = [&documents](std::uint32_t i) { return documents[i].document; };
        read(list, name_of);
        for (const Judgement& judgement : judgements.all()) {
            const std::uint32_t index = table_.find(judgement.document, name_of);
            // The lowest grades there are stand for other things here; they mean no more than -1.
            if (index != NameTable::kNone) {
                grade_[index] = std::max(judgement.grade, kDropped + 1);
            }
        }
        rank(documents);
        for (const Place& place : places_) {
            if (grade_[place.index] != kDropped) grades.push_back(grade_[place.index]);
        }
    }

  private:
    double ranked_score(double score) {
        if (std::isnan(score)) {
            ++oddities_.not_numbers;
            return -std::numeric_limits<double>::infinity();
        }
        return options_.float_scores ? static_cast<float>(score) : score;
    }

    template <typename NameOf>
    void read(const QueryRun& list, const NameOf& name_of) {
        const std::size_t count = list.documents.size();
        places_.clear();
        grade_.assign(count, kUnjudged);
        table_.reset(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            places_.push_back({ranked_score(list.documents[i].score), i});
            const std::uint32_t same = table_.insert(name_of(i), i, name_of);
            if (same == NameTable::kNone) continue;
            // The first of the two takes the better place.
            places_[same].score = std::max(places_[same].score, places_[i].score);
            grade_[i] = kDropped;
            if (oddities_.duplicates++ == 0) {
                oddities_.first_duplicate =
                    "document " + std::string(name_of(i)) + " of query " + list.query;
            }
        }
    }

    // Most runs come in the order of their scores; then only ties are left to sort, by name.
    void rank(const std::vector<ScoredDocument>& documents) {
        const auto by_name = [&documents](const Place& a, const Place& b) {
            return documents[a.index].document > documents[b.index].document;
        };
        const auto by_score = [](const Place& a, const Place& b) { return a.score > b.score; };
        if (!std::is_sorted(places_.begin(), places_.end(), by_score)) {
            std::sort(places_.begin(), places_.end(), by_score);
        }
        for (auto first = places_.begin(); first != places_.end();) {
            auto last = first + 1;
            while (last != places_.end() && last->score == first->score) ++last;
            if (last - first > 1) std::sort(first, last, by_name);
            first = last;
        }
    }

    const RankingOptions& options_;
    JudgedRun::Oddities& oddities_;
    NameTable table_;
    std::vector<Place> places_;
    std::vector<Grade> grade_;  // By place in the list as it came.
};

}  // namespace

JudgedRun::JudgedRun(const JudgedPools& pools, const Run& run, const RankingOptions& options)
    : name_(run.name()), pools_(&pools), lists_(pools.size()) {
    std::size_t documents = 0;
    for (const QueryRun& list : run.queries()) documents += list.documents.size();
    grades_.reserve(documents);
    oddities_.queries = run.queries().size();
    // Two judged queries may be one of the run's: "07" and "007" both find "7".
    std::unordered_set<const QueryRun*> judged;
    ListJudge judge(options, oddities_);
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const QueryJudgements& judgements = pools.judgements().queries()[i];
        const QueryRun* list = run.find(judgements.query());
        if (list == nullptr) continue;
        judged.insert(list);
        if (list->documents.empty()) ++oddities_.empty_lists;
        lists_[i].in_run = true;
        lists_[i].first = grades_.size();
        judge.judge(*list, judgements, grades_);
        lists_[i].count = grades_.size() - lists_[i].first;
    }
    oddities_.unjudged_queries = run.queries().size() - judged.size();
}

namespace {

bool is_left_out(const JudgedRun& run, std::size_t query, const EvaluationOptions& options) {
    if (options.missing == MissingQueries::kSkip && !run.contains(query)) return true;
    return options.skip_empty && run.pools()[query].count_from(options.measure.relevant_from) == 0;
}

RetrievalCounts count(const JudgedRanking& ranking, Grade relevant_from) {
    RetrievalCounts counts;
    counts.retrieved = ranking.grades.size();
    counts.relevant = ranking.pool.count_from(relevant_from);
    for (const Grade grade : ranking.grades) {
        counts.relevant_retrieved += grade >= relevant_from ? 1 : 0;
        counts.unjudged += grade == kUnjudged ? 1 : 0;
    }
    return counts;
}

}  // namespace

RetrievalCounts& RetrievalCounts::operator+=(const RetrievalCounts& other) {
    retrieved += other.retrieved;
    relevant += other.relevant;
    relevant_retrieved += other.relevant_retrieved;
    unjudged += other.unjudged;
    return *this;
}

double Evaluation::mean(std::size_t measure) const {
    return values[measure].empty() ? 0 : braid::mean(values[measure]);
}

RetrievalCounts Evaluation::total() const {
    RetrievalCounts sum;
    for (const RetrievalCounts& one : counts) sum += one;
    return sum;
}

Evaluation evaluate(const Run& run, const Judgements& judgements,
                    const std::vector<std::string>& measures, const EvaluationOptions& options,
                    const RankingOptions& ranking) {
    const JudgedPools pools(judgements);
    return evaluate(JudgedRun(pools, run, ranking), measures, options);
}

Evaluation evaluate(const JudgedRun& run, const std::vector<std::string>& measures,
                    const EvaluationOptions& options) {
    Evaluation result;
    result.run = run.name();
    std::vector<std::unique_ptr<const Measure>> made;
    for (const std::string& name : measures) {
        made.push_back(make_measure(name, options.measure));
        result.measures.push_back(made.back()->name());
    }
    result.values.resize(made.size());
    result.judged_queries = run.size();
    for (std::size_t i = 0; i < run.size(); ++i) {
        const JudgedRanking ranking = run.ranking(i);
        if (!run.contains(i)) ++result.missing_queries;
        if (ranking.pool.count_from(options.measure.relevant_from) == 0) ++result.empty_queries;
        if (is_left_out(run, i, options)) continue;
        result.queries.push_back(i);
        result.counts.push_back(count(ranking, options.measure.relevant_from));
        for (std::size_t m = 0; m < made.size(); ++m) {
            result.values[m].push_back(made[m]->evaluate(ranking));
        }
    }
    return result;
}

std::vector<double> precision_recall_curve(const JudgedRun& run, const EvaluationOptions& options,
                                           std::size_t points) {
    if (points < 2) throw InvalidArgument("a precision-recall curve has 2 points or more");
    std::vector<double> curve(points, 0.0);
    std::size_t evaluated = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
        if (is_left_out(run, i, options)) continue;
        ++evaluated;
        add_interpolated_precision(run.ranking(i), options.measure.relevant_from, curve);
    }
    for (double& value : curve) value /= static_cast<double>(std::max<std::size_t>(evaluated, 1));
    return curve;
}

namespace {

constexpr double kRounding = 1e-12;

// Both lists of queries ascend: one walk pairs them.
void pair_queries(const Evaluation& baseline, const Evaluation& run, std::size_t measure,
                  Comparison& result) {
    std::size_t b = 0;
    for (std::size_t r = 0; r < run.queries.size(); ++r) {
        while (b < baseline.queries.size() && baseline.queries[b] < run.queries[r]) ++b;
        if (b == baseline.queries.size()) break;
        if (baseline.queries[b] != run.queries[r]) continue;
        const double difference = run.values[measure][r] - baseline.values[measure][b];
        result.queries.push_back(run.queries[r]);
        result.differences.push_back(std::abs(difference) < kRounding ? 0 : difference);
    }
}

Comparison compare(const Evaluation& baseline, const Evaluation& run, std::size_t measure,
                   const PairedTestInfo& test, std::uint64_t seed) {
    if (measure >= run.measures.size() || measure >= baseline.measures.size() ||
        run.measures[measure] != baseline.measures[measure]) {
        throw InvalidArgument("the runs to compare were evaluated by different measures");
    }
    Comparison result;
    pair_queries(baseline, run, measure, result);
    if (result.differences.empty()) return result;
    for (const double difference : result.differences) {
        result.better += difference > 0 ? 1 : 0;
        result.worse += difference < 0 ? 1 : 0;
    }
    result.mean_difference = mean(result.differences);
    result.interval = mean_interval(result.differences);
    result.effect = effect_size(result.differences);
    result.test = test.run(result.differences, seed);
    return result;
}

}  // namespace

std::vector<Comparison> compare_runs(const Evaluation& baseline, std::span<const Evaluation> runs,
                                     std::size_t measure, const ComparisonOptions& options) {
    const PairedTestInfo& test = paired_tests().find(options.test);
    std::vector<Comparison> comparisons;
    std::vector<double> p_values;
    for (const Evaluation& run : runs) {
        comparisons.push_back(compare(baseline, run, measure, test, options.seed));
        p_values.push_back(comparisons.back().test.p);
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < comparisons.size(); ++i) comparisons[i].p_adjusted = adjusted[i];
    return comparisons;
}

}  // namespace braid
