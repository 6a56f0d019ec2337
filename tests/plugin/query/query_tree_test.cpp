// SPDX-License-Identifier: GPL-2.0-or-later
// Walks over Xapian::Query trees, and what is read from descriptions.
#include "braid/plugin/query/query_tree.h"

#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_builder.h"
#include "braid/plugin/query/query_words.h"
#include "braid/plugin/query/whole_match.h"
#include "braid/tests/support/support.h"

using namespace braid;
using Xapian::Query;

namespace {

Query scaled(double factor, const Query& query) {
    return Query(Query::OP_SCALE_WEIGHT, query, factor);
}

// Depth and type of each query that a walk visits.
std::string visits(const Query& query, const std::function<WalkStep(const Query&)>& step) {
    std::string log;
    walk_query(query, [&](const Query& part, std::size_t depth) {
        log += std::to_string(depth) + part.get_description().substr(5) + ' ';
        return step(part);
    });
    return log;
}

}  // namespace

TEST_CASE("Query tree: bytes that are no query are a wrong serialisation, whatever is missing") {
    Random random(test::seed());
    const Xapian::Registry registry;
    const Query query(
        Query::OP_AND_NOT,
        Query(Query::OP_OR, Query("ships", 2), Query(Query::OP_SCALE_WEIGHT, Query("whales"), 1.5)),
        Query(Query::OP_VALUE_RANGE, 3, "a", "b"));
    const std::string bytes = query.serialise();
    CHECK(read_query(bytes, registry, "it").serialise() == bytes);
    std::size_t wrong = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string changed = bytes.substr(0, random.below(bytes.size() + 1));
        if (!changed.empty())
            changed[random.below(changed.size())] = static_cast<char>(random.bits());
        try {
            read_query(changed, registry, "it").serialise();
        } catch (const Xapian::SerialisationError& error) {
            REQUIRE_THAT(error.get_msg(), test::Contains("it: query: "));
            ++wrong;
        }
    }
    CHECK(wrong > 1000);
    CHECK(read_query("", registry, "it").empty());
}

// A phrase of one part, for which Xapian 1.4 makes an empty query, whose description crashes; an OR
// of no parts, and an AND_NOT of one, by which a search crashes.
TEST_CASE("Query tree: a sent operator over nothing is refused") {
    const std::string phrase = "\xf3}\x98\xb8\xff\x7f" + std::string(1, '\0');
    for (const std::string& bytes : {phrase, std::string("\x8a"), std::string("\x92#\0\x01)", 5)}) {
        CHECK_THROWS_AS(read_query(bytes, Xapian::Registry(), "it"), Xapian::SerialisationError);
    }
}

TEST_CASE("Query tree: a walk visits parents first, from left to right, as its visitor says") {
    const Query a("a");
    const Query b("b");
    const Query query(Query::OP_FILTER, Query(Query::OP_AND_MAYBE, a, b), Query("c"));
    const auto into = [](const Query&) { return WalkStep::kInto; };
    CHECK(visits(query, into) ==
          "0(((a AND_MAYBE b) FILTER c)) 1((a AND_MAYBE b)) 2(a) 2(b) 1(c) ");
    CHECK(visits(query, [](const Query& part) {
              return part.get_type() == Query::OP_FILTER ? WalkStep::kFirst : WalkStep::kInto;
          }) == "0(((a AND_MAYBE b) FILTER c)) 1((a AND_MAYBE b)) 2(a) 2(b) ");
    CHECK(visits(query, [](const Query& part) {
              return part.get_type() == Query::OP_AND_MAYBE ? WalkStep::kOver : WalkStep::kInto;
          }) == "0(((a AND_MAYBE b) FILTER c)) 1((a AND_MAYBE b)) 1(c) ");
    CHECK(visits(query, [](const Query& part) {
              return part.get_description() == "Query(a)" ? WalkStep::kStop : WalkStep::kInto;
          }) == "0(((a AND_MAYBE b) FILTER c)) 1((a AND_MAYBE b)) 2(a) ");
    CHECK(visits(Query(), into) == "0() ");
}

TEST_CASE("Query tree: what filters, excludes or is scaled by 0 is not scored") {
    const Query a("a", 2);
    const Query b("b");
    using Terms = std::map<std::string, double>;
    CHECK(scored_terms(Query(Query::OP_OR, a, scaled(0.5, b))) == Terms{{"a", 2}, {"b", 1}});
    const Query idle = scaled(3, scaled(0, Query(Query::OP_OR, b, Query("c"))));
    for (const Query& query : {Query(Query::OP_FILTER, a, b), Query(Query::OP_AND_NOT, a, b),
                               Query(Query::OP_OR, a, idle),
                               Query(Query::OP_AND_NOT, Query(Query::OP_AND_MAYBE, a, idle), b)}) {
        INFO(query.get_description());
        CHECK(scored_terms(query) == Terms{{"a", 2}});
        CHECK(scored_length(query) == 2);
    }
    CHECK(scored_terms(Query()).empty());
    // A factor that is small, or whose text begins with a 0, is not 0.
    for (const double factor : {1e-300, 0.25}) {
        CHECK(scored_terms(scaled(factor, a)) == Terms{{"a", 2}});
    }
    // Descriptions have terms, too.
    CHECK(scored_terms(scaled(1, Query("(0 * b"))) == Terms{{"(0 * b", 1}});
}

TEST_CASE("Query tree: a group of alternatives counts as one word") {
    const auto any = [](std::vector<Query> words, Query::op op = Query::OP_OR) {
        return Query(op, words.begin(), words.end());
    };
    using Terms = std::map<std::string, double>;
    const Terms two = {{"Zleak", 1}, {"ZSmemori", 0.5}, {"Zmemori", 0.5}};
    const Query memory = any({Query("Zmemori"), Query("ZSmemori")});
    // Prefixes of one word, wherever they stand; synonyms alike.
    CHECK(scored_terms(memory) == Terms{{"ZSmemori", 0.5}, {"Zmemori", 0.5}});
    CHECK(scored_terms(Query(Query::OP_AND, memory, Query("Zleak"))) == two);
    CHECK(scored_terms(Query(Query::OP_AND_MAYBE, Query("Zleak"), memory)) == two);
    CHECK(scored_terms(Query(Query::OP_FILTER, Query(Query::OP_AND, memory, Query("Zleak")),
                             Query("Tmail"))) == two);
    CHECK(scored_terms(Query(Query::OP_AND,
                             any({Query("Zmemori"), Query("ZSmemori")}, Query::OP_SYNONYM),
                             Query("Zleak"))) == two);
    // Other forms of one that an AND joins to others count as often as the one that counts most.
    const Query forms = any({Query("memory"), Query("memories"), Query("memory", 5)});
    CHECK(scored_terms(Query(Query::OP_AND, forms, Query("leak", 6))) ==
          Terms{{"leak", 6}, {"memories", 6.0 / 7}, {"memory", 36.0 / 7}});
    // Different words of an OR stay as they are, and so do those of a bag.
    CHECK(scored_terms(forms) == Terms{{"memories", 1}, {"memory", 6}});
    CHECK(scored_terms(Query(Query::OP_AND_MAYBE, Query("leak"), forms)) ==
          Terms{{"leak", 1}, {"memories", 1}, {"memory", 6}});
    CHECK(scored_terms(any({Query("a", 2), Query("b")})) == Terms{{"a", 2}, {"b", 1}});
    CHECK(scored_terms(any({Query("a"), Query("a"), Query("b")})) == Terms{{"a", 2}, {"b", 1}});
}

TEST_CASE("Query tree: what joins a wildcard's terms is told apart, whatever its pattern") {
    const auto wildcard = [](const std::string& pattern, Query::op joined) {
        return Query(Query::OP_WILDCARD, pattern, 0, Query::WILDCARD_LIMIT_ERROR, joined);
    };
    for (const std::string pattern : {"a", "WILDCARD MAX ", "WILDCARD OR "}) {
        INFO(pattern);
        CHECK(may_prune(wildcard(pattern, Query::OP_MAX)) == kIsXapian2);
        CHECK(may_prune(wildcard(pattern, Query::OP_OR)));
        CHECK(may_prune(wildcard(pattern, Query::OP_SYNONYM)));
        CHECK(may_lose_matches(wildcard(pattern, Query::OP_OR)));
        CHECK_FALSE(may_lose_matches(wildcard(pattern, Query::OP_MAX)));
        CHECK_FALSE(may_lose_matches(wildcard(pattern, Query::OP_SYNONYM)));
    }
}
