// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/click_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "braid/error.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"

namespace braid {

void ClickCounts::add(std::string_view query, std::string_view document, std::size_t position,
                      double shown, double clicks) {
    std::string name(query);
    name += '\0';
    name += document;
    const auto [found, is_new] = by_name_.emplace(std::move(name), pairs_.size());
    if (is_new) pairs_.push_back({std::string(query), std::string(document)});
    Pair& pair = pairs_[found->second];
    pair.shown += shown;
    pair.clicks += clicks;
    showings_.push_back({found->second, position, shown});
    places_[position].shown += shown;
    places_[position].clicks += clicks;
}

// What each pair would get if only positions decided.
std::vector<double> ClickCounts::expected_clicks() const {
    std::vector<double> expected(pairs_.size(), 0);
    for (const Showing& showing : showings_) {
        const Place& place = places_.at(showing.position);
        if (place.shown > 0) {
            expected[showing.pair] += showing.shown * place.clicks / place.shown;
        }
    }
    return expected;
}

Judgements ClickCounts::judge(double least_shown) const {
    const std::vector<double> expected = expected_clicks();
    Judgements judgements;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Pair& pair = pairs_[i];
        Grade grade = 0;
        if (pair.clicks > 0) {
            // One click more on both sides: a single one says little.
            const double ratio = (pair.clicks + 1) / (expected[i] + 1);
            grade = ratio < 1 ? 1 : ratio < 2 ? 2 : 3;
        } else if (pair.shown < least_shown) {
            continue;
        }
        judgements.add(pair.query, pair.document, grade);
    }
    return judgements;
}

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kMostPosition = 1e9;

constexpr const char* kTsv = "tsv";
constexpr const char* kOmegaLog = "omega-log";
constexpr const char* kOmegaQrels = "omega-qrels";

// The columns of a tsv file, by its header line.
struct Columns {
    std::size_t query = kNone;
    std::size_t document = kNone;
    std::size_t clicks = kNone;
    std::size_t shown = kNone;
    std::size_t position = kNone;
};

class ClickParser {
  public:
    ClickParser(std::string path, std::string_view text, const ClickOptions& options)
        : path_(std::move(path)), options_(options), lines_(text), warnings_(options.warn) {}

    Judgements read() {
        std::string_view first;
        do {
            if (!lines_.next(first)) throw FormatError({path_, 0}, "is empty, expected clicks");
        } while (trim(first).empty());
        const std::string form = options_.format.empty() ? guess(first) : options_.format;
        if (form == kOmegaQrels) {
            read_relevances(first);
        } else if (form == kOmegaLog) {
            check_log_header(first);
            each_line([&](std::string_view line) { add_session(line); });
        } else {
            read_header(first);
            each_line([&](std::string_view line) { add_counts(line); });
        }
        if (form != kOmegaQrels) judgements_ = counts_.judge(options_.least_shown);
        if (judgements_.size() == 0) {
            throw FormatError({path_, 0},
                              "no document was clicked, or shown often enough to count");
        }
        warnings_.report_totals();
        return std::move(judgements_);
    }

  private:
    std::string guess(std::string_view first) {
        if (first.starts_with("QueryID,")) return kOmegaLog;
        if (first.find('\t') != std::string_view::npos) return kTsv;
        const auto& cells = cutter_.cut(first, Separator::kBlanks);
        if (cells.size() == 4 && cells[1] == "Q0") return kOmegaQrels;
        fail("found " + quoted(trim(first)) + ", expected the first line of a file of clicks: '" +
             click_formats().find(kTsv).example + "', '" + click_formats().find(kOmegaLog).example +
             "' or '" + click_formats().find(kOmegaQrels).example + "'");
    }

    template <typename Use>
    void each_line(const Use& use) {
        std::string_view line;
        while (lines_.next(line)) {
            if (!trim(line).empty()) use(line);
        }
    }

    void read_header(std::string_view line) {
        const std::array<std::pair<const char*, std::size_t*>, 5> known = {
            {{"query", &columns_.query},
             {"document", &columns_.document},
             {"clicks", &columns_.clicks},
             {"shown", &columns_.shown},
             {"position", &columns_.position}}};
        const auto& cells = cutter_.cut(line, Separator::kTab);
        width_ = cells.size();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto column = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
                return cells[i] == entry.first;
            });
            if (column == known.end()) continue;
            if (*column->second != kNone)
                fail("the column " + quoted(cells[i]) + " is there twice");
            *column->second = i;
        }
        for (const auto& [name, place] : known) {
            if (*place != kNone || place == &columns_.position) continue;
            fail("found " + quoted(trim(line)) + ", expected a header line with the column " +
                 name + ", as in '" + click_formats().find(kTsv).example + "'");
        }
    }

    double count_in(std::string_view cell, const char* name) const {
        const auto number = parse_number(cell);
        if (!number || !std::isfinite(*number) || *number < 0) {
            fail("found " + quoted(cell) + " as " + name + ", expected a number from 0 up");
        }
        return *number;
    }

    std::size_t position_in(std::string_view cell) const {
        const double position = count_in(cell, "position");
        if (position < 1 || position > kMostPosition || position != std::floor(position)) {
            fail("found " + quoted(cell) + " as position, expected a whole number from 1 up");
        }
        return static_cast<std::size_t>(position);
    }

    void add_counts(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kTab);
        if (cells.size() != width_) {
            fail("found " + counted(cells.size(), "column") + " in " + quoted(trim(line)) +
                 ", expected " + std::to_string(width_) + " as in the header line");
        }
        const std::string_view query = cells[columns_.query];
        const std::string_view document = cells[columns_.document];
        if (query.empty() || document.empty()) {
            fail(std::string("the ") + (query.empty() ? "query" : "document") + " has no name in " +
                 quoted(trim(line)));
        }
        const double clicks = count_in(cells[columns_.clicks], "clicks");
        const double shown = count_in(cells[columns_.shown], "shown");
        const std::size_t position =
            columns_.position == kNone ? 0 : position_in(cells[columns_.position]);
        if (clicks > shown) {
            warnings_.warn(where(), "clicked more often than shown",
                           "query " + quoted(query) + ", document " + quoted(document));
        }
        counts_.add(query, document, position, shown, clicks);
    }

    void check_log_header(std::string_view line) const {
        if (trim(line) != click_formats().find(kOmegaLog).example) {
            fail("found " + quoted(trim(line)) + ", expected '" +
                 click_formats().find(kOmegaLog).example + "'");
        }
    }

    // A session shows each of its documents once, and counts a click on it once.
    void add_session(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kComma);
        if (cells.size() != 5 || cells[0].empty()) {
            fail("found " + quoted(trim(line)) + ", expected the columns of '" +
                 click_formats().find(kOmegaLog).example + "'");
        }
        const double offset = count_in(cells[3], "Offset");
        if (offset > kMostPosition) fail("found " + quoted(cells[3]) + " as Offset");
        std::string_view rest = cells[4];
        auto position = static_cast<std::size_t>(offset);
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            const std::string_view entry = trim(rest.substr(0, end));
            rest.remove_prefix(end == rest.size() ? end : end + 1);
            const std::size_t colon = entry.rfind(':');
            if (colon == std::string_view::npos || colon == 0) {
                fail("found " + quoted(entry) + " in Clicks, expected 'document:clicks'");
            }
            const double clicks = count_in(entry.substr(colon + 1), "clicks");
            counts_.add(cells[0], entry.substr(0, colon), ++position, 1, clicks > 0 ? 1 : 0);
        }
    }

    void read_relevances(std::string_view first) {
        add_relevance(first);
        each_line([&](std::string_view line) { add_relevance(line); });
    }

    void add_relevance(std::string_view line) {
        const auto& cells = cutter_.cut(line, Separator::kBlanks);
        if (cells.size() != 4) {
            fail("found " + counted(cells.size(), "column") + " in " + quoted(trim(line)) +
                 ", expected 4, as in '" + click_formats().find(kOmegaQrels).example + "'");
        }
        const double relevance = count_in(cells[3], "relevance");
        if (relevance > 1) fail("found " + quoted(cells[3]) + " as relevance, expected 0 to 1");
        const auto grade = static_cast<Grade>(std::ceil(4 * relevance));
        // A query has a line for each of its sessions.
        if (judgements_.add(cells[0], cells[2], grade) == Judgements::Added::kConflict) {
            warnings_.warn(where(), "judged before, with another relevance; the first stays",
                           "query " + quoted(cells[0]) + ", document " + quoted(cells[2]));
        }
    }

    SourceLocation where() const { return {path_, lines_.number()}; }
    [[noreturn]] void fail(const std::string& what) const { throw FormatError(where(), what); }

    std::string path_;
    const ClickOptions& options_;
    TextLines lines_;
    ColumnCutter cutter_;
    Columns columns_;
    std::size_t width_ = 0;
    ClickCounts counts_;
    Judgements judgements_;
    WarningCounter warnings_;
};

}  // namespace

const Registry<ClickFormat>& click_formats() {
    static const Registry<ClickFormat> formats(
        "click format",
        {{kTsv, "between tabs, with a header line; query, document, clicks, shown, maybe position",
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
    if (!options.format.empty()) click_formats().find(options.format);
    const std::string path = input.path();
    const std::string text = read_whole(std::move(input), 0, options.max_line);
    return ClickParser(path, text, options).read();
}

}  // namespace braid
