// SPDX-License-Identifier: GPL-2.0-or-later
//
// Judgements of any bytes, in the form that is guessed and in every form by name, with and without
// a grade map: nothing but a FormatError, and grades that can be looked up.
#include <cstddef>
#include <cstdint>
#include <string>

#include "braid/error.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::require;

namespace {

void read(const std::string& text, const braid::JudgementOptions& options) {
    try {
        const auto judgements =
            braid::read_judgements(braid::Input::from_memory(text, "input"), options);
        std::size_t pairs = 0;
        for (const braid::QueryJudgements& query : judgements.queries()) {
            for (const auto& [document, grade] : query.all()) {
                require(query.grade(document) == grade, "every grade is found");
            }
            pairs += query.all().size();
            require(judgements.find(query.query()) == &query, "every query is found");
        }
        require(pairs == judgements.size() && pairs > 0, "the size is that of all queries");
    } catch (const braid::FormatError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::JudgementOptions options;
    options.warn = [](const std::string&) {};
    read(text, options);
    options.grades = braid::GradeMap("1=4,2=3,0.5=1,all=same");
    for (const braid::JudgementFormat& format : braid::judgement_formats()) {
        options.format = format.name;
        read(text, options);
    }
    return 0;
}
