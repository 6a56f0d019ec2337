// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace Xapian {
class Database;
class Enquire;
class MatchDecider;
class MSet;
class Registry;
class RSet;
}  // namespace Xapian

namespace braid {
struct FusionModel;
}  // namespace braid

/// What the libraries of `braid with` know of each other.
///
///     libbraid-with.so       preloaded into every process; stands in front of Xapian's functions,
///        |                   and knows each Enquire. Linked to the C library alone.
///        | at the first search of a database with a model
///     libbraid-with-rank.so  sets the ranking for one search at a time; has all of braid::plugin
///        | at the first model that is named and is a file or a preset
///     libbraid-with-models.so  reads it; has braid::config
namespace braid::with {

/// Xapian::Enquire::get_mset as a function.
using GetMset = Xapian::MSet (*)(const Xapian::Enquire* enquire, unsigned first, unsigned count,
                                 unsigned check_at_least, const Xapian::RSet* relevant,
                                 const Xapian::MatchDecider* decider);

/// What the preloaded library offers.
struct Preloaded {
    /// The calling thread's. While true, calls of Xapian's functions go to Xapian alone.
    bool* (*is_inside)();
    const char* model;   ///< BRAID_WITH_MODEL, or null.
    const char* served;  ///< BRAID_WITH_SERVED, or null: folders that a server serves, a line each.
    const char* sidecars;  ///< BRAID_WITH_SIDECARS, or null: sidecars' folders, a line each.
    bool logs;
    /// Appends a line to BRAID_WITH_LOG. `query` may be null.
    void (*log)(const char* what, const char* how, const char* query);
};

/// An Enquire, as its program has set it.
struct Search {
    const Xapian::Database* database;  ///< A copy.
    unsigned length;                   ///< As passed to set_query.
    unsigned queries;                  ///< How often set_query was called.
    const char* bm25;                  ///< The serialised BM25Weight that was set, or null.
    unsigned bm25_size;
    void* state;  ///< The ranking library's, or null.
};

/// What the ranking library does.
struct Ranker {
    /// In the place of Xapian's, which is `xapians`; throws what that throws. The Enquire has the
    /// fused query only during the call, so that the program reads back what it set.
    Xapian::MSet (*get_mset)(Search* search, const Xapian::Enquire* enquire, unsigned first,
                             unsigned count, unsigned check_at_least, const Xapian::RSet* relevant,
                             const Xapian::MatchDecider* decider, GetMset xapians);
    void (*end)(void* state);
    void (*register_classes)(Xapian::Registry* registry);
};

/// libbraid-with-rank.so exports one function, of this name and type.
inline constexpr char kRankerFunction[] = "braid_with_ranker";
using RankerFunction = const Ranker* (*)(const Preloaded* preloaded);

/// The same of libbraid-with-models.so: sets `model` to what the file or preset `name` says. Throws
/// as load_model does.
inline constexpr char kModelFunction[] = "braid_with_load_model";
using ModelFunction = void (*)(const char* name, FusionModel& model);

}  // namespace braid::with
