// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <map>

#include "braid/indexer/formats/letor_reader.h"
#include "braid/tests/support/support.h"

using braid::LetorData;
using braid::read_letor;
using braid::test::shared_file;

namespace {

constexpr std::size_t kParts = 5;

// What a set's description says of it; see data/letor/README.md of the test collections.
struct Facts {
    std::size_t features;
    std::map<int, std::size_t> labels;
    std::size_t queries_without_positive;
    std::size_t missing;
    std::size_t most_rows_in_a_query;
    std::vector<std::size_t> rows;     // Per part.
    std::vector<std::size_t> queries;  // Per part.
};

const Facts kMq2008{46,
                    {{0, 12279}, {1, 2001}, {2, 931}},
                    220,
                    0,
                    121,
                    {2933, 3635, 3062, 2707, 2874},
                    {157, 157, 157, 157, 156}};
const Facts kOhsumed{45,
                     {{0, 11303}, {1, 2585}, {2, 2252}},
                     1,
                     0,
                     320,
                     {2570, 3076, 3573, 3538, 3383},
                     {21, 21, 21, 21, 22}};

LetorData read_part(const std::string& path) {
    braid::LetorOptions options;
    options.warn = [](const std::string& message) { FAIL(message); };
    return read_letor(shared_file("data/letor/" + path)->string(), options);
}

// Part S of a set in folds: S1 is the test part of fold 2, and so on; S5 that of fold 1.
std::vector<LetorData> test_parts(const std::string& set) {
    std::vector<LetorData> parts;
    for (std::size_t s = 0; s < kParts; ++s) {
        const auto fold = std::to_string((s + 1) % kParts + 1);
        parts.push_back(read_part(set + "/Fold" + fold + "/test.txt.gz"));
    }
    return parts;
}

std::vector<LetorData> plain_parts(const std::string& set) {
    std::vector<LetorData> parts;
    for (std::size_t s = 1; s <= kParts; ++s) {
        parts.push_back(read_part(set + "/S" + std::to_string(s) + ".txt.gz"));
    }
    return parts;
}

void check_facts(const std::vector<LetorData>& parts, const Facts& facts) {
    std::map<int, std::size_t> labels;
    std::size_t without_positive = 0;
    std::size_t missing = 0;
    std::size_t most_rows = 0;
    for (std::size_t s = 0; s < kParts; ++s) {
        const LetorData& part = parts[s];
        CHECK(part.rows() == facts.rows[s]);
        CHECK(part.queries.size() == facts.queries[s]);
        CHECK(part.features == facts.features);
        CHECK(part.places.empty());
        missing += part.missing;
        std::size_t nans = 0;
        for (const double value : part.values) nans += std::isnan(value) ? 1 : 0;
        CHECK(nans == part.missing);
        for (const std::string& document : part.documents) CHECK_FALSE(document.empty());
        for (std::size_t q = 0; q < part.queries.size(); ++q) {
            bool positive = false;
            for (std::size_t r = part.query_offsets[q]; r < part.query_offsets[q + 1]; ++r) {
                ++labels[part.labels[r]];
                positive = positive || part.labels[r] > 0;
            }
            without_positive += positive ? 0 : 1;
            most_rows = std::max(most_rows, part.query_offsets[q + 1] - part.query_offsets[q]);
        }
    }
    CHECK(labels == facts.labels);
    CHECK(without_positive == facts.queries_without_positive);
    CHECK(missing == facts.missing);
    CHECK(most_rows == facts.most_rows_in_a_query);
}

void check_same_rows(const LetorData& a, const LetorData& b) {
    CHECK(a.labels == b.labels);
    CHECK(a.documents == b.documents);
    CHECK(a.queries == b.queries);
    CHECK(a.query_offsets == b.query_offsets);
}

void append(LetorData& to, const LetorData& from) {
    for (std::size_t q = 0; q < from.queries.size(); ++q) {
        to.queries.push_back(from.queries[q]);
        to.query_offsets.push_back(to.rows() + from.query_offsets[q + 1]);
    }
    to.labels.insert(to.labels.end(), from.labels.begin(), from.labels.end());
    to.documents.insert(to.documents.end(), from.documents.begin(), from.documents.end());
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
}

// Fold k trains on the parts Sk, Sk+1, Sk+2, validates on the next and tests on the last.
void check_folds(const std::string& set, const std::vector<LetorData>& parts) {
    for (std::size_t k = 0; k < kParts; ++k) {
        const std::string folder = set + "/Fold" + std::to_string(k + 1);
        LetorData expected;
        expected.query_offsets.push_back(0);
        for (std::size_t i = 0; i < 3; ++i) append(expected, parts[(k + i) % kParts]);
        const LetorData train = read_part(folder + "/train.txt.gz");
        check_same_rows(train, expected);
        CHECK((train.missing > 0 || train.values == expected.values));
        check_same_rows(read_part(folder + "/vali.txt.gz"), parts[(k + 3) % kParts]);
    }
}

}  // namespace

TEST_CASE("Letor: MQ2008 has what its description says") {
    BRAID_SKIP_WITHOUT(shared_file("data/letor/README.md"));
    const auto parts = test_parts("MQ2008");
    check_facts(parts, kMq2008);
    check_folds("MQ2008", parts);
    const LetorData& fifth = parts[4];
    CHECK(fifth.queries[0] == "18219");
    CHECK(fifth.documents[0] == "GX004-93-7097963");
    CHECK(fifth.row(0)[0] == 0.052893);
    CHECK(fifth.row(0)[45] == 0.966667);
}

TEST_CASE("Letor: MQ2008's rank aggregation set is the same rows with other features") {
    BRAID_SKIP_WITHOUT(shared_file("data/letor/README.md"));
    Facts facts = kMq2008;
    facts.features = 25;
    facts.missing = 247'320;
    const auto parts = test_parts("MQ2008-agg");
    check_facts(parts, facts);
    check_folds("MQ2008-agg", parts);
}

TEST_CASE("Letor: OHSUMED has what its description says, in all three variants") {
    BRAID_SKIP_WITHOUT(shared_file("data/letor/README.md"));
    const auto normalised = test_parts("OHSUMED/QueryLevelNorm");
    check_facts(normalised, kOhsumed);
    check_folds("OHSUMED/QueryLevelNorm", normalised);
    const auto filled = plain_parts("OHSUMED/Feature-min");
    check_facts(filled, kOhsumed);
    Facts facts = kOhsumed;
    facts.missing = 51'490;
    const auto missing = plain_parts("OHSUMED/Feature-null");
    check_facts(missing, facts);
    double lowest = 0;
    double highest = 0;
    for (std::size_t s = 0; s < kParts; ++s) {
        check_same_rows(normalised[s], filled[s]);
        check_same_rows(normalised[s], missing[s]);
        std::size_t different = 0;
        for (std::size_t i = 0; i < missing[s].values.size(); ++i) {
            const double value = missing[s].values[i];
            if (std::isnan(value)) continue;
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
            different += value != filled[s].values[i] ? 1 : 0;
        }
        CHECK(different == 0);
    }
    CHECK(lowest == Approx(-109.1).margin(0.05));
    CHECK(highest == Approx(239.3).margin(0.05));
}
