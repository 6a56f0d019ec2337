// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/pool_postings.h"

#include <algorithm>
#include <optional>

#include "braid/plugin/tables/record_reader.h"

namespace braid {

const PoolPostings::Term& PoolPostings::term(const std::string& term) {
    stop_in_time(limit_.get());
    const auto [entry, is_new] = terms_.try_emplace(term);
    Term& found = entry->second;
    if (!is_new) return found;
    found.has.resize(documents_.size());
    found.counts.resize(documents_.size());
    Xapian::PostingIterator posting = database_.postlist_begin(term);
    const Xapian::PostingIterator end = database_.postlist_end(term);
    for (std::size_t i = 0; i < documents_.size() && posting != end; ++i) {
        posting.skip_to(documents_[i]);
        if (posting == end) break;
        if (*posting != documents_[i]) continue;
        found.has[i] = 1;
        found.counts[i] = static_cast<double>(posting.get_wdf());
    }
    return found;
}

const std::vector<double>& PoolPostings::lengths() {
    if (lengths_.size() == documents_.size()) return lengths_;
    for (const Xapian::docid docid : documents_) {
        if (limit_ != nullptr && limit_->is_over()) throw TimeIsOver();
        lengths_.push_back(static_cast<double>(database_.get_doclength(docid)));
    }
    return lengths_;
}

const std::vector<DocumentStatistics>& PoolPostings::records() {
    if (records_.size() == documents_.size()) return records_;
    const std::vector<double>& all_lengths = lengths();
    std::optional<DatabaseRecords> reader;
    if (DatabaseRecords::are_in(database_)) reader.emplace(database_);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        if (limit_ != nullptr && limit_->is_over()) throw TimeIsOver();
        DocumentStatistics& document = records_.emplace_back();
        document.length = all_lengths[i];
        if (reader) {
            fill(*reader, i, document);
        } else {
            document.unique_terms = static_cast<double>(database_.get_unique_terms(documents_[i]));
        }
    }
    return records_;
}

const std::vector<DocumentStatistics>& PoolPostings::field_records(const std::string& field) {
    stop_in_time(limit_.get());
    const auto [entry, is_new] = field_records_.try_emplace(field);
    std::vector<DocumentStatistics>& records = entry->second;
    if (!is_new) return records;
    DatabaseRecords reader(database_, {field});
    records.resize(documents_.size());
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        DocumentStatistics document{.length = lengths()[i]};
        fill(reader, i, document, {&records[i], 1});
    }
    return records;
}

void PoolPostings::fill(DatabaseRecords& reader, std::size_t i, DocumentStatistics& document,
                        std::span<DocumentStatistics> fields) {
    std::uint64_t damaged = 0;
    reader.count_damage_in(damaged);
    reader.fill(documents_[i], document, fields);
    if (damaged > 0) damaged_.insert(documents_[i]);
}

PoolValues::PoolValues(const std::vector<Xapian::Database>& shards, Xapian::valueno slot,
                       VectorTables* tables) {
    for (const Xapian::Database& shard : shards) {
        database_.add_database(shard);
        if (tables != nullptr) access_.push_back(tables->vectors(shard, slot));
    }
    in_memory_ = tables != nullptr && std::all_of(access_.begin(), access_.end(),
                                                  [](const auto& a) { return a.table != nullptr; });
    if (in_memory_) return;
    at_ = database_.valuestream_begin(slot);
    end_ = database_.valuestream_end(slot);
}

const std::string& PoolValues::value(Xapian::docid docid) {
    const auto shards = static_cast<Xapian::docid>(access_.size());
    if (in_memory_) {
        value_ = access_[(docid - 1) % shards].table->value((docid - 1) / shards + 1);
        return value_;
    }
    if (shards > 0 && access_[(docid - 1) % shards].reads != nullptr) {
        ++*access_[(docid - 1) % shards].reads;
    }
    if (at_ != end_) at_.skip_to(docid);
    if (at_ != end_ && at_.get_docid() == docid) {
        value_ = *at_;
    } else {
        value_.clear();
    }
    return value_;
}

std::vector<double> counts_in(const Xapian::Database& database, Xapian::docid docid,
                              const std::vector<std::string>& terms) {
    std::vector<double> counts;
    for (const std::string& wanted : terms) {
        Xapian::TermIterator term = database.termlist_begin(docid);
        const Xapian::TermIterator end = database.termlist_end(docid);
        term.skip_to(wanted);
        const bool found = term != end && *term == wanted;
        counts.push_back(found ? static_cast<double>(term.get_wdf()) : 0);
    }
    return counts;
}

}  // namespace braid
