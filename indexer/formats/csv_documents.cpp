// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "braid/indexer/formats/text_cleaning.h"
#include "braid/indexer/formats/text_documents.h"

namespace braid {

std::size_t find_id_field(const std::vector<std::string_view>& names, std::string_view wanted) {
    const auto place = [&](std::string_view name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                        names.begin());
    };
    if (!wanted.empty()) return place(lower_cased(wanted));
    for (const std::string_view usual :
         {"_id", "id", "docno", "docid", "doc_id", "document_id", "uuid"}) {
        const std::size_t found = place(usual);
        if (found < names.size()) return found;
    }
    return names.size();
}

namespace {

constexpr std::size_t kLongestColumnName = 80;

std::size_t count_outside_quotes(std::string_view line, char delimiter) {
    std::size_t count = 0;
    bool quoted = false;
    for (const char c : line) {
        if (c == '"' && delimiter != '\t') quoted = !quoted;
        count += c == delimiter && !quoted ? 1 : 0;
    }
    return count;
}

// A tab is what it says; of the others, what is there most. With names given, what makes as many
// values of the first row: text is full of commas.
char find_delimiter(std::string_view line, std::size_t columns) {
    char best = ',';
    std::size_t best_count = 0;
    for (const char candidate : {'\t', ',', ';', '|'}) {
        const std::size_t count = count_outside_quotes(line, candidate);
        if (columns > 0 && count + 1 == columns) return candidate;
        if (candidate == '\t' && count > 0 && columns == 0) return candidate;
        if (count > best_count) {
            best = candidate;
            best_count = count;
        }
    }
    return best;
}

bool is_number(std::string_view text) {
    return text.find_first_of("0123456789") != std::string_view::npos &&
           text.find_first_not_of("0123456789.-+") == std::string_view::npos;
}

// Removes the quotes around a value that is quoted as a whole.
std::string_view without_quotes(std::string_view value, std::string& unquoted) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return value;
    unquoted.clear();
    const std::string_view inside = value.substr(1, value.size() - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (inside[i] == '"' && (i + 1 == inside.size() || inside[++i] != '"')) return value;
        unquoted += inside[i];
    }
    return unquoted;
}

// Whether `head` begins with a line of at least two names and goes on with rows of as many
// values, and nothing speaks against it.
bool looks_like_table(std::string_view head, char delimiter) {
    std::size_t columns = 0;
    int rows = 0;
    for (std::size_t begin = 0; rows < 4; ++rows) {
        const std::size_t end = head.find('\n', begin);
        if (end == std::string_view::npos) break;
        std::string_view line = head.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t count = count_outside_quotes(line, delimiter) + 1;
        if (rows > 0 && count != columns) return false;
        columns = count;
        if (rows > 0) continue;
        line = trimmed(line);
        constexpr std::string_view kInNames =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\"";
        for (const char c : line) {
            if (c != delimiter && kInNames.find(c) == std::string_view::npos) return false;
        }
    }
    return columns >= 2 && rows >= 3;
}

}  // namespace

CsvDocuments::CsvDocuments(Input input, const ReaderContext& context, char delimiter)
    : LineDocuments(std::move(input), context),
      delimiter_(context.options.delimiter != '\0' ? context.options.delimiter : delimiter) {}

int CsvDocuments::recognise(const std::string& path, std::string_view head) {
    if (has_extension(path, ".csv")) return 80;
    const char delimiter = find_delimiter(head.substr(0, head.find('\n')), 0);
    return delimiter != '\t' && looks_like_table(head, delimiter) ? 60 : 0;
}

int CsvDocuments::recognise_tabs(const std::string& path, std::string_view head) {
    if (has_extension(path, ".tsv") || has_extension(path, ".tab")) return 80;
    return looks_like_table(head, '\t') ? 60 : 0;
}

// Appends the quoted value at `at` to `cell`, over as many lines as it takes.
void CsvDocuments::read_quoted(std::string_view& line, std::size_t& at, std::string& cell) {
    const std::size_t max = context_.options.max_record;
    ++at;
    for (;;) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) {
            cell.append(line, at).push_back('\n');
            if (!lines_.next(line)) {
                throw FormatError(where_, "a value in quotes is never closed");
            }
            if (lines_.was_cut() || cell.size() + line.size() > max) {
                throw FormatError(where_, "a value in quotes is longer than " +
                                              std::to_string(max) +
                                              " bytes: is its closing quote missing?");
            }
            at = 0;
            continue;
        }
        cell.append(line, at, quote - at);
        at = quote + 1;
        if (at == line.size() || line[at] != '"') return;
        cell += '"';
        ++at;
    }
}

// Fills cells_ from `line`, and the lines behind it where a value in quotes holds line ends.
void CsvDocuments::split(std::string_view line) {
    cells_.clear();
    std::string unquoted;
    for (std::size_t at = 0;;) {
        std::string& cell = cells_.emplace_back();
        if (delimiter_ != '\t' && at < line.size() && line[at] == '"') read_quoted(line, at, cell);
        const std::size_t end = line.find(delimiter_, at);
        const std::string_view rest = line.substr(at, end - at);
        cell.append(delimiter_ == '\t' ? without_quotes(rest, unquoted) : rest);
        if (end == std::string_view::npos) return;
        at = end + 1;
    }
}

// The next row that is not empty into cells_, or false at the end.
bool CsvDocuments::read_row() {
    std::string_view line;
    while (lines_.next(line)) {
        where_ = lines_.where();
        if (lines_.was_cut()) {
            warn_too_long(where_, context_);
            continue;
        }
        if (line.empty()) continue;
        const std::vector<std::string>& names = context_.options.columns;
        if (delimiter_ == '\0') delimiter_ = find_delimiter(line, names.size());
        split(line);
        return true;
    }
    return false;
}

// Sets columns_ and id_column_; true if cells_ hold the first row already.
bool CsvDocuments::read_header() {
    columns_ = context_.options.columns;
    const bool has_row = read_row();
    if (columns_.empty()) {
        columns_ = cells_;
        for (const std::string& name : columns_) {
            if (name.size() <= kLongestColumnName && !is_number(columns_.front())) continue;
            throw FormatError(where_, "the first line looks like data: '" + excerpt(name) +
                                          "'; expected the columns' names");
        }
    }
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        clean_text(columns_[i]);
        columns_[i] = lower_cased(trimmed(columns_[i]));
        if (columns_[i].empty()) columns_[i] = "column" + std::to_string(i + 1);
        names.push_back(columns_[i]);
    }
    id_column_ = find_id_field(names, context_.options.id_field);
    return has_row && !context_.options.columns.empty();
}

bool CsvDocuments::next(SourceDocument& document) {
    bool has_row = columns_.empty() && read_header();
    if (!has_row && !read_row()) return false;
    document.where = where_;
    document.id.clear();
    document.fields.clear();
    if (cells_.size() > columns_.size()) {
        context_.warn(where_, "more values than columns: the others were left out");
    } else if (cells_.size() < columns_.size()) {
        context_.warn(where_, "fewer values than columns");
    }
    for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i) {
        if (i == id_column_) {
            document.id = std::move(cells_[i]);
        } else {
            document.fields.push_back({columns_[i], std::move(cells_[i])});
        }
    }
    finish_document(document, context_);
    return true;
}

}  // namespace braid
