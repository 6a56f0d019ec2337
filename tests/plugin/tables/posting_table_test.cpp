// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/tables/posting_table.h"

#include <algorithm>

#include "braid/core/base/random.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

// A database in which document d has `term` where `occurrences(d)` is a number, and is otherwise
// filled up to random lengths.
template <typename Occurrences>
void write_database(const std::string& path, Xapian::docid documents, Random& random,
                    const Occurrences& occurrences) {
    Xapian::WritableDatabase writer(path, Xapian::DB_CREATE_OR_OVERWRITE);
    for (Xapian::docid docid = 1; docid <= documents; ++docid) {
        Xapian::Document document;
        const std::optional<Xapian::termcount> count = occurrences(docid);
        if (count) document.add_term("term", *count);
        document.add_term("other", static_cast<Xapian::termcount>(1 + random.below(300)));
        writer.replace_document(docid, document);
    }
    writer.commit();
}

void check_equal_to_list(const PostingTable& table, const Xapian::Database& database,
                         const std::string& term) {
    std::size_t place = 0;
    for (auto posting = database.postlist_begin(term); posting != database.postlist_end(term);
         ++posting) {
        REQUIRE(table.docid(place) == *posting);
        REQUIRE(table.occurrences(place) == posting.get_wdf());
        REQUIRE(table.length(place) == posting.get_doclength());
        const PostingTable::Group& group = table.groups()[table.group(place)];
        REQUIRE_FALSE(group.empty);
        REQUIRE(posting.get_wdf() <= group.occurrences_max);
        REQUIRE(posting.get_doclength() >= group.length_min);
        REQUIRE(posting.get_doclength() <= group.length_max);
        ++place;
    }
    REQUIRE(table.size() == place);
    REQUIRE(table.docid(place) == PostingTable::kEnd);
}

}  // namespace

TEST_CASE("PostingTable: has what Xapian's list has, of any size", "[property]") {
    Random random(seed());
    const TemporaryFolder folder;
    const std::vector<Xapian::termcount> counts = {0, 1, 1, 1, 2, 3, 4, 254, 255, 256, 70000};
    for (const std::size_t size : {0U, 1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
        INFO(size << " postings");
        std::size_t left = size;
        write_database(folder.path().string(), 1300, random, [&](Xapian::docid docid) {
            const bool has = random.below(1301 - docid) < left;
            left -= has ? 1 : 0;
            return has ? std::optional(counts[random.below(counts.size())]) : std::nullopt;
        });
        REQUIRE(left == 0);
        const Xapian::Database database(folder.path().string());
        VectorTables tables;
        const auto lengths = tables.lengths(database).table;
        const auto table = PostingTable::load(database, "term", lengths.get());
        check_equal_to_list(*table, database, "term");
        check_equal_to_list(*PostingTable::load(database, "term", nullptr), database, "term");
        CHECK(table->bytes() >= 8 * size);
        CHECK(table->bytes() < 40 * size + 1200);
    }
}

TEST_CASE("PostingTable: documents too long for 24 bits are there, in bounds that hold") {
    const TemporaryFolder folder;
    Xapian::WritableDatabase writer(folder.path().string(), Xapian::DB_CREATE_OR_OVERWRITE);
    for (const Xapian::termcount longer : {0U, 1U << 23U, 1U << 24U, 1U << 30U}) {
        Xapian::Document document;
        document.add_term("term", 2);
        document.add_term("other", longer);
        writer.add_document(document);
    }
    writer.commit();
    check_equal_to_list(*PostingTable::load(writer, "term", nullptr), writer, "term");
    check_equal_to_list(*PostingTable::load(writer, "other", nullptr), writer, "other");
}

TEST_CASE("PostingTable: finds the first posting from a place and a document on", "[property]") {
    Random random(seed());
    const TemporaryFolder folder;
    for (const std::size_t one_in : {1U, 2U, 7U, 60U}) {
        write_database(folder.path().string(), 3000, random, [&](Xapian::docid) {
            return random.below(one_in) == 0 ? std::optional<Xapian::termcount>(1) : std::nullopt;
        });
        const auto table =
            PostingTable::load(Xapian::Database(folder.path().string()), "term", nullptr);
        for (int i = 0; i < 3000; ++i) {
            const std::size_t from = random.below(table->size() + 1);
            const auto ahead = static_cast<Xapian::docid>(random.below(1U << random.below(13)));
            const Xapian::docid target =
                from == table->size() ? PostingTable::kEnd : table->docid(from) + ahead;
            std::size_t expected = from;
            while (table->docid(expected) < target) ++expected;
            REQUIRE(table->find(from, target) == expected);
        }
        REQUIRE(table->find(0, PostingTable::kEnd) == table->size());
    }
}
