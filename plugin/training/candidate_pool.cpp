// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/candidate_pool.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "braid/core/model/serving.h"
#include "braid/plugin/store/terms.h"

namespace braid {

using Kind = DocumentNameSource::Kind;

const std::string& DocumentFinder::name(Xapian::docid docid) {
    const auto [entry, is_new] = names_.try_emplace(docid);
    std::string& name = entry->second;
    if (!is_new) return name;
    // Within a shard a document has another number, which is not its name.
    if (source_.kind != Kind::kDocid) {
        name = document_name(database_.get_document(docid), source_);
    }
    if (name.empty()) name = std::to_string(docid);
    return name;
}

std::optional<Xapian::docid> DocumentFinder::find(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (source_.kind == Kind::kTerm) {
        // The term as Braid makes it from a name, or as other programs might.
        const auto found = find_by_term(exact_term(source_.prefix, name), name);
        return found ? found : find_by_term(source_.prefix + name, name);
    }
    if (!has_all_) read_all();
    const auto found = docids_.find(name);
    if (found == docids_.end()) return std::nullopt;
    return found->second;
}

std::optional<Xapian::docid> DocumentFinder::find_by_term(const std::string& term,
                                                          const std::string& wanted) {
    for (auto found = database_.postlist_begin(term); found != database_.postlist_end(term);
         ++found) {
        if (name(*found) == wanted) return *found;
    }
    return std::nullopt;
}

void DocumentFinder::read_all() {
    for (auto found = database_.postlist_begin(""); found != database_.postlist_end(""); ++found) {
        docids_.try_emplace(name(*found), *found);
    }
    has_all_ = true;
}

namespace {

std::vector<FusionModel> lists_of(const FusionModel& model, PoolOptions::Source source) {
    require_database_model(model);
    if (source == PoolOptions::Source::kModel) return {model};
    std::vector<FusionModel> lists;
    for (RankerSpec spec : model.rankers) {
        if (!(spec.weight > 0) || !why_not_served(Server::kPostings, spec).empty()) continue;
        spec.weight = 1;
        lists.push_back({.rankers = {std::move(spec)},
                         .candidates = model.candidates,
                         .provenance = model.provenance});
    }
    if (lists.empty()) lists.push_back({.candidates = model.candidates});  // BM25.
    return lists;
}

}  // namespace

class CandidatePool::State {
  public:
    State(const Xapian::Database& the_database, const FusionModel& model,
          const PoolOptions& the_options, SearcherOptions search)
        : database(the_database), options(the_options) {
        candidates = search.search.candidates.value_or(model.candidates);
        search.names = DocumentNameSource{};  // Names are numbers, which cost no lookup.
        for (const FusionModel& list : lists_of(model, options.source)) {
            searchers.emplace_back(database, search).rank_by(list);
        }
    }

    std::vector<Xapian::docid> all(const Xapian::Query& query) const;
    std::vector<Xapian::docid> best(const Xapian::Query& query, const QueryInputs& inputs);

    Xapian::Database database;
    PoolOptions options;
    Candidates candidates;
    std::vector<Searcher> searchers;  ///< One for each list.
};

std::vector<Xapian::docid> CandidatePool::State::all(const Xapian::Query& query) const {
    std::vector<Xapian::docid> found;
    if (candidates != SearchSettings::Candidates::kWords) {
        found.assign(database.postlist_begin(""), database.postlist_end(""));
        return found;
    }
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_query(query);
    const Xapian::MSet matches = enquire.get_mset(0, database.get_doccount());
    for (auto match = matches.begin(); match != matches.end(); ++match) found.push_back(*match);
    return found;
}

std::vector<Xapian::docid> CandidatePool::State::best(const Xapian::Query& query,
                                                      const QueryInputs& inputs) {
    SearchRequest request;
    request.query = query;
    request.inputs = inputs;
    request.count = options.size;
    request.documents = false;
    std::vector<std::vector<SearchHit>> lists;
    std::size_t longest = 0;
    for (Searcher& searcher : searchers) {
        SearchResult result = searcher.search(request);
        longest = std::max(longest, result.hits.size());
        lists.push_back(std::move(result.hits));
    }
    std::unordered_set<Xapian::docid> found;
    for (std::size_t rank = 0; rank < longest && found.size() < options.size; ++rank) {
        for (const auto& list : lists) {
            if (rank < list.size() && found.size() < options.size) found.insert(list[rank].docid);
        }
    }
    return {found.begin(), found.end()};
}

CandidatePool::CandidatePool(const Xapian::Database& database, const FusionModel& model,
                             const PoolOptions& options, const SearcherOptions& search)
    : state_(std::make_unique<State>(database, model, options, search)) {}
CandidatePool::~CandidatePool() = default;
CandidatePool::CandidatePool(CandidatePool&&) noexcept = default;
CandidatePool& CandidatePool::operator=(CandidatePool&&) noexcept = default;

std::vector<Xapian::docid> CandidatePool::find(const Xapian::Query& query,
                                               const QueryInputs& inputs) {
    if (query.empty()) return {};
    std::vector<Xapian::docid> found =
        state_->options.size == 0 ? state_->all(query) : state_->best(query, inputs);
    std::sort(found.begin(), found.end());
    return found;
}

Xapian::Query CandidatePool::bag_of_words(const std::string& text) {
    return state_->searchers.front().bag_of_words(text);
}

const IndexSettings& CandidatePool::index_settings() const {
    return state_->searchers.front().index_settings();
}

}  // namespace braid
