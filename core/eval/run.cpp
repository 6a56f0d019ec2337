// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "braid/core/eval/name_table.h"

namespace braid {

struct Run::Contents {
    std::string name;
    NamePool names;
    std::deque<QueryRun> queries;
    std::deque<std::string> texts;
    QueryIndex by_query;
};

Run::Run(std::string name) : contents_(std::make_unique<Contents>()) {
    contents_->name = std::move(name);
}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const std::string& Run::name() const { return contents_->name; }
void Run::rename(std::string name) { contents_->name = std::move(name); }
const std::deque<QueryRun>& Run::queries() const { return contents_->queries; }
std::deque<QueryRun>& Run::queries() { return contents_->queries; }

void Run::add(QueryRun& query, std::string_view document, double score) {
    query.documents.push_back({contents_->names.store(document), score});
}

QueryRun& Run::query(std::string_view query) {
    auto place = contents_->by_query.find_exactly(query);
    if (!place) {
        place = contents_->queries.size();
        contents_->queries.push_back({std::string(query), {}});
        contents_->by_query.add(contents_->queries.back().query, *place);
    }
    return contents_->queries[*place];
}

const QueryRun* Run::find(std::string_view query) const {
    const auto place = contents_->by_query.find(query);
    return place ? &contents_->queries[*place] : nullptr;
}

std::string_view Run::keep(std::string text) {
    contents_->texts.push_back(std::move(text));
    return contents_->texts.back();
}

void rank_documents(std::vector<ScoredDocument>& documents) {
    const auto key = [](const ScoredDocument& document) {
        return std::isnan(document.score) ? -std::numeric_limits<double>::infinity()
                                          : document.score;
    };
    const auto before = [key](const ScoredDocument& a, const ScoredDocument& b) {
        const double score_a = key(a);
        const double score_b = key(b);
        return score_a != score_b ? score_a > score_b : a.document > b.document;
    };
    // Most runs come sorted.
    if (std::is_sorted(documents.begin(), documents.end(), before)) return;
    std::sort(documents.begin(), documents.end(), before);
}

}  // namespace braid
