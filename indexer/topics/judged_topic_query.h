// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <vector>

#include <xapian.h>

#include "braid/plugin/store/topic_record.h"
#include "braid/plugin/store/word_form.h"

namespace braid {

/// A query with the documents that are relevant to it, for choosing a number of dimensions.
struct JudgedTopicQuery {
    /// Its words in the form that the record says (form and stemmer are set).
    std::function<WordCounts(const TopicRecord&)> words;
    std::vector<Xapian::docid> relevant;  ///< Ascending.
};

}  // namespace braid
