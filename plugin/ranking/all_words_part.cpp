// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/all_words_part.h"

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_rankers.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/query/proximity_query.h"
#include "braid/plugin/ranking/pool_postings.h"

namespace braid {
namespace {

// BM25 of a document that has all words of the bag.
class AllWordsScorer {
  public:
    AllWordsScorer(const Xapian::Database& database, const BagOfWords& bag) {
        const auto ranker = make_lexical_ranker("bm25", {});
        for (const BagTerm& term : bag.terms) {
            scorers_.push_back(ranker->term_scorer(bag.statistics(term)));
            bound_ += scorers_.back()->upper_bound(bound_statistics(database, term.term));
        }
    }

    double bound() const { return bound_; }

    double score(std::span<const double> counts, double length) const {
        double sum = 0;
        for (std::size_t i = 0; i < scorers_.size(); ++i) {
            if (!(counts[i] > 0)) return 0;
            sum += scorers_[i]->score({counts[i], length, 0});
        }
        return sum;
    }

  private:
    std::vector<std::unique_ptr<const LexicalScorer>> scorers_;
    double bound_ = 0;
};

template <typename T>
void keep(std::vector<T>& values, const std::vector<bool>& kept) {
    std::size_t at = 0;
    std::erase_if(values, [&](const T&) { return !kept[at++]; });
}

}  // namespace

BagOfWords all_words_of(BagOfWords bag) {
    std::vector<bool> known;
    for (const BagTerm& term : bag.terms) known.push_back(term.documents > 0);
    for (BagField& field : bag.fields) keep(field.terms, known);
    keep(bag.terms, known);
    bag.all = true;
    return bag;
}

SourcePart all_words_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, const std::vector<ScoreFactor>& factors,
                          const std::shared_ptr<PostingTables>& postings) {
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    const std::vector<double> parameters = resolve_parameters(
        spec.ranker, model_rankers().find(spec.ranker).parameters, spec.parameters);
    const Xapian::Query given = scored_words(text);
    BagOfWords bag;
    if (!given.empty()) bag = all_words_of(read_bag_of_words(database, given));
    std::set<std::string> different;
    for (const BagTerm& term : bag.terms) different.insert(term.term);
    const std::size_t words = different.size();
    if (words < 2 || static_cast<double>(words) > parameters[0]) {
        part.value = [](const PartDocument&) { return 0.0; };
        part.note = [words, most = parameters[0]] {
            return fmt::format("the query has {} {} that any document has, not 2 to {:g}", words,
                               words == 1 ? "word" : "words", most);
        };
        return part;
    }
    for (const BagTerm& term : bag.terms) part.terms.push_back(term.term);
    const auto scorer = std::make_shared<const AllWordsScorer>(database, bag);
    part.bound = scorer->bound();
    part.value = [scorer, terms = part.terms, database](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        if (!document.counts.empty()) return scorer->score(document.counts, length);
        return scorer->score(counts_in(database, document.docid, terms), length);
    };
    if (!(spec.weight > 0)) return part;
    part.of_all_words = true;
    FusedSource source({.rankers = {{.ranker = "bm25", .weight = spec.weight}}}, std::move(bag));
    source.use_postings(postings);
    part.source = boosted_query(source.clone(), factors);
    return part;
}

}  // namespace braid
