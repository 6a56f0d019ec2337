// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/bench/common/program.h"

namespace braid::bench {

/// How many queries, and of how many words each.
struct QueryOptions : Arguments {
    explicit QueryOptions(std::size_t queries = 200)
        : count(option("--queries", &count, "How many queries", queries)) {}

    std::size_t count;
    std::size_t fewest = option("--fewest", &fewest, "The fewest words of a query", 2);
    std::size_t most = option("--most", &most, "The most words of a query", 4);
};

/// The same of a database with a topic model.
struct TopicQueryOptions : QueryOptions {
    using QueryOptions::QueryOptions;

    std::string database = required("DATABASE", &database, "A database with a topic model");
    std::string topics = required("TOPIC_MODEL", &topics, "The topic model's name, such as lsa");
};

/// What words of a document a query may have.
enum class Terms {
    kWords,         ///< As they were written, more than three letters.
    kStemsOrWords,  ///< The stems if the database has any, else the words.
    kRareWords,     ///< Of the words only those that a tenth of the documents have at most.
};

/// Each query's words, of random documents, each in a tenth of the documents at most. The same
/// database and options give the same queries.
std::vector<std::vector<std::string>> random_words(const Xapian::Database& database,
                                                   const QueryOptions& options,
                                                   Terms terms = Terms::kWords);

/// The words of each query joined by OR.
std::vector<Xapian::Query> random_queries(const Xapian::Database& database,
                                          const QueryOptions& options, Terms terms = Terms::kWords);

/// Prints how many documents there are and what was asked.
void print_queries(const Xapian::Database& database, const QueryOptions& options);

/// What help says of a filter's percentage.
constexpr const char* kFilterHelp =
    "All answer under a filter, the term that is next to this percentage of the documents; 0 is no "
    "filter";

/// The term whose share of the documents is next to `percent`; printed with its frequency. An
/// empty query if percent is 0.
Xapian::Query filter_of(const Xapian::Database& database, double percent);

}  // namespace braid::bench
