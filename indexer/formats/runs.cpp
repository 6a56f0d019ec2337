// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/eval/name_table.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/reader_context.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
namespace {

constexpr std::size_t kColumns = 6;
constexpr const char* kExpected =
    "expected query, Q0, document, rank, score, run name, as in '301 Q0 FT911-3 1 12.5 bm25'";

class RunParser {
  public:
    RunParser(const std::string& path, std::string text, const RunOptions& options)
        : path_(path), options_(options), warnings_(options.warn) {
        // A newline at the end of everything lets the loop over a line watch for that alone.
        if (!text.empty() && text.back() != '\n') text += '\n';
        text_ = run_.keep(std::move(text));
    }

    Run read() {
        const char* place = text_.data();
        const char* const end = place + text_.size();
        while (place != end) {
            ++line_;
            place = read_line(place);
        }
        if (run_.queries().empty()) warnings_.warn({path_, 0}, "the run is empty");
        drop_duplicates();
        return std::move(run_);
    }

  private:
    // Reads the line at `place` and returns the start of the next.
    const char* read_line(const char* place) {
        const char* const start = place;
        std::array<std::string_view, kColumns> cells;
        std::size_t count = 0;
        for (;;) {
            while (is_blank(*place)) ++place;
            if (*place == '\n') break;
            const char* const begin = place;
            place = word_end(place);
            if (count < kColumns) cells[count] = {begin, static_cast<std::size_t>(place - begin)};
            ++count;
        }
        if (count == 0) return place + 1;
        const std::string_view line(start, static_cast<std::size_t>(place - start));
        if (count != kColumns && !(count > kColumns && cut_at_tabs(line, cells))) {
            throw FormatError(where(), "found " + counted(count, "column") + " in " +
                                           in_quotes(trim(line)) + ", " + kExpected);
        }
        add(cells);
        return place + 1;
    }

    static bool cut_at_tabs(std::string_view line, std::array<std::string_view, kColumns>& cells) {
        if (std::count(line.begin(), line.end(), '\t') != kColumns - 1) return false;
        for (std::string_view& cell : cells) {
            const std::size_t end = std::min(line.find('\t'), line.size());
            cell = trim(line.substr(0, end));
            if (cell.empty()) return false;
            line.remove_prefix(std::min(end + 1, line.size()));
        }
        return true;
    }

    void add(const std::array<std::string_view, kColumns>& cells) {
        if (current_ == nullptr || current_->query != cells[0]) {
            current_ = &run_.query(cells[0]);
            if (run_.name().empty()) run_.rename(std::string(cells[5]));
        }
        const std::string_view score = cells[4];
        const char* const end = score.data() + score.size();
        double value = 0;
        if (scan_decimal(score.data(), end, value) != end) value = parse_score(score);
        if (!std::isfinite(value)) {
            throw FormatError(
                where(), "found " + in_quotes(score) + " as the score, expected a finite number");
        }
        current_->documents.push_back({cells[2], value});
    }

    double parse_score(std::string_view score) const {
        const auto value = parse_number(score);
        if (value) return *value;
        throw FormatError(where(), "found " + in_quotes(score) +
                                       " as the score, expected a number; " + kExpected);
    }

    void drop_duplicates() {
        NameTable table;
        for (QueryRun& query : run_.queries()) {
            auto& documents = query.documents;
            const auto name_of = [&documents](std::uint32_t i) { return documents[i].document; };
            table.reset(documents.size());
            std::size_t kept = 0;
            for (std::size_t i = 0; i < documents.size(); ++i) {
                const ScoredDocument document = documents[i];
                const std::uint32_t same =
                    table.insert(document.document, static_cast<std::uint32_t>(kept), name_of);
                if (same == NameTable::kNone) {
                    documents[kept++] = document;
                    continue;
                }
                report_duplicate(query, document);
                documents[same].score = std::max(documents[same].score, document.score);
            }
            documents.resize(kept);
        }
        warnings_.report_totals();
    }

    void report_duplicate(const QueryRun& query, const ScoredDocument& document) {
        const std::string pair =
            "query " + in_quotes(query.query) + ", document " + in_quotes(document.document);
        SourceLocation place{path_, 0};
        if (duplicates_++ < WarningCounter::kPassedOn) {
            // The name is a view into the text, so its line can be found again.
            const auto lines = std::count(text_.data(), document.document.data(), '\n');
            place.line = static_cast<std::size_t>(lines) + 1;
        }
        if (options_.duplicates == RunOptions::Duplicates::kRefuse) {
            throw FormatError(place, pair + " is there twice, expected it once");
        }
        warnings_.warn(place, "a document twice in a query; the higher score stays", pair);
    }

    SourceLocation where() const { return {path_, line_}; }

    const std::string& path_;
    const RunOptions& options_;
    Run run_;
    std::string_view text_;
    std::size_t line_ = 0;
    QueryRun* current_ = nullptr;
    WarningCounter warnings_;
    std::size_t duplicates_ = 0;
};

}  // namespace

Run read_run(const std::string& path, const RunOptions& options) {
    return RunParser(path, read_whole(path, options.max_line), options).read();
}

Run read_run(Input input, const RunOptions& options) {
    const std::string path = input.path();
    return RunParser(path, read_whole(std::move(input), 0, options.max_line), options).read();
}

namespace {

bool has_blank(std::string_view name) { return std::any_of(name.begin(), name.end(), is_blank); }

void check_name(std::string_view name, const char* what) {
    const char* problem = nullptr;
    if (name.empty()) {
        problem = "is empty";
    } else if (has_control(name)) {
        problem = "has a control character";
    } else if (is_blank(name.front()) || is_blank(name.back())) {
        problem = "begins or ends in a blank";
    }
    if (problem == nullptr) return;
    throw InvalidArgument(std::string(what) + " name " + in_quotes(name) + " " + problem +
                          ", which a run can't hold");
}

}  // namespace

void append_run(std::string& out, const QueryRun& query, std::string_view run_name) {
    if (run_name.empty()) run_name = "braid";
    check_name(query.query, "query");
    check_name(run_name, "run");
    bool blanks = has_blank(query.query) || has_blank(run_name);
    for (const ScoredDocument& document : query.documents) {
        check_name(document.document, "document");
        blanks = blanks || has_blank(document.document);
        if (!std::isfinite(document.score)) {
            throw InvalidArgument(
                fmt::format("document {} of query {} has score {}, which a run "
                            "can't hold",
                            in_quotes(document.document), in_quotes(query.query), document.score));
        }
    }
    std::vector<ScoredDocument> ranked = query.documents;
    rank_documents(ranked);
    const char gap = blanks ? '\t' : ' ';
    const std::string begin = fmt::format("{}{}Q0{}", query.query, gap, gap);
    const std::string end = fmt::format("{}{}\n", gap, run_name);
    std::size_t rank = 0;
    for (const ScoredDocument& document : ranked) {
        out.append(begin).append(document.document) += gap;
        out.append(fmt::to_string(++rank)) += gap;
        out.append(fmt::to_string(document.score)).append(end);
    }
}

std::string run_text(const Run& run) {
    std::string out;
    for (const QueryRun& query : run.queries()) append_run(out, query, run.name());
    return out;
}

}  // namespace braid
