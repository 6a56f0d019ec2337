// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/whole_search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/query/whole_match.h"

namespace braid {
namespace {

bool is_on_page(const SearchRequest& request, Xapian::doccount result) {
    return result >= request.first && result - request.first < request.count;
}

}  // namespace

WholeSearch::WholeSearch(const Xapian::Database& database, Xapian::Enquire& enquire,
                         const SearchRequest& request) {
    const Xapian::doccount all = database.get_doccount();
    // With room for all of them Xapian collapses nothing, and tells each document's value.
    if (request.collapse) enquire.set_collapse_key(request.collapse->slot, all + 1);
    matches_ = enquire.get_mset(0, all, all);
    std::map<std::string, Xapian::doccount> of_value;
    std::vector<std::string> values;  // Values of the page's documents.
    for (Xapian::doccount place = 0; place < matches_.size(); ++place) {
        const Xapian::MSetIterator match = matches_[place];
        if (match.get_weight() < request.min_score) continue;
        for (Xapian::MatchSpy* spy : request.spies) {
            (*spy)(match.get_document(), match.get_weight());
        }
        std::string value = request.collapse ? match.get_collapse_key() : "";
        if (!value.empty() && ++of_value[value] > request.collapse->keep) continue;
        if (is_on_page(request, results_++)) {
            page_.push_back({place, 0});
            values.push_back(std::move(value));
        }
    }
    for (std::size_t i = 0; i < page_.size(); ++i) {
        if (values[i].empty()) continue;
        const Xapian::doccount same = of_value[values[i]];
        if (same > request.collapse->keep) page_[i].collapsed = same - request.collapse->keep;
    }
}

Xapian::MSet HybridSearch::run(Xapian::doccount first, Xapian::doccount count) const {
    Xapian::MSet words = enquire_.get_mset(first, count, plan_.check_at_least);
    if (plan_.source) plan_.run.counters = plan_.source->counters();
    const bool finds = plan_.finding && count > 0 && !is_over();
    return finds ? with_similar(words, first, count) : words;
}

bool HybridSearch::is_over() const { return plan_.limit != nullptr && plan_.limit->stopped(); }

Xapian::Query HybridSearch::query_of(const TopicFinding& finding) const {
    const std::unique_ptr<FusedSource> source(plan_.source->clone());
    source->find_similar(finding);
    return SearchPlanner::query_around(*source, request_, plan_);
}

Xapian::MSet HybridSearch::with_similar(const Xapian::MSet& words, Xapian::doccount first,
                                        Xapian::doccount count) const {
    TopicFinding finding = *plan_.finding;
    const bool is_full = words.size() == count;
    const double least = is_full ? words[count - 1].get_weight() : request_.min_score;
    finding.floor = std::max(0.0, least / kBoundRounding - kBoundRounding * plan_.beside);
    // Filters may leave out what would raise the floor.
    const bool is_root = scored_part(plan_.words).get_type() == plan_.words.get_type();
    if (is_root) finding.best = std::size_t{first} + count;
    finding.others_only = true;
    enquire_.set_query(query_of(finding), plan_.length);
    const bool any = !enquire_.get_mset(0, 1).empty();
    const FusedCounters clusters = plan_.source->counters();
    finding.others_only = false;
    if (any) plan_.query = query_of(finding);
    enquire_.set_query(plan_.query, plan_.length);
    Xapian::MSet results = any ? enquire_.get_mset(first, count, plan_.check_at_least) : words;
    if (is_over()) results = words;  // Which were all looked at.
    report(clusters, results);
    return results;
}

// Clusters are looked through in the first run, or in both alike.
void HybridSearch::report(const FusedCounters& clusters, const Xapian::MSet& results) const {
    FusedCounters& counters = plan_.run.counters;
    counters = plan_.source->counters();
    counters.clusters = clusters.clusters;
    counters.clusters_visited = clusters.clusters_visited;
    counters.clusters_left = clusters.clusters_left;
    counters.left_bound = clusters.left_bound + kBoundRounding * plan_.beside;
    counters.documents_similar = clusters.documents_similar;
    if (counters.clusters_left == 0 || results.empty()) return;
    double sure = 0;
    for (auto result = results.begin(); result != results.end(); ++result) {
        if (result.get_weight() > counters.left_bound) ++sure;
    }
    plan_.run.surely = sure / static_cast<double>(results.size());
}

}  // namespace braid
