// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "braid/with/layers.h"

namespace braid::with {

/// The functions of Xapian that preload.cpp stands in front of.
enum class Front : unsigned {
    kMake,
    kMakeWithHandler,
    kCopy,
    kMove,
    kAssign,
    kMoveAssign,
    kEnd,
    kSetQuery,
    kSetScheme,
    kSortByRelevance,
    kSortByValue,
    kSortByKey,
    kSortByValueThenRelevance,
    kSortByKeyThenRelevance,
    kSortByRelevanceThenValue,
    kSortByRelevanceThenKey,
    kSetCutoff,
    kGetMset,
    kMakeRegistry,
    kCount
};

/// A call of one of them.
struct Call {
    void* function;   ///< Xapian's own.
    bool is_watched;  ///< Whether that is the Xapian that Braid was built for, called by others.
};

/// Of a call that returns to `address`. Xapian's own function, `symbol`, is the one that the caller
/// would have got: a process may have several Xapians, or one that only some of its libraries see
/// (Python loads its modules so). Ends the process where there is none, as the loader does.
Call call_of(Front front, const char* symbol, void* address);

/// libbraid-with-rank.so, loaded by the first call. Null, with the reason, where it can't be.
const Ranker* load_ranker(const char** problem);

/// Appends a line to BRAID_WITH_LOG, if that is set. `query` may be null.
void log(const char* what, const char* how, const char* query);

}  // namespace braid::with
