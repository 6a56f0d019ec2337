// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/json_documents.h"

#include <cstdint>
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {
namespace {

constexpr int kMaxDepth = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Recursive descent. Every function returns false once problem_ is set.
class Parser {
  public:
    Parser(std::string_view text, std::vector<JsonValue>& values) : text_(text), values_(values) {}

    JsonProblem run() {
        skip_blanks();
        if (peek() != '{') {
            return {"expected a JSON object, found '" + excerpt(text_.substr(at_)) + "'", at_ + 1};
        }
        if (!object(1)) return problem_;
        skip_blanks();
        if (at_ < text_.size()) fail("text behind the object's end");
        return problem_;
    }

  private:
    bool fail(std::string what) {
        if (at_ == text_.size()) what = "the line ends within the object";
        if (!problem_.what.empty()) return false;
        problem_.what = std::move(what);
        problem_.column = at_ + 1;
        return false;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    // Blanks, `wanted`, blanks.
    bool take(char wanted) {
        skip_blanks();
        if (peek() != wanted) {
            return fail(std::string("expected '") + wanted + "'");
        }
        ++at_;
        skip_blanks();
        return true;
    }

    bool object(int depth) {
        if (depth > kMaxDepth) return fail("nested deeper than 64");
        if (!take('{')) return false;
        if (peek() == '}') return take('}');
        const std::size_t outer = path_.size();
        for (;;) {
            if (peek() != '"') return fail("expected a key in quotes");
            if (outer > 0) path_ += '.';
            if (!string(path_) || !take(':') || !value(depth)) return false;
            path_.resize(outer);
            skip_blanks();
            if (peek() != ',') return take('}');
            take(',');
        }
    }

    bool array(int depth) {
        if (depth > kMaxDepth) return fail("nested deeper than 64");
        if (!take('[')) return false;
        if (peek() == ']') return take(']');
        for (;;) {
            if (!value(depth)) return false;
            skip_blanks();
            if (peek() != ',') return take(']');
            take(',');
        }
    }

    bool value(int depth) {
        switch (peek()) {
            case '{':
                return object(depth + 1);
            case '[':
                return array(depth + 1);
            case '"':
                values_.push_back({path_, {}});
                return string(values_.back().text);
            case 't':
                return word("true", true);
            case 'f':
                return word("false", true);
            case 'n':
                return word("null", false);
            default:
                return number();
        }
    }

    bool word(std::string_view wanted, bool keep) {
        if (text_.substr(at_, wanted.size()) != wanted) return fail("expected a JSON value");
        at_ += wanted.size();
        if (keep) values_.push_back({path_, std::string(wanted)});
        return true;
    }

    bool digits() {
        if (!is_digit(peek())) return fail("expected a JSON value");
        while (is_digit(peek())) ++at_;
        return true;
    }

    bool number() {
        const std::size_t begin = at_;
        if (peek() == '-') ++at_;
        if (peek() == '0') {
            ++at_;  // A digit behind it belongs to nothing.
        } else if (!digits()) {
            return false;
        }
        if (peek() == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digits()) return false;
        }
        values_.push_back({path_, std::string(text_.substr(begin, at_ - begin))});
        return true;
    }

    // Appends the string at the quote to `text`.
    bool string(std::string& text) {
        ++at_;
        for (;;) {
            std::size_t stop = at_;
            while (stop < text_.size() && text_[stop] != '"' && text_[stop] != '\\') ++stop;
            if (stop == text_.size()) {
                at_ = stop;
                return fail("a string is not closed");
            }
            text.append(text_, at_, stop - at_);
            at_ = stop + 1;
            if (text_[stop] == '"') return true;
            if (!escape(text)) return false;
        }
    }

    // Four hexadecimal digits, or -1.
    std::int32_t hex_unit() {
        if (at_ + 4 > text_.size()) return -1;
        std::int32_t unit = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const int digit = hex_digit(text_[at_ + i]);
            if (digit < 0) return -1;
            unit = unit * 16 + digit;
        }
        at_ += 4;
        return unit;
    }

    bool escape(std::string& text) {
        constexpr std::string_view kLetters = "\"\\/bfnrt";
        constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
        const char letter = peek();
        const std::size_t known = at_ < text_.size() ? kLetters.find(letter) : kLetters.npos;
        if (known != std::string_view::npos) {
            ++at_;
            text += kMeaning[known];
            return true;
        }
        if (letter != 'u') return fail("unknown escape in a string");
        ++at_;
        const std::int32_t first = hex_unit();
        if (first < 0) return fail("expected four hexadecimal digits");
        auto code = static_cast<char32_t>(first);
        if (first >= 0xD800 && first < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            const std::size_t before = at_;
            at_ += 2;
            const std::int32_t second = hex_unit();
            if (second >= 0xDC00 && second < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + static_cast<char32_t>(second - 0xDC00);
            } else {
                at_ = before;
            }
        }
        append_utf8(code, text);  // Half a pair becomes U+FFFD.
        return true;
    }

    std::string_view text_;
    std::vector<JsonValue>& values_;
    std::size_t at_ = 0;
    std::string path_;
    JsonProblem problem_;
};

}  // namespace

JsonProblem parse_json_object(std::string_view text, std::vector<JsonValue>& values) {
    return Parser(text, values).run();
}

int JsonDocuments::recognise(const std::string&, std::string_view head) {
    const std::size_t begin = head.find_first_not_of(kWhiteSpace);
    if (begin == std::string_view::npos || head[begin] != '{') return 0;
    const std::size_t end = head.find('\n', begin);
    std::vector<JsonValue> values;
    const JsonProblem problem = parse_json_object(head.substr(begin, end - begin), values);
    if (problem.what.empty()) return 100;
    // A first object longer than the head: its end is missing, and some of it has been read.
    return end == std::string_view::npos && !values.empty() ? 90 : 0;
}

// Fills values_; false if the line was skipped. A first line that is wrong says that the file is
// no JSON lines at all; a later one that something happened to that line.
bool JsonDocuments::parse(std::string_view line) {
    values_.clear();
    const JsonProblem problem = parse_json_object(line, values_);
    if (problem.what.empty()) return true;
    const std::string what = "column " + std::to_string(problem.column) + ": " + problem.what;
    if (records_ == 0) {
        throw FormatError(lines_.where(), what + "; expected one JSON object a line");
    }
    context_.warn(lines_.where(), "record skipped: broken JSON", what);
    return false;
}

bool JsonDocuments::next(SourceDocument& document) {
    std::string_view line;
    while (lines_.next(line)) {
        if (lines_.was_cut()) {
            warn_too_long(lines_.where(), context_);
            continue;
        }
        if (trimmed(line).empty() || !parse(line)) continue;
        ++records_;
        document.where = lines_.where();
        document.id.clear();
        document.fields.clear();
        names_.clear();
        for (JsonValue& value : values_) {
            value.path = lower_cased(value.path);
            names_.push_back(value.path);
        }
        const std::size_t id = find_id_field(names_, context_.options.id_field);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (i == id) {
                document.id = std::move(values_[i].text);
            } else {
                document.fields.push_back({std::move(values_[i].path), std::move(values_[i].text)});
            }
        }
        finish_document(document, context_);
        return true;
    }
    return false;
}

}  // namespace braid
