// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/sources/neighbour_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/vector_sums.h"
#include "braid/core/model/model_rankers.h"
#include "braid/plugin/sources/source_bytes.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

double number(Xapian::termcount value) { return static_cast<double>(value); }

Xapian::termcount length_in(const Xapian::Database& database, Xapian::docid docid,
                            const LengthTable* lengths) {
    const Xapian::termcount known =
        lengths == nullptr ? LengthTable::kUnknown : lengths->length(docid);
    return known == LengthTable::kUnknown ? database.get_doclength(docid) : known;
}

// The bound of all words, from the bounds of their shares.
template <typename MostShare>
double bound_of(const NeighbourQuery& query, double shortest, double longest,
                const MostShare& most_share) {
    double sum = 0;
    double slack = 0;
    for (std::size_t i = 0; i < query.words.size(); ++i) {
        const SourceWord& word = query.words[i];
        sum += word.count * expanded_bound(query.settings, most_share(i), word.collection_share,
                                           shortest, longest, query.longest);
        slack += kBoundRoundingShare * word.count;  // Within each logarithm.
    }
    return std::max(0.0, kBoundRounding * (sum + slack));
}

}  // namespace

void validate(const NeighbourQuery& query) {
    const auto check = [](const char* name, double value, double minimum, double maximum) {
        check_number("NeighbourSource", name, value, minimum, maximum);
    };
    check("neighbours", static_cast<double>(query.neighbours), 1, kMostNeighbours);
    check("own", query.settings.own, 0, 1);
    check("mu", query.settings.mu, 1e-3, 1e9);
    check("longest", query.longest, 1, kMostOccurrences);
    check("words per unit of length", query.length_scale, 1e-12, 1);
    for (const SourceWord& word : query.words) check_word("NeighbourSource", word);
}

NeighbourScorer::NeighbourScorer(std::shared_ptr<const NeighbourQuery> query,
                                 const Xapian::Database& database, std::size_t shards,
                                 const LengthTable* lengths, PostingTables* postings)
    : query_(std::move(query)),
      shards_(shards),
      tag_(topic_model_tag(query_->model.id)),
      most_(query_->words.size()),
      mixed_(query_->words.size()) {
    for (const SourceWord& word : query_->words) words_ += word.count;
    make_rows(read_postings(database, lengths, postings));
    shortest_ = query_->length_scale * std::max(1.0, number(database.get_doclength_lower_bound()));
    longest_ =
        std::max(shortest_, query_->length_scale * number(database.get_doclength_upper_bound()));
    has_empty_ = database.get_doclength_lower_bound() == 0;
}

float NeighbourScorer::share_of(Xapian::termcount count, Xapian::termcount length) const {
    return static_cast<float>(number(count) / (query_->length_scale * number(length)));
}

std::vector<NeighbourScorer::Posting> NeighbourScorer::read_postings(
    const Xapian::Database& database, const LengthTable* lengths, PostingTables* postings) {
    std::vector<std::string_view> terms;
    for (const SourceWord& word : query_->words) terms.emplace_back(word.term);
    std::vector<PostingAccess> access(terms.size());
    if (postings != nullptr) access = postings->find(database, terms, lengths);
    std::vector<Posting> result;
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
        const auto add = [&](Xapian::docid docid, Xapian::termcount count,
                             Xapian::termcount length) {
            if (length > 0) result.push_back({docid, i, share_of(count, length)});
        };
        if (const PostingTable* const table = access[i].table.get(); table != nullptr) {
            for (std::size_t place = 0; place < table->size(); ++place) {
                const Xapian::termcount count = table->occurrences(place);
                if (count > 0) add(table->docid(place), count, table->length(place));
            }
            continue;
        }
        const std::string& term = query_->words[i].term;
        Xapian::docid before = 0;
        for (auto at = database.postlist_begin(term); at != database.postlist_end(term); ++at) {
            require_ascending(before, *at, [&] { return "the list of postings of " + term; });
            before = *at;
            access[i].count_read();
            if (at.get_wdf() == 0) continue;
            add(before, at.get_wdf(), length_in(database, before, lengths));
        }
    }
    return result;
}

// Neighbours are looked up in any order, ten for each document: an array is worth it unless docids
// are far apart.
void NeighbourScorer::make_rows(const std::vector<Posting>& postings) {
    constexpr std::size_t kSmall = std::size_t{1} << 18;
    std::size_t docids = 0;
    for (const Posting& posting : postings) {
        docids = std::max(docids, std::size_t{posting.docid} + 1);
    }
    std::uint32_t rows = 0;
    const auto add = [&](const Posting& posting, std::uint32_t row) {
        if (docids_.size() < rows) docids_.push_back(posting.docid);
        shares_.resize(rows * most_.size());
        shares_[(row - 1) * most_.size() + posting.word] = posting.share;
        most_[posting.word] = std::max(most_[posting.word], double{posting.share});
    };
    if (docids <= std::max(kSmall, DocumentValues<std::uint32_t>::kMostDocids * postings.size())) {
        row_of_.resize(docids);
        for (const Posting& posting : postings) {
            std::uint32_t& row = row_of_[posting.docid];
            if (row == 0) row = ++rows;
            add(posting, row);
        }
        return;
    }
    std::vector<Posting> sorted = postings;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Posting& a, const Posting& b) { return a.docid < b.docid; });
    std::vector<DocumentValues<std::uint32_t>::Entry> entries;
    for (const Posting& posting : sorted) {
        if (entries.empty() || entries.back().docid != posting.docid) {
            entries.push_back({posting.docid, ++rows});
        }
        add(posting, rows);
    }
    rows_ = DocumentValues<std::uint32_t>(std::move(entries), 0);
}

namespace {

// number_at of a place that is there.
std::int32_t number_in(std::string_view codes, std::size_t i) noexcept {
    const auto byte = [&](std::size_t k) {
        return std::uint32_t{static_cast<unsigned char>(codes[4 * i + k])};
    };
    return static_cast<std::int32_t>(byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
}

}  // namespace

double NeighbourScorer::score(Xapian::docid docid, double length, std::string_view value) noexcept {
    if (!(length > 0)) return 0;
    const NeighbourQuery& query = *query_;
    const std::optional<StoredVector> stored = try_open_vector(value, query.neighbours);
    if (!stored && !value.empty()) ++damaged_;
    std::size_t neighbours = 0;
    bool any = false;
    std::fill(mixed_.begin(), mixed_.end(), 0.0);
    const bool is_own =
        stored && stored->info.model_tag == tag_ && stored->info.coding == VectorCoding::kFloat32;
    for (std::size_t k = 0; is_own && k < query.neighbours; ++k) {
        const std::int32_t away = number_in(stored->codes, k);
        if (away == 0) break;
        ++neighbours;
        const auto there = static_cast<Xapian::docid>(
            docid + static_cast<Xapian::docid>(away) * static_cast<Xapian::docid>(shards_));
        const float* const shares = shares_of(there);
        if (shares == nullptr) continue;
        any = true;
        for (std::size_t i = 0; i < mixed_.size(); ++i) mixed_[i] += double{shares[i]};
    }
    const double own = neighbours == 0 ? 1 : query.settings.own;
    const float* const shares = shares_of(docid);
    const double words = std::min(query.length_scale * length, query.longest);
    double sum = words_ * length_gain(query.settings, words, query.longest);
    for (std::size_t i = 0; (any || shares != nullptr) && i < mixed_.size(); ++i) {
        double share = shares == nullptr ? 0 : own * double{shares[i]};
        if (neighbours > 0) share += (1 - own) * mixed_[i] / static_cast<double>(neighbours);
        const SourceWord& word = query.words[i];
        if (share > 0) {
            sum += word.count * word_gain(query.settings, share, word.collection_share, words);
        }
    }
    return std::max(sum, 0.0);
}

double NeighbourScorer::bound() const {
    return bound_of(*query_, shortest_, longest_, [&](std::size_t i) { return most_[i]; });
}

// By how much ranges are wider than their formulas, of each c(w, q): sums of floats.
constexpr double kSlack = 1e-5;

// Words that so many documents have, of the shard's, tell little: their neighbours' shares count as
// the largest that there is.
constexpr std::size_t kCommon = 32;

bool NeighbourScorer::spread(const NeighbourTable& table) {
    constexpr std::size_t kMostShares = std::size_t{1} << 23;
    const std::size_t words = most_.size();
    if (table.docids() * words > kMostShares) return false;
    near_ = &table;
    std::vector<std::size_t> documents(words, 0);
    for (std::size_t at = 0; at < shares_.size(); ++at) documents[at % words] += shares_[at] > 0;
    const std::size_t fewest = *std::min_element(documents.begin(), documents.end());
    is_spread_.clear();
    for (const std::size_t count : documents) {
        is_spread_.push_back(count <= std::max(fewest, table.docids() / kCommon) ? 1 : 0);
    }
    spread_.assign(table.docids() * words, 0);
    marks_.assign(table.docids(), 0);
    for (std::size_t row = 0; row < docids_.size(); ++row) {
        const float* const shares = shares_.data() + row * words;
        if (docids_[row] < marks_.size()) marks_[docids_[row]] = 1;
        bool any = false;
        for (std::size_t i = 0; i < words; ++i) any = any || (is_spread_[i] != 0 && shares[i] > 0);
        if (!any) continue;
        for (const Xapian::docid docid : table.of(docids_[row])) {
            marks_[docid] = 1;
            for (std::size_t i = 0; i < words; ++i) spread_[docid * words + i] += shares[i];
        }
    }
    factors_.clear();
    for (const SourceWord& word : query_->words) {
        factors_.push_back(1 / (query_->settings.mu * word.collection_share));
    }
    length_gains_.reset(PartMemo::kMaxEntries);
    return true;
}

void NeighbourScorer::lift(std::span<float> lifts, float lift) const {
    for (std::size_t d = 0; d < lifts.size(); ++d) {
        lifts[d] += d >= marks_.size() || marks_[d] != 0 ? lift : 0;
    }
}

PartRange NeighbourScorer::other_range() const {
    const NeighbourQuery& query = *query_;
    const auto at = [&](double length) {
        return words_ * length_gain(query.settings, std::min(length, query.longest), query.longest);
    };
    double most = at(shortest_) + kSlack * words_;
    for (std::size_t i = 0; i < is_spread_.size(); ++i) {
        if (is_spread_[i] != 0) continue;
        const double ratio = std::min(longest_, query.longest) * most_[i] * factors_[i];
        most += query.words[i].count * std::log1p((1 - query.settings.own) * ratio);
    }
    return {has_empty_ ? 0 : std::max(0.0, at(longest_) - kSlack * words_), std::max(0.0, most)};
}

PartRange NeighbourScorer::range(Xapian::docid docid, Xapian::termcount length) {
    const NeighbourQuery& query = *query_;
    const double words = std::min(query.length_scale * number(length), query.longest);
    const double of_length = length_gains_.get(
        0, length, [&] { return length_gain(query.settings, words, query.longest); });
    const std::size_t neighbours = near_->count(docid);
    const double own = neighbours == 0 ? 1 : query.settings.own;
    const double each = neighbours == 0 ? 0 : (1 - own) / static_cast<double>(neighbours);
    const float* const shares = shares_of(docid);
    const float* const of_others = spread_.data() + docid * most_.size();
    // log1p(a) + log1p(b) = log((1 + a) (1 + b))
    struct {
        double sum = 0, product = 1;
        void add(double count, double ratio) {
            if (count == 1 && product < 1e200 && ratio < 1e100) {
                product *= 1 + ratio;
            } else {
                sum += count * std::log1p(ratio);
            }
        }
        double total() const { return product == 1 ? sum : sum + std::log(product); }
    } least, most;
    for (std::size_t i = 0; i < most_.size(); ++i) {
        const double share = shares == nullptr ? 0 : own * double{shares[i]};
        const double factor = words * factors_[i];
        const double count = query.words[i].count;
        // Of a common word what was added up is of some neighbours.
        const double known = factor * (share + each * double{of_others[i]});
        least.add(count, known);
        most.add(count, is_spread_[i] != 0 ? known : factor * (share + (1 - own) * most_[i]));
    }
    const double base = words_ * of_length;
    const double low = least.total();
    const double high = most.product == least.product && most.sum == least.sum ? low : most.total();
    return {std::max(0.0, base + low - kSlack * words_),
            std::max(0.0, base + high) + kSlack * words_};
}

// A word makes up all of a document at most, of its words as length_scale counts them.
double neighbour_bound(const NeighbourQuery& query, const Xapian::Database& database) {
    const double shortest = std::max(1.0, number(database.get_doclength_lower_bound()));
    const double longest = std::max(shortest, number(database.get_doclength_upper_bound()));
    return bound_of(
        query, query.length_scale * shortest, query.length_scale * longest, [&](std::size_t i) {
            const double count = number(database.get_wdf_upper_bound(query.words[i].term));
            return count > 0 ? (1 + 1e-6) * count / (query.length_scale * std::max(shortest, count))
                             : 0.0;
        });
}

NeighbourSource::NeighbourSource() : NeighbourSource({.model = {"0000000000000000", 0}}, 0) {}

NeighbourSource::NeighbourSource(NeighbourQuery query, double weight,
                                 std::vector<Xapian::Database> sidecars)
    : weight_(weight),
      sidecars_(std::move(sidecars)),
      damaged_(std::make_shared<std::uint64_t>(0)) {
    validate(query);
    require_weight(weight, "NeighbourSource");
    query_ = std::make_shared<const NeighbourQuery>(std::move(query));
}

NeighbourSource::~NeighbourSource() = default;

void NeighbourSource::init(const Xapian::Database& shard) {
    const Xapian::Database holder =
        topic_holder(shard, sidecars_, query_->model.id, "NeighbourSource");
    const bool any = !query_->words.empty() && weight_ > 0;
    scorer_.reset();
    const LengthAccess lengths = any && tables() ? tables()->lengths(shard) : LengthAccess();
    if (any) scorer_.emplace(query_, shard, 1, lengths.table.get(), postings().get());
    set_maxweight(any ? possible_bound(weight_ * scorer_->bound(), name()) : 0);
    begin(shard, holder, query_->model.slot, any);
    holder_ = holder;
}

bool NeighbourSource::prepare_ranges(const Xapian::Database& shard, bool now) {
    if (!tables() || !scorer_) return false;
    near_ = tables()->neighbours(holder_, query_->model, query_->neighbours, now);
    lengths_ = tables()->lengths(shard);
    if (lengths_.table == nullptr && now) lengths_ = tables()->lengths(shard, true);
    return near_.table != nullptr && lengths_.table != nullptr && scorer_->spread(*near_.table);
}

PartRange NeighbourSource::other_range() const {
    return scorer_ ? weighted(scorer_->other_range()) : PartRange{};
}

void NeighbourSource::lift(std::span<float> lifts) const {
    const double more = std::max(0.0, get_maxweight() - other_range().most);
    scorer_->lift(lifts, static_cast<float>(1.00001 * more + 0.00001));
}

void NeighbourSource::ranges(std::span<const Xapian::docid> documents,
                             std::span<PartRange> result) {
    for (std::size_t d = 0; d < documents.size(); ++d) {
        const Xapian::termcount length = lengths_.table->length(documents[d]);
        const bool is_known =
            length != LengthTable::kUnknown && length > 0 && documents[d] < near_.table->docids();
        result[d] = is_known ? weighted(scorer_->range(documents[d], length))
                             : PartRange{0, get_maxweight()};
    }
}

double NeighbourSource::weigh(Xapian::docid docid, Xapian::termcount length,
                              std::string_view value) {
    if (near_.table == nullptr) near_.count_read();
    const std::uint64_t before = scorer_->damaged();
    const double weight = weight_ * scorer_->score(docid, number(length), value);
    *damaged_ += scorer_->damaged() - before;
    return weight;
}

NeighbourSource* NeighbourSource::clone() const {
    auto* const copy = new NeighbourSource(*query_, weight_, sidecars_);
    copy->query_ = query_;
    copy->damaged_ = damaged_;
    copy->use_memory_of(*this);
    return copy;
}

std::string NeighbourSource::get_description() const {
    return fmt::format("braid::NeighbourSource(model={}, slot={}, words={}, weight={})",
                       query_->model.id, query_->model.slot, query_->words.size(), weight_);
}

void NeighbourSource::write_bytes(ByteWriter& out) const {
    refuse_remote_sidecars(sidecars_, "NeighbourSource: neighbours");
    out.real(weight_);
    write_topic_slot(out, query_->model);
    out.varint(query_->neighbours);
    out.real(query_->settings.own);
    out.real(query_->settings.mu);
    out.real(query_->longest);
    out.real(query_->length_scale);
    out.varint(query_->words.size());
    for (const SourceWord& word : query_->words) write_word(out, word);
}

std::unique_ptr<NeighbourSource> NeighbourSource::read_bytes(ByteReader& in) const {
    const double weight = in.finite_real("weight");
    NeighbourQuery query;
    query.model = read_topic_slot(in);
    query.neighbours = in.varint_in("neighbours", 1, kMostNeighbours);
    query.settings.own = in.finite_real("own");
    query.settings.mu = in.finite_real("mu");
    query.longest = in.finite_real("longest");
    query.length_scale = in.finite_real("words per unit of length");
    query.words.resize(in.count("words", 17));
    for (SourceWord& word : query.words) read_word(in, word);
    return std::make_unique<NeighbourSource>(std::move(query), weight);
}

}  // namespace braid
