// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/progress.h"
#include "braid/core/settings/analysis_settings.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// The words of a database's documents as topic models see them.
struct TopicCounts {
    TermDocumentCounts counts;             ///< A row a document, in the order of `documents`.
    std::vector<Xapian::docid> documents;  ///< Ascending.
    std::vector<Xapian::termcount> lengths;
    double words = 0;          ///< Occurrences of all words,
    double unknown_words = 0;  ///< and of those that are not in the vocabulary.
};

/// The stop words in the form that words have: stemmed for stems.
std::set<std::string, std::less<>> topic_stop_words(const AnalysisSettings& analysis,
                                                    WordForm form);

/// Reads them from the postings, term by term: one pass over the terms, and one over the postings
/// of the words within `limits`. `what` is for progress and errors: the database's name. Throws
/// Error where there is no document or no word within the limits.
TopicCounts collect_topic_counts(const Xapian::Database& database, WordForm form,
                                 const VocabularyLimits& limits,
                                 const std::set<std::string, std::less<>>& stop_words,
                                 const std::string& what, const Progress& progress);

/// Gives documents that are added to a database their vectors in its topic models, so that they
/// come in with the same commit.
class TopicFolder {
  public:
    /// Opens the models that the database's catalogue names; none is right, too. Throws
    /// FormatError for one that can't be read.
    explicit TopicFolder(const Xapian::WritableDatabase& database);

    bool empty() const { return models_.empty(); }

    /// Call it last: what is added to the document afterwards makes the vectors stale.
    void add_vectors(Xapian::Document& document);

    /// Writes how many documents were folded in, and how many of their words were unknown; within
    /// the transaction that has the documents.
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
