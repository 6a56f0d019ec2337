// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/joint_source.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/document_values.h"

namespace braid {
namespace {

// Vectors that are fetched ahead.
constexpr std::size_t kAhead = 8;

// Documents of which all parts are found first, for each that is wanted: their scores are a floor
// for the others.
constexpr std::size_t kSeeds = 4;

// Of sums that parts are added to and taken from, by the largest that they can be.
constexpr double kRounding = 1e-13;

void move_to(FusedSource& source, Xapian::docid docid, double least) {
    if (!source.at_end()) source.skip_to(docid, least);
}

bool is_at(const Xapian::PostingSource& source, Xapian::docid docid) {
    return !source.at_end() && source.get_docid() == docid;
}

}  // namespace

bool ScoreBounds::serves(const Xapian::Database& shard, const BagMatcher& words) {
    return words.lengths() != nullptr && words.has_tables() &&
           words.words() <= std::numeric_limits<std::uint8_t>::max() &&
           shard.get_lastdocid() / DocumentValues<int>::kMostDocids <= shard.get_doccount() &&
           words.lengths()->is_sound();
}

ScoreBounds::ScoreBounds(const Xapian::Database& shard, BagMatcher& words, BagMatcher* all,
                         std::span<const std::shared_ptr<DocumentSource>> late,
                         const std::vector<bool>& ready, const BoundsWanted& wanted)
    : docids_(std::size_t{shard.get_lastdocid()} + 1), lengths_(words.lengths()), wanted_(wanted) {
    add_parts(words, late, ready);
    find_marked(words, all);
    refine();
}

bool ScoreBounds::may_reach_others() const { return wanted_.every && !misses(other_.most); }

void ScoreBounds::add_parts(BagMatcher& words,
                            std::span<const std::shared_ptr<DocumentSource>> late,
                            const std::vector<bool>& ready) {
    lifts_.assign(docids_, 0);
    most_ = other_.most = words.proximity_most();
    const auto add = [&](const PartRange& other, double most) {
        other_.least += other.least;
        other_.most += other.most;
        most_ += most;
    };
    for (std::size_t i = 0; i < late.size(); ++i) {
        if (!ready[i]) {
            add({0, late[i]->get_maxweight()}, late[i]->get_maxweight());
            continue;
        }
        Part part{.late = late[i].get(), .other = late[i]->other_range()};
        add(part.other, late[i]->get_maxweight());
        part.lifts.assign(docids_, 0);
        part.late->lift(part.lifts);
        for (std::size_t d = 0; d < docids_; ++d) lifts_[d] += part.lifts[d];
        part.cost = part.late->range_cost();
        parts_.push_back(std::move(part));
    }
    for (const TopicColumn& topic : words.topics()) {
        const PartRange other{0, topic.bound()};
        add(other, topic.bound());
        if (topic.table() == nullptr) continue;
        parts_.push_back({.topic = &topic, .other = other, .cost = topic.query().dimensions()});
    }
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.cost < b.cost; });
}

// Documents with words, and those that a part lifts.
void ScoreBounds::find_marked(BagMatcher& words, BagMatcher* all) {
    std::vector<double> scores(docids_, 0);
    std::vector<std::uint8_t> counts(docids_, 0);
    words.add_words(scores, counts);
    const std::size_t all_words = all == nullptr ? 0 : all->words();
    const std::size_t least_words = words.wants_all() ? words.words() : 1;
    std::vector<std::size_t> places;
    for (std::size_t d = 1; d < docids_; ++d) {
        const bool has_words = counts[d] > 0 && counts[d] >= least_words;
        if (!has_words && !(wanted_.every && lifts_[d] > 0)) continue;
        const auto docid = static_cast<Xapian::docid>(d);
        const Xapian::termcount length = lengths_->length(docid);
        if (!has_words && length == LengthTable::kUnknown) continue;
        const bool has_all = has_words && counts[d] == all_words;
        double score = 0;
        if (has_words) score = has_all ? all->words_of(docid, places) : scores[d];
        if (has_words && length > 0) score += words.document_part(length);
        add(docid, score, length, has_words);
        // Which says that it is there; what it may be more is in the parts'.
        lifts_[d] = std::max(lifts_[d], 1.0F);
    }
}

void ScoreBounds::add(Xapian::docid docid, double score, Xapian::termcount length, bool has_words) {
    const double rounding = kRounding * (score + most_);
    double most = score + other_.most + rounding;
    for (const Part& part : parts_) most += part.lifts.empty() ? 0 : double{part.lifts[docid]};
    // Xapian's least length of a shard doesn't count empty documents: other_.least isn't theirs.
    const double least = length == 0 ? 0 : other_.least;
    documents_.push_back({docid, score + least - rounding, most, has_words});
}

// Those that nothing lifts: where what they may have isn't less than the best have.
void ScoreBounds::add_others() {
    std::vector<Document> before = std::move(documents_);
    documents_.clear();
    for (std::size_t d = 1; d < docids_; ++d) {
        const auto docid = static_cast<Xapian::docid>(d);
        if (lifts_[d] > 0) continue;
        const Xapian::termcount length = lengths_->length(docid);
        if (length != LengthTable::kUnknown) add(docid, 0, length, false);
    }
    refine();
    std::vector<Document> merged;
    merged.reserve(before.size() + documents_.size());
    std::merge(before.begin(), before.end(), documents_.begin(), documents_.end(),
               std::back_inserter(merged),
               [](const Document& a, const Document& b) { return a.docid < b.docid; });
    documents_ = std::move(merged);
}

void ScoreBounds::refine() {
    seed();
    for (std::size_t part = 0; part < parts_.size() && !is_stopped(); ++part) {
        know(part, documents_);
        raise_floor(documents_);
        drop();
    }
}

// Finds all parts of the documents whose least scores are the largest so far.
void ScoreBounds::seed() {
    const std::size_t seeds = kSeeds * wanted_.best;
    if (seeds == 0 || documents_.size() <= 2 * seeds) return;
    std::vector<Document> best = documents_;
    const auto middle = best.begin() + static_cast<std::ptrdiff_t>(seeds);
    std::nth_element(best.begin(), middle, best.end(), [](const auto& a, const auto& b) {
        return a.least != b.least ? a.least > b.least : a.docid < b.docid;
    });
    best.resize(seeds);
    std::sort(best.begin(), best.end(),
              [](const auto& a, const auto& b) { return a.docid < b.docid; });
    for (std::size_t part = 0; part < parts_.size() && !is_stopped(); ++part) know(part, best);
    raise_floor(best);
    drop();
}

void ScoreBounds::know(std::size_t part, std::span<Document> documents) {
    const Part& known = parts_[part];
    const auto set = [&](Document& document, const PartRange& range) {
        document.least += range.least - known.other.least;
        document.most += range.most - known.other.most;
        if (!known.lifts.empty()) document.most -= double{known.lifts[document.docid]};
    };
    if (known.topic != nullptr) {
        const TopicColumn& topic = *known.topic;
        std::uint32_t rows[kAhead] = {};
        const auto fetch = [&](std::size_t d) {
            if (d < documents.size()) rows[d % kAhead] = topic.fetch(documents[d].docid);
        };
        for (std::size_t d = 0; d < kAhead; ++d) fetch(d);
        for (std::size_t d = 0; d < documents.size(); ++d) {
            const std::uint32_t row = rows[d % kAhead];
            fetch(d + kAhead);
            set(documents[d], topic.range_of(row));
        }
        return;
    }
    std::vector<Xapian::docid> docids;
    docids.reserve(documents.size());
    for (const Document& document : documents) docids.push_back(document.docid);
    std::vector<PartRange> ranges(documents.size());
    known.late->ranges(docids, ranges);
    for (std::size_t d = 0; d < documents.size(); ++d) set(documents[d], ranges[d]);
}

void ScoreBounds::raise_floor(std::span<const Document> documents) {
    if (wanted_.best == 0 || documents.size() < wanted_.best) return;
    std::vector<double> least;
    least.reserve(documents.size());
    for (const Document& document : documents) {
        if (document.least > floor_) least.push_back(document.least);
    }
    if (least.size() < wanted_.best) return;
    const auto last = least.begin() + static_cast<std::ptrdiff_t>(wanted_.best - 1);
    std::nth_element(least.begin(), last, least.end(), std::greater<>());
    floor_ = std::max(floor_, *last / kBoundRounding);
}

bool ScoreBounds::misses(double most) const {
    return (most + wanted_.beside) * kBoundRounding < floor_;
}

void ScoreBounds::drop() {
    if (!(floor_ > 0)) return;
    std::erase_if(documents_, [this](const Document& document) { return misses(document.most); });
}

JointSource::JointSource(const FusedSource& words, const FusedSource* all,
                         const std::vector<std::shared_ptr<const DocumentSource>>& late,
                         const BoundsWanted& wanted)
    : words_(words.clone()), all_(all == nullptr ? nullptr : all->clone()), wanted_(wanted) {
    for (const auto& source : late) late_.emplace_back(source->clone());
}

JointSource::~JointSource() = default;

void JointSource::init(const Xapian::Database& shard) {
    documents_ = shard.get_doccount();
    rest_.assign(late_.size() + 1, 0);
    std::vector<bool> ready(late_.size());
    for (std::size_t i = late_.size(); i-- > 0;) {
        late_[i]->init(shard);
        ready[i] = late_[i]->prepare_ranges(shard, false);
        rest_[i] = rest_[i + 1] + kBoundRounding * late_[i]->get_maxweight();
    }
    choose_visits(shard, std::move(ready));
    double most = words_->get_maxweight();
    if (all_ != nullptr) most = std::max(most, all_->get_maxweight());
    set_maxweight(possible_bound(kBoundRounding * (most + rest_[0]), name()));
    position_ = 0;
    ended_ = false;
    weighed_ = false;
}

// Inits `words_` and `all_`. Once documents are asked for by number, whatever their words, the
// matcher of words can't find any.
void JointSource::choose_visits(const Xapian::Database& shard, std::vector<bool> ready) {
    bounds_.reset();
    at_ = 0;
    const bool is_ready = std::find(ready.begin(), ready.end(), false) == ready.end();
    const bool by_number = wanted_.every || (is_ready && !late_.empty());
    if (by_number) {
        words_->read_all_postings();
        words_->find_similar(TopicFinding{.any = true});
        if (all_ != nullptr) all_->read_all_postings();
    }
    words_->init(shard);
    if (all_ != nullptr) all_->init(shard);
    visits_ = wanted_.every ? Visits::kEach : Visits::kWords;
    if (!by_number) return;
    BagMatcher* const all = all_ == nullptr ? nullptr : &all_->matcher();
    if (ScoreBounds::serves(shard, words_->matcher()) && (all == nullptr || all->has_tables())) {
        bounds_.emplace(shard, words_->matcher(), all, late_, ready, wanted_);
        visits_ = Visits::kBounds;
        // Bounds that a time limit ended leave nothing that is worth more of it.
        if (wanted_.limit != nullptr && wanted_.limit->is_over_now()) return;
        if (!is_ready && wanted_.every && !is_enough(*bounds_)) {
            for (std::size_t i = 0; i < late_.size(); ++i) {
                ready[i] = late_[i]->prepare_ranges(shard, true);
            }
            bounds_.emplace(shard, words_->matcher(), all, late_, ready, wanted_);
        }
        if (bounds_->may_reach_others()) bounds_->add_others();
    } else if (wanted_.every) {
        each_end_ = shard.postlist_end("");
        each_ = shard.postlist_begin("");
    } else {
        words_->find_words_only();
        words_->init(shard);
    }
}

// Whether what the bounds leave costs less, read one by one, than tables for better ones.
bool JointSource::is_enough(const ScoreBounds& bounds) const {
    return !bounds.may_reach_others() && bounds.documents().size() <= documents_ / 16;
}

double JointSource::least_of_words() const {
    return std::max(0.0, least_ / kBoundRounding - kBoundRounding * rest_[0]);
}

double JointSource::weight_of_words() const {
    if (all_ != nullptr && is_at(*all_, position_)) return all_->get_weight();
    if (visits_ == Visits::kWords) return words_->get_weight();
    // 0 where it was given up.
    const bool is_there = words_->check(position_, least_of_words()) && is_at(*words_, position_);
    return is_there ? words_->get_weight() : 0;
}

// Sums and differences of weights round; a bound has room for that.
double JointSource::get_weight() const {
    if (weighed_) return weight_;
    weighed_ = true;
    weight_ = weight_of_words();
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
    weighed_ = false;
    switch (visits_) {
        case Visits::kWords:
            return skip_by_words(docid);
        case Visits::kBounds:
            return skip_by_bounds(docid);
        case Visits::kEach:
            return skip_each(docid);
    }
}

void JointSource::skip_by_words(Xapian::docid docid) {
    move_to(*words_, docid, least_of_words());
    if (all_ != nullptr) move_to(*all_, docid, least_of_words());
    const bool has_all = all_ != nullptr && !all_->at_end();
    ended_ = words_->at_end() && !has_all;
    if (ended_) return;
    position_ = words_->at_end() ? all_->get_docid() : words_->get_docid();
    if (has_all) position_ = std::min(position_, all_->get_docid());
}

// Without a word it is one by its weight alone.
bool JointSource::is_match(bool has_word) {
    weighed_ = false;
    if (all_ != nullptr) move_to(*all_, position_, least_of_words());
    return has_word || get_weight() > 0;
}

void JointSource::skip_by_bounds(Xapian::docid docid) {
    const auto documents = bounds_->documents();
    for (; at_ < documents.size(); ++at_) {
        const ScoreBounds::Document& document = documents[at_];
        if (document.docid < docid || document.most * kBoundRounding < least_) continue;
        if (words_->matcher().is_stopped()) break;
        position_ = document.docid;
        if (is_match(document.has_words)) return;
    }
    ended_ = true;
}

void JointSource::skip_each(Xapian::docid docid) {
    for (each_.skip_to(docid); each_ != each_end_; ++each_) {
        if (words_->matcher().is_stopped()) break;
        position_ = *each_;
        if (is_match(false) || words_->matcher().has_words()) return;
    }
    ended_ = true;
}

bool JointSource::check(Xapian::docid docid, double min_weight) {
    skip_to(docid, min_weight);
    return true;
}

JointSource* JointSource::clone() const {
    return new JointSource(*words_, all_.get(), {late_.begin(), late_.end()}, wanted_);
}

std::string JointSource::get_description() const {
    return fmt::format("braid::JointSource({}{}, {} late)", words_->get_description(),
                       all_ == nullptr ? "" : ", all words", late_.size());
}

std::string JointSource::serialise() const {
    throw Xapian::UnimplementedError("braid::JointSource can't be used in a remote database");
}

}  // namespace braid
