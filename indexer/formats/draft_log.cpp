// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/draft_log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "braid/error.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

constexpr std::array<const char*, 8> kColumns = {"session", "query", "document", "position",
                                                 "team",    "other", "shown",    "clicks"};
enum Column : std::size_t {
    kSession,
    kQuery,
    kDocument,
    kPosition,
    kTeam,
    kOther,
    kShown,
    kClicks
};

std::string cell(std::string text) {
    for (char& c : text) {
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    }
    return std::string(trim(text));
}

class DraftParser {
  public:
    DraftParser(std::string path, const DraftLogOptions& options)
        : path_(std::move(path)), warnings_(options.warn) {}

    std::vector<DraftComparison> read(std::string_view text) {
        const bool is_cut = !text.empty() && text.back() != '\n';
        TextLines lines(text);
        std::string_view line;
        while (lines.next(line)) {
            number_ = lines.number();
            if (trim(line).empty()) continue;
            const bool is_last = is_cut && line.data() + line.size() == text.data() + text.size();
            try {
                add_line(line);
            } catch (const FormatError&) {
                if (!is_last || !has_header_) throw;
                warnings_.warn(where(), "the last line is cut off and left out",
                               "it has no newline: the file is being written, or is damaged");
            }
        }
        if (!has_header_) throw FormatError({path_, 0}, "is empty, expected interleaved searches");
        return comparisons();
    }

  private:
    struct Document {
        std::size_t team;
        bool shown = false;
        bool clicked = false;
    };
    struct Session {
        std::pair<std::string, std::string> pair;  // Ascending.
        std::map<std::string, Document, std::less<>> documents;
        std::size_t line;
    };

    void add_line(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kTab);
        if (!has_header_) return read_header(cells, line);
        if (cells.size() != width_) {
            fail("found " + counted(cells.size(), "column") + " in " + in_quotes(trim(line)) +
                 ", expected " + std::to_string(width_) + " as in the header line");
        }
        const auto at = [&](Column column) { return cells[place_[column]]; };
        for (const Column column : {kSession, kDocument, kTeam, kOther}) {
            if (at(column).empty()) {
                fail(std::string("the column ") + kColumns[column] + " is empty in " +
                     in_quotes(trim(line)));
            }
        }
        const double shown = count_in(at(kShown), "shown");
        const double clicks = count_in(at(kClicks), "clicks");
        const std::string team(at(kTeam));
        const std::string other(at(kOther));
        if (team == other) fail("found " + in_quotes(team) + " as both rankings, expected two");
        std::pair<std::string, std::string> pair = std::minmax(team, other);
        const auto [found, is_new] = by_name_.emplace(std::string(at(kSession)), sessions_.size());
        if (is_new) sessions_.push_back({pair, {}, number_});
        Session& session = sessions_[found->second];
        if (session.pair != pair) {
            fail("session " + in_quotes(at(kSession)) + " has " + in_quotes(team) + " and " +
                 in_quotes(other) + ", and on line " + std::to_string(session.line) + " " +
                 in_quotes(session.pair.first) + " and " + in_quotes(session.pair.second));
        }
        const std::size_t number = team == session.pair.first ? 0 : 1;
        Document& document =
            session.documents.emplace(std::string(at(kDocument)), Document{number}).first->second;
        if (document.team != number) {
            fail("document " + in_quotes(at(kDocument)) + " of session " + in_quotes(at(kSession)) +
                 " is in both teams");
        }
        document.shown = document.shown || shown > 0;
        document.clicked = document.clicked || clicks > 0;
    }

    void read_header(const std::vector<std::string_view>& cells, std::string_view line) {
        width_ = cells.size();
        for (std::size_t c = 0; c < kColumns.size(); ++c) {
            const auto found = std::find(cells.begin(), cells.end(), kColumns[c]);
            if (found == cells.end()) {
                fail("found " + in_quotes(trim(line)) +
                     ", expected a header line with the column " + kColumns[c] +
                     ", as `braid search --interleave` writes it");
            }
            place_[c] = static_cast<std::size_t>(found - cells.begin());
        }
        has_header_ = true;
    }

    double count_in(std::string_view text, const char* name) const {
        const auto number = parse_number(text);
        if (!number || !std::isfinite(*number) || *number < 0) {
            fail("found " + in_quotes(text) + " as " + name + ", expected a number from 0 up");
        }
        return *number;
    }

    std::vector<DraftComparison> comparisons() {
        std::vector<DraftComparison> result;
        for (const Session& session : sessions_) {
            const std::array<std::string, 2> pair = {session.pair.first, session.pair.second};
            auto found = std::find_if(result.begin(), result.end(),
                                      [&](const auto& one) { return one.rankings == pair; });
            if (found == result.end()) found = result.insert(result.end(), {pair, {}});
            std::array<std::size_t, 2> clicked = {0, 0};
            for (const auto& [name, document] : session.documents) {
                if (!document.clicked) continue;
                if (document.shown) {
                    ++clicked[document.team];
                } else {
                    warnings_.warn({path_, session.line}, "clicked, but not shown in its session",
                                   "document " + in_quotes(name));
                }
            }
            found->clicked.push_back(clicked);
        }
        warnings_.report_totals();
        return result;
    }

    SourceLocation where() const { return {path_, number_}; }
    [[noreturn]] void fail(const std::string& what) const { throw FormatError(where(), what); }

    std::string path_;
    WarningCounter warnings_;
    ColumnCutter cutter_;
    std::size_t number_ = 0;
    bool has_header_ = false;
    std::size_t width_ = 0;
    std::array<std::size_t, kColumns.size()> place_{};
    std::vector<Session> sessions_;
    std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace

std::string draft_log_header() {
    std::string line;
    for (const char* column : kColumns) line += (line.empty() ? "" : "\t") + std::string(column);
    return line + "\n";
}

std::string draft_log_lines(const std::string& session, const std::string& query,
                            const std::vector<DraftedDocument>& documents, std::size_t skipped) {
    std::string text;
    std::size_t position = skipped;
    for (const DraftedDocument& one : documents) {
        text += cell(session) + '\t' + cell(query) + '\t' + cell(one.document) + '\t' +
                std::to_string(++position) + '\t' + cell(one.team) + '\t' + cell(one.other) +
                "\t1\t0\n";
    }
    return text;
}

std::vector<DraftComparison> read_draft_log(Input input, const DraftLogOptions& options) {
    const std::string path = input.path();
    const std::string text = read_whole(std::move(input), 0, options.max_line);
    return DraftParser(path, options).read(text);
}

}  // namespace braid
