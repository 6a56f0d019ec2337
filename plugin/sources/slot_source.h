// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <xapian.h>

#include "braid/core/base/export.h"

namespace braid {

/// A posting source over the documents with a value in a slot; matches those with a weight above 0.
/// A subclass's `init` calls Xapian::ValuePostingSource::init, sets the largest weight, and ends
/// the source by done() where nothing can match.
///
/// No pass hands the matcher's least weight on: Xapian doesn't divide it by the factor of an
/// OP_SCALE_WEIGHT above.
class BRAID_API SlotSource : public Xapian::ValuePostingSource {
  public:
    /// `read` is the slot.
    explicit SlotSource(Xapian::valueno read) : ValuePostingSource(read) {}

    double get_weight() const override { return weight_; }
    void next(double min_weight) override;
    void skip_to(Xapian::docid docid, double min_weight) override;
    bool check(Xapian::docid docid, double min_weight) override;

  protected:
    /// Weight of the current document; 0 or less: no match.
    virtual double weigh() = 0;

  private:
    bool look();

    double weight_ = 0;
};

}  // namespace braid
