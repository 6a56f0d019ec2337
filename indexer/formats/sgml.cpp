// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/sgml.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "braid/indexer/formats/entities.h"
#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// Longer than any real tag; so an unmatched '<' costs no more than this to find out.
constexpr std::size_t kLongestTag = 4096;

// HTML's elements for paragraphs and parts of them. Sorted.
constexpr std::array<std::string_view, 40> kMarkup{
    "a",     "abbr", "b",      "big", "blockquote", "br",    "center", "cite", "code", "dd",
    "div",   "dl",   "dt",     "em",  "font",       "h1",    "h2",     "h3",   "h4",   "h5",
    "h6",    "hr",   "i",      "img", "li",         "ol",    "p",      "pre",  "q",    "s",
    "small", "span", "strong", "sub", "sup",        "table", "td",     "tr",   "tt",   "ul"};
static_assert(std::is_sorted(kMarkup.begin(), kMarkup.end()));

bool is_markup(std::string_view name) {
    return std::binary_search(kMarkup.begin(), kMarkup.end(), name);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_name_character(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
}

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

struct Tag {
    enum Kind { kStart, kEnd, kDropped };
    Kind kind = kDropped;  // kDropped: comments, declarations, "<br/>".
    std::string name;      // Lower-cased.
    std::size_t begin = 0;
    std::size_t end = 0;           // Behind its '>'.
    std::size_t matching = kNone;  // A start tag's end tag, by index.
};

// Behind the '>' that ends the tag that began before `at`; a quoted value may hold '>' and '<'.
// kNone if there is none.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
    const std::size_t limit = std::min(text.size(), at + kLongestTag);
    char quote = '\0';
    for (; at < limit; ++at) {
        const char c = text[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '>') {
            return at + 1;
        } else if (c == '<') {
            return kNone;
        } else if ((c == '"' || c == '\'') && at > 0 && text[at - 1] == '=') {
            quote = c;
        }
    }
    return kNone;
}

// Reads the tag whose '<' is at `at`; false if that '<' is only a character.
bool read_tag(std::string_view text, std::size_t at, Tag& tag) {
    tag = Tag();
    tag.begin = at;
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
        const std::size_t end = text.find("-->", at + 4);
        tag.end = end == kNone ? kNone : end + 3;
        return end != kNone;
    }
    if (rest.starts_with("<![CDATA[")) {
        tag.end = at + 9;
        return true;
    }
    if (rest.starts_with("<!") || rest.starts_with("<?")) {
        tag.end = end_of_tag(text, at + 2);
        return tag.end != kNone;
    }
    tag.kind = rest.starts_with("</") ? Tag::kEnd : Tag::kStart;
    const std::size_t name = at + (tag.kind == Tag::kEnd ? 2 : 1);
    std::size_t name_end = name;
    while (name_end < text.size() && is_name_character(text[name_end])) ++name_end;
    if (name_end == name || !is_letter(text[name])) return false;
    if (name_end == text.size() ||
        !(is_blank(text[name_end]) || text[name_end] == '>' || text[name_end] == '/')) {
        return false;
    }
    tag.end = end_of_tag(text, name_end);
    if (tag.end == kNone) return false;
    tag.name = lower_cased(text.substr(name, name_end - name));
    if (tag.kind == Tag::kStart && text[tag.end - 2] == '/') tag.kind = Tag::kDropped;
    return true;
}

std::vector<Tag> read_tags(std::string_view text) {
    std::vector<Tag> tags;
    Tag tag;
    // Where no "-->" follows, looking for one at every "<!--" would be quadratic.
    bool comments_end = true;
    std::size_t at = text.find('<');
    while (at != kNone) {
        const bool comment = text.substr(at).starts_with("<!--");
        if ((!comment || comments_end) && read_tag(text, at, tag)) {
            at = tag.end;
            tags.push_back(std::move(tag));
        } else {
            comments_end &= !comment;
            ++at;
        }
        at = text.find('<', at);
    }
    return tags;
}

// Finds every start tag's end tag. A start tag that is still open when an element around it ends
// has none. Linear: each tag enters and leaves the stack once.
void match_tags(std::vector<Tag>& tags) {
    std::vector<std::size_t> open;
    std::unordered_map<std::string_view, std::size_t> open_count;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        if (tags[i].kind == Tag::kStart) {
            open.push_back(i);
            ++open_count[tags[i].name];
        }
        if (tags[i].kind != Tag::kEnd || open_count[tags[i].name] == 0) continue;
        for (bool found = false; !found;) {
            Tag& start = tags[open.back()];
            found = start.name == tags[i].name;
            if (found) start.matching = i;
            --open_count[start.name];
            open.pop_back();
        }
    }
}

void append_attributes(std::string_view text, std::vector<SourceField>& fields) {
    std::size_t at = 0;
    const auto skip_blanks = [&] {
        while (at < text.size() && is_blank(text[at])) ++at;
    };
    while (at < text.size()) {
        skip_blanks();
        const std::size_t name = at;
        while (at < text.size() && is_name_character(text[at])) ++at;
        const std::string_view found = text.substr(name, at - name);
        if (found.empty()) {
            ++at;
            continue;
        }
        skip_blanks();
        if (at == text.size() || text[at] != '=') continue;
        ++at;
        skip_blanks();
        const bool quoted = at < text.size() && (text[at] == '"' || text[at] == '\'');
        const std::size_t value = at + (quoted ? 1 : 0);
        at = quoted ? text.find(text[at], value) : text.find_first_of(kBlanks, value);
        at = std::min(at, text.size());
        SourceField& field = fields.emplace_back(SourceField{lower_cased(found), {}});
        append_decoded(text.substr(value, at - value), field.text);
        if (quoted && at < text.size()) ++at;
    }
}

// Turns tags and the text between them into fields.
class FieldMaker {
  public:
    FieldMaker(std::string_view text, const std::vector<Tag>& tags,
               std::vector<SourceField>& fields)
        : text_(text), tags_(tags), fields_(fields) {}

    void run() {
        std::size_t from = 0;
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            add_text(text_.substr(from, tags_[i].begin - from));
            i = see(i);
            from = tags_[i].end;
        }
        add_text(text_.substr(from));
    }

  private:
    void add_text(std::string_view text) {
        if (!in_field_) {
            if (trimmed(text).empty()) return;
            begin_field("text");
        }
        append_decoded(text, fields_.back().text);
    }

    void begin_field(const std::string& name) {
        fields_.push_back({name, {}});
        in_field_ = true;
    }

    // Returns the tag to go on behind: this one, or a script's end.
    std::size_t see(std::size_t i) {
        const Tag& tag = tags_[i];
        const bool is_start = tag.kind == Tag::kStart;
        const bool is_code = tag.name == "script" || tag.name == "style";
        if (is_start && is_code && tag.matching != kNone) return tag.matching;
        const bool inside = field_end_ != kNone;
        if (inside && i == field_end_) {
            in_field_ = false;
            field_end_ = kNone;
        } else if (is_start && !inside && !is_markup(tag.name)) {
            begin_field(tag.name);
            field_end_ = tag.matching;
        } else if (in_field_) {
            fields_.back().text += ' ';
        }
        return i;
    }

    std::string_view text_;
    const std::vector<Tag>& tags_;
    std::vector<SourceField>& fields_;
    bool in_field_ = false;
    std::size_t field_end_ = kNone;  // The end tag of the field's element, if it has one.
};

}  // namespace

void parse_sgml_record(std::string_view record, std::vector<SourceField>& fields) {
    const std::size_t end = end_of_tag(record, 0);
    if (end != kNone) {
        append_attributes(record.substr(0, end - 1), fields);
        record.remove_prefix(end);
    }
    std::vector<Tag> tags = read_tags(record);
    match_tags(tags);
    FieldMaker(record, tags, fields).run();
}

}  // namespace braid
