// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/texts/corpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "braid/bench/texts/collection.h"
#include "braid/core/topics/term_document_counts.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid::bench {
namespace {

constexpr double kCommonShare = 0.4;
constexpr std::size_t kWordsOfTopic = 2000;

/// Draws 0 .. size - 1 with probabilities ~ 1 / (rank + 2).
class Zipf {
  public:
    explicit Zipf(std::size_t size) {
        double sum = 0;
        for (std::size_t r = 0; r < size; ++r)
            ends_.push_back(sum += 1 / static_cast<double>(r + 2));
    }

    std::size_t draw(Random& random) const {
        const double u = random.uniform() * ends_.back();
        const auto at = std::upper_bound(ends_.begin(), ends_.end(), u);
        return std::min(static_cast<std::size_t>(at - ends_.begin()), ends_.size() - 1);
    }

  private:
    std::vector<double> ends_;
};

template <typename T>
void write_all(std::ofstream& out, const std::vector<T>& values) {
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
}

std::vector<std::string> numbered_words(std::size_t count) {
    std::vector<std::string> words;
    for (std::size_t t = 0; t < count; ++t) words.push_back(fmt::format("{:08}", t));
    return words;
}

void append(const TermCounts& row, const std::vector<std::uint32_t>& ids, TermDocumentCounts& to) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (ids[row.terms[i]] == ids.size()) continue;
        to.terms.push_back(ids[row.terms[i]]);
        to.counts.push_back(row.counts[i]);
    }
    to.document_begin.push_back(to.terms.size());
}

}  // namespace

TermDocumentCounts read_descriptions(const std::string& file, std::size_t documents,
                                     std::uint32_t min_documents) {
    const Words words("", false);
    TermDocumentCountsBuilder builder;
    SourceDocument document;
    const auto reader = open_documents(file, "", {});
    for (std::size_t d = 0; d < documents && reader->next(document); ++d) {
        builder.begin_document();
        for (const auto& field : document.fields) {
            if (field.name != "title" && field.name != "text") continue;
            for (const std::string& word : words.of(field.text)) builder.add(word);
        }
    }
    return restrict_vocabulary(builder.build(), {.min_documents = min_documents});
}

TermDocumentCounts generate_documents(const TextShape& shape) {
    Random random(shape.seed);
    std::vector<std::vector<std::uint32_t>> words_of_topic(shape.topics);
    for (auto& words : words_of_topic) {
        for (std::size_t i = 0; i < kWordsOfTopic; ++i) {
            words.push_back(static_cast<std::uint32_t>(random.below(shape.vocabulary)));
        }
    }
    const Zipf common(shape.vocabulary);
    const Zipf special(kWordsOfTopic);
    TermDocumentCounts counts;
    counts.vocabulary = numbered_words(shape.vocabulary);
    std::vector<std::uint32_t> tokens;
    for (std::size_t d = 0; d < shape.documents; ++d) {
        std::vector<std::size_t> topics(1 + random.below(4));
        for (std::size_t& topic : topics) topic = random.below(shape.topics);
        tokens.resize(static_cast<std::size_t>(
            std::max(1.0, shape.length * (0.25 + 1.5 * random.uniform()) + 0.5)));
        for (std::uint32_t& token : tokens) {
            token = random.uniform() < kCommonShare
                        ? static_cast<std::uint32_t>(common.draw(random))
                        : words_of_topic[topics[random.below(topics.size())]][special.draw(random)];
        }
        std::sort(tokens.begin(), tokens.end());
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0 && tokens[i] == tokens[i - 1]) {
                ++counts.counts.back();
                continue;
            }
            counts.terms.push_back(tokens[i]);
            counts.counts.push_back(1);
        }
        counts.document_begin.push_back(counts.terms.size());
    }
    return counts;
}

TermDocumentCounts read_or_generate(const std::string& file, std::size_t documents,
                                    std::uint32_t min_documents) {
    const std::string name = "generated";
    if (file != name && file.rfind(name + ":", 0) != 0)
        return read_descriptions(file, documents, min_documents);
    TextShape shape;
    shape.documents = documents;
    if (file != name) shape.length = std::stod(file.substr(name.size() + 1));
    return generate_documents(shape);
}

std::pair<TermDocumentCounts, TermDocumentCounts> split_documents(const TermDocumentCounts& counts,
                                                                  std::size_t step,
                                                                  std::uint32_t min_documents) {
    const std::size_t words = counts.vocabulary.size();
    std::vector<std::uint32_t> frequencies(words, 0);
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        if (d % step == 0) continue;
        for (const std::uint32_t term : counts.document(d).terms) ++frequencies[term];
    }
    TermDocumentCounts training;
    std::vector<std::uint32_t> ids(words, static_cast<std::uint32_t>(words));
    for (std::size_t t = 0; t < words; ++t) {
        if (frequencies[t] < min_documents) continue;
        ids[t] = static_cast<std::uint32_t>(training.vocabulary.size());
        training.vocabulary.push_back(counts.vocabulary[t]);
    }
    TermDocumentCounts held_out;
    held_out.vocabulary = training.vocabulary;
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        append(counts.document(d), ids, d % step == 0 ? held_out : training);
    }
    return {std::move(training), std::move(held_out)};
}

void write_matrix(const TermDocumentCounts& counts, const std::vector<double>& values,
                  const std::string& file) {
    std::ofstream out(file, std::ios::binary);
    write_all(out, std::vector<std::uint64_t>{counts.documents(), counts.vocabulary.size(),
                                              counts.nonzeros()});
    write_all(out, counts.document_begin);
    write_all(out, counts.terms);
    write_all(out, values.empty() ? std::vector<double>(counts.counts.begin(), counts.counts.end())
                                  : values);
    if (!out) throw Error(file + ": can't be written");
}

Matrix read_matrix(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(file + ": can't be read");
    const auto head = read_numbers<std::uint64_t>(in, 3);
    Matrix matrix;
    matrix.width = head[1];
    matrix.begin = read_numbers<std::uint64_t>(in, head[0] + 1);
    matrix.columns = read_numbers<std::uint32_t>(in, head[2]);
    matrix.values = read_numbers<double>(in, head[2]);
    return matrix;
}

double Matrix::energy() const {
    double sum = 0;
    for (const double x : values) sum += x * x;
    return sum;
}

TermDocumentCounts counts_of(const Matrix& matrix) {
    TermDocumentCounts counts;
    counts.vocabulary = numbered_words(matrix.width);
    counts.document_begin = matrix.begin;
    counts.terms = matrix.columns;
    counts.counts.assign(matrix.values.begin(), matrix.values.end());
    return counts;
}

}  // namespace braid::bench
