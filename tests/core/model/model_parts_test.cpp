// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "braid/core/base/registry.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/core/model/ensemble.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/topics/topic_models.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

FusionModel mixed() {
    FusionModel model;
    model.rankers = {{.ranker = "bm25"},
                     {.ranker = "lsa", .weight = 2},
                     {.ranker = "dph", .weight = 0},
                     {.ranker = "lda", .topics = "many"}};
    model.provenance.learner = "hand";
    return model;
}

struct Entry {
    std::string name;
    int number = 0;
};

/// What its entries are called must be what they are found by.
template <typename Entries>
void check_names(const Entries& registry) {
    std::vector<std::string> names;
    for (const auto& entry : registry) {
        names.push_back(entry.name);
        CHECK(&registry.find(entry.name) == &entry);
    }
    CHECK(names == registry.names());
    CHECK(names.size() == registry.size());
}

}  // namespace

TEST_CASE("Model parts: lexical rankers and the others, each in their order") {
    validate(mixed());
    const FusionModel lexical = lexical_part(mixed());
    REQUIRE(lexical.rankers.size() == 2);
    CHECK(lexical.rankers[0] == mixed().rankers[0]);
    CHECK(lexical.rankers[1] == mixed().rankers[2]);
    CHECK(lexical.provenance == mixed().provenance);
    const FusionModel topics = source_part(mixed());
    REQUIRE(topics.rankers.size() == 2);
    CHECK(topics.rankers[0] == mixed().rankers[1]);
    CHECK(topics.rankers[1] == mixed().rankers[3]);
    CHECK(has_weight(lexical));
    CHECK_FALSE(has_weight({.rankers = {{.ranker = "dph", .weight = 0}}}));
}

TEST_CASE("Model parts: every topic model has a ranker of its name") {
    for (const TopicModelInfo& info : topic_models()) {
        CHECK(family_of({.ranker = info.name}) == RankerFamily::kTopic);
        CHECK(topic_model_of({.ranker = info.name}) == info.name);
    }
    CHECK(topic_model_of({.ranker = "lda", .topics = "many"}) == "many");
    CHECK(topic_model_of({.ranker = "bm25"}).empty());
}

TEST_CASE("Model parts: a field for topics and topics for words are refused") {
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {{.ranker = "lsa", .field = "title"}}}),
                      Contains("rankers[0].field") && Contains("'title'") && Contains("lsa"));
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {{.ranker = "bm25", .topics = "lsa"}}}),
                      Contains("rankers[0].topics") && Contains("'lsa'") && Contains("bm25"));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "lsa", .parameters = {{"k", 1}}}}}),
        Contains("parameter of lsa"));
}

TEST_CASE("Model parts: an ensemble refuses topics that count, and passes over others") {
    FusionModel model = mixed();
    CHECK_THROWS_WITH(LexicalEnsemble(model), Contains("ranker lsa") && Contains("TopicSource"));
    for (RankerSpec& spec : model.rankers) {
        if (family_of(spec) != RankerFamily::kLexical) spec.weight = 0;
    }
    CHECK(LexicalEnsemble(model).size() == 2);
}

TEST_CASE("Model parts: a ranker of values reads one slot, by its field or its number") {
    validate(FusionModel{.rankers = {{.ranker = "value-log", .field = "downloads"}}});
    validate(FusionModel{.rankers = {{.ranker = "value-log", .parameters = {{"slot", 7}}}}});
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {{.ranker = "value-log"}}}),
                      Contains("rankers[0].field") && Contains("parameters.slot"));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "value-log", .parameters = {{"slot", -1}}}}}),
        Contains("rankers[0].field") && Contains("found none"));
    CHECK_THROWS_WITH(
        validate(FusionModel{
            .rankers = {{.ranker = "value-log", .field = "a", .parameters = {{"slot", 7}}}}}),
        Contains("rankers[0].field") && Contains("'a'"));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "value-log", .parameters = {{"slot", 1.5}}}}}),
        Contains("rankers[0].parameters.slot") && Contains("whole number"));
    CHECK_THROWS_WITH(
        validate(FusionModel{.rankers = {{.ranker = "value-log", .field = "a", .topics = "lsa"}}}),
        Contains("rankers[0].topics"));
    const FusionModel value = {.rankers = {{.ranker = "value-decay", .field = "date"}}};
    CHECK_THROWS_WITH(LexicalEnsemble(value), Contains("ValueRanker"));
    CHECK(source_part(value) == value);
    CHECK(topic_model_of({.ranker = "vector"}) == kVectorsModel);
    CHECK_THROWS_WITH(validate(FusionModel{.rankers = {{.ranker = "vector", .field = "a"}}}),
                      Contains("rankers[0].field"));
}

TEST_CASE("Lazy registry: an entry is made when it is asked for, and all callers get the same") {
    std::atomic<int> made = 0;
    const auto make = [&](const char* name) {
        return [&made, name] { return Entry{name, ++made}; };
    };
    const LazyRegistry<Entry> registry("number", {{"one", make("one")}, {"two", make("two")}});
    CHECK(registry.names() == std::vector<std::string>{"one", "two"});
    CHECK(registry.contains("two"));
    CHECK(made == 0);
    CHECK(registry.find("two").number == 1);
    CHECK(registry.find("two").number == 1);
    CHECK(made == 1);
    // Threads that ask at once may each make one, of which one is kept.
    std::vector<const Entry*> found(8, nullptr);
    std::vector<std::thread> threads;
    threads.reserve(found.size());
    for (const Entry*& entry : found) {
        threads.emplace_back([&] { entry = &registry.find("one"); });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(std::count(found.begin(), found.end(), &registry.find("one")) == 8);
    const int most = made;
    CHECK(most >= 2);
    CHECK(most <= 9);
    check_names(registry);
    CHECK(made == most);
    CHECK(error_of([&] { registry.find("three"); }).find("one, two") != std::string::npos);
}

TEST_CASE("Lazy registry: entries have the names that they are found by") {
    check_names(lexical_rankers());
    check_names(value_rankers());
    check_names(topic_models());
    check_names(model_rankers());
}
