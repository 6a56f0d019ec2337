// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// One key that a configuration may have, as messages and the reference tell of it.
struct KeyInfo {
    std::string path;           ///< "index.fields[].prefix"; [] stands for each of a list.
    std::string values;         ///< What it may be: "an integer from 1 to 240".
    std::string default_value;  ///< In YAML; "" for what is required or has keys of its own.
    bool required = false;
    std::string summary;        ///< One sentence.
    std::vector<KeyInfo> keys;  ///< Of a map, or of each map in a list.
};

/// Every key that a configuration may have, in the order in which they are written.
BRAID_API std::vector<KeyInfo> settings_keys();

/// The same as Markdown: a section for each map, with a table of its keys.
BRAID_API std::string settings_reference();

}  // namespace braid
