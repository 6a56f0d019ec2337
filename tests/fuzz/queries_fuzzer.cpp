// SPDX-License-Identifier: GPL-2.0-or-later
//
// Queries of any bytes, in the format that is guessed and in every format by name: nothing but a
// FormatError; every query has an id of its own and valid text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "braid/error.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/tests/fuzz/document_checks.h"

using braid::fuzz::require;

namespace {

void read(const std::string& text, const braid::QueryOptions& options) {
    try {
        const auto queries = braid::read_queries(braid::Input::from_memory(text, "input"), options);
        require(!queries.empty(), "there are queries");
        std::unordered_set<std::string> ids;
        for (const braid::SourceQuery& query : queries) {
            require(!query.id.empty() && ids.insert(query.id).second, "an id of its own");
            require(braid::is_utf8(query.text) && query.where.line > 0, "valid text and a place");
        }
    } catch (const braid::FormatError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    braid::QueryOptions options;
    options.warn = [](const std::string&) {};
    read(text, options);
    options.ids = braid::QueryOptions::Ids::kSequence;
    for (const braid::QueryFormat& format : braid::query_formats()) {
        options.format = format.name;
        read(text, options);
    }
    return 0;
}
