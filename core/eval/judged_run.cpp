// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/judged_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

#include "braid/core/eval/name_table.h"

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

}  // namespace braid
