// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/debian_join.h"

#include <algorithm>
#include <utility>

namespace braid {
namespace {

// A finished document's texts hold no NUL, so one can end each of them.
std::string pack(const SourceDocument& document) {
    std::string packed;
    for (const SourceField& field : document.fields) {
        packed.append(field.name).push_back('\0');
        packed.append(field.text).push_back('\0');
    }
    packed.shrink_to_fit();
    return packed;
}

void append_unpacked(const std::string& packed, std::vector<SourceField>& fields) {
    for (std::size_t at = 0; at < packed.size();) {
        const std::size_t name_end = packed.find('\0', at);
        const std::size_t text_end = packed.find('\0', name_end + 1);
        fields.push_back({packed.substr(at, name_end - at),
                          packed.substr(name_end + 1, text_end - name_end - 1)});
        at = text_end + 1;
    }
}

bool is_translated(const SourceField& field) {
    return field.name == "name" || field.name == "title" || field.name == "text";
}

}  // namespace

bool DebianJoin::belong_together(const std::vector<std::string>& heads) {
    const auto translations =
        std::count_if(heads.begin(), heads.end(), DebianDocuments::is_translation);
    return translations > 0 && translations < static_cast<std::ptrdiff_t>(heads.size());
}

DebianJoin::DebianJoin(std::vector<Input> inputs, const ReaderContext& context)
    : context_(context) {
    for (Input& input : inputs) {
        const bool is_translation = DebianDocuments::is_translation(input.peek(kPeekedBytes));
        if (!is_translation) list_names_.push_back(input.path());
        (is_translation ? translations_ : lists_)
            .push_back(std::make_unique<DebianDocuments>(std::move(input), context));
    }
}

std::uint64_t DebianJoin::bytes_read() const {
    std::uint64_t sum = 0;
    for (const auto& list : lists_) sum += list->bytes_read();
    for (const auto& translation : translations_) sum += translation->bytes_read();
    return sum;
}

// The entry for this version of the package, a new one if need be.
DebianJoin::Package& DebianJoin::package_of(const SourceDocument& document,
                                            const std::string& description_md5) {
    const auto [begin, end] = by_name_.equal_range(document.id);
    for (auto entry = begin; entry != end; ++entry) {
        Package& known = packages_[entry->second];
        if (known.description_md5 == description_md5) return known;
    }
    by_name_.emplace(document.id, packages_.size());
    return packages_.emplace_back();
}

void DebianJoin::read_packages() {
    packages_read_ = true;
    SourceDocument document;
    for (std::size_t list = 0; list < lists_.size(); ++list) {
        while (lists_[list]->next(document)) {
            const std::string& md5 = lists_[list]->description_md5();
            Package& package = package_of(document, md5);
            package.description_md5 = md5;
            package.fields = pack(document);
            package.list = list;
            package.line = document.where.line;
        }
    }
}

// Adds what the Packages files say of the version that has this description. One that does not
// name its description is taken to be that version.
DebianJoin::Listed DebianJoin::add_listed_fields(SourceDocument& document,
                                                 const std::string& description_md5) {
    const auto [begin, end] = by_name_.equal_range(document.id);
    for (auto entry = begin; entry != end; ++entry) {
        Package& package = packages_[entry->second];
        if (package.description_md5 != description_md5 && !package.description_md5.empty() &&
            !description_md5.empty()) {
            continue;
        }
        package.has_translation = true;
        const std::size_t own = document.fields.size();
        append_unpacked(package.fields, document.fields);
        const auto listed = document.fields.begin() + static_cast<std::ptrdiff_t>(own);
        document.fields.erase(std::remove_if(listed, document.fields.end(), is_translated),
                              document.fields.end());
        return Listed::kYes;
    }
    return begin == end ? Listed::kNo : Listed::kOtherVersion;
}

bool DebianJoin::next_translation(SourceDocument& document) {
    for (; translation_ < translations_.size(); ++translation_) {
        DebianDocuments& reader = *translations_[translation_];
        while (reader.next(document)) {
            const Listed listed = add_listed_fields(document, reader.description_md5());
            if (listed != Listed::kOtherVersion) return true;
        }
    }
    return false;
}

bool DebianJoin::next_left_over(SourceDocument& document) {
    while (left_over_ < packages_.size() && packages_[left_over_].has_translation) ++left_over_;
    if (left_over_ == packages_.size()) return false;
    const Package& package = packages_[left_over_++];
    document.fields.clear();
    document.id.clear();
    append_unpacked(package.fields, document.fields);
    for (const SourceField& field : document.fields) {
        if (field.name == "name" && document.id.empty()) document.id = field.text;
    }
    document.where = {list_names_[package.list], package.line};
    return true;
}

bool DebianJoin::next(SourceDocument& document) {
    if (!packages_read_) read_packages();
    return next_translation(document) || next_left_over(document);
}

}  // namespace braid
