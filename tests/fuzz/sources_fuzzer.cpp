// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes of a registered weight or source, as a server is sent them: either a Xapian::Error, or an
// object that gives the same bytes and ranks a small database by finite scores within its bound,
// the same pruned or not.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <xapian.h>

#include "braid/plugin/query/whole_match.h"
#include "braid/plugin/search/state_guard.h"
#include "braid/plugin/sources/boosted_source.h"
#include "braid/plugin/sources/fused_source.h"
#include "braid/plugin/sources/lbdm_source.h"
#include "braid/plugin/sources/neighbour_source.h"
#include "braid/plugin/sources/title_source.h"
#include "braid/plugin/sources/topic_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/sources.h"
#include "braid/tests/fuzz/document_checks.h"
#include "braid/tests/fuzz/small_database.h"
#include "braid/weight.h"

using braid::fuzz::require;
using Fuzzed = braid::BRAID_FUZZ_CLASS;
using Xapian::Query;

namespace {

constexpr Xapian::doccount kTop = 5;

// As a server reads it, which knows all classes of Braid's.
template <typename Class>
std::unique_ptr<Class> received(const std::string& bytes) {
    if constexpr (std::is_same_v<Class, braid::MatchSource> ||
                  std::is_same_v<Class, braid::BoostedSource>) {
        static const Xapian::Registry registry = [] {
            Xapian::Registry known;
            braid::register_all(known);
            return known;
        }();
        return std::unique_ptr<Class>(Class().unserialise_with_registry(bytes, registry));
    } else {
        return std::unique_ptr<Class>(static_cast<Class*>(Class().unserialise(bytes)));
    }
}

Query words() { return {Query::OP_OR, Query("w0"), Query("w3", 2)}; }

template <typename Class>
std::vector<Query> queries_for(const Class& fuzzed) {
    if constexpr (std::is_base_of_v<Xapian::Weight, Class>) {
        return {words(), Query(Query::OP_FILTER, words(), Query("w6"))};
    } else {
        const auto root = [&] { return Query(fuzzed.clone()->release()); };
        return {root(), Query(Query::OP_FILTER, root(), words()),
                Query(Query::OP_AND_MAYBE, words(), root())};
    }
}

// A source that finds similar documents leaves out those that the sender has no room for.
template <typename Class>
bool finds_all(const Class& fuzzed) {
    if constexpr (std::is_same_v<Class, braid::BoostedSource>) {
        return fuzzed.serialise().find("braid::FusedSource") == std::string::npos;
    } else if constexpr (std::is_same_v<Class, braid::FusedSource>) {
        const std::unique_ptr<Class> finding(fuzzed.clone());
        finding->find_similar({});
        return fuzzed.serialise().size() < finding->serialise().size();
    }
    return true;
}

template <typename Class>
void search(const Xapian::Database& database, const Class& fuzzed, const Query& query) {
    Xapian::Enquire enquire(database);
    if constexpr (std::is_base_of_v<Xapian::Weight, Class>) {
        enquire.set_weighting_scheme(fuzzed);
    } else {
        enquire.set_weighting_scheme(Xapian::CoordWeight());
    }
    enquire.set_query(query);
    const Xapian::doccount all = database.get_doccount();
    const Xapian::MSet whole = enquire.get_mset(0, all, all);
    for (auto match = whole.begin(); match != whole.end(); ++match) {
        const double score = match.get_weight();
        require(std::isfinite(score) && score >= 0, "finite scores from 0");
        require(score <= whole.get_max_possible() * (1 + 1e-9), "scores within their bound");
    }
    const Xapian::MSet top = enquire.get_mset(0, kTop);
    // Xapian itself may lose a document where it makes an AND of an AND_MAYBE.
    if (query.get_type() == Query::OP_AND_MAYBE || !finds_all(fuzzed)) return;
    require(top.size() == std::min(kTop, whole.size()), "as many results of a pruned search");
    for (Xapian::doccount i = 0; i < top.size(); ++i) {
        const double wanted = whole[i].get_weight();
        require(std::abs(top[i].get_weight() - wanted) <= 1e-9 * wanted,
                "the same scores of a pruned search");
    }
}

}  // namespace

// Xapian leaves its posting lists behind where a source's `next` throws within get_mset.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libxapian\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Xapian::Database database = braid::fuzz::small_database();
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    std::unique_ptr<Fuzzed> fuzzed;
    try {
        fuzzed = received<Fuzzed>(bytes);
    } catch (const Xapian::SerialisationError&) {
        return 0;
    }
    // Bytes of an older form are written in the newest one.
    const std::string written = fuzzed->serialise();
    require(received<Fuzzed>(written)->serialise() == written, "one form of the bytes");
    for (const Query& query : queries_for(*fuzzed)) {
        try {
            search(database, *fuzzed, query);
        } catch (const Xapian::Error&) {
        }
    }
    return 0;
}
