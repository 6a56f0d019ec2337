// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// The index in `names` of the field that names the document: `wanted`, if it is not "", in any
/// case; else the first of the usual ones (_id, id, docno, docid, doc_id, document_id, uuid) that
/// is there; else names.size(). `names` are lower-cased.
std::size_t find_id_field(const std::vector<std::string_view>& names, std::string_view wanted);

}  // namespace braid
