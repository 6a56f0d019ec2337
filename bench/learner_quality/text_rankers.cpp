// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/text_rankers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "braid/error.h"

namespace braid::bench {

std::vector<std::string> one_of_each_kind() {
    return {"bm25",         "lm-dirichlet", "bm25-feedback", "lsa",
            "lsa-feedback", "ldi",          "ldi-feedback",  "lbdm"};
}

struct TextRankers::Texts {
    Collection words;   // All of them.
    Collection topics;  // Those that topic models learn from.
    std::unique_ptr<LexicalIndex> index;
    // The model used last: a family's variants ask for the same one in turn.
    std::string model_key;
    TopicModel model;
};

TextRankers::TextRankers(const std::string& data, const std::string& collection,
                         const std::string& cache, Executor& executor)
    : texts_(std::make_unique<Texts>()), cache_(cache + "/" + collection), executor_(executor) {
    const Words words(data + "/stop/smart.571", true);
    texts_->words = read_collection(data, collection, words, 1);
    texts_->topics = read_collection(data, collection, words, 2);
    texts_->index = std::make_unique<LexicalIndex>(texts_->words);
    std::filesystem::create_directories(cache_);
    add_lexical();
    add_term_feedback();
    add_topics();
}

TextRankers::~TextRankers() = default;

const Collection& TextRankers::collection() const { return texts_->words; }

void TextRankers::add(const std::string& family, const std::string& variant, const Make& make) {
    if (families_.empty() || families_.back().name != family) families_.push_back({family, {}});
    families_.back().variants.push_back(variant);
    makers_.emplace_back(variant, make);
}

void TextRankers::add_lexical() {
    const auto add_ranker = [this](const std::string& name, const ParameterMap& parameters) {
        std::string variant = name;
        for (const auto& [parameter, value] : parameters) {
            variant += fmt::format(" {}={:g}", parameter, value);
        }
        add(name, variant, [=, this] {
            return lexical_scores(*texts_->index, *make_lexical_ranker(name, parameters),
                                  executor_);
        });
    };
    add("tf-idf-cosine", "tf-idf-cosine",
        [this] { return cosine_scores(*texts_->index, executor_); });
    for (const double k1 : {0.9, 1.2, 1.6, 2.0, 2.5}) {
        for (const double b : {0.3, 0.5, 0.75, 0.9}) add_ranker("bm25", {{"k1", k1}, {"b", b}});
    }
    for (const double mu : {50, 100, 200, 500, 1000, 2000}) {
        add_ranker("lm-dirichlet", {{"mu", mu}});
    }
    for (const double lambda : {0.1, 0.3, 0.5, 0.7}) add_ranker("lm-jm", {{"lambda", lambda}});
    add_ranker("tfidf-pivoted", {});
    add_ranker("dph", {});
    for (const double c : {1, 3, 7}) add_ranker("pl2", {{"c", c}});
}

void TextRankers::add_term_feedback() {
    for (const std::string& name : {std::string("bm25"), std::string("lm-dirichlet")}) {
        for (const std::size_t documents : {5, 10, 20}) {
            for (const std::size_t terms : {20, 60}) {
                for (const double share : {0.3, 0.5, 0.7}) {
                    const std::string variant =
                        fmt::format("{}-feedback documents={} terms={} query={:g}", name, documents,
                                    terms, share);
                    add(name + "-feedback", variant, [=, this] {
                        const auto first = make_lexical_ranker("lm-dirichlet", {{"mu", 500}});
                        const auto second = make_lexical_ranker(
                            name, name == "bm25" ? ParameterMap{{"k1", 1.6}, {"b", 0.75}}
                                                 : ParameterMap{{"mu", 500}});
                        return term_feedback_scores(*texts_->index, *first, *second,
                                                    {documents, terms, share}, executor_);
                    });
                }
            }
        }
    }
}

const TopicModel& TextRankers::model(const std::string& name, const TopicOptions& options) {
    std::string key = fmt::format("{} {}", name, options.dimensions);
    for (const auto& [parameter, value] : options.parameters) {
        key += fmt::format(" {}={:g}", parameter, value);
    }
    for (const auto& [choice, value] : options.choices) {
        key += fmt::format(" {}={}", choice, value);
    }
    if (texts_->model_key != key) {
        texts_->model = fit_topic_model(name, texts_->topics.counts, options, executor_);
        texts_->model_key = key;
    }
    return texts_->model;
}

void TextRankers::add_topic_model(const std::string& family, const std::string& label,
                                  const std::string& name, const TopicOptions& options,
                                  const std::vector<TopicFeedback>& feedback) {
    for (const TopicFeedback& with : feedback) {
        std::string variant = fmt::format("{} K={}", label, options.dimensions);
        if (with.documents > 0) {
            variant += fmt::format(" documents={} weight={:g}", with.documents, with.weight);
        }
        add(family, variant, [=, this] {
            return topic_scores(texts_->topics, model(name, options), with, executor_);
        });
    }
}

void TextRankers::add_topics() {
    const bool is_large = texts_->topics.counts.documents() > 5000;
    const std::vector<std::size_t> dimensions =
        is_large ? std::vector<std::size_t>{200, 400}
                 : std::vector<std::size_t>{50, 75, 100, 150, 200, 250, 300};
    const std::vector<TopicFeedback> plain = {{}};
    const std::vector<TopicFeedback> some = {{5, 1}, {10, 1}, {20, 1}};
    for (const auto& [suffix, feedback] :
         {std::pair<std::string, std::vector<TopicFeedback>>{"", plain}, {"-feedback", some}}) {
        const std::string name = "lsa" + suffix;
        for (const std::string weighting : {"tf-idf", "log-entropy"}) {
            for (const std::size_t k : dimensions) {
                TopicOptions options{.dimensions = k};
                options.choices["weighting"] = weighting;
                add_topic_model(name, fmt::format("{} {}", name, weighting), "lsa", options,
                                feedback);
            }
        }
        for (const std::size_t k : dimensions) {
            add_topic_model("ldi" + suffix, "ldi" + suffix, "ldi", {.dimensions = k}, feedback);
        }
    }
    // As the paper on LDI has it: one Markov chain.
    for (const std::size_t k : dimensions) {
        TopicOptions options{.dimensions = k};
        options.parameters["chains"] = 1;
        add_topic_model("ldi-one-chain", "ldi-one-chain", "ldi", options, plain);
    }
    // And pLSI by the cosine of posteriors.
    for (const std::string ranking : {"words", "posterior"}) {
        for (const std::size_t k : dimensions) {
            TopicOptions options{.dimensions = k};
            options.choices["ranking"] = ranking;
            const std::string family = ranking == "words" ? "plsi" : "plsi-posterior";
            add_topic_model(family, "plsi " + ranking, "plsi", options, plain);
        }
    }
    for (const std::size_t k :
         is_large ? std::vector<std::size_t>{200} : std::vector<std::size_t>{50, 100}) {
        for (const double mu : {200, 1000}) {
            add("lbdm", fmt::format("lbdm K={} mu={:g}", k, mu), [=, this] {
                TopicOptions options{.dimensions = k};
                options.parameters["chains"] = 5;
                return lbdm_scores(texts_->topics, model("lda", options), {0.7, mu}, executor_);
            });
        }
    }
}

std::string TextRankers::file_of(const std::string& variant, const std::string& ending) const {
    std::string name = variant;
    std::replace(name.begin(), name.end(), ' ', ',');
    return cache_ + "/" + name + ending;
}

ScoreTable TextRankers::scores(const std::string& variant) {
    const std::string file = file_of(variant, ".scores");
    const std::size_t queries = collection().queries.size();
    std::vector<float> row(collection().document_names.size());
    const auto bytes = static_cast<std::streamsize>(row.size() * sizeof(float));
    if (!std::filesystem::exists(file)) {
        const auto maker = std::find_if(makers_.begin(), makers_.end(),
                                        [&](const auto& pair) { return pair.first == variant; });
        if (maker == makers_.end()) throw InvalidArgument("no ranker is called " + variant);
        std::ofstream out(file + ".part", std::ios::binary);
        for (const std::vector<double>& scores : maker->second()) {
            std::copy(scores.begin(), scores.end(), row.begin());
            out.write(reinterpret_cast<const char*>(row.data()), bytes);
        }
        out.close();
        if (!out) throw Error(file + ": can't be written");
        std::filesystem::rename(file + ".part", file);
    }
    std::ifstream in(file, std::ios::binary);
    ScoreTable result;
    for (std::size_t q = 0; q < queries; ++q) {
        in.read(reinterpret_cast<char*>(row.data()), bytes);
        if (!in) throw Error(file + ": is not of this collection; remove it");
        result.emplace_back(row.begin(), row.end());
    }
    return result;
}

std::vector<double> TextRankers::precisions(const std::string& variant) {
    const std::string file = file_of(variant, ".precisions");
    std::vector<double> result;
    if (std::filesystem::exists(file)) {
        std::ifstream in(file);
        for (double value = 0; in >> value;) result.push_back(value);
        if (result.size() != collection().queries.size()) {
            throw Error(file + ": is not of this collection; remove it");
        }
        return result;
    }
    result = average_precisions(collection(), scores(variant));
    std::ofstream out(file + ".part");
    for (const double value : result) out << fmt::format("{}\n", value);
    out.close();
    if (!out) throw Error(file + ": can't be written");
    std::filesystem::rename(file + ".part", file);
    return result;
}

}  // namespace braid::bench
