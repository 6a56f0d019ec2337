// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/xapian_version.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace braid {

using Query = Xapian::Query;

#if XAPIAN_AT_LEAST(1, 5, 0)
namespace {

// Matches nothing. Xapian hands a shard out to the posting sources of a search, and nowhere else.
class ShardTaker final : public Xapian::PostingSource {
  public:
    using Shards = std::vector<Xapian::Database>;

    explicit ShardTaker(std::shared_ptr<Shards> taken) : taken_(std::move(taken)) {}

    void reset(const Xapian::Database& shard, Xapian::doccount index) override {
        if (taken_->size() == index) taken_->push_back(shard);
    }
    Xapian::doccount get_termfreq_min() const override { return 0; }
    Xapian::doccount get_termfreq_est() const override { return 0; }
    Xapian::doccount get_termfreq_max() const override { return 0; }
    void next(double) override {}
    bool at_end() const override { return true; }
    Xapian::docid get_docid() const override { return 0; }
    ShardTaker* clone() const override { return new ShardTaker(taken_); }

  private:
    std::shared_ptr<Shards> taken_;
};

}  // namespace

std::vector<Xapian::Database> shards_of(const Xapian::Database& database) {
    const std::size_t count = shard_count(database);
    if (count == 1) return {database};
    const auto taken = std::make_shared<ShardTaker::Shards>();
    Xapian::Enquire enquire(database);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_query(Query((new ShardTaker(taken))->release()));
    try {
        enquire.get_mset(0, 0);
    } catch (const Xapian::UnimplementedError&) {  // A remote shard takes no source of ours.
        return {};
    }
    return taken->size() == count ? *taken : std::vector<Xapian::Database>();
}
#else
std::vector<Xapian::Database> shards_of(const Xapian::Database& database) {
    if (shard_count(database) == 1) return {database};
    std::vector<Xapian::Database> shards;
    for (const auto& shard : database.internal) shards.emplace_back(shard.get());
    return shards;
}
#endif

// "Query(0 * ships)"
bool is_scaled_to_nothing(const Query& query) {
    if (query.get_type() != Query::OP_SCALE_WEIGHT) return false;
    const std::string description = query.get_description();
    const std::size_t open = description.find('(');
    return open != std::string::npos && std::strtod(description.c_str() + open + 1, nullptr) == 0;
}

// "Query(WILDCARD SYNONYM ship)"
Query::op wildcard_operator(const Query& query) {
    if (query.get_type() != Query::OP_WILDCARD) return Query::OP_INVALID;
    const std::string description = query.get_description();
    const auto is_joined = [&](const char* name) {
        return description.starts_with(std::string("Query(WILDCARD ") + name + ' ');
    };
    if (is_joined("SYNONYM")) return Query::OP_SYNONYM;
    if (is_joined("MAX")) return Query::OP_MAX;
    return is_joined("OR") ? Query::OP_OR : Query::OP_INVALID;
}

}  // namespace braid
