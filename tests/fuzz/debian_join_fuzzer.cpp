// SPDX-License-Identifier: GPL-2.0-or-later
// Several package lists read as one. The inputs stand one behind the other, between lines "---".
#include <algorithm>
#include <cstdint>

#include "braid/indexer/formats/debian_documents.h"
#include "braid/tests/fuzz/document_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<braid::Input> inputs;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find("---\n", begin), text.size());
        inputs.push_back(braid::Input::from_memory(text.substr(begin, end - begin), "input"));
        begin = end + 4;
    }
    const braid::ReaderContext context{{}, std::make_shared<braid::WarningCounter>(nullptr)};
    try {
        braid::DebianJoin reader(std::move(inputs), context);
        braid::fuzz::read_and_check(reader, text.size());
    } catch (const braid::FormatError&) {
    }
    return 0;
}
