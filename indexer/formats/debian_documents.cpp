// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/debian_documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"

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

namespace {

// About files in the archive, not about packages.
constexpr std::array<std::string_view, 12> kDropped{"filename",
                                                    "size",
                                                    "md5sum",
                                                    "sha1",
                                                    "sha256",
                                                    "sha512",
                                                    "files",
                                                    "checksums-sha1",
                                                    "description-md5",
                                                    "checksums-sha256",
                                                    "checksums-sha512",
                                                    "directory"};

// "Name: value", or "" where the line is nothing of the kind.
std::string_view name_of(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return {};
    const std::string_view name = line.substr(0, colon);
    const bool is_name =
        std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7F; });
    return is_name && name[0] != '#' && name[0] != '-' ? name : std::string_view();
}

// "description", or in a translation "description-en", "description-pt_br".
bool is_description(std::string_view name) {
    return name.starts_with("description") && name != "description-md5" &&
           (name.size() == 11 || name[11] == '-');
}

// A value's line behind its first: without the blank that marks it; " ." stands for an empty one.
std::string_view continuation(std::string_view line) {
    line.remove_prefix(1);
    return line == "." ? std::string_view() : line;
}

// Splits "a::b, c::{d,e}" into a field for each tag.
void append_tags(std::string_view list, std::vector<SourceField>& fields) {
    while (!list.empty()) {
        std::size_t comma = list.find(',');
        const std::size_t brace = list.find('{');
        if (brace < comma) comma = list.find(',', std::min(list.find('}', brace), list.size()));
        const std::string_view tag = trimmed(list.substr(0, comma));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
        const std::size_t open = tag.find('{');
        if (open == std::string_view::npos || !tag.ends_with('}')) {
            fields.push_back({"tag", std::string(tag)});
            continue;
        }
        std::string_view inside = tag.substr(open + 1, tag.size() - open - 2);
        while (!inside.empty()) {
            const std::size_t end = std::min(inside.find(','), inside.size());
            std::string one(tag.substr(0, open));
            one += trimmed(inside.substr(0, end));
            fields.push_back({"tag", std::move(one)});
            inside.remove_prefix(std::min(end + 1, inside.size()));
        }
    }
}

}  // namespace

int DebianDocuments::recognise(const std::string&, std::string_view head) {
    // The first paragraph has its name and one of what only package lists have.
    bool has_package = false;
    bool has_more = false;
    std::size_t begin = std::min(head.find_first_not_of("\r\n"), head.size());
    while (begin < head.size()) {
        const std::size_t end = std::min(head.find('\n', begin), head.size());
        std::string_view line = head.substr(begin, end - begin);
        begin = end + 1;
        if (trimmed(line).empty()) break;
        if (line[0] == ' ' || line[0] == '\t' || line[0] == '#') continue;
        const std::string name = lower_cased(name_of(line));
        if (name.empty() && end < head.size()) return 0;
        has_package |= name == "package";
        has_more |= name == "version" || name == "architecture" || is_description(name);
    }
    return has_package && has_more ? 100 : 0;
}

bool DebianDocuments::is_translation(std::string_view head) {
    const std::string paragraph = lower_cased(head.substr(0, head.find("\n\n")));
    return paragraph.find("\nversion:") == std::string::npos &&
           paragraph.find("\ndescription-") != std::string::npos &&
           paragraph.find("\ndescription:") == std::string::npos;
}

// Adds the field that `line` begins, with what stands behind its colon; false if it begins none.
bool DebianDocuments::begin_field(SourceDocument& document, std::string_view line) {
    const std::string_view name = name_of(line);
    if (name.empty()) return false;
    const std::string_view value = trimmed(line.substr(name.size() + 1));
    document.fields.push_back({lower_cased(name), std::string(value)});
    return true;
}

// Collects a paragraph's fields as they are, values of several lines joined by newlines.
DebianDocuments::Paragraph DebianDocuments::read_paragraph(SourceDocument& document) {
    std::size_t size = 0;
    document.fields.clear();
    std::string_view line;
    while (lines_.next(line)) {
        if (trimmed(line).empty()) {
            if (size > 0) break;
            continue;
        }
        if (line[0] == '#') continue;
        if (size == 0) document.where = lines_.where();
        size = lines_.was_cut() ? context_.options.max_record + 1 : size + line.size() + 1;
        if (size > context_.options.max_record) continue;
        if ((line[0] == ' ' || line[0] == '\t') && !document.fields.empty()) {
            document.fields.back().text.append(1, '\n').append(continuation(line));
        } else if (!begin_field(document, line)) {
            if (paragraphs_ == 0) {
                throw FormatError(
                    lines_.where(),
                    "not a package list: expected 'Name: value', found '" + excerpt(line) + "'");
            }
            context_.warn(lines_.where(),
                          "line skipped: neither 'Name: value' nor its continuation");
        }
    }
    if (size == 0) return Paragraph::kNone;
    ++paragraphs_;
    return size > context_.options.max_record ? Paragraph::kTooLong : Paragraph::kComplete;
}

// Gives the fields the names and the form they have in a document.
void DebianDocuments::finish_fields(SourceDocument& document) {
    std::vector<SourceField> given;
    given.swap(document.fields);
    document.id.clear();
    description_md5_.clear();
    for (SourceField& field : given) {
        if (field.name == "package") {
            if (document.id.empty()) document.id = field.text;
            document.fields.push_back({"name", std::move(field.text)});
        } else if (is_description(field.name)) {
            const std::size_t end = std::min(field.text.find('\n'), field.text.size());
            document.fields.push_back({"title", field.text.substr(0, end)});
            field.text.erase(0, end);
            document.fields.push_back({"text", std::move(field.text)});
        } else if (field.name == "tag") {
            append_tags(field.text, document.fields);
        } else if (field.name == "description-md5") {
            description_md5_ = std::move(field.text);
        } else if (std::find(kDropped.begin(), kDropped.end(), field.name) == kDropped.end()) {
            document.fields.push_back(std::move(field));
        }
    }
}

bool DebianDocuments::next(SourceDocument& document) {
    for (;;) {
        switch (read_paragraph(document)) {
            case Paragraph::kNone:
                return false;
            case Paragraph::kTooLong:
                warn_too_long(document.where, context_);
                break;
            case Paragraph::kComplete:
                if (document.fields.empty()) break;  // All its lines were skipped.
                finish_fields(document);
                finish_document(document, context_);
                return true;
        }
    }
}

}  // namespace braid
