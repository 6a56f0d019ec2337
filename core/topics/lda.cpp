// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lda.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "braid/core/topics/held_out.h"
#include "braid/core/topics/lda_sampler.h"
#include "braid/core/topics/topic_words.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::size_t kPriorInterval = 10;  // Sweeps between two steps of learning the priors.
constexpr std::size_t kCoherenceWords = 10;

void check(bool good, const std::string& name, double got, const std::string& expected) {
    if (!good)
        throw InvalidArgument(fmt::format("lda: {} is {}, expected {}", name, got, expected));
}

void validate(const LdaOptions& options) {
    check(options.topics >= 1, "topics", 0, "from 1 up");
    check(options.alpha >= 0 && options.alpha <= 100, "alpha", options.alpha, "0 to 100");
    check(options.eta > 0 && options.eta <= 100, "eta", options.eta, "over 0, to 100");
    check(options.annealing_eta >= 0 && options.annealing_eta <= 100, "annealing_eta",
          options.annealing_eta, "0 to 100");
    check(options.samples >= 1, "samples", 0, "from 1 up");
    check(options.sample_interval >= 1, "sample_interval", 0, "from 1 up");
    const double needed = static_cast<double>((options.samples - 1) * options.sample_interval + 1);
    check(static_cast<double>(options.sweeps) >= needed, "sweeps",
          static_cast<double>(options.sweeps), fmt::format("at least {} for the samples", needed));
    check(options.held_out_share >= 0 && options.held_out_share < 1, "held_out_share",
          options.held_out_share, "0 to below 1");
}

/// The documents of `counts` that `keep` says; the others are empty.
TermDocumentCounts rows(const TermDocumentCounts& counts, const std::vector<bool>& keep) {
    TermDocumentCounts result;
    result.vocabulary = counts.vocabulary;
    for (std::size_t d = 0; d < counts.documents(); ++d) {
        if (keep[d]) {
            const TermCounts row = counts.document(d);
            result.terms.insert(result.terms.end(), row.terms.begin(), row.terms.end());
            result.counts.insert(result.counts.end(), row.counts.begin(), row.counts.end());
        }
        result.document_begin.push_back(result.terms.size());
    }
    return result;
}

std::size_t supported_topics(const TermDocumentCounts& counts) {
    std::vector<bool> seen(counts.vocabulary.size(), false);
    for (const std::uint32_t term : counts.terms) seen[term] = true;
    std::size_t documents = 0;
    for (std::size_t d = 0; d < counts.documents(); ++d) documents += counts.document(d).size() > 0;
    const auto words = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
    return std::min({words, documents, LdaSampler::kMaxTopics});
}

/// One chain, from the counts to the model.
class LdaTrainer {
  public:
    LdaTrainer(const TermDocumentCounts& training, const TermDocumentCounts& held_out,
               const LdaOptions& options, std::size_t topics)
        : training_(training),
          held_out_(held_out),
          options_(options),
          sampler_(make_lda_corpus(training), topics, options.seed) {
        const double alpha = options.alpha > 0 ? options.alpha : 10.0 / static_cast<double>(topics);
        priors_ = {std::vector<float>(topics, static_cast<float>(alpha)), options.eta};
    }

    LdaModel fit(Executor& executor, const Progress& progress) {
        for (std::size_t sweep = 1; sweep <= options_.sweeps; ++sweep) {
            LdaPriors now = priors_;
            now.eta = annealed_eta(sweep);
            sampler_.sweep(now, executor);
            learn_priors(sweep);
            if (is_sample(sweep)) add_sample();
            const bool last = sweep == options_.sweeps;
            if (last || (options_.report_every > 0 && sweep % options_.report_every == 0)) {
                report(sweep, executor);
            }
            tell(sweep, progress);
        }
        return finish();
    }

  private:
    double annealed_eta(std::size_t sweep) const {
        if (sweep > options_.annealing || options_.annealing_eta <= priors_.eta) return priors_.eta;
        const double passed =
            static_cast<double>(sweep - 1) / static_cast<double>(options_.annealing);
        return options_.annealing_eta + (priors_.eta - options_.annealing_eta) * passed;
    }

    void learn_priors(std::size_t sweep) {
        if (sweep <= options_.annealing || sweep % kPriorInterval != 0) return;
        if (options_.learn_alpha) learn_alpha(sampler_, priors_);
        if (options_.learn_eta) learn_eta(sampler_, priors_);
    }

    bool is_sample(std::size_t sweep) const {
        const std::size_t left = options_.sweeps - sweep;
        return left % options_.sample_interval == 0 &&
               left / options_.sample_interval < options_.samples;
    }

    /// p(w|z) of the state now; docs/algorithms/lda.md (6).
    void add_words(FloatMatrix& sum) const {
        const double eta_sum = priors_.eta * static_cast<double>(sampler_.terms());
        std::vector<double> scales(sampler_.topics());
        for (std::size_t k = 0; k < scales.size(); ++k) {
            scales[k] = 1 / (sampler_.total(k) + eta_sum);
        }
        for (std::size_t w = 0; w < sum.rows; ++w) {
            const std::span<float> row = sum.row(w);
            for (std::size_t k = 0; k < row.size(); ++k) {
                row[k] += static_cast<float>((sampler_.count(w, k) + priors_.eta) * scales[k]);
            }
        }
    }

    /// p(z|d) of the state now; (7).
    void add_documents(FloatMatrix& sum) const {
        const LdaCorpus& corpus = sampler_.corpus();
        std::vector<double> lengths(sum.rows, 0);
        for (std::size_t p = 0; p < corpus.part_lengths.size(); ++p) {
            lengths[corpus.document_of_part[p]] += corpus.part_lengths[p];
        }
        const double alpha_sum = std::accumulate(priors_.alpha.begin(), priors_.alpha.end(), 0.0);
        for (std::size_t d = 0; d < sum.rows; ++d) {
            for (std::size_t k = 0; k < sum.columns; ++k) {
                sum.row(d)[k] += static_cast<float>(priors_.alpha[k] / (lengths[d] + alpha_sum));
            }
        }
        sampler_.for_each_topic([&](std::size_t part, std::size_t topic, std::uint32_t tokens) {
            const std::uint32_t d = corpus.document_of_part[part];
            sum.row(d)[topic] += static_cast<float>(tokens / (lengths[d] + alpha_sum));
        });
    }

    void add_sample() {
        if (samples_ == 0) {
            model_.word_given_topic = FloatMatrix(sampler_.terms(), sampler_.topics());
            model_.topic_share.assign(sampler_.topics(), 0);
            if (options_.document_topics) {
                model_.document_topics = FloatMatrix(sampler_.documents(), sampler_.topics());
            }
        }
        add_words(model_.word_given_topic);
        if (options_.document_topics) add_documents(model_.document_topics);
        for (std::size_t k = 0; k < sampler_.topics(); ++k) {
            model_.topic_share[k] += sampler_.total(k) / static_cast<double>(sampler_.tokens());
        }
        ++samples_;
    }

    void report(std::size_t sweep, Executor& executor) {
        LdaModel now;
        now.word_given_topic = FloatMatrix(sampler_.terms(), sampler_.topics());
        now.topic_share.assign(sampler_.topics(), 0);
        add_words(now.word_given_topic);
        LdaReport result{sweep, 0, 0};
        result.held_out_perplexity = document_completion(now.word_given_topic, priors_.alpha,
                                                         held_out_, executor, options_.seed)
                                         .perplexity;
        const std::vector<double> coherence =
            topic_coherence(describe_topics(now, training_.vocabulary, kCoherenceWords), training_);
        result.coherence = std::accumulate(coherence.begin(), coherence.end(), 0.0) /
                           static_cast<double>(coherence.size());
        model_.reports.push_back(result);
    }

    void tell(std::size_t sweep, const Progress& progress) const {
        if (!progress) return;
        std::string detail;
        if (!model_.reports.empty()) {
            const LdaReport& last = model_.reports.back();
            detail = fmt::format("coherence {:.3f}", last.coherence);
            if (last.held_out_perplexity > 0) {
                detail += fmt::format(", held-out perplexity {:.1f}", last.held_out_perplexity);
            }
        }
        if (!progress({"training lda", sweep, options_.sweeps, "sweeps", detail})) {
            throw Cancelled("training lda was cancelled");
        }
    }

    LdaModel finish() {
        const float scale = 1.0F / static_cast<float>(samples_);
        for (float& x : model_.word_given_topic.values) x *= scale;
        for (float& x : model_.document_topics.values) x *= scale;
        for (double& x : model_.topic_share) x /= static_cast<double>(samples_);
        model_.alpha = priors_.alpha;
        model_.eta = priors_.eta;
        return std::move(model_);
    }

    const TermDocumentCounts& training_;
    const TermDocumentCounts& held_out_;
    LdaOptions options_;
    LdaSampler sampler_;
    LdaPriors priors_;
    std::size_t samples_ = 0;
    LdaModel model_;
};

LdaModel fit_chain(const TermDocumentCounts& counts, const LdaOptions& options, Executor& executor,
                   const Progress& progress) {
    validate(options);
    std::vector<bool> kept(counts.documents(), true);
    std::vector<bool> held_out(counts.documents(), false);
    if (options.held_out_share > 0) {
        Random random(options.seed);
        for (std::size_t d = 0; d < kept.size(); ++d) {
            held_out[d] = random.uniform() < options.held_out_share;
            kept[d] = !held_out[d];
        }
    }
    const TermDocumentCounts unseen = rows(counts, held_out);
    const bool split = unseen.nonzeros() > 0 && unseen.nonzeros() < counts.nonzeros();
    const TermDocumentCounts seen = split ? rows(counts, kept) : TermDocumentCounts{};
    const TermDocumentCounts& training = split ? seen : counts;
    const std::size_t topics = std::min(options.topics, supported_topics(training));
    LdaModel model =
        LdaTrainer(training, split ? unseen : rows(counts, std::vector<bool>(kept.size(), false)),
                   options, topics)
            .fit(executor, progress);
    if (topics < options.topics) {
        model.warnings.push_back(
            fmt::format("dimensions lowered from {} to {}: {} documents and {} words have no more",
                        options.topics, topics, counts.documents(), counts.vocabulary.size()));
    }
    if (options.held_out_share > 0 && !split) {
        model.warnings.push_back(
            fmt::format("no document is held out: {} documents are too few", counts.documents()));
    }
    return model;
}

}  // namespace

LdaModel fit_lda(const TermDocumentCounts& counts, const LdaOptions& options, Executor& executor,
                 const Progress& progress) {
    return fit_chain(counts, options, executor, progress);
}

std::vector<LdaModel> fit_lda_chains(const TermDocumentCounts& counts, const LdaOptions& options,
                                     std::size_t chains, Executor& executor,
                                     const Progress& progress, KeptLdaChain* kept) {
    const bool has_first = kept != nullptr && kept->chain && kept->options == options;
    const std::size_t to_fit = chains - (has_first ? 1 : 0);
    std::mutex mutex;
    std::size_t done = 0;
    bool cancelled = false;
    const Progress counted = [&](const ProgressReport& report) {
        const std::lock_guard lock(mutex);
        if (cancelled) return false;
        if (!progress) return true;
        ProgressReport of_all = report;
        of_all.done = ++done;
        of_all.total = report.total * to_fit;
        cancelled = !progress(of_all);
        return !cancelled;
    };
    std::vector<LdaModel> models(chains);
    const auto fit = [&](std::size_t chain, Executor& threads) {
        if (chain == 0 && has_first) {
            models[0] = *kept->chain;
            return;
        }
        LdaOptions of_chain = options;
        if (chain > 0) of_chain.seed = Random(options.seed, chain).bits();
        models[chain] = fit_chain(counts, of_chain, threads, counted);
    };
    const bool small = counts.total() < static_cast<double>(2 * LdaCorpus::kTokensPerBlock);
    if (small && executor.threads() > 1) {
        executor.run(chains, [&](std::size_t chain) { fit(chain, *make_executor(1)); });
    } else {
        for (std::size_t chain = 0; chain < chains; ++chain) fit(chain, executor);
    }
    if (kept != nullptr && !has_first) *kept = {options, models.front()};
    return models;
}

std::vector<Topic> describe_topics(const LdaModel& model,
                                   const std::vector<std::string>& vocabulary, std::size_t words) {
    std::vector<Topic> topics;
    for (std::size_t k = 0; k < model.word_given_topic.columns; ++k) {
        topics.push_back(
            {top_words(vocabulary, words,
                       [&](std::size_t w) { return model.word_given_topic.row(w)[k]; }),
             model.topic_share[k]});
    }
    return topics;
}

namespace {

constexpr int kSteps = 5;
constexpr double kSmallest = 1e-5;
constexpr double kLargest = 100;

/// psi(x + n) - psi(x); x > 0. By the recurrence for small n, else by psi's asymptotic series.
double digamma_difference(double x, std::uint64_t n) {
    double sum = 0;
    if (n <= 32) {
        for (std::uint64_t i = 0; i < n; ++i) sum += 1 / (x + static_cast<double>(i));
        return sum;
    }
    const auto digamma = [](double y) {
        double below = 0;
        while (y < 8) below += 1 / y++;
        const double r = 1 / (y * y);
        return std::log(y) - 0.5 / y - r * (1.0 / 12 - r * (1.0 / 120 - r / 252)) - below;
    };
    return digamma(x + static_cast<double>(n)) - digamma(x);
}

/// How often each count occurs.
using Histogram = std::map<std::uint32_t, std::uint64_t>;

double summed_difference(double x, const Histogram& histogram) {
    double sum = 0;
    for (const auto& [count, times] : histogram) {
        sum += static_cast<double>(times) * digamma_difference(x, count);
    }
    return sum;
}

}  // namespace

void learn_alpha(const LdaSampler& sampler, LdaPriors& priors) {
    std::vector<Histogram> by_topic(sampler.topics());
    Histogram lengths;
    sampler.for_each_topic(
        [&](std::size_t, std::size_t topic, std::uint32_t tokens) { ++by_topic[topic][tokens]; });
    for (const std::uint32_t length : sampler.corpus().part_lengths) ++lengths[length];
    for (int step = 0; step < kSteps; ++step) {
        double sum = 0;
        for (const float alpha : priors.alpha) sum += alpha;
        const double below = summed_difference(sum, lengths);
        for (std::size_t k = 0; k < priors.alpha.size(); ++k) {
            const double alpha = priors.alpha[k];
            const double better = alpha * summed_difference(alpha, by_topic[k]) / below;
            priors.alpha[k] = static_cast<float>(std::clamp(better, kSmallest, kLargest));
        }
    }
}

void learn_eta(const LdaSampler& sampler, LdaPriors& priors) {
    Histogram counts;
    Histogram totals;
    for (std::size_t k = 0; k < sampler.topics(); ++k) {
        if (sampler.total(k) > 0) ++totals[sampler.total(k)];
    }
    for (std::size_t w = 0; w < sampler.terms(); ++w) {
        for (std::size_t k = 0; k < sampler.topics(); ++k) {
            if (const std::uint32_t count = sampler.count(w, k); count > 0) ++counts[count];
        }
    }
    const auto terms = static_cast<double>(sampler.terms());
    for (int step = 0; step < kSteps; ++step) {
        const double above = summed_difference(priors.eta, counts);
        const double below = terms * summed_difference(terms * priors.eta, totals);
        priors.eta = std::clamp(priors.eta * above / below, kSmallest, kLargest);
    }
}

namespace {

/// In eight lanes, added by one tree: the compiler may use what registers it has, and the bits
/// stay the same.
float dot_in_lanes(const float* a, const float* b, std::size_t size) {
    float sums[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= size; k += 8) {
        for (std::size_t i = 0; i < 8; ++i) sums[i] += a[k + i] * b[k + i];
    }
    for (std::size_t i = 0; k + i < size; ++i) sums[i] += a[k + i] * b[k + i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

void infer_topics(std::span<const FoldingTerm> terms, std::span<const float> alpha,
                  const LdaInferenceOptions& options, std::span<float> result) {
    const std::size_t topics = result.size();
    double alpha_sum = 0;
    for (const float a : alpha) alpha_sum += a;
    for (std::size_t k = 0; k < topics; ++k) result[k] = static_cast<float>(alpha[k] / alpha_sum);
    std::vector<float> gathered(topics);
    for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
        std::fill(gathered.begin(), gathered.end(), 0.0F);
        double length = 0;
        for (const FoldingTerm& term : terms) {
            const float likelihood = dot_in_lanes(result.data(), term.vector.data(), topics);
            if (!(likelihood > 0)) continue;
            const float ratio = static_cast<float>(term.count) / likelihood;
            if (!std::isfinite(ratio)) continue;
            length += term.count;
            const float* const row = term.vector.data();
            for (std::size_t k = 0; k < topics; ++k) gathered[k] += ratio * row[k];
        }
        if (length == 0) return;
        const double scale = 1 / (length + alpha_sum);
        double change = 0;
        for (std::size_t k = 0; k < topics; ++k) {
            const auto next = static_cast<float>((alpha[k] + result[k] * gathered[k]) * scale);
            change += std::abs(next - result[k]);
            result[k] = next;
        }
        if (change < options.tolerance) return;
    }
}

}  // namespace braid
