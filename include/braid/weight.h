// SPDX-License-Identifier: GPL-2.0-or-later
// A model of words in a program that has an Enquire of its own:
//
//     braid::FusionModel model;
//     model.rankers = {{.ranker = "bm25", .weight = 0.7}, {.ranker = "lm-jm", .weight = 0.3}};
//     Xapian::Database database("packages");
//     Xapian::Enquire enquire(database);
//     enquire.set_weighting_scheme(braid::FusedWeight(model));
//     enquire.set_query(Xapian::Query("chess"));
//     const Xapian::MSet results = enquire.get_mset(0, 10);
#pragma once

#include <memory>
#include <string>

#include <xapian.h>

#include "braid/error.h"
#include "braid/model.h"

namespace braid {

struct CollectionStatistics;
struct TermStatistics;
struct QueryStatistics;
struct BoundStatistics;

/// A Xapian weight with its statistics as core's structs: the only adapter between the two.
/// A subclass calls `need_statistics` in its constructor and the rest from `init` on.
class BRAID_API StatisticsWeight : public Xapian::Weight {
  protected:
    /// Requests everything that the functions below return, and each document's occurrences and
    /// length.
    void need_statistics();

    CollectionStatistics collection_statistics() const;
    TermStatistics term_statistics() const;
    QueryStatistics query_statistics() const;
    /// Bounds of this shard; use them in get_maxpart and get_maxextra only.
    BoundStatistics bound_statistics() const;
};

/// A fusion model as a Xapian weighting scheme: the weighted sum of its lexical rankers, in one
/// pass over the postings. Everything else stays Xapian's: phrases, filters, sorting, collapsing,
/// paging, shards, remote databases whose server has the class registered (see register_all).
///
/// Scores depend on the collection's statistics alone, never on a shard or a page. The document
/// parts of language models use the query length, which Xapian takes to be that of the whole
/// query; pass the length of the text alone to Enquire::set_query where filters are added.
///
/// Cost: rankers are evaluated once for each distinct (wdf, length) of a term, about 20 ns a
/// ranker, and looked up otherwise; see docs/benchmarks.md. One object belongs to one thread, as
/// all of Xapian's; copies made by `clone` share the model.
class BRAID_API FusedWeight final : public StatisticsWeight {
  public:
    /// BM25 alone.
    FusedWeight();

    /// Throws as `validate(model)` does, and as require_served(Server::kWeight, model), with the
    /// reason, for a model that one pass over postings can't serve.
    explicit FusedWeight(const FusionModel& model);

    /// BM25, from which a registry makes other models by Xapian's Weight::create: see register_all.
    explicit FusedWeight(ModelReader reader);

    ~FusedWeight() override;

    const FusionModel& model() const;

    /// A weight that ranks by this model only queries whose length is `marked`, and others by BM25:
    /// what Ranking leaves on an Enquire, so that a later query ranks as ever. `length` is that for
    /// Enquire::set_query, below 2^31.
    FusedWeight of_marked_queries() const;
    static Xapian::termcount marked(Xapian::termcount length);

    FusedWeight* clone() const override;
    /// "braid".
    std::string name() const override;

    /// One byte for the version, whether marked queries alone are ranked by the model, then the
    /// model's bytes: docs/formats.md.
    std::string serialise() const override;
    /// Throws Xapian::SerialisationError for anything that `serialise` didn't make.
    FusedWeight* unserialise(const std::string& serialised) const override;

#if XAPIAN_AT_LEAST(1, 5, 0)
    double get_sumpart(Xapian::termcount occurrences, Xapian::termcount length, Xapian::termcount,
                       Xapian::termcount) const override;
    double get_sumextra(Xapian::termcount length, Xapian::termcount,
                        Xapian::termcount) const override;
    /// What Weight::create("braid MODEL") calls with "MODEL": the reader's model of that name.
    /// Throws Xapian::InvalidArgumentError, with the reason, without a name, without a reader, and
    /// for a model that can't be read or that one pass over postings can't serve.
    FusedWeight* create_from_parameters(const char* parameters) const override;
#else
    double get_sumpart(Xapian::termcount occurrences, Xapian::termcount length,
                       Xapian::termcount) const override;
    double get_sumextra(Xapian::termcount length, Xapian::termcount) const override;
#endif
    double get_maxpart() const override;
    double get_maxextra() const override;

  private:
    struct Plan;
    struct State;

    FusedWeight(std::shared_ptr<const Plan> plan, bool marked_only);
    void init(double factor) override;

    std::shared_ptr<const Plan> plan_;
    bool marked_only_ = false;
    std::unique_ptr<State> state_;
};

/// In the result no value range hides documents' lengths.
///
/// Where a value range leads a conjunction, which Xapian decides by its estimates, it tells
/// Weight::get_sumextra that the document has length 0 (ValueRangePostList::get_doclength), and
/// the document part of a language model is lost. Each range R is therefore replaced by
/// `all documents AND NOT (all documents AND NOT R)`, which has lengths; a range is then read from
/// the start up to the last document looked at, instead of at the candidates alone.
BRAID_API Xapian::Query keep_document_lengths(const Xapian::Query& query);

}  // namespace braid
