// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/topics/term_document_counts.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/progress.h"
#include "braid/settings.h"

namespace braid {

/// A database's words and counts, for training topic models.
struct TopicCounts {
    TermDocumentCounts counts;             ///< One row per document, in the order of `documents`.
    std::vector<Xapian::docid> documents;  ///< Ascending.
    std::vector<Xapian::termcount> lengths;
    double words = 0;          ///< Occurrences of all words.
    double unknown_words = 0;  ///< Occurrences of words outside the vocabulary.
};

/// The stop words in the words' form: stemmed for stems.
std::set<std::string, std::less<>> topic_stop_words(const AnalysisSettings& analysis,
                                                    WordForm form);

/// Reads the counts from the postings, term by term: one pass over the terms, and one over the
/// postings of the words within `limits`. `what` names the database in progress and errors. Throws
/// Error if there is no document or no word within the limits.
TopicCounts collect_topic_counts(const Xapian::Database& database, WordForm form,
                                 const VocabularyLimits& limits,
                                 const std::set<std::string, std::less<>>& stop_words,
                                 const std::string& what, const Progress& progress);

/// Gives new documents their vectors in the database's topic models, in the same commit.
class VectorMaker {
  public:
    /// Opens the models in the database's catalogue, which may be empty. Throws FormatError for
    /// an unreadable one.
    explicit VectorMaker(const Xapian::WritableDatabase& database);

    bool empty() const { return models_.empty(); }

    /// Call it last: later changes to the document make the vectors stale.
    void add_vectors(Xapian::Document& document);

    /// Writes the numbers of folded-in documents and unknown words, within the transaction of
    /// the documents.
    void write_use(Xapian::WritableDatabase& database);

  private:
    struct Model {
        StoredTopicModel stored;
        TopicUse use;
        ClusterTerms clusters;
    };
    std::vector<Model> models_;
    bool used_ = false;
};

}  // namespace braid
