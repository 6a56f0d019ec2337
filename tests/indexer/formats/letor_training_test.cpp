// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/error.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/support/support.h"

using braid::LetorData;
using braid::training_set;
using braid::TrainingSet;
using namespace braid::test;

namespace {

LetorData read_training_text(const std::string& text) {
    const braid::test::TemporaryFolder folder;
    braid::test::write_file(folder / "letor", text);
    return braid::read_letor((folder / "letor").string());
}

const std::string kRows =
    "2 qid:a 1:0.5 2:3 # docid = D1\n0 qid:a 1:0.25 2:4 # docid = D2\n1 qid:b 2:7 # docid = D3\n";

}  // namespace

TEST_CASE("LETOR to training set: rows, grades, queries and names are kept") {
    const TrainingSet set = training_set(read_training_text("# 1:bm25 2:lsa\n" + kRows));
    CHECK(set.rankers == std::vector<std::string>{"bm25", "lsa"});
    CHECK(set.queries == std::vector<std::string>{"a", "b"});
    CHECK(set.query_begin == std::vector<std::size_t>{0, 2, 3});
    CHECK(set.grades == std::vector<braid::Grade>{2, 0, 1});
    CHECK(set.documents == std::vector<std::string>{"D1", "D2", "D3"});
    CHECK(set.scores == std::vector<double>{0.5, 3, 0.25, 4, 0, 7});
    CHECK_NOTHROW(validate(set));
}

TEST_CASE("LETOR to training set: features without names are called by their numbers") {
    CHECK(training_set(read_training_text(kRows)).rankers == std::vector<std::string>{"1", "2"});
}

TEST_CASE("LETOR to training set: documents have names where all have") {
    CHECK(training_set(read_training_text(kRows + "0 qid:c 1:1\n")).documents.empty());
}

TEST_CASE("LETOR to training set: the rankers of a model, wherever they are") {
    const LetorData named = read_training_text("# 1:bm25 2:lsa\n" + kRows);
    const std::vector<std::string> swapped = {"lsa"};
    CHECK(training_set(named, swapped, "f").scores == std::vector<double>{3, 4, 7});
    const std::vector<std::string> other = {"lda"};
    CHECK_THROWS_WITH(training_set(named, other, "f"), "f: has no feature 'lda', only bm25, lsa");
    const LetorData plain = read_training_text(kRows);
    const std::vector<std::string> wider = {"2", "3"};  // Every row leaves feature 3 out.
    CHECK(training_set(plain, wider, "f").scores == std::vector<double>{3, 0, 4, 0, 7, 0});
    CHECK_THROWS_AS(training_set(plain, swapped, "f"), braid::FormatError);
    CHECK_THROWS_WITH(training_set(plain, swapped, "f"), Contains("f: has features without names"));
    for (const char* wrong : {"0", "-1", "1x", ""}) {
        const std::vector<std::string> names = {wrong};
        CHECK_THROWS_AS(training_set(plain, names, "f"), braid::FormatError);
    }
}
