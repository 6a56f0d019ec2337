// SPDX-License-Identifier: GPL-2.0-or-later
// One program for each document format: BRAID_FUZZ_FORMAT is its name.
#include <cstdint>

#include "braid/tests/fuzz/document_checks.h"

using braid::Input;
using braid::ReaderOptions;
using braid::fuzz::read_and_check;
using braid::fuzz::require;

namespace {

std::string read(const std::string& text, std::size_t piece, std::size_t max_record) {
    std::string warnings;
    ReaderOptions options;
    options.max_record = max_record;
    options.warn = [&](const std::string& message) { warnings += message + '\n'; };
    std::string all;
    try {
        const auto reader = braid::open_documents(Input::from_memory(text, "input", piece),
                                                  BRAID_FUZZ_FORMAT, options);
        all = read_and_check(*reader, text.size() + 1);
    } catch (const braid::FormatError& error) {
        all = error.what();
    }
    require(braid::is_utf8(warnings), "warnings are valid UTF-8");
    return all + '\n' + warnings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(text, SIZE_MAX, 1 << 20);
    require(read(text, 1, 1 << 20) == whole, "the same in pieces");
    require(read(text, 7, 50) == read(text, SIZE_MAX, 50), "the same in pieces, cut to records");
    try {
        braid::guess_document_format("input", text);
    } catch (const braid::FormatError&) {
    }
    return 0;
}
