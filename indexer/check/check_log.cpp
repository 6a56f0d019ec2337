// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/check/check_log.h"

#include <utility>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr std::uint64_t kDocumentsPerTick = 4096;

}  // namespace

void CheckLog::add(Kind kind, std::string where, std::string problem, std::string cure) {
    report_.findings.push_back(
        {kind, spec_, std::move(where), std::move(problem), std::move(cure)});
}

void CheckLog::note(std::uint64_t count, const std::string& where, const std::string& what) {
    if (count > 0) add(Kind::kNote, where, fmt::format("{} {}", count, what));
}

bool CheckLog::read(const std::string& where, const std::function<void()>& work, std::string cure) {
    try {
        work();
    } catch (const Cancelled&) {
        throw;
    } catch (const NewerFormat& error) {
        add(Kind::kNewer, where, error.what(), "check it with the Braid that wrote it");
    } catch (const Error& error) {
        add(Kind::kDamaged, where, error.what(), std::move(cure));
        return false;
    } catch (const Xapian::DatabaseModifiedError&) {
        throw;
    } catch (const Xapian::FeatureUnavailableError& error) {
        add(Kind::kNote, where, "can't be checked: " + error.get_msg());
    } catch (const Xapian::UnimplementedError& error) {
        add(Kind::kNote, where, "can't be checked: " + error.get_msg());
    } catch (const Xapian::Error& error) {
        database_damaged_ = true;
        add(Kind::kDatabase, where,
            fmt::format("Xapian can't read it: {}: {}", error.get_type(), error.get_msg()),
            "the database itself is damaged, not what Braid keeps in it: xapian-check says more");
    }
    return true;
}

void CheckLog::tick(const char* phase, std::uint64_t done, std::uint64_t total) const {
    if (done % kDocumentsPerTick != 0 || !progress_) return;
    if (!progress_({phase, done, total, "documents", spec_})) {
        throw Cancelled("stopped before the check was done");
    }
}

}  // namespace braid
