// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/plugin/store/word_form.h"

namespace braid {

struct DocumentWords {
    WordCounts words;              ///< Without terms of wdf 0, which filter only.
    Xapian::termcount length = 0;  ///< In Xapian's sense: the sum of all terms' wdf.
};

/// One pass over the document's terms.
BRAID_API DocumentWords document_words(const Xapian::Document& document, WordForm form);

}  // namespace braid
