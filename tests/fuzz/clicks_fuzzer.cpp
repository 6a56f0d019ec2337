// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clicks and interleaved searches of any bytes: nothing but a FormatError, and a log that comes in
// two parts says what it says at once.
#include <cstddef>
#include <cstdint>
#include <string>

#include "braid/error.h"
#include "braid/indexer/formats/click_reader.h"
#include "braid/indexer/formats/draft_log.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::require;

namespace {

void check_parts(const std::string& text, const braid::Judgements& whole) {
    const std::size_t middle = text.find('\n', text.size() / 2);
    if (middle == std::string::npos) return;
    braid::ClickLog log("input", {});
    log.add(text.substr(0, middle + 1));
    log.add_rest(text.substr(middle + 1));
    const braid::Judgements parts = log.judge();
    require(parts.size() == whole.size(), "as many judgements");
    for (const braid::QueryJudgements& query : whole.queries()) {
        const braid::QueryJudgements* found = parts.find(query.query());
        require(found != nullptr, "the same queries");
        for (const braid::Judgement& one : query.all()) {
            require(found->grade(one.document) == one.grade, "the same grades");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        braid::ClickLog log("input", {});
        log.add_rest(text);
        const braid::Judgements judgements = log.judge();
        for (const braid::QueryJudgements& query : judgements.queries()) {
            for (const braid::Judgement& one : query.all()) {
                require(one.grade >= 0 && one.grade <= 4, "a grade from 0 to 4");
            }
        }
        check_parts(text, judgements);
    } catch (const braid::FormatError&) {
    }
    try {
        for (const auto& one : braid::read_draft_log(braid::Input::from_memory(text, "input"))) {
            require(one.rankings[0] != one.rankings[1], "two rankings");
        }
    } catch (const braid::FormatError&) {
    }
    return 0;
}
