// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/topic_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/core/settings/stop_words.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/document_values.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/terms.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

struct Word {
    std::string word;
    Xapian::doccount documents = 0;
};

class Collector {
  public:
    Collector(const Xapian::Database& database, WordForm form, std::string what,
              const Progress& progress)
        : database_(database), form_(form), what_(std::move(what)), progress_(progress) {}

    void read_documents(TopicCounts& result);
    std::vector<Word> choose_words(const VocabularyLimits& limits,
                                   const std::set<std::string, std::less<>>& stop_words,
                                   TopicCounts& result) const;
    void read_postings(const std::vector<Word>& words, TopicCounts& result);

  private:
    const Xapian::Database& database_;
    WordForm form_;
    std::string what_;
    const Progress& progress_;
    std::uint32_t row_of(Xapian::docid docid, const std::string& term) const;

    DocumentValues<std::uint32_t> row_of_;
};

void Collector::read_documents(TopicCounts& result) {
    std::vector<DocumentValues<std::uint32_t>::Entry> rows;
    Xapian::docid before = 0;
    for (auto posting = database_.postlist_begin(""); posting != database_.postlist_end("");
         ++posting) {
        require_ascending(before, *posting, [&] { return what_ + ": the list of documents"; });
        before = *posting;
        rows.push_back({*posting, static_cast<std::uint32_t>(result.documents.size())});
        result.documents.push_back(*posting);
        result.lengths.push_back(posting.get_doclength());
    }
    row_of_ = DocumentValues<std::uint32_t>(std::move(rows), kNoRow);
}

std::uint32_t Collector::row_of(Xapian::docid docid, const std::string& term) const {
    const std::uint32_t row = row_of_.of(docid);
    if (row != kNoRow) return row;
    throw Xapian::DatabaseCorruptError(
        fmt::format("the list of postings of {} has document {}, which the database doesn't list",
                    term, docid));
}

std::vector<Word> Collector::choose_words(const VocabularyLimits& limits,
                                          const std::set<std::string, std::less<>>& stop_words,
                                          TopicCounts& result) const {
    const auto most = static_cast<Xapian::doccount>(limits.max_document_share *
                                                    static_cast<double>(result.documents.size()));
    const std::string first(first_term(form_));
    std::vector<Word> words;
    for (auto term = database_.allterms_begin(first); term != database_.allterms_end(first);
         ++term) {
        const std::string text = *term;
        const std::string_view word = word_of_term(form_, text);
        if (word.empty()) continue;
        const auto occurrences = static_cast<double>(database_.get_collection_freq(text));
        if (occurrences == 0) continue;  // a filter
        result.words += occurrences;
        const Xapian::doccount documents = term.get_termfreq();
        // A word of every document but few documents is no reason to leave out all words.
        if (documents < limits.min_documents || (documents > most && most >= 2) ||
            stop_words.contains(word)) {
            result.unknown_words += occurrences;
        } else {
            words.push_back({std::string(word), documents});
        }
    }
    if (limits.max_terms == 0 || words.size() <= limits.max_terms) return words;
    std::sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
        return a.documents != b.documents ? a.documents > b.documents : a.word < b.word;
    });
    for (std::size_t i = limits.max_terms; i < words.size(); ++i) {
        result.unknown_words +=
            static_cast<double>(database_.get_collection_freq(term_of_word(form_, words[i].word)));
    }
    words.resize(limits.max_terms);
    return words;
}

void Collector::read_postings(const std::vector<Word>& words, TopicCounts& result) {
    TermDocumentCountsBuilder builder;
    std::vector<std::uint32_t> rows;
    std::vector<float> counts;
    std::uint64_t done = 0;
    for (const Word& word : words) {
        const std::string term = term_of_word(form_, word.word);
        rows.clear();
        counts.clear();
        for (auto posting = database_.postlist_begin(term); posting != database_.postlist_end(term);
             ++posting) {
            if (posting.get_wdf() == 0) continue;
            rows.push_back(row_of(*posting, term));
            counts.push_back(static_cast<float>(posting.get_wdf()));
        }
        if (!rows.empty()) builder.add_term(word.word, rows, counts);
        if (++done % 256 == 0 && progress_ &&
            !progress_({"reading words of " + what_, done, words.size(), "words", {}})) {
            throw Cancelled("stopped: nothing was written");
        }
    }
    result.counts = builder.build(result.documents.size());
}

}  // namespace

std::set<std::string, std::less<>> topic_stop_words(const AnalysisSettings& analysis,
                                                    WordForm form) {
    AnalysisSettings resolved = analysis;
    resolve_stop_words(resolved);
    const Xapian::Stem stem = make_stemmer(analysis);
    const bool stemmed =
        form == WordForm::kStems || analysis.stemming == AnalysisSettings::Stemming::kAll;
    std::set<std::string, std::less<>> words;
    for (const std::string& word : resolved.stop_list) words.insert(stemmed ? stem(word) : word);
    return words;
}

TopicCounts collect_topic_counts(const Xapian::Database& database, WordForm form,
                                 const VocabularyLimits& limits,
                                 const std::set<std::string, std::less<>>& stop_words,
                                 const std::string& what, const Progress& progress) {
    TopicCounts result;
    Collector collector(database, form, what, progress);
    collector.read_documents(result);
    if (result.documents.empty()) throw Error(what + ": it has no documents to learn topics from");
    const std::vector<Word> words = collector.choose_words(limits, stop_words, result);
    if (words.empty()) {
        throw Error(fmt::format(
            "{}: no word to learn topics from: it has {} documents, and no {} that at least {} "
            "and at most {:.0f} % of them have",
            what, result.documents.size(), form == WordForm::kStems ? "stem" : "word",
            limits.min_documents, 100 * limits.max_document_share));
    }
    collector.read_postings(words, result);
    return result;
}

VectorMaker::VectorMaker(const Xapian::WritableDatabase& database) {
    for (const TopicModelIdentity& identity : load_topic_catalogue(database)) {
        // Only who made vectors can make others, and neighbours are found by `braid adopt`.
        if (!has_words(load_topic_record(database, identity.id))) continue;
        StoredTopicModel stored(database, identity);
        ClusterTerms clusters(database, identity.id, stored.record().header.dimensions);
        models_.push_back(
            {std::move(stored), load_topic_use(database, identity.id), std::move(clusters)});
    }
}

void VectorMaker::add_vectors(Xapian::Document& document) {
    if (models_.empty()) return;
    used_ = true;
    DocumentWords words;
    for (std::size_t i = 0; i < models_.size(); ++i) {
        const TopicRecord& record = models_[i].stored.record();
        if (i == 0 || record.form != models_[i - 1].stored.record().form) {
            words = document_words(document, record.form);
        }
        const FoldedText text = models_[i].stored.fold(words.words);
        const std::string stored = models_[i].stored.encode(text.vector, words.length);
        document.add_value(record.slot, stored);
        models_[i].clusters.assign(document, stored);
        TopicUse& use = models_[i].use;
        ++use.folded_documents;
        use.words += text.known + text.unknown;
        use.unknown_words += text.unknown;
    }
}

void VectorMaker::write_use(Xapian::WritableDatabase& database) {
    if (!used_) return;
    for (Model& model : models_) {
        database.set_metadata(topic_key(model.stored.identity().id, kTopicUseEnding),
                              serialise(model.use));
        renew_topic_record(database, model.stored.identity().id, model.stored.record());
        model.clusters.write(database);
    }
    used_ = false;
}

}  // namespace braid
