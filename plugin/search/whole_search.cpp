// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/search/whole_search.h"

#include <map>
#include <string>

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
    std::vector<std::string> values;  // Of the page.
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

}  // namespace braid
