// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/newest_state.h"

#include "braid/error.h"
#include "braid/tests/support/support.h"

using namespace braid;

namespace {

// Work that fails so many times, on a database that has so many newer states.
template <typename Failure>
struct Tries {
    unsigned failures = 0;
    unsigned states = 0;
    unsigned reopened = 0;
    unsigned worked = 0;

    int run() {
        return on_newest_state(
            "tries", [&] { return ++reopened <= states; },
            [&](unsigned) {
                if (++worked <= failures) throw Failure("as it goes");
                return 7;
            });
    }
};

}  // namespace

TEST_CASE("Newest state: work that a writer outran is done again, a bounded number of times") {
    Tries<Xapian::DatabaseModifiedError> some{.failures = 3, .states = 3};
    CHECK(some.run() == 7);
    CHECK(some.worked == 4);
    CHECK(some.reopened == 3);
    Tries<Xapian::DatabaseModifiedError> many{.failures = 100, .states = 100};
    CHECK_THROWS_AS(many.run(), Error);
    CHECK(many.worked == kMaxReopens + 1);
}

TEST_CASE("Newest state: what a writer wrote over looks like damage once, what is damaged always") {
    Tries<Xapian::DatabaseError> written_over{.failures = 2, .states = 2};
    CHECK(written_over.run() == 7);
    Tries<Xapian::DatabaseCorruptError> damaged{.failures = 100, .states = 0};
    CHECK_THROWS_AS(damaged.run(), Xapian::DatabaseCorruptError);
    CHECK(damaged.worked == 2);
    Tries<Xapian::DatabaseError> often{.failures = 100, .states = 100};
    CHECK_THROWS_AS(often.run(), Xapian::DatabaseError);
    CHECK(often.worked == kMaxReopens + 1);
    Tries<FormatError> half_read{.failures = 2, .states = 2};
    CHECK(half_read.run() == 7);
    Tries<ModelMismatch> foreign{.failures = 100, .states = 1};
    CHECK_THROWS_AS(foreign.run(), ModelMismatch);
    CHECK(foreign.worked == 3);
    Tries<InvalidArgument> wrong{.failures = 1, .states = 5};
    CHECK_THROWS_AS(wrong.run(), InvalidArgument);
    CHECK(wrong.worked == 1);
    Tries<Xapian::NetworkError> other{.failures = 1, .states = 5};
    CHECK_THROWS_AS(other.run(), Xapian::NetworkError);
    CHECK(other.worked == 1);
}
