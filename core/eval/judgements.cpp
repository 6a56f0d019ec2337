// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/judgements.h"

#include <algorithm>
#include <utility>

#include "braid/core/eval/name_table.h"

namespace braid {
namespace {

// Up to here looking through all names is faster than hashing one.
constexpr std::size_t kFew = 12;

}  // namespace

struct Judgements::Contents {
    NamePool names;
    std::deque<QueryJudgements> queries;
    QueryIndex by_query;
    std::size_t size = 0;
};

QueryJudgements::QueryJudgements(std::string query) : query_(std::move(query)) {}
QueryJudgements::~QueryJudgements() = default;
QueryJudgements::QueryJudgements(QueryJudgements&&) noexcept = default;
QueryJudgements& QueryJudgements::operator=(QueryJudgements&&) noexcept = default;

std::uint32_t QueryJudgements::find(std::string_view document) const {
    if (by_document_) {
        return by_document_->find(
            document, [this](std::uint32_t position) { return judgements_[position].document; });
    }
    for (std::size_t i = 0; i < judgements_.size(); ++i) {
        if (judgements_[i].document == document) return static_cast<std::uint32_t>(i);
    }
    return NameTable::kNone;
}

void QueryJudgements::append(const Judgement& judgement) {
    const auto name_of = [this](std::uint32_t position) { return judgements_[position].document; };
    judgements_.push_back(judgement);
    if (judgements_.size() <= kFew) return;
    std::size_t first = judgements_.size() - 1;
    if (!by_document_) {
        by_document_ = std::make_unique<NameTable>();
        by_document_->reset(2 * judgements_.size());
        first = 0;
    }
    for (std::size_t i = first; i < judgements_.size(); ++i) {
        by_document_->insert(judgements_[i].document, static_cast<std::uint32_t>(i), name_of);
    }
}

std::optional<Grade> QueryJudgements::grade(std::string_view document) const {
    const std::uint32_t found = find(document);
    if (found == NameTable::kNone) return std::nullopt;
    return judgements_[found].grade;
}

std::size_t QueryJudgements::count_from(Grade grade) const {
    return static_cast<std::size_t>(
        std::count_if(judgements_.begin(), judgements_.end(),
                      [grade](const Judgement& judgement) { return judgement.grade >= grade; }));
}

Judgements::Judgements() : contents_(std::make_unique<Contents>()) {}
Judgements::~Judgements() = default;
Judgements::Judgements(Judgements&&) noexcept = default;
Judgements& Judgements::operator=(Judgements&&) noexcept = default;

const std::deque<QueryJudgements>& Judgements::queries() const { return contents_->queries; }
std::size_t Judgements::size() const { return contents_->size; }

Judgements::Added Judgements::add(std::string_view query, std::string_view document, Grade grade) {
    auto place = contents_->by_query.find_exactly(query);
    if (!place) {
        place = contents_->queries.size();
        contents_->queries.emplace_back(std::string(query));
        contents_->by_query.add(contents_->queries.back().query(), *place);
    }
    QueryJudgements& target = contents_->queries[*place];
    const std::uint32_t found = target.find(document);
    if (found != NameTable::kNone) {
        return target.judgements_[found].grade == grade ? Added::kSame : Added::kConflict;
    }
    target.append({contents_->names.store(document), grade});
    ++contents_->size;
    return Added::kNew;
}

const QueryJudgements* Judgements::find(std::string_view query) const {
    const auto place = contents_->by_query.find(query);
    return place ? &contents_->queries[*place] : nullptr;
}

}  // namespace braid
