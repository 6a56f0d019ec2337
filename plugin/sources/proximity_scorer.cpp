// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/proximity_scorer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/query/query_words.h"

namespace braid {

ProximityScorer::ProximityScorer(std::shared_ptr<const ProximityQuery> query,
                                 const Xapian::Database& database)
    : query_(std::move(query)),
      database_(database),
      gain_(query_->settings, query_->average_length),
      words_(query_->words.size()) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        words_[i].first = first;
        first += query_->words[i].terms;
        if (i == 0) continue;
        const ProximityWord& before = query_->words[i - 1];
        const ProximityWord& word = query_->words[i];
        pairs_.push_back({(before.rarity + word.rarity) / 2, before.forms == word.forms});
    }
}

double ProximityScorer::count_of(std::size_t word, std::span<const double> counts) const {
    double sum = 0;
    for (std::size_t i = 0; i < query_->words[word].terms; ++i) {
        sum += counts[words_[word].first + i];
    }
    return sum;
}

double ProximityScorer::bound(std::span<const double> counts, double length) const {
    double sum = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        sum += pairs_[i].rarity *
               gain_(std::min(count_of(i, counts), count_of(i + 1, counts)), length);
    }
    return kBoundRounding * sum;
}

const std::vector<std::uint32_t>& ProximityScorer::positions_of(std::size_t number,
                                                                Xapian::docid docid) {
    Word& word = words_[number];
    if (word.is_read) return word.positions;
    if (word.forms.empty()) {
        for (const std::string& form : query_->words[number].forms) {
            word.forms.push_back({form, database_.postlist_begin(form)});
        }
    }
    word.is_read = true;
    std::size_t lists = 0;
    for (Form& form : word.forms) {
        const Xapian::PostingIterator end;
        if (form.postings != end) form.postings.skip_to(docid);
        if (form.postings == end || *form.postings != docid) continue;
        ++lists;
        for (auto at = form.postings.positionlist_begin(); at != form.postings.positionlist_end();
             ++at) {
            word.positions.push_back(*at);
        }
    }
    if (lists > 1) {
        std::sort(word.positions.begin(), word.positions.end());
        word.positions.erase(std::unique(word.positions.begin(), word.positions.end()),
                             word.positions.end());
    }
    return word.positions;
}

double ProximityScorer::score(Xapian::docid docid, std::span<const double> counts, double length) {
    for (Word& word : words_) {
        word.positions.clear();
        word.is_read = false;
        if (docid < last_) word.forms.clear();  // Their lists don't go back.
    }
    last_ = docid;
    const auto window = static_cast<std::uint32_t>(query_->settings.window);
    const double ordered = query_->settings.ordered;
    double sum = 0;
    bool is_missing = false;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        Pair& pair = pairs_[i];
        pair.ordered = pair.unordered = 0;
        const double most = std::min(count_of(i, counts), count_of(i + 1, counts));
        if (!(most > 0)) continue;
        const auto& first = positions_of(i, docid);
        const auto& second = positions_of(i + 1, docid);
        is_missing = is_missing || first.empty() || second.empty();
        const std::size_t adjacent = count_ordered(first, second);
        const std::size_t near = pair.is_one_word ? count_unordered(first, window)
                                                  : count_unordered(first, second, window);
        pair.ordered = std::min(most, static_cast<double>(adjacent));
        pair.unordered = std::min(most, static_cast<double>(near));
        sum += pair.rarity * (ordered * gain_(pair.ordered, length) +
                              (1 - ordered) * gain_(pair.unordered, length));
    }
    if (is_missing) ++without_positions_;
    return sum;
}

std::string ProximityScorer::note() const {
    std::string text;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Pair& pair = pairs_[i];
        if (pair.ordered + pair.unordered == 0) continue;
        text += fmt::format("{}{} {}: {} adjacent, {} near", text.empty() ? "" : "; ",
                            bare_word(query_->words[i].forms.front()),
                            bare_word(query_->words[i + 1].forms.front()), pair.ordered,
                            pair.unordered);
    }
    return text;
}

}  // namespace braid
