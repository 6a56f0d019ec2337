// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/judged_check.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid::cli {
namespace {

constexpr std::size_t kTop = 10;
constexpr std::size_t kExamples = 2;
// Fewer queries may have found nothing that was judged, and mean nothing by it.
constexpr std::size_t kEnoughQueries = 10;
// What stands in the first ten of fewer documents says nothing of how they are ordered.
constexpr std::size_t kLongEnough = 5 * kTop;
// Where more documents than this share are judged, any ten have some of them.
constexpr double kFewJudged = 0.1;
constexpr double kLeastShare = 0.01;
// Any ranking has that many times more of what is rare, and of the rest twice as much. Neighbours
// in a file of queries are often alike, so that the next one's judgements are better than none.
constexpr double kOfRare = 5;
constexpr double kOfOthers = 2;
constexpr double kRare = 0.02;
// Of those that could stand there.
constexpr double kEnough = 0.25;

constexpr std::string_view kRemedy = "see --query-ids and --id";

void add_example(std::vector<std::string>& examples, std::string_view name) {
    const bool is_new = std::find(examples.begin(), examples.end(), name) == examples.end();
    if (is_new && examples.size() < kExamples) examples.emplace_back(name);
}

std::string quoted_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
    }
    return text;
}

std::vector<std::string> judged_queries(const Judgements& judgements) {
    std::vector<std::string> queries;
    for (const QueryJudgements& query : judgements.queries()) {
        add_example(queries, query.query());
        if (queries.size() == kExamples) break;
    }
    return queries;
}

}  // namespace

void refuse_unjudged(const std::string& found, const std::vector<std::string>& asked,
                     const Judgements& judgements, const std::string& judged) {
    std::vector<std::string> examples;
    for (const std::string& query : asked) add_example(examples, query);
    throw Error(fmt::format(
        "{}: none of its {} queries is judged in {}: its first are {}, the judgements' first {} "
        "({})",
        found, asked.size(), judged, quoted_names(examples),
        quoted_names(judged_queries(judgements)), kRemedy));
}

void JudgedCheck::add(const std::string& query, const std::vector<std::string_view>& documents,
                      std::span<const double> scores) {
    const QueryJudgements* judged = judgements_.find(query);
    if (judged == nullptr || documents.empty()) return;
    ++count_;
    add_example(queries_, query);
    for (std::size_t i = 0; i < std::min(documents.size(), kExamples); ++i) {
        add_example(documents_, documents[i]);
    }
    longest_ = std::max(longest_, documents.size());
    std::vector<char> is_judged;
    for (const std::string_view name : documents) {
        is_judged.push_back(judged->grade(name) ? 1 : 0);
        any_judged_ = any_judged_ || is_judged.back() != 0;
    }
    const std::size_t lists = scores.size() / documents.size();
    const std::size_t top = std::min(kTop, documents.size());
    shown_judged_.resize(std::max(shown_judged_.size(), lists));
    shown_ += top;
    attainable_ += std::min(top, judged->all().size());
    chance_ += static_cast<double>(top * judged->all().size());
    std::vector<std::size_t> order(documents.size());
    for (std::size_t list = 0; list < lists; ++list) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(top);
        std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
            const double x = scores[a * lists + list];
            const double y = scores[b * lists + list];
            return x != y ? x > y : a < b;
        });
        for (auto at = order.begin(); at != end; ++at) shown_judged_[list] += is_judged[*at];
    }
}

// Of the best list.
bool JudgedCheck::is_chance() const {
    if (count_ < kEnoughQueries || shown_judged_.empty() || longest_ < kLongEnough) return false;
    const double chance = chance_ / static_cast<double>(longest_);
    const auto shown = static_cast<double>(shown_);
    if (chance > kFewJudged * shown) return false;
    const auto best =
        static_cast<double>(*std::max_element(shown_judged_.begin(), shown_judged_.end()));
    const double times = chance <= kRare * shown ? kOfRare : kOfOthers;
    const double enough = kEnough * static_cast<double>(attainable_);
    return best < std::min(enough, std::max(kLeastShare * shown, times * chance));
}

void JudgedCheck::warn(const std::string& found, const std::string& judged,
                       const WarningSink& sink) const {
    if (count_ == 0 || (any_judged_ && !is_chance())) return;
    std::vector<std::string> documents;
    for (const QueryJudgements& query : judgements_.queries()) {
        for (const Judgement& judgement : query.all()) add_example(documents, judgement.document);
        if (documents.size() == kExamples) break;
    }
    sink(fmt::format(
        "{}: {}; query or document names probably differ in {} ({}): queries {} and "
        "there {}, documents {} and there {}",
        found,
        any_judged_ ? "the top documents are judged hardly more often than others"
                    : "none of the documents found is judged",
        judged, kRemedy, quoted_names(queries_), quoted_names(judged_queries(judgements_)),
        quoted_names(documents_), quoted_names(documents)));
}

}  // namespace braid::cli
