// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/query/repaired_query.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/sources.h"

namespace braid {

/// A factor of a document's score: (1 + (times - 1) v)^weight, where v is 1 for a document that
/// matches `filter`, else 0; or, without a filter, the prior's score as a share of the largest that
/// any number has. docs/algorithms/boosts.md (1), (2).
struct ScoreFactor {
    Xapian::Query filter = {};
    std::optional<ValuePrior> prior = {};
    double times = 1;   ///< 1e-6 to 1e6.
    double weight = 1;  ///< 0 to 10.

    double of(double v) const;
    double most() const;  ///< Whatever v is.
};

/// The product of the factors of a document, 1 without any: (3).
double most_of(const std::vector<ScoreFactor>& factors);

/// `score` times a factor; divided by it where the score is negative, so that a factor above 1
/// never lowers a document.
inline double boosted(double score, double factor) {
    return score < 0 ? score / factor : score * factor;
}

/// Reads a factor's v, or the product of factors, of documents of one database, a shard or several,
/// which ascend from call to call. A filter of one term is read as its postings; any other is
/// matched once, at the beginning.
class FactorReader {
  public:
    FactorReader(const Xapian::Database& database, const std::vector<ScoreFactor>& factors);

    /// In the order of the factors.
    double value(std::size_t factor, Xapian::docid docid);
    double product(Xapian::docid docid);

  private:
    struct Part {
        ScoreFactor factor;
        Xapian::PostingIterator postings, postings_end;
        std::unique_ptr<MatchSource> matches;
        std::unique_ptr<ValueRanker> ranker;
        double largest = 1;  ///< Of the ranker's scores.
        Xapian::ValueIterator values, values_end;
    };
    std::vector<Part> parts_;
};

/// Another posting source with each weight multiplied by a document's factors. It tells the other
/// the least weight divided by the largest factor, so that one that prunes still does, and as
/// safely (docs/algorithms/boosts.md). The same place in a query suits it as suits the other.
class BoostedSource final : public Xapian::PostingSource {
  public:
    BoostedSource() = default;  ///< For registration only: see register_all.

    /// Takes `inner`, which isn't null. Throws InvalidArgument for factors out of range.
    BoostedSource(std::unique_ptr<Xapian::PostingSource> inner, std::vector<ScoreFactor> factors);
    ~BoostedSource() override;

    Xapian::doccount get_termfreq_min() const override { return inner_->get_termfreq_min(); }
    Xapian::doccount get_termfreq_est() const override { return inner_->get_termfreq_est(); }
    Xapian::doccount get_termfreq_max() const override { return inner_->get_termfreq_max(); }
    double get_weight() const override;
    Xapian::docid get_docid() const override { return inner_->get_docid(); }
    void next(double min_weight) override { inner_->next(min_weight / most_); }
    void skip_to(Xapian::docid docid, double min_weight) override {
        inner_->skip_to(docid, min_weight / most_);
    }
    bool check(Xapian::docid docid, double min_weight) override {
        return inner_->check(docid, min_weight / most_);
    }
    bool at_end() const override { return inner_->at_end(); }
    void init(const Xapian::Database& shard) override;

    BoostedSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    /// docs/formats.md. Throws as the other source does.
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write, and for a source
    /// that the registry doesn't have.
    BoostedSource* unserialise_with_registry(const std::string& serialised,
                                             const Xapian::Registry& registry) const override;

  private:
    std::unique_ptr<Xapian::PostingSource> inner_;
    std::vector<ScoreFactor> factors_;
    double most_ = 1;
    std::unique_ptr<FactorReader> reader_;  ///< None before `init`.
};

/// `source` with the factors, or itself where there are none; for a Xapian query, which owns it.
Xapian::Query boosted_query(Xapian::PostingSource* source, const std::vector<ScoreFactor>& factors);

}  // namespace braid
