// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/slot_source.h"

namespace braid {

void SlotSource::begin(const Xapian::Database& shard) {
#if XAPIAN_AT_LEAST(1, 5, 0)
    ValuePostingSource::reset(shard, 0);
#else
    ValuePostingSource::init(shard);
#endif
}

bool SlotSource::look() {
    weight_ = weigh();
    return weight_ > 0;
}

void SlotSource::next(double /*min_weight*/) {
    if (at_end()) return;  // As init leaves a source that can match nothing.
    do {
        ValuePostingSource::next(0);
    } while (!at_end() && !look());
}

void SlotSource::skip_to(Xapian::docid docid, double /*min_weight*/) {
    if (at_end()) return;
    ValuePostingSource::skip_to(docid, 0);
    if (!at_end() && !look()) next(0);
}

// Xapian's AND_MAYBE takes a source that answered no for the document before as standing at the
// document behind that, unasked: so there is no "no", only a later position.
bool SlotSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

}  // namespace braid
