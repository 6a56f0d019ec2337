// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/core/lexical/naive_rankers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "braid/core/lexical/ranker.h"

namespace braid::test {
namespace {

// The letters of the docs page.
struct Letters {
    double N, T, avg, df, cf, q, tf, len, u, norm, query_norm;
};

using Formula = std::function<double(const ParameterMap&, const Letters&)>;

double bm25_normaliser(const ParameterMap& p, const Letters& l) {
    double relative = l.len / l.avg;
    if (relative < p.at("min_length")) relative = p.at("min_length");
    return p.at("k1") * (1 - p.at("b") + p.at("b") * relative);
}

double bm25_query(const ParameterMap& p, const Letters& l) {
    return (p.at("k3") + 1) * l.q / (p.at("k3") + l.q);
}

double bm25(const ParameterMap& p, const Letters& l) {
    double r = (l.N - l.df + 0.5) / (l.df + 0.5);
    if (r < 2) r = r / 2 + 1;
    const double saturation = (p.at("k1") + 1) * l.tf / (bm25_normaliser(p, l) + l.tf);
    return std::log(r) * saturation * bm25_query(p, l);
}

double bm25_plus(const ParameterMap& p, const Letters& l) {
    const double saturation = (p.at("k1") + 1) * l.tf / (bm25_normaliser(p, l) + l.tf);
    return std::log((l.N + 1) / l.df) * (saturation + p.at("delta")) * bm25_query(p, l);
}

double pivoted(const ParameterMap& p, const Letters& l) {
    const double s = p.at("slope");
    return l.q * (1 + std::log(1 + std::log(l.tf))) / ((1 - s) + s * l.len / l.avg) *
           std::log((l.N + 1) / l.df);
}

double lucene(const ParameterMap&, const Letters& l) {
    return l.q * std::sqrt(l.tf) * std::pow(1 + std::log((l.N + 1) / (l.df + 1)), 2) /
           std::sqrt(l.len);
}

// Differences of log-probabilities: a word seen in the document against the same word unseen.
double dirichlet(const ParameterMap& p, const Letters& l) {
    const double mu = p.at("mu");
    const double seen = (l.tf + mu * l.cf / l.T) / (l.len + mu);
    const double unseen = (mu * l.cf / l.T) / (l.len + mu);
    return l.q * (std::log(seen) - std::log(unseen));
}

double mercer(const ParameterMap& p, const Letters& l) {
    const double lambda = p.at("lambda");
    const double unseen = lambda * l.cf / l.T;
    const double seen = (1 - lambda) * l.tf / l.len + unseen;
    return l.q * (std::log(seen) - std::log(unseen));
}

double discount(const ParameterMap& p, const Letters& l) {
    const double delta = p.at("delta");
    const double unseen = delta * l.u / l.len * l.cf / l.T;
    const double seen = std::max(l.tf - delta, 0.0) / l.len + unseen;
    return l.q * (std::log(seen) - std::log(unseen));
}

double dph(const ParameterMap&, const Letters& l) {
    const double f = l.tf / l.len;
    if (f == 1) return 0;
    const double average = l.T / l.N;
    const double value = std::pow(1 - f, 2) / (l.tf + 1) *
                         (l.tf * std::log2((l.tf * average / l.len) * (l.N / l.cf)) +
                          0.5 * std::log2(2 * M_PI * l.tf * (1 - f)));
    return value > 0 ? l.q * value : 0;
}

double pl2(const ParameterMap& p, const Letters& l) {
    const double x = l.tf * std::log2(1 + p.at("c") * l.avg / l.len);
    const double mean = l.cf / l.N;
    const double value =
        (x * std::log2(x / mean) + (mean - x) * std::log2(M_E) + 0.5 * std::log2(2 * M_PI * x)) /
        (x + 1);
    return value > 0 ? l.q * value : 0;
}

const std::map<std::string, Formula>& formulas() {
    static const std::map<std::string, Formula> all = {
        {"bm25", bm25},
        {"bm25+", bm25_plus},
        {"bm25f", bm25},
        {"log-bm25", bm25},  // Its words'.
        {"tfidf-cosine",
         [](const auto&, const Letters& l) {
             const double component = (1 + std::log(l.q)) * std::log(l.N / l.df);
             if (component == 0) return 0.0;
             return (1 + std::log(l.tf)) / l.norm * component / l.query_norm;
         }},
        {"tfidf",
         [](const auto&, const Letters& l) {
             return l.q * (1 + std::log(l.tf)) * std::log(l.N / l.df);
         }},
        {"tfidf-pivoted", pivoted},
        {"tfidf-lucene", lucene},
        {"lm-dirichlet", dirichlet},
        {"lm-jm", mercer},
        {"lm-absdiscount", discount},
        {"dph", dph},
        {"pl2", pl2},
        {"tf", [](const auto&, const Letters& l) { return l.q * l.tf; }},
        {"log-tf", [](const auto&, const Letters& l) { return l.q * std::log(l.tf + 1); }},
        {"tf-share", [](const auto&, const Letters& l) { return l.q * l.tf / l.len; }},
        {"log-tf-share",
         [](const auto&, const Letters& l) { return l.q * std::log(l.tf / l.len + 1); }},
        {"idf", [](const auto&, const Letters& l) { return l.q * std::log(l.N / l.df); }},
        {"log-idf",
         [](const auto&, const Letters& l) { return l.q * std::log(std::log(l.N / l.df) + 1); }},
        {"log-icf", [](const auto&, const Letters& l) { return l.q * std::log(l.T / l.cf + 1); }},
        {"log-tf-share-idf",
         [](const auto&, const Letters& l) {
             return l.q * std::log(l.tf / l.len * std::log(l.N / l.df) + 1);
         }},
        {"tfidf-raw",
         [](const auto&, const Letters& l) { return l.q * l.tf * std::log(l.N / l.df); }},
        {"log-tf-share-icf",
         [](const auto&, const Letters& l) {
             return l.q * std::log(l.tf / l.len * (l.T / l.cf) + 1);
         }},
    };
    return all;
}

}  // namespace

double naive_term_score(const std::string& name, const ParameterMap& parameters,
                        const TermStatistics& term, const DocumentStatistics& document) {
    if (document.occurrences == 0) return 0;
    const auto given = parameters.find("average_length");
    const bool is_given = given != parameters.end() && given->second > 0;
    const double average = term.collection.total_length / term.collection.documents;
    const Letters letters{.N = term.collection.documents,
                          .T = term.collection.total_length,
                          .avg = is_given ? given->second : average,
                          .df = term.documents,
                          .cf = term.occurrences,
                          .q = term.query_occurrences,
                          .tf = document.occurrences,
                          .len = document.length,
                          .u = document.unique_terms,
                          .norm = document.norm,
                          .query_norm = term.query_norm};
    return formulas().at(name)(parameters, letters);
}

double naive_document_score(const std::string& name, const ParameterMap& parameters,
                            const QueryStatistics& query, const DocumentStatistics& document) {
    if (document.length == 0) return 0;
    // log a(D) of (11), and the same for the document at which the shift stops.
    if (name == "lm-dirichlet") {
        const double mu = parameters.at("mu");
        const double last = mu / (mu + parameters.at("longest"));
        return query.length * std::max(std::log(mu / (mu + document.length)) - std::log(last), 0.0);
    }
    if (name == "lm-absdiscount") {
        const double delta = parameters.at("delta");
        const double last = delta / parameters.at("longest");
        const double share = delta * document.unique_terms / document.length;
        return query.length * std::max(std::log(share) - std::log(last), 0.0);
    }
    return 0;
}

ParameterMap all_parameters(const std::string& name, const ParameterMap& given) {
    ParameterMap result;
    for (const ParameterInfo& info : lexical_rankers().find(name).parameters) {
        result[info.name] = info.default_value;
    }
    for (const auto& [key, value] : given) result[key] = value;
    return result;
}

}  // namespace braid::test
