// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/pool_matches.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/weight.h"

namespace braid {
namespace {

using Query = Xapian::Query;

// The numbers that documents of a pool have in their shards: no one says which shard it is about,
// so that a few more than wanted are let through where there are several.
std::vector<Xapian::docid> local_numbers(std::span<const Xapian::docid> documents,
                                         std::size_t shards) {
    std::vector<Xapian::docid> local;
    for (const Xapian::docid docid : documents) {
        local.push_back((docid - 1) / static_cast<Xapian::docid>(shards) + 1);
    }
    local.erase(std::unique(local.begin(), local.end()), local.end());
    return local;
}

// A filter that skips to a pool's documents. Where it leads, Xapian doesn't tell weights how long
// documents are.
class PoolSource final : public Xapian::PostingSource {
  public:
    explicit PoolSource(std::vector<Xapian::docid> local) : local_(std::move(local)) {}

    PoolSource* clone() const override { return new PoolSource(local_); }
    void init(const Xapian::Database& database) override {
        at_ = 0;
        started_ = false;
        most_ = database.get_doccount();
    }
    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override {
        return std::min(most_, static_cast<Xapian::doccount>(local_.size()));
    }
    Xapian::doccount get_termfreq_max() const override { return most_; }
    void next(double) override {
        if (started_) ++at_;
        started_ = true;
    }
    void skip_to(Xapian::docid docid, double) override {
        started_ = true;
        const auto from = local_.begin() + static_cast<std::ptrdiff_t>(at_);
        at_ =
            static_cast<std::size_t>(std::lower_bound(from, local_.end(), docid) - local_.begin());
    }
    bool at_end() const override { return at_ >= local_.size(); }
    Xapian::docid get_docid() const override { return local_[at_]; }

  private:
    std::vector<Xapian::docid> local_;
    std::size_t at_ = 0;
    bool started_ = false;
    Xapian::doccount most_ = 0;
};

// The same after a document has matched, with its length.
class PoolDecider final : public Xapian::MatchDecider {
  public:
    explicit PoolDecider(std::vector<Xapian::docid> local) : local_(std::move(local)) {}

    bool operator()(const Xapian::Document& document) const override {
        return std::binary_search(local_.begin(), local_.end(), document.get_docid());
    }

  private:
    std::vector<Xapian::docid> local_;
};

template <typename Take>
void take_found(const Xapian::MSet& found, std::span<const Xapian::docid> documents,
                const Take& take) {
    for (auto hit = found.begin(); hit != found.end(); ++hit) {
        const auto at = std::lower_bound(documents.begin(), documents.end(), *hit);
        if (at == documents.end() || *at != *hit) continue;
        take(static_cast<std::size_t>(at - documents.begin()), hit.get_weight());
    }
}

// Calls `take(i, weight)` for each of the documents that matches. The weight can't have lengths.
// Terms of `whole` are known over all shards, as in a search for it.
template <typename Take>
void run(const Xapian::Database& database, const Xapian::Weight& weight, const Query& query,
         const Query& whole, std::span<const Xapian::docid> documents, const Take& take) {
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(weight);
    const std::size_t shards = shard_count(database);
    const PoolSource pool(local_numbers(documents, shards));
    const Query filter(Query::OP_AND_MAYBE, Query(pool.clone()->release()), whole);
    const Query matched = kIsXapian2 ? keep_phrases_apart(query) : query;
    enquire.set_query(Query(Query::OP_FILTER, matched, filter));
    Xapian::MSet found;
    try {
        found = enquire.get_mset(0, static_cast<Xapian::doccount>(documents.size() * shards + 1));
    } catch (const Xapian::UnimplementedError&) {  // A remote database takes no source of ours.
        enquire.set_query(matched);
        found = enquire.get_mset(0, database.get_doccount());
    }
    take_found(found, documents, take);
}

// What weights are told when a search begins, by the order of their telling.
struct Told {
    std::vector<CountedWord::Known> known;
    std::vector<double> factors;
};

// Scores a document by its occurrences and by which of the weights saw it: kStep apart.
class TellingWeight final : public StatisticsWeight {
  public:
    static constexpr double kStep = 4294967296.0;

    explicit TellingWeight(std::shared_ptr<Told> told) : told_(std::move(told)) {
        need_statistics();
    }

    TellingWeight* clone() const override { return new TellingWeight(told_); }
    double get_sumpart(BRAID_SUMPART_PARAMETERS) const override {
        static_cast<void>(length);
        return static_cast<double>(place_) * kStep + static_cast<double>(occurrences);
    }
    double get_maxpart() const override { return static_cast<double>(place_ + 1) * kStep; }
    double get_sumextra(BRAID_SUMEXTRA_PARAMETERS) const override {
        static_cast<void>(length);
        return 0;
    }
    double get_maxextra() const override { return 0; }

  private:
    void init(double factor) override {
        if (factor == 0) return;
        place_ = told_->known.size();
        told_->known.push_back({term_statistics(), bound_statistics()});
        told_->factors.push_back(factor);
    }

    std::shared_ptr<Told> told_;
    std::size_t place_ = 0;
};

}  // namespace

std::vector<char> matches_in(const Xapian::Database& database, const Query& query,
                             std::span<const Xapian::docid> documents) {
    std::vector<char> matches(documents.size());
    run(database, Xapian::BoolWeight(), query, query, documents,
        [&](std::size_t i, double) { matches[i] = 1; });
    return matches;
}

CountedWord counted_as_one(const Xapian::Database& database, const Query& query, const Query& whole,
                           std::span<const Xapian::docid> documents, std::vector<char>& matches) {
    const auto told = std::make_shared<Told>();
    CountedWord word;
    word.term = query.get_description();
    word.known_of.resize(documents.size());
    word.counts.resize(documents.size());
    matches.assign(documents.size(), 0);
    run(database, TellingWeight(told), query, whole, documents, [&](std::size_t i, double weight) {
        const double place = std::floor(weight / TellingWeight::kStep);
        if (!(place >= 0 && place < static_cast<double>(told->known.size()))) {
            throw Xapian::NetworkError("a database gave a document a weight that no word has");
        }
        matches[i] = 1;
        word.known_of[i] = static_cast<std::size_t>(place);
        word.counts[i] = weight - place * TellingWeight::kStep;
    });
    word.known = told->known;
    return word;
}

std::optional<double> factor_of(const Xapian::Database& database, const Query& query) {
    const auto told = std::make_shared<Told>();
    run(database, TellingWeight(told), query, query, {}, [](std::size_t, double) {});
    if (told->factors.empty()) return 0;
    for (const double factor : told->factors) {
        if (factor != told->factors.front()) return std::nullopt;
    }
    return told->factors.front();
}

RankerMatches matches_by(const Xapian::Database& database, const RankerSpec& ranker,
                         const Query& query, Xapian::termcount length,
                         std::span<const Xapian::docid> documents,
                         const std::shared_ptr<TimeLimit>& limit) {
    RankerMatches matches;
    matches.values.resize(documents.size());
    FusionModel alone{.rankers = {ranker}};
    alone.rankers.front().weight = 1;
    try {
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(FusedWeight(alone));
        enquire.set_query(within_time(repaired_query(query), limit), length);
        const std::size_t shards = shard_count(database);
        const PoolDecider decider(local_numbers(documents, shards));
        const auto most = static_cast<Xapian::doccount>(documents.size() * shards + 1);
        const Xapian::MSet found = enquire.get_mset(0, most, 0, nullptr, &decider);
        matches.bound = found.get_max_possible();
        take_found(found, documents,
                   [&](std::size_t i, double weight) { matches.values[i] = weight; });
    } catch (const Xapian::UnimplementedError& error) {  // A remote database.
        matches.problem = "values of single rankers are not to be had: " + error.get_msg();
    } catch (const InvalidArgument& error) {  // A ranker that needs more than a posting.
        matches.problem = error.what();
    }
    return matches;
}

}  // namespace braid
