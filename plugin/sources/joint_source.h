// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/error.h"
#include "braid/plugin/sources/bag_matcher.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/slot_source.h"
#include "braid/plugin/sources/time_limit.h"

namespace braid {

/// What a search knows of the documents that it is for.
struct BoundsWanted {
    bool every = false;  ///< Whatever their words; else those that have a word of the query.
    /// So many documents with the best scores are wanted, where nothing else chooses among them; 0:
    /// any may be.
    std::size_t best = 0;
    double beside = 0;  ///< What others add to a document's score, at most.
    std::shared_ptr<TimeLimit> limit = nullptr;  ///< Null: none.
};

/// Bounds on the whole scores of a shard's documents, found part by part: the cheapest part of all
/// documents first, then the next of those that can still be among the best.
/// docs/algorithms/pruning.md, "Bounds first". Where a time limit ends, the parts that are left
/// stay unknown.
class ScoreBounds {
  public:
    struct Document {
        Xapian::docid docid = 0;
        double least = 0;  ///< What the score lies between, by the parts that are known.
        double most = 0;
        bool has_words = false;  ///< All or any, as the query wants.
    };

    /// Of `words` and `all`, which may be null, has_tables() must be true. `late` are parts of the
    /// score, those that are `ready` by prepare_ranges(). Borrows all of them, until add_others()
    /// was called or is not needed.
    ScoreBounds(const Xapian::Database& shard, BagMatcher& words, BagMatcher* all,
                std::span<const std::shared_ptr<DocumentSource>> late,
                const std::vector<bool>& ready, const BoundsWanted& wanted);

    /// Whether documents of the shard may be bounded: arrays by docid are worth it, and lengths say
    /// which documents there are.
    static bool serves(const Xapian::Database& shard, const BagMatcher& words);

    /// Where documents that no part lifts are to be among them, too, and may be:
    bool may_reach_others() const;
    void add_others();

    /// Those that can be among the best, ascending.
    std::span<const Document> documents() const { return documents_; }

  private:
    struct Part {
        DocumentSource* late = nullptr;      ///< It is this,
        const TopicColumn* topic = nullptr;  ///< or this.
        PartRange other = {};                ///< What it lies between before it is known,
        std::vector<float> lifts = {};       ///< and by docid how much more than that it may be.
        std::size_t cost = 0;                ///< Of a document, about: in components of a vector.
    };

    void add_parts(BagMatcher& words, std::span<const std::shared_ptr<DocumentSource>> late,
                   const std::vector<bool>& ready);
    void find_marked(BagMatcher& words, BagMatcher* all);
    void add(Xapian::docid docid, double score, Xapian::termcount length, bool has_words);
    void refine();
    void seed();
    bool is_stopped() const { return wanted_.limit != nullptr && wanted_.limit->is_over_now(); }
    void know(std::size_t part, std::span<Document> documents);
    void raise_floor(std::span<const Document> documents);
    void drop();
    bool misses(double most) const;

    std::size_t docids_;  ///< No document has this number or a higher one.
    const LengthTable* lengths_;
    BoundsWanted wanted_;
    std::vector<Part> parts_;  ///< Cheapest first.
    PartRange other_;          ///< What all parts beside words lie between where nothing is lifted.
    double most_ = 0;          ///< What they can be at most.
    std::vector<float> lifts_;  ///< By docid.
    double floor_ = 0;          ///< So many documents as are wanted score no less.
    std::vector<Document> documents_;
};

/// A whole model as the root of a query, where parts of it are costly or count for few documents:
///
///     words    a FusedSource of the documents that have any word of the query
///     all      a FusedSource of those that have all words, with the same parts and all-words
///     late     sources that give each document a part, by which no document is found
///
/// A document's weight is that of `all` if it is there, else that of `words`, and what each late
/// source adds, in their order. Late sources are asked only while the document can still reach the
/// least weight: each has a bound. `all` apart, documents without all words are pruned as if the
/// ranker all-words were not there, whose bound would let no document be given up.
///
/// Where tables in memory tell the parts of all documents' scores apart (`ScoreBounds`), documents
/// are visited by those bounds instead, and `words` and `all` only score them. Then it can also
/// visit every document of the shard, whatever its words; it matches those with a word, or a weight
/// above 0.
///
/// Scores are those of OP_AND_MAYBE of the parts, to 1e-12 relative. For databases here, not on
/// servers, and not to the right of another operator: `check` may go on to the next document.
class JointSource final : public Xapian::PostingSource {
  public:
    /// Takes clones. `all` may be null.
    JointSource(const FusedSource& words, const FusedSource* all,
                const std::vector<std::shared_ptr<const DocumentSource>>& late,
                const BoundsWanted& wanted = {});
    ~JointSource() override;

    double get_weight() const override;
    Xapian::docid get_docid() const override { return position_; }
    bool at_end() const override { return ended_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;
    Xapian::doccount get_termfreq_min() const override { return words_->get_termfreq_min(); }
    Xapian::doccount get_termfreq_est() const override {
        return wanted_.every ? documents_ : words_->get_termfreq_est();
    }
    Xapian::doccount get_termfreq_max() const override {
        return wanted_.every ? documents_ : words_->matcher().matches_max();
    }

    void init(const Xapian::Database& shard) override;

    JointSource* clone() const override;
    std::string name() const override { return "braid::JointSource"; }
    std::string get_description() const override;
    /// Throws Xapian::UnimplementedError: servers have the parts apart.
    std::string serialise() const override;

  private:
    enum class Visits {
        kWords,   ///< Documents that `words_` and `all_` find.
        kBounds,  ///< Those of `bounds_`.
        kEach,    ///< All.
    };
    void choose_visits(const Xapian::Database& shard, std::vector<bool> ready);
    bool is_enough(const ScoreBounds& bounds) const;
    void skip_by_words(Xapian::docid docid);
    void skip_by_bounds(Xapian::docid docid);
    void skip_each(Xapian::docid docid);
    bool is_match(bool has_word);
    /// That the parts asked first have to reach.
    double least_of_words() const;
    double weight_of_words() const;

    std::unique_ptr<FusedSource> words_;
    std::unique_ptr<FusedSource> all_;
    std::vector<std::shared_ptr<DocumentSource>> late_;
    BoundsWanted wanted_;
    Visits visits_ = Visits::kWords;
    Xapian::doccount documents_ = 0;  ///< Of the shard.
    std::optional<ScoreBounds> bounds_;
    std::size_t at_ = 0;  ///< In those.
    Xapian::PostingIterator each_, each_end_;
    std::vector<double> rest_;  ///< Bounds of late_[i] and those after it, and 0 at the end.
    double least_ = 0;          ///< Weight that the document stood at has to reach.
    Xapian::docid position_ = 0;
    bool ended_ = false;
    mutable double weight_ = 0;     ///< Of the document,
    mutable bool weighed_ = false;  ///< once it was asked for.
};

}  // namespace braid
