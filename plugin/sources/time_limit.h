// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>

#include <xapian.h>

#include "braid/error.h"

namespace braid {

/// When a search stops looking for documents, shared by all of its sources. One thread.
///
/// Xapian's own Enquire::set_time_limit stops only the counting of matches beyond those asked for
/// (check_at_least); a match with a time limit still looks at every document.
class TimeLimit {
  public:
    using Clock = std::chrono::steady_clock;

    /// `whole` is that of the search, where this one is for a pass of it.
    explicit TimeLimit(Clock::time_point end, std::shared_ptr<TimeLimit> whole = {})
        : end_(end), whole_(std::move(whole)) {}

    /// Whether the search is to stop, and from then on always. Asked for each document: looks at
    /// the clock at every 16th call.
    bool is_over() {
        if (!stopped_ && looks_++ % 16 == 0) look();
        return stopped_;
    }
    /// The same for what takes longer than a document: looks at the clock each time.
    bool is_over_now() {
        if (!stopped_) look();
        return stopped_;
    }

    /// Whether a search was told to stop.
    bool stopped() const { return stopped_; }
    /// Whether it or a pass of it was told to.
    bool cut_short() const { return stopped_ || pass_stopped_; }

    Clock::time_point end() const { return end_; }

  private:
    void look() {
        stopped_ = Clock::now() >= end_;
        for (TimeLimit* above = whole_.get(); stopped_ && above != nullptr;
             above = above->whole_.get()) {
            above->pass_stopped_ = true;
        }
    }

    Clock::time_point end_;
    std::shared_ptr<TimeLimit> whole_;
    unsigned looks_ = 0;
    bool stopped_ = false;
    bool pass_stopped_ = false;
};

/// For a pass that others wait for: half of the remaining time. Null for null.
std::shared_ptr<TimeLimit> limit_of_pass(const std::shared_ptr<TimeLimit>& whole);

/// Thrown where a time limit ends work that gives nothing unless it is complete.
class TimeIsOver : public std::exception {
  public:
    const char* what() const noexcept override { return "the time limit is over"; }
};

/// Throws TimeIsOver. `limit` may be null.
inline void stop_in_time(TimeLimit* limit) {
    if (limit != nullptr && limit->is_over_now()) throw TimeIsOver();
}

/// For the right side of OP_FILTER: all documents, until a time limit is over. It ends then, and
/// the match with it. Adds nothing to a weight.
class TimeLimitSource final : public Xapian::PostingSource {
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

/// `query` until the limit is over; `query` where it is null.
Xapian::Query within_time(const Xapian::Query& query, const std::shared_ptr<TimeLimit>& limit);

/// What serialise throws for a source with a time limit.
[[noreturn]] void refuse_remote_time_limit();

}  // namespace braid
