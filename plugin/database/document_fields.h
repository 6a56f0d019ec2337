// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include "braid/core/base/export.h"

namespace braid {

/// The fields in a document's data: a JSON object, as Braid writes, or lines of name=value, as
/// Omega does. Empty for anything else.
BRAID_API std::map<std::string, std::string> document_fields(const std::string& data);

/// What to call a document in a list of results: its title, caption, subject or name, else the
/// first line of its data.
BRAID_API std::string document_title(const std::map<std::string, std::string>& fields,
                                     const std::string& data);

/// What snippets are made of: the text or sample, else all fields but the title's, else the data.
BRAID_API std::string document_text(const std::map<std::string, std::string>& fields,
                                    const std::string& data);

}  // namespace braid
