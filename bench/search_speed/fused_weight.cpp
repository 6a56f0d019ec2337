// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Xapian's BM25, of BM25 through FusedWeight, and of six rankers through
// FusedWeight, side by side on one database.
//
//   fused_weight DATABASE [QUERIES] [WORDS_FROM WORDS_TO]
//
// Queries are words of random documents that at most a tenth of the documents have. Every weight
// answers a query in each of the rounds, in turn; a query's time is the least of its rounds.
#include "braid/plugin/sources/fused_weight.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <xapian.h>

#include "braid/core/random.h"

namespace {

constexpr int kRounds = 7;

struct Contender {
    std::string name;
    std::unique_ptr<Xapian::Weight> weight;
    std::vector<double> milliseconds = {};
};

braid::FusionModel bm25_model() {
    braid::FusionModel model;
    model.rankers = {
        {.ranker = "bm25", .parameters = {{"k1", 1}, {"b", 0.5}, {"k3", 1}, {"min_length", 0.5}}}};
    return model;
}

braid::FusionModel six_rankers(const std::string& language_model) {
    braid::FusionModel model;
    model.rankers = {{.ranker = "bm25"},
                     {.ranker = language_model, .weight = 0.4},
                     {.ranker = "dph", .weight = 0.8},
                     {.ranker = "pl2", .weight = 0.6},
                     {.ranker = "tfidf-pivoted", .weight = 0.5},
                     {.ranker = "bm25+", .weight = 0.3}};
    return model;
}

// Stems where the database has them, else words.
std::vector<std::string> terms_of(const Xapian::Database& database, Xapian::docid docid) {
    std::vector<std::string> stems;
    std::vector<std::string> words;
    for (auto term = database.termlist_begin(docid); term != database.termlist_end(docid); ++term) {
        const std::string& text = *term;
        if (text.size() > 3 && text[0] == 'Z') stems.push_back(text);
        if (text.size() > 3 && (text[0] < 'A' || text[0] > 'Z')) words.push_back(text);
    }
    return stems.empty() ? words : stems;
}

Xapian::Query random_query(const Xapian::Database& database, braid::Random& random,
                           std::size_t words) {
    const Xapian::doccount common = database.get_doccount() / 10;
    std::vector<std::string> chosen;
    while (chosen.size() < words) {
        const auto docid = static_cast<Xapian::docid>(1 + random.below(database.get_lastdocid()));
        const std::vector<std::string> terms = terms_of(database, docid);
        if (terms.empty()) continue;
        const std::string& term = terms[random.below(terms.size())];
        if (database.get_termfreq(term) <= common) chosen.push_back(term);
    }
    return {Xapian::Query::OP_OR, chosen.begin(), chosen.end()};
}

double time_query(const Xapian::Database& database, const Contender& contender,
                  const Xapian::Query& query, Xapian::doccount count) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(*contender.weight);
    enquire.set_query(query);
    const Xapian::MSet mset = enquire.get_mset(0, count);
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void compare(const Xapian::Database& database, const std::vector<Xapian::Query>& queries,
             Xapian::doccount count) {
    std::vector<Contender> contenders;
    contenders.push_back({"Xapian::BM25Weight", std::make_unique<Xapian::BM25Weight>()});
    contenders.push_back(
        {"FusedWeight, the same BM25", std::make_unique<braid::FusedWeight>(bm25_model())});
    contenders.push_back({"FusedWeight, 6 rankers, lm-jm",
                          std::make_unique<braid::FusedWeight>(six_rankers("lm-jm"))});
    contenders.push_back({"FusedWeight, 6 rankers, lm-dirichlet",
                          std::make_unique<braid::FusedWeight>(six_rankers("lm-dirichlet"))});
    for (Contender& contender : contenders) contender.milliseconds.assign(queries.size(), 1e9);
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < queries.size(); ++i) {
            for (Contender& contender : contenders) {
                const double time = time_query(database, contender, queries[i], count);
                contender.milliseconds[i] = std::min(contender.milliseconds[i], time);
            }
        }
    }
    const double base = median(contenders[0].milliseconds);
    for (const Contender& contender : contenders) {
        double sum = 0;
        for (const double time : contender.milliseconds) sum += time;
        const double middle = median(contender.milliseconds);
        fmt::print("| top {:4} | {:36} | {:7.3f} | {:7.3f} | {:5.2f} |\n", count, contender.name,
                   middle, sum / static_cast<double>(queries.size()), middle / base);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: fused_weight DATABASE [QUERIES] [WORDS_FROM WORDS_TO]\n");
        return 2;
    }
    const Xapian::Database database(argv[1]);
    const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 300;
    const std::size_t fewest = argc > 4 ? std::strtoul(argv[3], nullptr, 10) : 2;
    const std::size_t most = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 4;
    braid::Random random;
    std::vector<Xapian::Query> queries;
    for (std::size_t i = 0; i < count; ++i) {
        queries.push_back(random_query(database, random, fewest + random.below(most - fewest + 1)));
    }
    fmt::print("{} documents, average length {:.0f}; {} queries of {} to {} words\n\n",
               database.get_doccount(), database.get_average_length(), count, fewest, most);
    fmt::print(
        "| results  | weight | median ms | mean ms | of Xapian's median "
        "|\n|---|---|---|---|---|\n");
    for (const Xapian::doccount results : {10U, 100U, 1000U}) compare(database, queries, results);
    return 0;
}
