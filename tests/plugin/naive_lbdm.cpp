// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/plugin/naive_lbdm.h"

#include <algorithm>
#include <cmath>

namespace braid::test {
namespace {

double occurrences(const RandomCorpus& corpus, Xapian::docid docid, const std::string& word) {
    const auto& words = corpus.words(docid);
    return static_cast<double>(std::count(words.begin(), words.end(), word));
}

std::vector<float> stored_topics(const CorpusTopics& topics, const std::string& word) {
    const auto& vocabulary = topics.model.vocabulary;
    const auto found = std::lower_bound(vocabulary.begin(), vocabulary.end(), word);
    if (found == vocabulary.end() || *found != word) return {};
    std::vector<float> vector(topics.record.header.dimensions);
    const auto row = static_cast<std::size_t>(found - vocabulary.begin());
    decode_term_vector(encode_term_vector(topics.model.term_vectors.row(row)), "test", vector);
    return vector;
}

}  // namespace

LbdmQuery lbdm_query(const TopicCorpus& corpus, const std::vector<std::string>& words) {
    const CorpusTopics& topics = corpus.topics("lda");
    LbdmQuery query{.model = {topics.id, topics.record.slot}, .dimensions = 8, .chains = 2};
    double total = 0;
    for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) {
        total += static_cast<double>(corpus.corpus().words(docid).size());
    }
    std::map<std::string, double> counts;
    for (const std::string& word : words) ++counts[word];
    for (const auto& [word, count] : counts) {
        double all = 0;
        for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) {
            all += occurrences(corpus.corpus(), docid, word);
        }
        if (all > 0) query.words.push_back({word, count, all / total, stored_topics(topics, word)});
    }
    return query;
}

Scores naive_lbdm(const TopicCorpus& corpus, const LbdmQuery& query) {
    double constant = 0;
    for (const LbdmWord& word : query.words) {
        constant += word.count * std::log(query.settings.lambda * word.collection_share *
                                          query.settings.mu / (query.longest + query.settings.mu));
    }
    Scores scores;
    for (Xapian::docid docid = 1; docid <= corpus.corpus().size(); ++docid) {
        const auto size = static_cast<double>(corpus.corpus().words(docid).size());
        if (size == 0) continue;
        std::vector<float> vector;
        if (docid % 9 != 0 && docid % 13 != 0) {
            vector.resize(query.dimensions);
            decode_vector(open_vector(corpus.value("lda", docid), query.dimensions, "test"),
                          vector);
        }
        std::vector<LbdmTerm> terms;
        for (const LbdmWord& word : query.words) {
            const bool known = !vector.empty() && !word.topics.empty();
            terms.push_back({word.count, occurrences(corpus.corpus(), docid, word.term),
                             word.collection_share,
                             known ? topic_probability(word.topics, vector, query.chains) : 0});
        }
        const double length = std::min(query.length_scale * size, query.longest);
        const double score = lbdm_score(query.settings, terms, length) - constant;
        if (score > 1e-12) scores[docid] = score;
    }
    return scores;
}

}  // namespace braid::test
