// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <xapian.h>

#include "braid/plugin/sources/fused_counters.h"
#include "braid/plugin/sources/term_cursor.h"
#include "braid/plugin/sources/topic_column.h"

namespace braid {

/// A document that has a word, and bounds on parts of its score.
struct Candidate {
    Xapian::docid docid = 0;
    double words = 0;   ///< All of the score but topics.
    double topics = 0;  ///< Topics' parts together.
};

/// Reads ahead in the tables of some cursors: finds the documents of a stretch of docids list by
/// list, so that nothing waits for memory but what was asked for before, and leaves out those that
/// can't reach a weight: docs/algorithms/pruning.md. Leaves cursors where they are. Not installed.
class CandidateStretch {
  public:
    /// What bounds a document's score beside the lists that are read.
    struct Beside {
        double words = 0;   ///< Of other lists and of the document.
        double topics = 0;  ///< Of topics, where nothing is known of the document.
        bool look_at_topics = false;
        double least = 0;
    };

    /// Whether all those cursors have tables.
    static bool serves(const std::vector<TermCursor>& cursors, std::span<const std::size_t> lists);

    /// Finds what the lists have from a document on; `lists` are numbers of cursors. Nothing at
    /// their end. Documents must ascend from call to call. Counts in `counters`.
    void read(const std::vector<TermCursor>& cursors, std::span<const std::size_t> lists,
              Xapian::docid from, const std::vector<TopicColumn>& topics, const Beside& beside,
              FusedCounters& counters);

    /// Ascending.
    std::span<const Candidate> candidates() const { return candidates_; }
    /// No document before this is missing among them, of those from where `read` began.
    Xapian::docid end() const { return end_; }

  private:
    static constexpr std::size_t kLongest = 2048;  ///< Its sums stay in the fastest cache.
    static constexpr std::size_t kBits = 64;

    void add_up(const std::vector<TermCursor>& cursors, std::span<const std::size_t> lists);
    std::uint64_t collect(const Beside& beside);
    void bound_topics(const std::vector<TopicColumn>& topics, const Beside& beside,
                      FusedCounters& counters);

    Xapian::docid begin_ = 0;
    Xapian::docid end_ = 0;
    std::size_t length_ = 0;           ///< Of the next stretch, in docids.
    std::vector<std::size_t> places_;  ///< By cursor, in its table.
    std::vector<Candidate> candidates_;
    std::array<std::uint64_t, kLongest / kBits> seen_ = {};
    std::array<double, kLongest> sums_ = {};
};

}  // namespace braid
