// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/texts/collection.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/bench/texts/scores.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/error.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/judgements.h"

namespace braid::bench {
namespace {

struct Files {
    std::string documents;
    std::string queries;
    std::string judgements;
    bool numbered_queries = false;  // By place in the file, whatever the ids say.
};

Files files_of(const std::string& name) {
    if (name == "med") return {"med/MED.ALL.gz", "med/MED.QRY", "med/MED.REL"};
    if (name == "cran") return {"cran/cran.all.1400.gz", "cran/cran.qry", "cran/cranqrel", true};
    if (name == "cisi") return {"cisi/CISI.ALL.gz", "cisi/CISI.QRY", "cisi/CISI.REL"};
    if (name == "cacm") return {"cacm/cacm.all.gz", "cacm/query.text", "cacm/qrels.text"};
    throw UnknownComponent("collection", name, {"med", "cran", "cisi", "cacm"});
}

std::string text_of(const SourceDocument& document, const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) text += document.text_of(field) + "\n";
    return text;
}

/// Some judgement files pad the documents' numbers with zeros that the documents don't have.
std::size_t place_of(const std::unordered_map<std::string, std::size_t>& places,
                     std::string_view document, const std::string& file) {
    const auto exact = places.find(std::string(document));
    if (exact != places.end()) return exact->second;
    const std::size_t start = std::min(document.find_first_not_of('0'), document.size());
    const auto number = places.find(std::string(document.substr(start)));
    if (number != places.end()) return number->second;
    throw Error(file + ": document " + std::string(document) + " is in no document file");
}

/// One collection's share of a Collection, before words have ids.
class Loader {
  public:
    Loader(const std::string& folder, const Words& words) : folder_(folder), words_(words) {}

    void read(const std::string& name) {
        const Files files = files_of(name);
        const Judgements judgements = read_judgements(folder_ + "/" + files.judgements);
        std::unordered_map<std::string, std::size_t> places;
        SourceDocument document;
        const auto documents = open_documents(folder_ + "/" + files.documents, "smart", {});
        while (documents->next(document)) {
            places[document.id] = collection_.document_names.size();
            collection_.document_names.push_back(name + "." + document.id);
            builder_.begin_document();
            const std::string text = text_of(document, {"title", "text", "keywords"});
            for (const std::string& word : words_.of(text)) builder_.add(word);
        }
        std::size_t number = 0;
        const auto queries = open_documents(folder_ + "/" + files.queries, "smart", {});
        while (queries->next(document)) {
            const std::string id = files.numbered_queries ? std::to_string(++number) : document.id;
            const QueryJudgements* judged = judgements.find(id);
            if (judged == nullptr) continue;
            JudgedQuery query{fmt::format("{}.{}", name, id), {}, {}, {}};
            // These collections list relevant documents only; Cranfield's code -1 is one, too.
            for (const Judgement& judgement : judged->all()) {
                query.relevant.push_back(place_of(places, judgement.document, files.judgements));
            }
            std::sort(query.relevant.begin(), query.relevant.end());
            collection_.queries.push_back(std::move(query));
            query_words_.push_back(words_.of(text_of(document, {"title", "text"})));
        }
    }

    Collection finish(const std::string& name, std::uint32_t min_documents) {
        collection_.name = name;
        collection_.counts =
            restrict_vocabulary(builder_.build(), {.min_documents = min_documents});
        for (std::size_t q = 0; q < collection_.queries.size(); ++q) {
            std::map<std::size_t, int> found;
            for (const std::string& word : query_words_[q]) {
                const std::size_t term = collection_.counts.find(word);
                if (term < collection_.counts.vocabulary.size()) ++found[term];
            }
            for (const auto& [term, count] : found) {
                collection_.queries[q].terms.push_back(static_cast<std::uint32_t>(term));
                collection_.queries[q].counts.push_back(static_cast<float>(count));
            }
        }
        return std::move(collection_);
    }

  private:
    std::string folder_;
    const Words& words_;
    Collection collection_;
    TermDocumentCountsBuilder builder_;
    std::vector<std::vector<std::string>> query_words_;
};

}  // namespace

struct Words::Stemmer {
    Xapian::Stem stem{"english"};
};

Words::Words(const std::string& stop_file, bool stem) {
    if (!stop_file.empty()) {
        std::ifstream file(stop_file);
        if (!file) throw Error(stop_file + ": can't be read");
        for (std::string word; file >> word;) stop_.insert(word);
    }
    if (stem) stemmer_ = std::make_unique<Stemmer>();
}

Words::~Words() = default;

std::vector<std::string> Words::of(std::string_view text) const {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (word.size() > 1 && !stop_.contains(word)) {
            words.push_back(stemmer_ ? stemmer_->stem(word) : word);
        }
        word.clear();
    };
    for (const char c : text) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
            word += lower;
        } else {
            end_word();
        }
    }
    end_word();
    return words;
}

Collection read_collection(const std::string& folder, const std::string& name, const Words& words,
                           std::uint32_t min_documents) {
    Loader loader(folder, words);
    if (name == "merged") {
        for (const char* part : {"med", "cran", "cisi", "cacm"}) loader.read(part);
    } else {
        loader.read(name);
    }
    return loader.finish(name, min_documents);
}

std::vector<double> average_precisions(const Collection& collection, const TopicModel& model,
                                       Executor& executor) {
    return average_precisions(collection, topic_scores(collection, model, {}, executor));
}

std::vector<double> lbdm_precisions(const Collection& collection, const TopicModel& lda,
                                    const LbdmSettings& settings, Executor& executor) {
    return average_precisions(collection, lbdm_scores(collection, lda, settings, executor));
}

}  // namespace braid::bench
