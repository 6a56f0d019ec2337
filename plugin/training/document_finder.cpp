// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/document_finder.h"

#include "braid/plugin/store/terms.h"

namespace braid {

using Kind = DocumentNameSource::Kind;

const std::string& DocumentFinder::name(Xapian::docid docid) {
    const auto [entry, is_new] = names_.try_emplace(docid);
    std::string& name = entry->second;
    if (!is_new) return name;
    // Within a shard a document has another number, which is not its name.
    if (source_.kind != Kind::kDocid) {
        name = document_name(database_.get_document(docid), source_);
    }
    if (name.empty()) name = std::to_string(docid);
    return name;
}

std::optional<Xapian::docid> DocumentFinder::find(const std::string& name) {
    if (name.empty()) return std::nullopt;
    if (source_.kind == Kind::kTerm) {
        // As Braid makes terms of names, or as other programs might.
        const auto found = find_by_term(exact_term(source_.prefix, name), name);
        return found ? found : find_by_term(source_.prefix + name, name);
    }
    if (!has_all_) read_all();
    const auto found = docids_.find(name);
    if (found == docids_.end()) return std::nullopt;
    return found->second;
}

std::optional<Xapian::docid> DocumentFinder::find_by_term(const std::string& term,
                                                          const std::string& wanted) {
    for (auto found = database_.postlist_begin(term); found != database_.postlist_end(term);
         ++found) {
        if (name(*found) == wanted) return *found;
    }
    return std::nullopt;
}

void DocumentFinder::read_all() {
    for (auto found = database_.postlist_begin(""); found != database_.postlist_end(""); ++found) {
        docids_.try_emplace(name(*found), *found);
    }
    has_all_ = true;
}

}  // namespace braid
