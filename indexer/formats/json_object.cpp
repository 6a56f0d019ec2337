// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/json_object.h"

#include <cstdint>

#include "braid/indexer/formats/text_cleaning.h"

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
        if (problem_.what.empty()) problem_ = {std::move(what), at_ + 1};
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

}  // namespace braid
