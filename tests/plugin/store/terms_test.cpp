// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/terms.h"

#include <xapian.h>

#include "braid/tests/support/support.h"

using braid::exact_term;
using braid::exact_value;

TEST_CASE("Exact terms: a colon sets off capitals after a prefix of several letters only") {
    CHECK(exact_term("Q", "Name") == "QName");
    CHECK(exact_term("XTAG", "net") == "XTAGnet");
    CHECK(exact_term("XTAG", "Net") == "XTAG:Net");
    CHECK(exact_term("XTAG", ":x") == "XTAG::x");
    CHECK(exact_term("XFOLDER:", "Net") == "XFOLDER:Net");
    CHECK(exact_term("XTAG", "") == "XTAG");
}

TEST_CASE("Exact terms: they are what QueryParser makes of a boolean filter") {
    for (const std::string prefix : {"Q", "K", "XTAG", "XFOLDER:"}) {
        Xapian::QueryParser parser;
        parser.add_boolean_prefix("f", prefix);
        for (const std::string value : {"a", "Net", "a::b", "42"}) {
            const Xapian::Query query = parser.parse_query("f:" + value);
            CHECK(*query.get_terms_begin() == exact_term(prefix, value));
        }
    }
}

TEST_CASE("Exact terms: the value comes back") {
    for (const std::string prefix : {"Q", "XTAG", "XFOLDER:"}) {
        for (const std::string value : {"a", "Net", ":x", "::", "a:b", ""}) {
            CHECK(exact_value(prefix, exact_term(prefix, value)) == value);
        }
    }
    // As other programs write it, without the colon or with one that is the value's own.
    CHECK(exact_value("XTAG", "XTAGnet") == "net");
    CHECK(exact_value("U", "U:net") == ":net");
}

TEST_CASE("Exact terms: one that is too long is cut and hashed, and fits a database") {
    const std::string limit(244, 'a');
    CHECK(exact_term("Q", limit) == "Q" + limit);
    const std::string longer = exact_term("Q", limit + "a");
    CHECK(longer.size() == 245);
    // FNV-1a of 245 letters a, from an independent implementation in Python.
    CHECK(longer == "Q" + std::string(227, 'a') + "#73859ec8d05c5cb8");
    CHECK(longer != exact_term("Q", limit + "b"));
    CHECK(longer != exact_term("Q", limit + "aa"));

    const std::string zeros(200, '\0');  // a zero byte takes two
    const braid::test::TemporaryFolder folder;
    Xapian::WritableDatabase stored((folder / "db").string(), Xapian::DB_CREATE);
    for (const std::string& value : {limit, limit + "a", zeros, zeros + "x", limit + zeros}) {
        Xapian::Document document;
        document.add_boolean_term(exact_term("Q", value));
        CHECK_NOTHROW(stored.add_document(document));
    }
    CHECK_NOTHROW(stored.commit());
}
