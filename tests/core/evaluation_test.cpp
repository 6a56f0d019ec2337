// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/evaluation/judgements.h"
#include "braid/core/evaluation/run.h"
#include "braid/tests/support/support.h"

using braid::Judgements;

TEST_CASE("Judgements: the first of two judgements of a pair stays") {
    Judgements judgements;
    CHECK(judgements.add("q1", "d1", 2) == Judgements::Added::kNew);
    CHECK(judgements.add("q1", "d1", 2) == Judgements::Added::kSame);
    CHECK(judgements.add("q1", "d1", 0) == Judgements::Added::kConflict);
    CHECK(judgements.add("q2", "d1", 0) == Judgements::Added::kNew);
    CHECK(judgements.size() == 2);
    REQUIRE(judgements.find("q1") != nullptr);
    CHECK(judgements.find("q1")->grade("d1") == 2);
    CHECK(judgements.find("q1")->grade("d2") == std::nullopt);
    CHECK(judgements.find("q3") == nullptr);
}

TEST_CASE("Judgements: names outlive a move and many additions") {
    Judgements first;
    for (int i = 0; i < 20000; ++i) {
        first.add("query " + std::to_string(i % 100), "document " + std::to_string(i), i % 3);
    }
    const Judgements judgements = std::move(first);
    CHECK(judgements.size() == 20000);
    CHECK(judgements.queries().size() == 100);
    CHECK(judgements.find("query 7")->grade("document 107") == 107 % 3);
    CHECK(judgements.find("query 7")->count_from(1) == 134);
}

TEST_CASE("Run: documents are ordered by score, then name, both descending") {
    braid::Run run("test");
    braid::QueryRun& query = run.query("1");
    run.add(query, "a", 1);
    run.add(query, "c", 2);
    run.add(query, "b", 2);
    run.add(query, "a10", 1);
    braid::rank_documents(query.documents);
    std::string order;
    for (const auto& document : query.documents) order += std::string(document.document) + " ";
    CHECK(order == "c b a10 a ");
    CHECK(&run.query("1") == &query);
    CHECK(run.find("2") == nullptr);
}
