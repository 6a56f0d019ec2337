// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/fielded_corpus.h"

#include <cmath>

#include "braid/core/lexical/ranker.h"
#include "braid/tests/plugin/random_corpus.h"

namespace braid::test {
namespace {

std::string random_word(Random& random, std::size_t vocabulary) {
    const double share = random.uniform();
    return "w" + std::to_string(static_cast<std::size_t>(share * share * vocabulary));
}

double sum_of(const std::map<std::string, double>& counts) {
    double sum = 0;
    for (const auto& [word, count] : counts) sum += count;
    return sum;
}

DocumentRecords records() {
    return {.slot = FieldedCorpus::kSlot,
            .form = WordForm::kWords,
            .fields = {{.name = "author", .prefix = "A"}, {.name = "title", .prefix = "S"}}};
}

}  // namespace

FieldedCorpus::FieldedCorpus(Random& random, std::size_t documents, std::size_t vocabulary)
    : texts_(documents), vocabulary_(vocabulary) {
    for (Text& text : texts_) {
        for (std::size_t i = random.below(6); i-- > 0;) {
            const std::string word = random_word(random, vocabulary);
            text.title[word] += 1;
            text.whole[word] += 2;
        }
        for (std::size_t i = random.below(40); i-- > 0;) {
            text.whole[random_word(random, vocabulary)] += 1;
        }
        for (std::size_t i = random.below(3); i-- > 0;) {
            text.author[random_word(random, vocabulary)] += 1;
        }
    }
}

const FieldedCorpus::Counts& FieldedCorpus::Text::of(const std::string& field) const {
    return field.empty() ? whole : field == "title" ? title : author;
}

Xapian::Document FieldedCorpus::document(std::size_t index) const {
    const Text& text = texts_[index];
    Xapian::Document document;
    const auto add = [&](const Counts& counts, const std::string& prefix) {
        for (const auto& [word, count] : counts) {
            document.add_term(prefix + word, static_cast<Xapian::termcount>(count));
        }
    };
    add(text.whole, "");
    add(text.title, "S");
    add(text.author, "A");
    document.add_boolean_term(index % 2 == 0 ? "XEVEN" : "XODD");
    return document;
}

Xapian::Database FieldedCorpus::database(std::size_t shards) const {
    return in_memory_shards(shards, [&](Xapian::WritableDatabase& part, std::size_t number) {
        write_shard(part, number, shards);
    });
}

void FieldedCorpus::write_shard(Xapian::WritableDatabase& part, std::size_t shard,
                                std::size_t shards) const {
    DocumentRecords places = records();
    for (std::size_t i = shard; i < texts_.size(); i += shards) {
        Xapian::Document text = document(i);
        if (has_record(i)) {
            text.add_value(kSlot, encode_document_record(make_document_record(text, places)));
        }
        part.add_document(text);
    }
    places.fields = count_fields(part, places);
    store_document_records(part, places);
    part.commit();
}

Xapian::Database FieldedCorpus::bare_database() const {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (std::size_t i = 0; i < texts_.size(); ++i) database.add_document(document(i));
    return database;
}

std::vector<std::string> FieldedCorpus::random_words(Random& random, std::size_t most) const {
    std::vector<std::string> words(1 + random.below(most));
    for (std::string& word : words) word = random_word(random, vocabulary_ + 2);
    return words;
}

std::map<Xapian::docid, double> FieldedCorpus::naive(const RankerSpec& spec,
                                                     const std::vector<std::string>& words) const {
    const auto ranker = make_lexical_ranker(spec.ranker, spec.parameters);
    const bool whole = spec.field.empty();
    CollectionStatistics collection{static_cast<double>(texts_.size()), 0};
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const Text& text = texts_[i];
        if (whole) {
            collection.total_length +=
                sum_of(text.whole) + sum_of(text.title) + sum_of(text.author);
        } else if (has_record(i)) {
            collection.total_length += sum_of(text.of(spec.field));
        }
    }
    Counts query;
    for (const std::string& word : words) query[word] += 1;
    std::vector<TermStatistics> terms;
    double squares = 0;
    for (const auto& [word, count] : query) {
        TermStatistics& term = terms.emplace_back();
        term.collection = collection;
        term.query_occurrences = count;
        for (const Text& text : texts_) {
            const auto found = text.of(spec.field).find(word);
            if (found == text.of(spec.field).end()) continue;
            term.documents += 1;
            term.occurrences += found->second;
        }
        squares += std::pow(tfidf_component(term), 2);
    }
    const auto document_scorer =
        ranker->document_scorer({collection, static_cast<double>(words.size())});
    std::map<Xapian::docid, double> scores;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const Text& text = texts_[i];
        const Counts& counts = text.of(spec.field);
        DocumentStatistics document;
        double norm = 0;
        for (const auto& [word, count] : counts) norm += std::pow(1 + std::log(count), 2);
        document.norm = static_cast<double>(static_cast<float>(std::sqrt(norm)));
        document.unique_terms = static_cast<double>(counts.size());
        document.length = sum_of(counts);
        if (whole) {
            document.length += sum_of(text.title) + sum_of(text.author);
            document.unique_terms +=
                static_cast<double>(text.title.size() + text.author.size()) + 1;
        }
        if (!has_record(i)) {
            document.norm = 0;
            document.unique_terms = document.length;
            if (!whole) document = {};
        }
        double score = 0;
        bool matches = false;
        std::size_t k = 0;
        for (const auto& [word, count] : query) {
            TermStatistics& term = terms[k++];
            term.query_norm = std::sqrt(squares);
            if (!text.whole.contains(word)) continue;
            matches = true;
            const auto found = counts.find(word);
            if (found == counts.end() || !(document.length > 0)) continue;
            document.occurrences = found->second;
            score += ranker->term_scorer(term)->score(document);
        }
        document.occurrences = 0;
        if (matches && document_scorer != nullptr) score += document_scorer->score(document);
        if (matches) scores[static_cast<Xapian::docid>(i + 1)] = score;
    }
    return scores;
}

}  // namespace braid::test
