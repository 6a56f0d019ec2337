// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/text_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "braid/core/learn/job/training_job.h"
#include "braid/core/pool/list_statistics.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"

namespace braid::bench {
namespace {

constexpr const char* kScale = "scale";

// Another query's rows after those of `to`: those at `rows`, ascending.
void append(const TrainingSet& from, const std::vector<std::size_t>& rows, TrainingSet& to) {
    to.queries.push_back(from.queries.front());
    for (const std::size_t row : rows) {
        const auto scores = from.row(row);
        to.scores.insert(to.scores.end(), scores.begin(), scores.end());
        to.grades.push_back(from.grades[row]);
    }
    to.query_begin.push_back(to.grades.size());
    std::vector<Grade> left_out;
    for (std::size_t d = 0, next = 0; d < from.rows(); ++d) {
        const bool is_kept = next < rows.size() && rows[next] == d;
        if (is_kept) ++next;
        if (!is_kept && from.grades[d] > 0) left_out.push_back(from.grades[d]);
    }
    to.unpooled.push_back(std::move(left_out));
    to.query_features.insert(to.query_features.end(), from.query_features.begin(),
                             from.query_features.end());
}

}  // namespace

TextTrials::TextTrials(TextRankers& rankers, TrialOptions options, Executor& executor)
    : rankers_(rankers), options_(std::move(options)) {
    const std::vector<std::string>& names = rankers_.collection().document_names;
    order_.resize(names.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return names[a] > names[b]; });
    features_.resize(rankers_.collection().queries.size());
    if (has("words")) describe_words();
    if (has("topics")) describe_topics(executor);
    if (has("origin")) describe_origins();
}

bool TextTrials::has(const std::string& group) const {
    return std::find(options_.features.begin(), options_.features.end(), group) !=
           options_.features.end();
}

// As a database gives them: docs/algorithms/features.md.
void TextTrials::describe_words() {
    const Collection& collection = rankers_.collection();
    const std::vector<std::uint32_t> having = collection.counts.document_frequencies();
    const auto documents = static_cast<double>(collection.document_names.size());
    for (const char* name : {"length", "words", "idf-sum", "idf-mean", "idf-max", "idf-min"}) {
        feature_names_.emplace_back(name);
    }
    for (std::size_t q = 0; q < features_.size(); ++q) {
        const JudgedQuery& query = collection.queries[q];
        double length = 0;
        for (const float count : query.counts) length += static_cast<double>(count);
        std::vector<double> rarities;
        for (const std::uint32_t term : query.terms) {
            rarities.push_back(std::log(documents / std::max(1U, having[term])));
        }
        const double sum = std::accumulate(rarities.begin(), rarities.end(), 0.0);
        const auto words = static_cast<double>(rarities.size());
        const auto [least, most] = std::minmax_element(rarities.begin(), rarities.end());
        const bool none = rarities.empty();
        features_[q].insert(features_[q].end(), {length, words, sum, none ? 0 : sum / words,
                                                 none ? 0 : *most, none ? 0 : *least});
    }
}

void TextTrials::describe_topics(Executor& executor) {
    const Collection& collection = rankers_.collection();
    const TopicModel model = fit_topic_model("lsa", collection.counts,
                                             {.dimensions = options_.topic_dimensions}, executor);
    const auto folding = make_topic_folding(model.header);
    for (std::size_t k = 0; k < model.header.dimensions; ++k) {
        feature_names_.push_back("topic:lsa:" + std::to_string(k));
    }
    for (std::size_t q = 0; q < features_.size(); ++q) {
        const JudgedQuery& query = collection.queries[q];
        for (const float x : fold_in(*folding, model, {query.terms, query.counts})) {
            features_[q].push_back(static_cast<double>(x));
        }
    }
}

void TextTrials::describe_origins() {
    const auto& queries = rankers_.collection().queries;
    for (const std::string origin : {"med", "cran", "cisi", "cacm"}) {
        feature_names_.push_back("origin:" + origin);
        for (std::size_t q = 0; q < features_.size(); ++q) {
            features_[q].push_back(queries[q].id.rfind(origin + ".", 0) == 0 ? 1 : 0);
        }
    }
}

const ScoreTable& TextTrials::scores(const std::string& variant) {
    const auto found = scores_.find(variant);
    if (found != scores_.end()) return found->second;
    return scores_[variant] = rankers_.scores(variant);
}

const std::vector<double>& TextTrials::precisions(const std::string& variant) {
    const auto found = precisions_.find(variant);
    if (found != precisions_.end()) return found->second;
    return precisions_[variant] = rankers_.precisions(variant);
}

std::string TextTrials::best_variant(const std::string& family,
                                     const std::vector<std::size_t>& queries) {
    std::string best;
    double best_sum = -1;
    for (const RankerFamily& candidate : rankers_.families()) {
        for (const std::string& variant : candidate.variants) {
            if (variant == family) return variant;
            if (candidate.name != family) continue;
            double sum = 0;
            for (const std::size_t q : queries) sum += precisions(variant)[q];
            if (sum <= best_sum) continue;
            best = variant;
            best_sum = sum;
        }
    }
    if (best.empty()) throw InvalidArgument("no ranker is called " + family);
    return best;
}

std::string TextTrials::best_single(const std::vector<std::size_t>& queries) {
    std::string best;
    double best_sum = -1;
    for (const std::string& family : options_.families) {
        const std::string variant = best_variant(family, queries);
        double sum = 0;
        for (const std::size_t q : queries) sum += precisions(variant)[q];
        if (sum <= best_sum) continue;
        best = variant;
        best_sum = sum;
    }
    return best;
}

std::vector<std::size_t> TextTrials::pool_of(const TrainingSet& whole, std::size_t size) const {
    std::vector<std::size_t> rows(whole.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (size == 0 || size >= rows.size()) return rows;
    std::vector<bool> is_kept(rows.size());
    for (std::size_t d = 0; d < rows.size(); ++d) {
        is_kept[d] = options_.adds_judged && whole.grades[d] > 0;
    }
    for (std::size_t k = 0; k < whole.width(); ++k) {
        std::vector<std::size_t> first = rows;
        std::partial_sort(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size),
                          first.end(), [&](std::size_t a, std::size_t b) {
                              const double x = whole.row(a)[k];
                              const double y = whole.row(b)[k];
                              return x != y ? x > y : a < b;
                          });
        for (std::size_t i = 0; i < size; ++i) is_kept[first[i]] = true;
    }
    std::vector<std::size_t> kept;
    for (const std::size_t d : rows) {
        if (is_kept[d]) kept.push_back(d);
    }
    return kept;
}

TrainingSet TextTrials::set_of(const std::vector<std::string>& variants,
                               const std::vector<std::size_t>& queries, std::size_t pool) {
    TrainingSet result;
    result.rankers = variants;
    result.query_feature_names = feature_names_;
    if (has("lists")) {
        const auto& lists = list_statistic_names();
        result.query_feature_names.insert(result.query_feature_names.end(), lists.begin(),
                                          lists.end());
    }
    for (const std::size_t q : queries) {
        const JudgedQuery& query = rankers_.collection().queries[q];
        TrainingSet whole;
        whole.rankers = variants;
        whole.queries = {query.id};
        whole.scores.resize(order_.size() * variants.size());
        for (std::size_t k = 0; k < variants.size(); ++k) {
            const std::vector<double>& column = scores(variants[k])[q];
            for (std::size_t i = 0; i < order_.size(); ++i) {
                whole.scores[i * variants.size() + k] = column[order_[i]];
            }
        }
        for (const std::size_t d : order_) {
            const bool is_relevant =
                std::binary_search(query.relevant.begin(), query.relevant.end(), d);
            whole.grades.push_back(is_relevant ? 1 : 0);
        }
        whole.query_begin.push_back(order_.size());
        if (options_.normaliser != kScale) normalise(whole, {.normaliser = options_.normaliser});
        whole.query_feature_names = feature_names_;
        whole.query_features = features_[q];
        if (has("lists")) add_list_statistics(whole);
        append(whole, pool_of(whole, pool), result);
    }
    return result;
}

TrainingSet TextTrials::alone(const std::string& variant, const std::vector<std::size_t>& queries) {
    return set_of({variant}, queries, 0);
}

Trial TextTrials::make(const std::vector<std::size_t>& train,
                       const std::vector<std::size_t>& test) {
    Trial trial;
    trial.test = test;
    for (const std::string& family : options_.families) {
        trial.variants.push_back(best_variant(family, train));
    }
    trial.training = set_of(trial.variants, train, options_.pool);
    trial.testing = set_of(trial.variants, test, 0);
    if (options_.normaliser == kScale) {
        const Preparation scaling = {.scales = ranker_scales(trial.training)};
        trial.training = prepared_set(std::move(trial.training), scaling);
        trial.testing = prepared_set(std::move(trial.testing), scaling);
    }
    return trial;
}

}  // namespace braid::bench
