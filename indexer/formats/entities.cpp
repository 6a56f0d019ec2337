// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/entities.h"

#include <algorithm>
#include <array>
#include <charconv>

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

}  // namespace braid
