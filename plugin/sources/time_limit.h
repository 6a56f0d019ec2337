// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// When a search stops looking for documents, shared by all of its sources. One thread.
///
/// Xapian's own Enquire::set_time_limit stops only the counting of matches beyond those asked for
/// (check_at_least); a match with a time limit still looks at every document.
class TimeLimit {
  public:
    using Clock = std::chrono::steady_clock;

    explicit TimeLimit(Clock::time_point end) : end_(end) {}

    /// Whether the search is to stop, and from then on always. Asked for each document: looks at
    /// the clock at every 16th call.
    bool is_over() {
        if (!stopped_ && looks_++ % 16 == 0) stopped_ = Clock::now() >= end_;
        return stopped_;
    }

    /// Whether a search was told to.
    bool stopped() const { return stopped_; }

  private:
    Clock::time_point end_;
    unsigned looks_ = 0;
    bool stopped_ = false;
};

/// For the right side of OP_FILTER: all documents, until a time limit is over. It ends then, and
/// the match with it. Adds nothing to a weight.
class BRAID_API TimeLimitSource final : public Xapian::PostingSource {
  public:
    explicit TimeLimitSource(std::shared_ptr<TimeLimit> limit) : limit_(std::move(limit)) {}

    Xapian::doccount get_termfreq_min() const override { return documents_; }
    Xapian::doccount get_termfreq_est() const override { return documents_; }
    Xapian::doccount get_termfreq_max() const override { return documents_; }
    void init(const Xapian::Database& shard) override;
    void next(double least) override;
    void skip_to(Xapian::docid docid, double least) override;
    bool check(Xapian::docid docid, double least) override;
    bool at_end() const override { return docid_ > last_; }
    Xapian::docid get_docid() const override { return docid_; }

    TimeLimitSource* clone() const override;
    std::string name() const override;
    std::string get_description() const override;
    /// Throws Xapian::UnimplementedError: a remote database has another clock.
    std::string serialise() const override;

  private:
    void move_to(Xapian::docid docid);

    std::shared_ptr<TimeLimit> limit_;
    Xapian::doccount documents_ = 0;
    Xapian::docid last_ = 0;
    Xapian::docid docid_ = 0;
};

/// What serialise throws for a source with a time limit.
[[noreturn]] BRAID_API void refuse_remote_time_limit();

}  // namespace braid
