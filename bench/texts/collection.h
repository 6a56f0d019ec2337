// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "braid/core/topics/lbdm.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/core/topics/topic_model.h"
#include "braid/progress.h"

namespace braid::bench {

/// Lower-case runs of letters and digits, without stop words and words of one character, stemmed
/// where asked. Not an index's analysis: benchmarks want one that any program can repeat.
class Words {
  public:
    /// `stop_file` "" for no stop words; `stem`: Xapian's English stemmer.
    Words(const std::string& stop_file, bool stem);
    ~Words();

    std::vector<std::string> of(std::string_view text) const;

  private:
    struct Stemmer;
    std::unordered_set<std::string> stop_;
    std::unique_ptr<Stemmer> stemmer_;
};

struct JudgedQuery {
    std::string id;
    std::vector<std::uint32_t> terms;
    std::vector<float> counts;
    std::vector<std::size_t> relevant;  ///< Places of documents, ascending.
};

/// One of the four old collections, or all in one, as topic models see it.
struct Collection {
    std::string name;
    TermDocumentCounts counts;
    std::vector<std::string> document_names;
    std::vector<JudgedQuery> queries;
};

/// What help says of the folder.
constexpr const char* kClassicHelp =
    "The folder of the classic collections: med, cran, cisi, cacm, and stop/smart.571";

/// `name` is med, cran, cisi, cacm or merged, below `folder`. Words of fewer than
/// `min_documents` documents are left out.
Collection read_collection(const std::string& folder, const std::string& name, const Words& words,
                           std::uint32_t min_documents);

/// The average precision of each query under max(0, cos), ties by document name as trec_eval.
std::vector<double> average_precisions(const Collection& collection, const TopicModel& model,
                                       Executor& executor);

/// The same where documents are ranked by the LDA-based document model; `lda` is a model of that
/// name, of any number of chains.
std::vector<double> lbdm_precisions(const Collection& collection, const TopicModel& lda,
                                    const LbdmSettings& settings, Executor& executor);

}  // namespace braid::bench
