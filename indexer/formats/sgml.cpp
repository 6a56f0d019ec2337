// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/sgml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_map>

#include "braid/indexer/formats/text_cleaning.h"

namespace braid {
namespace {

struct Entity {
    std::string_view name;
    char32_t code;
};

// Sorted by name, bytewise.
constexpr std::array<Entity, 174> kEntities{
    {{"AElig", 0xC6},    {"Aacute", 0xC1},   {"Acirc", 0xC2},    {"Agrave", 0xC0},
     {"Aring", 0xC5},    {"Atilde", 0xC3},   {"Auml", 0xC4},     {"Ccedil", 0xC7},
     {"Dagger", 0x2021}, {"ETH", 0xD0},      {"Eacute", 0xC9},   {"Ecirc", 0xCA},
     {"Egrave", 0xC8},   {"Euml", 0xCB},     {"Iacute", 0xCD},   {"Icirc", 0xCE},
     {"Igrave", 0xCC},   {"Iuml", 0xCF},     {"Ntilde", 0xD1},   {"OElig", 0x152},
     {"Oacute", 0xD3},   {"Ocirc", 0xD4},    {"Ograve", 0xD2},   {"Oslash", 0xD8},
     {"Otilde", 0xD5},   {"Ouml", 0xD6},     {"Prime", 0x2033},  {"Scaron", 0x160},
     {"THORN", 0xDE},    {"Uacute", 0xDA},   {"Ucirc", 0xDB},    {"Ugrave", 0xD9},
     {"Uuml", 0xDC},     {"Yacute", 0xDD},   {"Yuml", 0x178},    {"aacute", 0xE1},
     {"acirc", 0xE2},    {"acute", 0xB4},    {"aelig", 0xE6},    {"agrave", 0xE0},
     {"amp", 0x26},      {"apos", 0x27},     {"aring", 0xE5},    {"ast", 0x2A},
     {"atilde", 0xE3},   {"auml", 0xE4},     {"bdquo", 0x201E},  {"blank", 0x20},
     {"brvbar", 0xA6},   {"bsol", 0x5C},     {"bull", 0x2022},   {"ccedil", 0xE7},
     {"cedil", 0xB8},    {"cent", 0xA2},     {"check", 0x2713},  {"cir", 0x25CB},
     {"circ", 0x2C6},    {"colon", 0x3A},    {"comma", 0x2C},    {"commat", 0x40},
     {"copy", 0xA9},     {"cross", 0x2717},  {"curren", 0xA4},   {"dagger", 0x2020},
     {"dash", 0x2010},   {"deg", 0xB0},      {"divide", 0xF7},   {"dollar", 0x24},
     {"eacute", 0xE9},   {"ecirc", 0xEA},    {"egrave", 0xE8},   {"emsp", 0x2003},
     {"ensp", 0x2002},   {"equals", 0x3D},   {"eth", 0xF0},      {"euml", 0xEB},
     {"euro", 0x20AC},   {"excl", 0x21},     {"fnof", 0x192},    {"frac12", 0xBD},
     {"frac14", 0xBC},   {"frac34", 0xBE},   {"ge", 0x2265},     {"grave", 0x60},
     {"gt", 0x3E},       {"hellip", 0x2026}, {"horbar", 0x2015}, {"hyph", 0x2010},
     {"iacute", 0xED},   {"icirc", 0xEE},    {"iexcl", 0xA1},    {"igrave", 0xEC},
     {"infin", 0x221E},  {"iquest", 0xBF},   {"iuml", 0xEF},     {"laquo", 0xAB},
     {"larr", 0x2190},   {"lcub", 0x7B},     {"ldquo", 0x201C},  {"ldquor", 0x201E},
     {"le", 0x2264},     {"lowbar", 0x5F},   {"lpar", 0x28},     {"lsaquo", 0x2039},
     {"lsqb", 0x5B},     {"lsquo", 0x2018},  {"lsquor", 0x201A}, {"lt", 0x3C},
     {"macr", 0xAF},     {"mdash", 0x2014},  {"micro", 0xB5},    {"middot", 0xB7},
     {"minus", 0x2212},  {"nbsp", 0xA0},     {"ndash", 0x2013},  {"ne", 0x2260},
     {"not", 0xAC},      {"ntilde", 0xF1},   {"num", 0x23},      {"oacute", 0xF3},
     {"ocirc", 0xF4},    {"oelig", 0x153},   {"ograve", 0xF2},   {"ordf", 0xAA},
     {"ordm", 0xBA},     {"oslash", 0xF8},   {"otilde", 0xF5},   {"ouml", 0xF6},
     {"para", 0xB6},     {"percnt", 0x25},   {"period", 0x2E},   {"permil", 0x2030},
     {"plus", 0x2B},     {"plusmn", 0xB1},   {"pound", 0xA3},    {"prime", 0x2032},
     {"quest", 0x3F},    {"quot", 0x22},     {"raquo", 0xBB},    {"rarr", 0x2192},
     {"rcub", 0x7D},     {"rdquo", 0x201D},  {"reg", 0xAE},      {"rpar", 0x29},
     {"rsaquo", 0x203A}, {"rsqb", 0x5D},     {"rsquo", 0x2019},  {"sbquo", 0x201A},
     {"scaron", 0x161},  {"sect", 0xA7},     {"semi", 0x3B},     {"shy", 0xAD},
     {"sol", 0x2F},      {"square", 0x25A1}, {"star", 0x2606},   {"starf", 0x2605},
     {"sup1", 0xB9},     {"sup2", 0xB2},     {"sup3", 0xB3},     {"szlig", 0xDF},
     {"thinsp", 0x2009}, {"thorn", 0xFE},    {"tilde", 0x2DC},   {"times", 0xD7},
     {"trade", 0x2122},  {"uacute", 0xFA},   {"ucirc", 0xFB},    {"ugrave", 0xF9},
     {"uml", 0xA8},      {"uuml", 0xFC},     {"verbar", 0x7C},   {"yacute", 0xFD},
     {"yen", 0xA5},      {"yuml", 0xFF}}};

static_assert(std::is_sorted(kEntities.begin(), kEntities.end(),
                             [](const Entity& a, const Entity& b) { return a.name < b.name; }));

constexpr std::size_t kLongestReference = 10;  // "#1114111", "thetasym" and some zeros.

// The character of a reference without "&" and ";", or 0 if it is none.
char32_t character_of(std::string_view reference) {
    if (!reference.starts_with('#')) {
        const auto at = std::lower_bound(
            kEntities.begin(), kEntities.end(), reference,
            [](const Entity& entity, std::string_view name) { return entity.name < name; });
        return at != kEntities.end() && at->name == reference ? at->code : 0;
    }
    reference.remove_prefix(1);
    int base = 10;
    if (reference.starts_with('x') || reference.starts_with('X')) {
        base = 16;
        reference.remove_prefix(1);
    }
    const char* end = reference.data() + reference.size();
    std::uint32_t code = 0;
    const auto [stop, error] = std::from_chars(reference.data(), end, code, base);
    if (error != std::errc() || stop != end || code == 0) return 0;
    return code < 0x100 ? windows_1252(static_cast<unsigned char>(code)) : code;
}

}  // namespace

void append_decoded(std::string_view text, std::string& decoded) {
    std::size_t at = 0;
    for (;;) {
        const std::size_t ampersand = text.find('&', at);
        decoded.append(text, at, ampersand == std::string_view::npos ? ampersand : ampersand - at);
        if (ampersand == std::string_view::npos) return;
        const std::string_view rest = text.substr(ampersand + 1, kLongestReference + 1);
        const std::size_t end = rest.find(';');
        const char32_t code = end == std::string_view::npos ? 0 : character_of(rest.substr(0, end));
        if (code == 0) {
            decoded += '&';
            at = ampersand + 1;
        } else {
            append_utf8(code, decoded);
            at = ampersand + 1 + end + 1;
        }
    }
}

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

bool is_blank_text(char c) { return kWhiteSpace.find(c) != std::string_view::npos; }

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
        !(is_blank_text(text[name_end]) || text[name_end] == '>' || text[name_end] == '/')) {
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
        while (at < text.size() && is_blank_text(text[at])) ++at;
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
        at = quoted ? text.find(text[at], value) : text.find_first_of(kWhiteSpace, value);
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
