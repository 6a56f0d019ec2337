// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/value_ranker.h"

#include <cmath>
#include <limits>

#include "braid/core/lexical/value_rankers.h"
#include "braid/error.h"
#include "braid/plugin/store/document_values.h"
#include "braid/sources.h"
#include "braid/tests/plugin/naive_search.h"
#include "braid/tests/plugin/source_moves.h"
#include "braid/tests/plugin/stored_bytes.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;
using Xapian::Query;

namespace {

constexpr Xapian::valueno kSlot = 5;
constexpr double kNow = 1.6e9;

enum class Form { kSerialised, kText, kMixed };

std::string random_value(Random& random, Form form) {
    if (random.below(6) == 0) return "";
    if (form == Form::kMixed && random.below(8) == 0) return "n/a";
    const double size = std::exp(22 * random.uniform());
    const double number = form != Form::kSerialised && random.below(9) == 0 ? -size : size;
    const bool text = form == Form::kText || (form == Form::kMixed && random.below(2) == 0);
    return text ? std::to_string(number) : Xapian::sortable_serialise(number);
}

std::vector<std::string> random_values(Random& random, Form form, std::size_t count) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(random_value(random, form));
    return values;
}

Xapian::Database database_of(const std::vector<std::string>& values, std::size_t shards = 1) {
    std::vector<Xapian::WritableDatabase> parts;
    for (std::size_t i = 0; i < shards; ++i) parts.emplace_back("", Xapian::DB_BACKEND_INMEMORY);
    for (std::size_t i = 0; i < values.size(); ++i) {
        Xapian::Document document;
        document.add_term(i % 3 == 0 ? "fizz" : "other");
        document.add_term("all", static_cast<Xapian::termcount>(1 + i % 5));
        if (!values[i].empty()) document.add_value(kSlot, values[i]);
        parts[i % shards].add_document(document);
    }
    Xapian::Database result;
    for (const Xapian::WritableDatabase& part : parts) result.add_database(part);
    return result;
}

ValuePrior prior_of(const std::string& ranker) {
    return {.ranker = ranker, .parameters = {}, .slot = kSlot, .now = kNow};
}

// By core's function over every value, without posting sources.
Scores expected(const std::vector<std::string>& values, const ValuePrior& prior, double weight) {
    const ValueScorer scorer(prior.ranker, prior.parameters, prior.now);
    Scores scores;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = scorer.of_time() ? value_time(values[i]) : value_number(values[i]);
        const double score = number ? weight * scorer.score(*number) : 0;
        if (score > 0) scores[static_cast<Xapian::docid>(i + 1)] = score;
    }
    return scores;
}

}  // namespace

TEST_CASE("ValueRanker: weighs every document by its number, on any number of shards",
          "[property]") {
    Random random(seed());
    for (const Form form : {Form::kSerialised, Form::kText, Form::kMixed}) {
        const auto values = random_values(random, form, 90);
        for (const ValueRankerInfo& info : value_rankers()) {
            const double weight = 0.1 + random.uniform();
            const ValueRanker source(prior_of(info.name), weight);
            const Scores wanted = expected(values, prior_of(info.name), weight);
            REQUIRE(wanted.size() > 20);
            for (const std::size_t shards : {1U, 2U, 4U, 7U}) {
                check_equal(matched(database_of(values, shards), source), wanted, 1e-15);
            }
        }
    }
}

TEST_CASE("ValueRanker: no document weighs more than the bound, and the top is the same pruned",
          "[property]") {
    Random random(seed(), 1);
    for (const Form form : {Form::kSerialised, Form::kText, Form::kMixed}) {
        const auto values = random_values(random, form, 200);
        const Xapian::Database database = database_of(values);
        for (const ValueRankerInfo& info : value_rankers()) {
            ValueRanker source(prior_of(info.name), 2);
            source.init(database);
            double most = 0;
            for (source.next(0); !source.at_end(); source.next(0)) {
                REQUIRE(source.get_weight() <= source.get_maxweight());
                most = std::max(most, source.get_weight());
            }
            if (form == Form::kSerialised) CHECK(source.get_maxweight() <= most * (1 + 1e-11));
            const Query scaled(Query::OP_SCALE_WEIGHT, Query(source.clone()->release()), 0.25);
            const Query joined(Query::OP_AND_MAYBE, Query("all"), scaled);
            const auto all = matches(database, Xapian::BM25Weight(), joined, 0, 200, 200);
            for (const Xapian::doccount count : {1U, 5U, 20U}) {
                const auto top = matches(database, Xapian::BM25Weight(), joined, 0, count);
                REQUIRE(top.size() == count);
                for (std::size_t i = 0; i < top.size(); ++i) {
                    CHECK(std::abs(top[i].score - all[i].score) <= 1e-12 * all[i].score);
                }
            }
        }
    }
}

TEST_CASE("ValueRanker: moves by skip_to and check as by next", "[property]") {
    Random random(seed(), 2);
    for (int round = 0; round < 30; ++round) {
        const Xapian::Database database = database_of(random_values(random, Form::kMixed, 150));
        ValueRanker source(prior_of("value-log"), 1);
        check_moves(source, database, random);
    }
}

TEST_CASE("ValueRanker: without a value in any document it matches nothing") {
    const Xapian::Database database = database_of({"", "", ""});
    const ValueRanker source(prior_of("value-reciprocal"), 1);
    CHECK(matched(database, source).empty());
    CHECK(source.bound(database) == 0);
    const Query joined(Query::OP_AND_MAYBE, Query("all"), Query(source.clone()->release()));
    CHECK(all_matches(database, Xapian::BM25Weight(), joined).size() == 3);
}

TEST_CASE("ValueRanker: what can't be a prior is refused") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(ValueRanker(prior_of("value-log"), -1), InvalidArgument);
    CHECK_THROWS_AS(ValueRanker(prior_of("value-log"), infinity), InvalidArgument);
    CHECK_THROWS_AS(ValueRanker(prior_of("bm25"), 1), UnknownComponent);
    CHECK_THROWS_AS(ValueRanker({.slot = Xapian::BAD_VALUENO}, 1), InvalidArgument);
    CHECK_THROWS_AS(ValueRanker({.parameters = {{"scale", 1}}}, 1), UnknownComponent);
}

TEST_CASE("ValueRanker: serialised and back, it matches the same", "[property]") {
    Random random(seed(), 3);
    const Xapian::Database database = database_of(random_values(random, Form::kMixed, 60), 2);
    for (const ValueRankerInfo& info : value_rankers()) {
        ValuePrior prior = prior_of(info.name);
        if (info.name == "value-log") prior.parameters = {{"maximum", 100}, {"scale", 3}};
        check_sent(ValueRanker(prior, 0.75), database);
    }
}

TEST_CASE("ValueRanker: every truncation, longer form and junk is refused", "[property]") {
    ValuePrior prior = prior_of("value-log");
    prior.parameters = {{"maximum", 100}, {"scale", 3}};
    const std::string bytes = ValueRanker(prior, 2).serialise();
    Random random(seed(), 4);
    check_bytes(ValueRanker(), bytes, random);
}
