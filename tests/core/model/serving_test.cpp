// SPDX-License-Identifier: GPL-2.0-or-later
// What the table says; tests/plugin/training/serving_table_test.cpp checks that it is so.
#include "braid/core/model/serving.h"

#include <map>
#include <sstream>

#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr Given kQuery{.query = true};

std::string why_no_pass(const FusionModel& model) {
    return why_not_served(Server::kPostings, model, kQuery);
}

FusionModel model_of(std::vector<RankerSpec> rankers) { return {.rankers = std::move(rankers)}; }

// "records" and so on, as the page writes them.
const std::map<Serves, std::string> kInWords = {{Serves::kNever, "no"},
                                                {Serves::kWithRecords, "with records"},
                                                {Serves::kWithQuery, "for the query"},
                                                {Serves::kAlways, "yes"}};

}  // namespace

TEST_CASE("Serving: the sum of what a database computes is one pass") {
    CHECK(serving({}, false).way == Way::kWeight);
    const FusionModel model =
        model_of({{.ranker = "bm25"}, {.ranker = "lsa", .weight = 0.5}, {.ranker = "lbdm"}});
    CHECK(serving(model, false).way == Way::kWeight);
    CHECK(serving(model, false).reason.empty());
    CHECK_NOTHROW(require_served(Server::kPostings, model));
    CHECK_THROWS_AS(require_served(Server::kWeight, model), InvalidArgument);
}

TEST_CASE("Serving: what is no single pass says why") {
    const FusionModel features =
        model_of({{.ranker = "bm25"}, {.ranker = "feature", .name = "17", .weight = 0}});
    CHECK(serving(features, true).way == Way::kFile);
    CHECK_THAT(serving(features, true).reason, Contains("ranker '17' is a feature"));
    CHECK_THROWS_AS(require_database_model(features), ModelMismatch);
    FusionModel normalised;
    normalised.normaliser.normaliser = "min-max";
    CHECK(serving(normalised, true).way == Way::kRescored);
    CHECK_THAT(serving(normalised, true).reason, Contains("scores of all documents of a query"));
    normalised.normaliser.normaliser = "arctan";
    CHECK_THAT(why_no_pass(normalised), Contains("whole score for a document"));
    FusionModel formed;
    formed.function = {.form = "signed-linear", .numbers = {{"weights", {-1}}}};
    CHECK_THAT(why_no_pass(formed), Contains("'signed-linear'"));
    CHECK_THROWS_AS(require_served(Server::kWeight, formed), ModelMismatch);
    CHECK_FALSE(weighs_by_query(formed));
    formed.function.form = "not yet";
    CHECK_THAT(why_no_pass(formed), Contains("'not yet'"));

    FusionModel by_query;
    by_query.function = {.form = "attention", .numbers = {{"softmax", {0}}}};
    CHECK(weighs_by_query(by_query));
    CHECK_THAT(why_no_pass(by_query), Contains("may be negative"));
    by_query.function.numbers["non-negative"] = {1};
    CHECK(why_no_pass(by_query).empty());
    CHECK_THAT(why_not_served(Server::kPostings, by_query), Contains("QueryWeights"));
    CHECK(serving(by_query, false).way == Way::kWeight);
    by_query.normaliser.normaliser = "rank";
    CHECK(serving(by_query, false).way == Way::kRescored);
}

TEST_CASE("Serving: records decide for rankers that need them") {
    const FusionModel unique = model_of({{.ranker = "bm25"}, {.ranker = "lm-absdiscount"}});
    CHECK(serving(unique, true).way == Way::kSource);
    CHECK_THAT(serving(unique, true).reason, Contains("--statistics"));
    CHECK(serving(unique, false).way == Way::kRescored);
    CHECK(serving(model_of({{.ranker = "lm-absdiscount"}}), false).way == Way::kPool);
    for (const RankerSpec& spec :
         {RankerSpec{.ranker = "tfidf-cosine"}, RankerSpec{.ranker = "bm25", .field = "title"}}) {
        CHECK(needs_record(spec));
        CHECK(serving(model_of({spec}), true).way == Way::kSource);
        CHECK(serving(model_of({spec}), false).way == Way::kUnserved);
        CHECK_THAT(serving(model_of({spec}), false).reason, Contains("--statistics"));
        RankerSpec silent = spec;
        silent.name = "silent";
        silent.weight = 0;
        CHECK(serving(model_of({{.ranker = "bm25"}, silent}), false).way == Way::kWeight);
    }
    // FusedSource can't take rm3 in, so that no single pass serves both.
    const FusionModel both = model_of({{.ranker = "tfidf-cosine"}, {.ranker = "rm3"}});
    CHECK(serving(both, true).way == Way::kRescored);
    CHECK_FALSE(needs_record({.ranker = "value-log", .field = "date"}));
}

TEST_CASE("Serving: every ranker and every form has rows, each of them a reason") {
    for (const ModelRanker& ranker : model_rankers()) {
        INFO(ranker.name);
        const RankerSpec spec{.ranker = ranker.name};
        CHECK_FALSE(traits_of(spec).empty());
        for (std::size_t s = 0; s < kServers; ++s) {
            const auto server = static_cast<Server>(s);
            const std::string why = why_not_served(server, spec);
            CHECK(why.empty() == is_served(server, traits_of(spec).front()));
            if (!why.empty()) CHECK_THAT(why, Contains(ranker.name));
            CHECK(why.find('{') == std::string::npos);
        }
    }
    for (const std::string& form : function_forms()) {
        INFO(form);
        CHECK(trait_of({.form = form}) >= Trait::kWeights);
    }
    CHECK(traits_of({.ranker = "tfidf-cosine", .field = "title"}).size() == 3);
    CHECK_THROWS_AS(traits_of({.ranker = "bm26"}), UnknownComponent);
}

TEST_CASE("Serving: docs/architecture.md shows the table") {
    const std::string page = test::read_file(test::source_dir() / "docs/architecture.md");
    std::size_t place = 0;
    for (const ServingRow& row : serving_table()) {
        CHECK(row.trait == static_cast<Trait>(place++));
        std::ostringstream line;
        line << "| " << row.name;
        for (const Serves serves : row.servers) line << " | " << kInWords.at(serves);
        line << " |\n";
        INFO(line.str());
        CHECK(page.find(line.str()) != std::string::npos);
    }
}

TEST_CASE("Serving: parts keep what decides, and drop what only learning needs") {
    FusionModel model = model_of({{.ranker = "bm25"}, {.ranker = "lsa"}});
    model.normaliser.normaliser = "rank";
    model.function.form = "steps";
    model.provenance = {.learner = "genm-on", .learning = {.state = {{"steps", {1}}}}};
    for (const FusionModel& part : {lexical_part(model), source_part(model)}) {
        CHECK(part.rankers.size() == 1);
        CHECK(part.normaliser == model.normaliser);
        CHECK(part.function == model.function);
        CHECK(part.provenance.learner == "genm-on");
        CHECK(part.provenance.learning == LearningRecord{});
    }
}
