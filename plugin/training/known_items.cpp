// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/known_items.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "braid/core/base/random.h"
#include "braid/plugin/store/analysis.h"
#include "braid/searcher.h"

namespace braid {
namespace {

constexpr std::size_t kFewestWords = 2;
constexpr std::size_t kMostWords = 4;
constexpr std::size_t kShortestWord = 4;  // Bytes.
constexpr double kFewestDocuments = 2;    // That have a word.
constexpr double kCommon = 1.0 / 20;      // Share of all documents, above which it isn't drawn,
constexpr double kNeverCommon = 10;       // but for words of so few.
constexpr std::size_t kTriesForItem = 20;
constexpr Xapian::doccount kDepth = 100;
constexpr std::size_t kItemsOfRound = 16;  // For each thread, between two reports of progress.

struct WeighedTerm {
    std::string term;
    double weight = 0;
};

bool has_digit(const std::string& word) {
    return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// docs/algorithms/known-items.md (1)
std::vector<WeighedTerm> weighed_terms(const Xapian::Database& database, Xapian::docid docid,
                                       WordForm form) {
    const auto documents = static_cast<double>(database.get_doccount());
    const double most = std::max(kNeverCommon, kCommon * documents);
    std::vector<WeighedTerm> terms;
    const auto end = database.termlist_end(docid);
    for (auto it = database.termlist_begin(docid); it != end; ++it) {
        const std::string word(word_of_term(form, *it));
        if (word.size() < kShortestWord || has_digit(word) || it.get_wdf() == 0) continue;
        const auto having = static_cast<double>(it.get_termfreq());
        if (having < kFewestDocuments || having > most) continue;
        terms.push_back({*it, it.get_wdf() * std::log(documents / having)});
    }
    std::erase_if(terms, [](const WeighedTerm& term) { return !(term.weight > 0); });
    return terms;
}

// Each in proportion to its weight, none twice.
Xapian::Query draw(std::vector<WeighedTerm> terms, std::size_t words, Random& random) {
    std::vector<Xapian::Query> chosen;
    for (std::size_t i = 0; i < words; ++i) {
        double total = 0;
        for (const WeighedTerm& term : terms) total += term.weight;
        double at = random.uniform() * total;
        std::size_t k = 0;
        while (k + 1 < terms.size() && at >= terms[k].weight) at -= terms[k++].weight;
        chosen.emplace_back(terms[k].term);
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return {Xapian::Query::OP_OR, chosen.begin(), chosen.end()};
}

double reciprocal_rank(Searcher& searcher, const KnownItem& item) {
    SearchRequest request;
    request.query = item.query;
    request.count = kDepth;
    request.documents = false;
    const SearchResult result = searcher.search(request);
    for (std::size_t i = 0; i < result.hits.size(); ++i) {
        if (result.hits[i].docid == item.docid) return 1.0 / static_cast<double>(i + 1);
    }
    return 0;
}

}  // namespace

std::vector<KnownItem> draw_known_items(const Xapian::Database& database, std::size_t wanted,
                                        std::uint64_t seed) {
    const std::vector<Xapian::docid> docids(database.postlist_begin(""), database.postlist_end(""));
    std::vector<KnownItem> items;
    if (docids.empty()) return items;
    const WordForm form = find_word_form(database);
    Random random(seed);
    for (std::size_t tries = 0; items.size() < wanted && tries < kTriesForItem * wanted; ++tries) {
        const Xapian::docid docid = docids[random.below(docids.size())];
        const std::size_t words = kFewestWords + random.below(kMostWords - kFewestWords + 1);
        std::vector<WeighedTerm> terms = weighed_terms(database, docid, form);
        if (terms.size() < words) continue;
        items.push_back({draw(std::move(terms), words, random), docid});
    }
    return items;
}

std::vector<double> reciprocal_ranks(const SearchPaths& paths, const FusionModel& model,
                                     std::span<const KnownItem> items, Executor& executor,
                                     const Progress& progress) {
    std::vector<std::unique_ptr<Searcher>> searchers;
    SearcherOptions options;
    options.follows = false;  // Documents keep their numbers.
    for (std::size_t i = 0; i < executor.threads(); ++i) {
        searchers.push_back(std::make_unique<Searcher>(paths, options));
        searchers.back()->rank_by(model);
    }
    std::vector<double> ranks(items.size());
    const std::size_t round = kItemsOfRound * searchers.size();
    for (std::size_t begin = 0; begin < items.size(); begin += round) {
        const ProgressReport report{.phase = "searching for known items",
                                    .done = begin,
                                    .total = items.size(),
                                    .unit = "searches",
                                    .detail = ""};
        if (progress && !progress(report)) throw Cancelled("searching was stopped");
        const std::size_t end = std::min(begin + round, items.size());
        executor.run(searchers.size(), [&](std::size_t chunk) {
            for (std::size_t i = begin + chunk; i < end; i += searchers.size()) {
                ranks[i] = reciprocal_rank(*searchers[chunk], items[i]);
            }
        });
    }
    return ranks;
}

}  // namespace braid
