// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/lexical/ranker.h"
#include "braid/model.h"
#include "braid/plugin/ranking/counted_words.h"
#include "braid/search_request.h"
#include "braid/search_result.h"
#include "braid/settings.h"

namespace braid {

/// Explains the lexical part of a result's score by its rankers' values and the words that score in
/// it. If words can't be told apart (see counted_words), it runs the query once per ranker, which
/// gives the same values without those of single words. Takes about as long as one search, or one
/// search per ranker.
class Explainer {
  public:
    /// `query` is what is run, without topic sources; `length` the query length given to Enquire.
    /// The model's rankers of other families are left out. `fields` are those of the database.
    Explainer(const Xapian::Database& database, const FusionModel& model,
              const Xapian::Query& query, Xapian::termcount length,
              std::vector<FieldSettings> fields);

    /// One for each of the results' documents, in their order.
    std::vector<Explanation> explain(const std::vector<Xapian::docid>& results) const;

  private:
    Explanation outline() const;
    void explain_words(const CountedWords& words, PoolPostings& postings,
                       std::vector<Explanation>& explanations) const;
    struct Text;
    void explain_ranker(std::size_t ranker, const Text& text,
                        std::vector<Explanation>& explanations) const;
    void explain_matches(std::span<const Xapian::docid> documents,
                         std::vector<Explanation>& explanations) const;

    Xapian::Database database_;
    FusionModel model_;
    std::vector<std::unique_ptr<const LexicalRanker>> rankers_;
    Xapian::Query query_;
    Xapian::termcount length_;
    std::vector<FieldSettings> fields_;
};

/// The part of `text` that has most of the query's words, with those marked, or its beginning
/// where it has none. White space, line breaks among it, becomes single blanks.
std::string make_snippet(const Xapian::MSet& mset, const std::string& text,
                         const Xapian::Stem& stemmer, const SnippetOptions& options);

}  // namespace braid
