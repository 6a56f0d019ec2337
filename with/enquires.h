// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/with/layers.h"

namespace Xapian {
class Weight;
}  // namespace Xapian

namespace braid::with {

/// What this file needs of preload.cpp.
struct Surroundings {
    /// A symbol of the Xapian that Braid was built for, or of a library that that is linked to;
    /// null if there is none.
    void* (*symbol)(const char* name);
    void (*end_state)(void* state);  ///< Search::state.
    const Preloaded* preloaded;
};

/// What preload.cpp tells of each Enquire, after Xapian's own function has returned; `ended` before
/// it runs. None throws.
void begin_watching(const Surroundings& surroundings);
void made(const Xapian::Enquire* enquire, const Xapian::Database* database);
void copied(const Xapian::Enquire* enquire, const Xapian::Enquire* from);  // Or assigned.
void moved(const Xapian::Enquire* enquire, const Xapian::Enquire* from);
void ended(const Xapian::Enquire* enquire);
void query_set(const Xapian::Enquire* enquire, unsigned length);
void scheme_set(const Xapian::Enquire* enquire, const Xapian::Weight* scheme);
void order_set(const Xapian::Enquire* enquire, bool by_relevance);
void cut_off(const Xapian::Enquire* enquire, int percent, double weight);

/// The search of an Enquire that a model may rank; null, and a line in the log, where none does:
/// the program sorts or cuts off by something else, or its database has no model.
Search* search_of(const Xapian::Enquire* enquire);

/// Around a fork, so that the child finds no lock held.
void lock_enquires();
void unlock_enquires();

}  // namespace braid::with
