// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs of any bytes: nothing but a FormatError, and what was read can be written and read again
// with the same names, scores and order, but names with control characters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "braid/core/base/text.h"
#include "braid/error.h"
#include "braid/indexer/formats/runs.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::require;

namespace {

void check_same(braid::Run& before, const braid::Run& after) {
    require(before.queries().size() == after.queries().size(), "as many queries");
    for (braid::QueryRun& query : before.queries()) {
        const braid::QueryRun* found = after.find(query.query);
        require(found != nullptr && found->documents.size() == query.documents.size(),
                "as many documents");
        braid::rank_documents(query.documents);
        for (std::size_t i = 0; i < query.documents.size(); ++i) {
            require(found->documents[i].document == query.documents[i].document, "the same order");
            require(found->documents[i].score == query.documents[i].score, "the same scores");
        }
    }
}

// Which can be read and shown, but not written.
bool has_control_names(const braid::Run& run) {
    const auto has = [](const braid::QueryRun& query) {
        return braid::has_control(query.query) ||
               std::any_of(query.documents.begin(), query.documents.end(),
                           [](const auto& scored) { return braid::has_control(scored.document); });
    };
    return braid::has_control(run.name()) ||
           std::any_of(run.queries().begin(), run.queries().end(), has);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::RunOptions options;
    options.warn = [](const std::string&) {};
    try {
        braid::Run run = braid::read_run(braid::Input::from_memory(text, "input"), options);
        // The empty line keeps a first name from being taken for a byte order mark or a
        // compression.
        std::string written;
        try {
            written = '\n' + braid::run_text(run);
        } catch (const braid::InvalidArgument&) {
            require(has_control_names(run), "what was read can be written");
            return 0;
        }
        options.duplicates = braid::RunOptions::Duplicates::kRefuse;
        try {
            check_same(run, braid::read_run(braid::Input::from_memory(written, "run"), options));
        } catch (const braid::FormatError& error) {
            require(false, error.what());
        }
    } catch (const braid::FormatError&) {
    }
    return 0;
}
