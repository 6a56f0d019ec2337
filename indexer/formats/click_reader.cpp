// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/click_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "braid/core/eval/click_model.h"
#include "braid/error.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"

namespace braid {

namespace {

constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();
constexpr double kMostPosition = 1e9;
constexpr double kLeastMoved = 0.1;
constexpr std::size_t kPlacesNamed = 5;

constexpr const char* kTsv = "tsv";
constexpr const char* kOmegaLog = "omega-log";
constexpr const char* kOmegaQrels = "omega-qrels";

// The columns of a tsv file, by its header line.
struct Columns {
    std::size_t query = kNoColumn;
    std::size_t document = kNoColumn;
    std::size_t clicks = kNoColumn;
    std::size_t shown = kNoColumn;
    std::size_t position = kNoColumn;
    std::size_t user = kNoColumn;
};

}  // namespace

class ClickLog::Parser {
  public:
    Parser(std::string path, ClickOptions options)
        : path_(std::move(path)), options_(std::move(options)), warnings_(options_.warn) {
        if (!options_.format.empty()) click_formats().find(options_.format);
    }

    void add(std::string_view text) {
        TextLines lines(text);
        std::string_view line;
        while (lines.next(line)) {
            ++number_;
            if (!trim(line).empty()) add_line(line);
        }
    }

    void add_rest(std::string_view text) {
        const std::size_t end = text.rfind('\n');
        const std::size_t whole = end == std::string_view::npos ? 0 : end + 1;
        add(text.substr(0, whole));
        if (whole == text.size()) return;
        try {
            add(text.substr(whole));
        } catch (const FormatError&) {
            if (form_.empty()) throw;
            warnings_.warn(where(), "the last line is cut off and left out",
                           "it has no newline: the file is being written, or is damaged");
        }
    }

    std::vector<std::string> take_changed() {
        is_changed_.clear();
        return std::exchange(changed_, {});
    }

    Judgements judge() {
        if (form_.empty()) throw FormatError({path_, 0}, "is empty, expected clicks");
        Judgements judgements;
        if (form_ == kOmegaQrels) {
            for (const Estimate& one : estimates_) add_estimate(one, judgements);
        } else {
            judgements = judge_counts();
        }
        if (judgements.size() == 0) {
            throw FormatError({path_, 0},
                              "no document was clicked, or shown often enough to count");
        }
        warnings_.report_totals();
        return judgements;
    }

  private:
    // What Omega's click model says of a pair.
    struct Estimate {
        std::string query;
        std::string document;
        Grade grade;
        std::size_t line;
    };

    void add_line(std::string_view line) {
        if (form_.empty()) {
            std::string form = options_.format.empty() ? guess(line) : options_.format;
            if (form == kOmegaLog) check_log_header(line);
            if (form == kTsv) read_header(line);
            form_ = std::move(form);
            if (form_ != kOmegaQrels) return;
        }
        if (form_ == kOmegaQrels) {
            add_relevance(line);
        } else if (form_ == kOmegaLog) {
            add_session(line);
        } else {
            add_counts(line);
        }
    }

    Judgements judge_counts() {
        warn_of_counts();
        const ClickModel model = counts_.fit();
        if (options_.note) options_.note(in_words(model));
        return counts_.judge(model, options_.least_shown);
    }

    void warn_of_counts() {
        const auto warn = [&](const std::string& what) {
            if (options_.warn) options_.warn(path_ + ": " + what);
        };
        if (const std::size_t count = counts_.unshown(); count > 0) {
            warn(counted(count, "document") +
                 " of a query clicked more often than shown; each such click counts as a showing");
        }
        if (has_position_ && counts_.moved() < kLeastMoved) {
            warn(
                "nearly every document was shown at one position only, so how often a position is "
                "looked at can hardly be told from how good its documents are");
        }
        if (form_ == kTsv && !has_position_) {
            warn(
                "has no column position: every document counts as looked at, and those that stood "
                "first seem better than they are");
        }
        if (columns_.user != kNoColumn && !several_users_ && !clicking_user_.empty()) {
            warn("all clicks are those of one user, " + in_quotes(clicking_user_) +
                 ": they say what this one likes");
        }
    }

    std::string in_words(const ClickModel& model) const {
        double relevant = 0;
        for (const double one : model.relevance) relevant += one > 0.5 ? 1 : 0;
        std::string text = fmt::format(
            "{}: {:.0f} of {} shown documents of queries taken as relevant, which are clicked at "
            "{:.2f} of "
            "looks, others at {:.2f}",
            path_, relevant, model.relevance.size(), model.clicks_relevant,
            model.clicks_irrelevant);
        if (!has_position_) return text;
        std::string places;
        std::size_t count = 0;
        for (const auto& [position, look] : model.looks) {
            if (++count > kPlacesNamed) break;
            places += fmt::format("{}{}: {:.2f}", places.empty() ? "" : ", ", position, look);
        }
        return text + "; positions looked at: " + places;
    }

    std::string guess(std::string_view first) {
        if (first.starts_with("QueryID,")) return kOmegaLog;
        if (first.find('\t') != std::string_view::npos) return kTsv;
        const auto& cells = cutter_.cut(first, Separator::kBlanks);
        if (cells.size() == 4 && cells[1] == "Q0") return kOmegaQrels;
        fail("found " + in_quotes(trim(first)) +
             ", expected the first line of a file of clicks: '" +
             click_formats().find(kTsv).example + "', '" + click_formats().find(kOmegaLog).example +
             "' or '" + click_formats().find(kOmegaQrels).example + "'");
    }

    void read_header(std::string_view line) {
        const std::array<std::pair<const char*, std::size_t*>, 6> known = {
            {{"query", &columns_.query},
             {"document", &columns_.document},
             {"clicks", &columns_.clicks},
             {"shown", &columns_.shown},
             {"position", &columns_.position},
             {"user", &columns_.user}}};
        columns_ = {};
        const auto& cells = cutter_.cut(line, Separator::kTab);
        width_ = cells.size();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto column = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
                return cells[i] == entry.first;
            });
            if (column == known.end()) continue;
            if (*column->second != kNoColumn)
                fail("the column " + in_quotes(cells[i]) + " is there twice");
            *column->second = i;
        }
        for (const auto& [name, place] : known) {
            if (*place != kNoColumn || place == &columns_.position || place == &columns_.user)
                continue;
            fail("found " + in_quotes(trim(line)) + ", expected a header line with the column " +
                 name + ", as in '" + click_formats().find(kTsv).example + "'");
        }
    }

    double count_in(std::string_view cell, const char* name) const {
        const auto number = parse_number(cell);
        if (!number || !std::isfinite(*number) || *number < 0) {
            fail("found " + in_quotes(cell) + " as " + name + ", expected a number from 0 up");
        }
        return *number;
    }

    std::size_t position_in(std::string_view cell) const {
        const double position = count_in(cell, "position");
        if (position < 1 || position > kMostPosition || position != std::floor(position)) {
            fail("found " + in_quotes(cell) + " as position, expected a whole number from 1 up");
        }
        return static_cast<std::size_t>(position);
    }

    void add_counts(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kTab);
        if (cells.size() != width_) {
            fail("found " + counted(cells.size(), "column") + " in " + in_quotes(trim(line)) +
                 ", expected " + std::to_string(width_) + " as in the header line");
        }
        const std::string_view query = cells[columns_.query];
        const std::string_view document = cells[columns_.document];
        if (query.empty() || document.empty()) {
            fail(std::string("the ") + (query.empty() ? "query" : "document") + " has no name in " +
                 in_quotes(trim(line)));
        }
        const double clicks = count_in(cells[columns_.clicks], "clicks");
        const double shown = count_in(cells[columns_.shown], "shown");
        const std::size_t position =
            columns_.position == kNoColumn ? 0 : position_in(cells[columns_.position]);
        if (columns_.position != kNoColumn) has_position_ = true;
        if (clicks > 0 && columns_.user != kNoColumn) see_user(cells[columns_.user]);
        change(query);
        counts_.add(query, document, position, shown, clicks);
    }

    void change(std::string_view query) {
        if (is_changed_.insert(std::string(query)).second) changed_.emplace_back(query);
    }

    void see_user(std::string_view user) {
        if (clicking_user_.empty()) clicking_user_ = user;
        several_users_ = several_users_ || user != clicking_user_;
    }

    void check_log_header(std::string_view line) const {
        if (trim(line) != click_formats().find(kOmegaLog).example) {
            fail("found " + in_quotes(trim(line)) + ", expected '" +
                 click_formats().find(kOmegaLog).example + "'");
        }
    }

    // A session shows each of its documents once, and counts a click on it once.
    void add_session(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kComma);
        if (cells.size() != 5 || cells[0].empty()) {
            fail("found " + in_quotes(trim(line)) + ", expected the columns of '" +
                 click_formats().find(kOmegaLog).example + "'");
        }
        const double offset = count_in(cells[3], "Offset");
        if (offset > kMostPosition) fail("found " + in_quotes(cells[3]) + " as Offset");
        std::string_view rest = cells[4];
        std::vector<std::pair<std::string_view, bool>> shown;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            const std::string_view entry = trim(rest.substr(0, end));
            rest.remove_prefix(end == rest.size() ? end : end + 1);
            const std::size_t colon = entry.rfind(':');
            if (colon == std::string_view::npos || colon == 0) {
                fail("found " + in_quotes(entry) + " in Clicks, expected 'document:clicks'");
            }
            const double clicks = count_in(entry.substr(colon + 1), "clicks");
            shown.emplace_back(entry.substr(0, colon), clicks > 0);
        }
        has_position_ = true;
        change(cells[0]);
        auto position = static_cast<std::size_t>(offset);
        for (const auto& [document, is_clicked] : shown) {
            counts_.add(cells[0], document, ++position, 1, is_clicked ? 1 : 0);
        }
    }

    void add_relevance(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kBlanks);
        if (cells.size() != 4) {
            fail("found " + counted(cells.size(), "column") + " in " + in_quotes(trim(line)) +
                 ", expected 4, as in '" + click_formats().find(kOmegaQrels).example + "'");
        }
        const double relevance = count_in(cells[3], "relevance");
        if (relevance > 1) fail("found " + in_quotes(cells[3]) + " as relevance, expected 0 to 1");
        const auto grade = static_cast<Grade>(std::ceil(4 * relevance));
        change(cells[0]);
        estimates_.push_back({std::string(cells[0]), std::string(cells[2]), grade, number_});
    }

    void add_estimate(const Estimate& one, Judgements& judgements) {
        // A query has a line for each of its sessions.
        if (judgements.add(one.query, one.document, one.grade) == Judgements::Added::kConflict) {
            warnings_.warn(
                {path_, one.line}, "judged before, with another relevance; the first stays",
                "query " + in_quotes(one.query) + ", document " + in_quotes(one.document));
        }
    }

    SourceLocation where() const { return {path_, number_}; }
    [[noreturn]] void fail(const std::string& what) const { throw FormatError(where(), what); }

    std::string path_;
    ClickOptions options_;
    WarningCounter warnings_;
    ColumnCutter cutter_;
    std::string form_;  ///< "": no line was read.
    Columns columns_;
    std::size_t width_ = 0;
    std::size_t number_ = 0;  ///< Of lines read.
    ClickCounts counts_;
    bool has_position_ = false;
    std::string clicking_user_;
    bool several_users_ = false;
    std::vector<Estimate> estimates_;
    std::vector<std::string> changed_;
    std::unordered_set<std::string> is_changed_;
};

ClickLog::ClickLog(std::string path, ClickOptions options)
    : parser_(std::make_unique<Parser>(std::move(path), std::move(options))) {}
ClickLog::~ClickLog() = default;
ClickLog::ClickLog(ClickLog&&) noexcept = default;
ClickLog& ClickLog::operator=(ClickLog&&) noexcept = default;
void ClickLog::add(std::string_view lines) { parser_->add(lines); }
void ClickLog::add_rest(std::string_view text) { parser_->add_rest(text); }
std::vector<std::string> ClickLog::take_changed() { return parser_->take_changed(); }
Judgements ClickLog::judge() { return parser_->judge(); }

const Registry<ClickFormat>& click_formats() {
    static const Registry<ClickFormat> formats(
        "click format",
        {{kTsv,
          "between tabs, with a header line; query, document, clicks, shown, maybe position and "
          "user",
          "query<TAB>document<TAB>position<TAB>shown<TAB>clicks"},
         {kOmegaLog, "the log of searches and clicks that Omega keeps",
          "QueryID,Query,Hits,Offset,Clicks"},
         {kOmegaQrels, "what Omega's click model estimates", "QUERYID Q0 DOCUMENT 0.25"}});
    return formats;
}

Judgements read_clicks(const std::string& path, const ClickOptions& options) {
    return read_clicks(Input(path), options);
}

Judgements read_clicks(Input input, const ClickOptions& options) {
    ClickLog log(input.path(), options);
    log.add_rest(read_whole(std::move(input), 0, options.max_line));
    return log.judge();
}

}  // namespace braid
