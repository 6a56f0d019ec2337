// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/joint_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/sources/source_bytes.h"

namespace braid {
namespace {

void move_to(FusedSource& source, Xapian::docid docid, double least) {
    if (!source.at_end()) source.skip_to(docid, least);
}

bool is_at(const Xapian::PostingSource& source, Xapian::docid docid) {
    return !source.at_end() && source.get_docid() == docid;
}

}  // namespace

JointSource::JointSource(const FusedSource& words, const FusedSource* all,
                         const std::vector<std::shared_ptr<const Xapian::PostingSource>>& late)
    : words_(words.clone()), all_(all == nullptr ? nullptr : all->clone()) {
    for (const auto& source : late) late_.emplace_back(source->clone());
}

JointSource::~JointSource() = default;

void JointSource::init(const Xapian::Database& shard) {
    words_->init(shard);
    double most = words_->get_maxweight();
    if (all_ != nullptr) {
        all_->init(shard);
        most = std::max(most, all_->get_maxweight());
    }
    rest_.assign(late_.size() + 1, 0);
    for (std::size_t i = late_.size(); i-- > 0;) {
        late_[i]->init(shard);
        rest_[i] = rest_[i + 1] + kBoundRounding * late_[i]->get_maxweight();
    }
    set_maxweight(possible_bound(kBoundRounding * (most + rest_[0]), name()));
    position_ = 0;
    ended_ = false;
    weighed_ = false;
}

// Sums and differences of weights round; a bound has room for that.
double JointSource::get_weight() const {
    if (weighed_) return weight_;
    weighed_ = true;
    weight_ =
        all_ != nullptr && is_at(*all_, position_) ? all_->get_weight() : words_->get_weight();
    for (std::size_t i = 0; i < late_.size(); ++i) {
        if (kBoundRounding * (weight_ + rest_[i]) < least_) return weight_;
        Xapian::PostingSource& source = *late_[i];
        if (source.at_end()) continue;
        source.check(position_, 0);
        if (is_at(source, position_)) weight_ += source.get_weight();
    }
    return weight_;
}

void JointSource::next(double min_weight) { skip_to(position_ + 1, min_weight); }

void JointSource::skip_to(Xapian::docid docid, double min_weight) {
    if (ended_ || (position_ > 0 && docid <= position_)) return;
    least_ = min_weight;
    const double least = std::max(0.0, min_weight / kBoundRounding - kBoundRounding * rest_[0]);
    move_to(*words_, docid, least);
    if (all_ != nullptr) move_to(*all_, docid, least);
    weighed_ = false;
    const bool has_all = all_ != nullptr && !all_->at_end();
    ended_ = words_->at_end() && !has_all;
    if (ended_) return;
    position_ = words_->at_end() ? all_->get_docid() : words_->get_docid();
    if (has_all) position_ = std::min(position_, all_->get_docid());
}

bool JointSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

JointSource* JointSource::clone() const {
    return new JointSource(*words_, all_.get(), {late_.begin(), late_.end()});
}

std::string JointSource::get_description() const {
    return fmt::format("braid::JointSource({}{}, {} late)", words_->get_description(),
                       all_ == nullptr ? "" : ", all words", late_.size());
}

std::string JointSource::serialise() const {
    throw Xapian::UnimplementedError("braid::JointSource can't be used in a remote database");
}

}  // namespace braid
