// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/random_corpus.h"

#include <cmath>
#include <filesystem>

namespace braid::test {
namespace {

std::string random_word(Random& random, std::size_t vocabulary) {
    const double rank = std::exp(random.uniform() * std::log(static_cast<double>(vocabulary)));
    return "w" + std::to_string(static_cast<std::size_t>(rank) - 1);
}

}  // namespace

Xapian::Database in_memory_shards(
    std::size_t count, const std::function<void(Xapian::WritableDatabase&, std::size_t)>& write) {
    Xapian::Database result;
    for (std::size_t i = 0; i < count; ++i) {
        Xapian::WritableDatabase part("", Xapian::DB_BACKEND_INMEMORY);
        write(part, i);
        result.add_database(part);
    }
    return result;
}

RandomCorpus::RandomCorpus(Random& random, std::size_t documents, std::size_t vocabulary,
                           std::size_t longest)
    : documents_(documents), vocabulary_(vocabulary) {
    for (std::vector<std::string>& words : documents_) {
        const double share = random.uniform() * random.uniform();
        const auto length = static_cast<std::size_t>(share * static_cast<double>(longest + 1));
        for (std::size_t i = 0; i < length; ++i) words.push_back(random_word(random, vocabulary));
    }
}

Xapian::Document RandomCorpus::document(std::size_t index) const {
    Xapian::Document result;
    Xapian::termpos position = 0;
    for (const std::string& word : documents_[index]) result.add_posting(word, ++position);
    result.add_boolean_term(index % 2 == 0 ? "XEVEN" : "XODD");
    result.add_value(1, std::to_string(index % 7));
    return result;
}

Xapian::Database RandomCorpus::database(std::size_t shards) const {
    return in_memory_shards(shards, [&](Xapian::WritableDatabase& part, std::size_t number) {
        for (std::size_t i = number; i < documents_.size(); i += shards) {
            part.add_document(document(i));
        }
    });
}

Xapian::Database RandomCorpus::stored_database(const std::string& folder,
                                               std::size_t shards) const {
    Xapian::Database result;
    for (std::size_t shard = 0; shard < shards; ++shard) {
        const std::string path = folder + "/" + std::to_string(shard);
        Xapian::WritableDatabase part(path, Xapian::DB_CREATE);
        for (std::size_t i = shard; i < documents_.size(); i += shards) {
            part.add_document(document(i));
        }
        part.commit();
        result.add_database(Xapian::Database(path));
    }
    return result;
}

std::vector<std::string> RandomCorpus::random_words(Random& random, std::size_t most) const {
    std::vector<std::string> words;
    const std::size_t count = 1 + random.below(most);
    for (std::size_t i = 0; i < count; ++i) {
        words.push_back("w" + std::to_string(random.below(vocabulary_ + 2)));
        if (random.below(4) == 0) words.push_back(words[random.below(words.size())]);
    }
    return words;
}

Xapian::Query bag_of_words(const std::vector<std::string>& words) {
    std::map<std::string, Xapian::termcount> counts;
    for (const std::string& word : words) ++counts[word];
    std::vector<Xapian::Query> terms;
    for (const auto& [word, count] : counts) terms.emplace_back(word, count);
    return Xapian::Query(Xapian::Query::OP_OR, terms.begin(), terms.end());
}

}  // namespace braid::test
