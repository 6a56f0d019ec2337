// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/eval/name_table.h"
#include "braid/judgements.h"
#include "braid/run.h"
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
    std::size_t wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto* query = judgements.find("query " + std::to_string(i % 100));
        if (query->grade("document " + std::to_string(i)) != i % 3) ++wrong;
        if (query->grade("document " + std::to_string(i + 1)).has_value()) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("NameTable: finds every name it was given, however it grew") {
    std::vector<std::string> names;
    const auto name_of = [&names](std::uint32_t i) -> const std::string& { return names[i]; };
    braid::NameTable table;
    CHECK(table.empty());
    CHECK(table.find("x", name_of) == braid::NameTable::kNone);
    // So many names that some of their 32-bit hashes are the same.
    constexpr std::uint32_t kNames = 300'000;
    for (const std::size_t expected : {std::size_t{0}, std::size_t{kNames}}) {
        names.clear();
        table.reset(expected);
        std::size_t wrong = 0;
        for (std::uint32_t i = 0; i < kNames; ++i) {
            names.push_back(std::to_string(i * 7919U));
            if (table.insert(names[i], i, name_of) != braid::NameTable::kNone) ++wrong;
            if (table.insert(names[i / 2], i, name_of) != i / 2) ++wrong;
        }
        for (std::uint32_t i = 0; i < kNames; ++i) {
            if (table.find(names[i], name_of) != i) ++wrong;
            if (table.find("-" + names[i], name_of) != braid::NameTable::kNone) ++wrong;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("QueryIndex: ids as written come first, then numbers") {
    const std::vector<std::string> ids{"1", "01", "007", "07", "0", "00", "x2", "010"};
    braid::QueryIndex index;
    for (std::size_t i = 0; i < ids.size(); ++i) index.add(ids[i], i);
    index.add("1", 99);
    for (std::size_t i = 0; i < ids.size(); ++i) CHECK(index.find(ids[i]) == i);
    CHECK(index.find("001") == 0);
    CHECK(index.find("10") == 7);
    CHECK(index.find("000") == 4);
    CHECK(index.find("7") == std::nullopt);  // "007" or "07".
    CHECK(index.find("0007") == std::nullopt);
    CHECK(index.find("02") == std::nullopt);
    CHECK(index.find("x02") == std::nullopt);
    CHECK(index.find("") == std::nullopt);
    CHECK(index.find_exactly("10") == std::nullopt);
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
