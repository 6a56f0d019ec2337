// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid {

/// Appends `text` with its character references decoded: numeric ones, HTML's Latin-1 and
/// typographic names and the ISO names that news collections use (&hyph; &blank;). A number from
/// 128 to 159 means the windows-1252 character, as in HTML. Other text stays unchanged.
void append_decoded(std::string_view text, std::string& decoded);

/// Appends the attributes and elements of an SGML record as fields with lower-cased names.
/// `record` is what follows "<DOC": attributes, ">" and the content. Rules, in
/// docs/formats.md: an element directly below DOC is a field, with the text of all that
/// is inside it; one without end tag ends where the next one begins; paragraph and inline markup
/// never begins a field; text outside all elements is "text". Character references are decoded,
/// comments and scripts dropped. Anything that can't be a tag is text. O(size of the record).
void parse_sgml_record(std::string_view record, std::vector<SourceField>& fields);

}  // namespace braid
