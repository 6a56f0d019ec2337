// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

/// A key of a configuration, described for messages and the reference.
struct KeyInfo {
    std::string path;           ///< "index.fields[].prefix"; [] stands for each list item.
    std::string values;         ///< Its values: "an integer from 1 to 240".
    std::string default_value;  ///< In YAML; "" if required or with keys of its own.
    bool required = false;
    std::string summary;        ///< One sentence.
    std::vector<KeyInfo> keys;  ///< Keys of a map, or of each map in a list.
};

/// All keys of a configuration, in the order in which they are written.
std::vector<KeyInfo> settings_keys();

/// The keys as Markdown: a section for each map, with a table of its keys.
std::string settings_reference();

}  // namespace braid
