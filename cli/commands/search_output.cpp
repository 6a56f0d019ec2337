// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/commands/search_output.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "braid/cli/output/output.h"
#include "braid/cli/output/text_table.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Explanation& explanation) {
    Json rankers = Json::array();
    for (const RankerExplanation& ranker : explanation.rankers) {
        Json terms = Json::array();
        for (const TermValue& term : ranker.terms) {
            terms.push_back({{"term", term.term},
                             {"query_occurrences", term.query_occurrences},
                             {"occurrences", term.occurrences},
                             {"value", term.value}});
        }
        rankers.push_back({{"label", ranker.label},
                           {"ranker", ranker.ranker},
                           {"formula", ranker.formula},
                           {"value", ranker.value ? Json(*ranker.value) : Json()},
                           {"place", ranker.place ? Json(*ranker.place) : Json()},
                           {"normalised", ranker.normalised ? Json(*ranker.normalised) : Json()},
                           {"weight", ranker.weight},
                           {"mean_weight", ranker.mean_weight ? Json(*ranker.mean_weight) : Json()},
                           {"contribution", ranker.contribution},
                           {"bound", ranker.bound ? Json(*ranker.bound) : Json()},
                           {"document_value", ranker.document_value},
                           {"terms", std::move(terms)},
                           {"note", ranker.note}});
    }
    return {
        {"path", explanation.path}, {"note", explanation.note}, {"rankers", std::move(rankers)}};
}

Json json_of(const SearchHit& hit) {
    Json json = {{"rank", hit.rank},       {"docid", hit.docid},     {"name", hit.name},
                 {"score", hit.score},     {"percent", hit.percent}, {"title", hit.title},
                 {"snippet", hit.snippet}, {"terms", hit.terms}};
    if (hit.probability) json["probability"] = *hit.probability;
    // Data without fields is one text.
    if (hit.fields.empty()) {
        json["data"] = hit.data;
    } else {
        json["fields"] = hit.fields;
    }
    if (hit.collapsed > 0) json["collapsed"] = hit.collapsed;
    if (hit.explanation) json["explanation"] = json_of(*hit.explanation);
    return json;
}

Json json_of(const SearchRun& run) {
    const FusedCounters& counters = run.counters;
    return {{"path", run.path},
            {"pruned", run.pruned},
            {"why_not_pruned", run.why_not_pruned},
            {"postings", counters.postings},
            {"postings_in_memory", counters.postings_in_memory},
            {"postings_scored", counters.postings_scored},
            {"documents_scored", counters.documents_scored},
            {"documents_skipped", counters.documents_skipped},
            {"vectors_decoded", counters.vectors_decoded},
            {"vectors_in_memory", counters.vectors_in_memory},
            {"vectors_bounded", counters.vectors_bounded},
            {"positions_read", counters.positions_read},
            {"without_positions", counters.without_positions},
            {"damaged", counters.damaged},
            {"clusters", counters.clusters},
            {"clusters_visited", counters.clusters_visited},
            {"clusters_left", counters.clusters_left},
            {"clusters_left_bound", counters.left_bound},
            {"documents_similar", counters.documents_similar},
            {"surely", run.surely},
            {"feedback_milliseconds", run.feedback_milliseconds},
            {"weighting_milliseconds", run.weighting_milliseconds},
            {"weighting_documents", run.weighting_documents},
            {"rescored", run.rescored},
            {"rescoring_milliseconds", run.rescoring_milliseconds}};
}

Json second_pass_json(const FinishedSearch& search) {
    const SearchRun& run = search.result.run;
    if (run.rescored == 0) return nullptr;
    Json json = {{"documents", run.rescored}, {"milliseconds", run.rescoring_milliseconds}};
    if (search.wider) {
        json["wider"] = {{"window", search.wider->window},
                         {"changed", search.wider->changed},
                         {"milliseconds", search.wider->milliseconds}};
    }
    return json;
}

Json json_of(const FinishedSearch& search) {
    const SearchResult& result = search.result;
    Json hits = Json::array();
    for (const SearchHit& hit : result.hits) hits.push_back(json_of(hit));
    return {{"query", search.query},
            {"parsed", result.query.get_description()},
            {"model", search.model},
            {"candidates", search.candidates},
            {"corrected", result.corrected},
            {"milliseconds", search.milliseconds},
            {"complete", result.complete},
            {"matches",
             {{"estimated", result.matches},
              {"at_least", result.matches_at_least},
              {"at_most", result.matches_at_most}}},
            {"run", json_of(result.run)},
            {"second_pass", second_pass_json(search)},
            {"hits", std::move(hits)}};
}

}  // namespace

Json results_json(const FinishedSearch& search) { return json_of(search); }

Json comparison_json(const FinishedSearch& left, const FinishedSearch& right) {
    return Json::array({json_of(left), json_of(right)});
}

namespace {

constexpr std::size_t kComparedTitle = 26;

// Line ends and tabs are of no account in running text.
std::string in_one_line(std::string text) {
    for (char& c : text) {
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    }
    return text;
}

// At most `length` characters of UTF-8.
std::string shortened(const std::string& text, std::size_t length) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] & '\xc0') == '\x80') continue;
        if (++characters > length) return text.substr(0, i) + "...";
    }
    return text;
}

std::string weighed_value(const RankerExplanation& ranker) {
    std::string text;
    if (ranker.normalised) text += fmt::format(", normalised {:.4f}", *ranker.normalised);
    if (ranker.is_together) return text;
    if (ranker.is_absent) {
        return ranker.contribution == 0 ? text : fmt::format(" adds {:.4f}", ranker.contribution);
    }
    text += fmt::format(" * {:.4g}", ranker.weight);
    if (ranker.mean_weight) text += fmt::format(" (mean query: {:.4g})", *ranker.mean_weight);
    text += fmt::format(" = {:.4f}", ranker.contribution);
    if (ranker.bound && !ranker.normalised) {
        text += fmt::format(", at most {:.4f}", *ranker.bound * ranker.weight);
    }
    return text;
}

std::string ranker_line(const RankerExplanation& ranker) {
    if (!ranker.value) {
        return ranker.note.empty() ? "not known" : "not known; " + visible(ranker.note);
    }
    std::string line = fmt::format("{:.4f}", *ranker.value);
    if (ranker.place) {
        line += fmt::format(" in place {:g}, weight {:.4g}: {:.4f}", *ranker.place, ranker.weight,
                            ranker.contribution);
    } else {
        line += weighed_value(ranker);
    }
    std::string parts;
    for (const TermValue& term : ranker.terms) {
        parts += format_line("{}{} {:.4f} (x{})", parts.empty() ? "" : " + ", term.term, term.value,
                             term.occurrences);
    }
    if (ranker.document_value != 0) {
        parts +=
            fmt::format("{}document {:.4f}", parts.empty() ? "" : " + ", ranker.document_value);
    }
    for (const std::string& more : {parts, visible(ranker.note)}) {
        if (!more.empty()) line += "; " + more;
    }
    return line;
}

std::string explanation_text(const Explanation& explanation) {
    std::size_t widest = 0;
    for (const RankerExplanation& ranker : explanation.rankers) {
        widest = std::max(widest, visible(ranker.label).size());
    }
    std::string text;
    for (const RankerExplanation& ranker : explanation.rankers) {
        text += format_line("      {:<{}}  {}\n", ranker.label, widest, ranker_line(ranker));
    }
    if (!explanation.note.empty()) text += format_line("      {}\n", explanation.note);
    return text;
}

std::string formulas_text(const Explanation& explanation) {
    std::string text;
    for (const RankerExplanation& ranker : explanation.rankers) {
        if (!ranker.formula.empty()) text += format_line("{}: {}\n", ranker.label, ranker.formula);
    }
    return text;
}

std::string clusters_text(const SearchRun& run) {
    const FusedCounters& counters = run.counters;
    if (counters.clusters == 0) return "";
    std::string text =
        fmt::format("{} of {} clusters looked through, {} documents from them",
                    counters.clusters_visited, counters.clusters, counters.documents_similar);
    if (counters.clusters_left == 0) return text + "; the answer is exact\n";
    return text + fmt::format(
                      "; {} left, in which none without a word of the query scores over {:.4f}: "
                      "{:.0f} % of these results are surely right\n",
                      counters.clusters_left, counters.left_bound, 100 * run.surely);
}

std::string run_text(const SearchRun& run) {
    std::string text = format_line("{}\n", run.path);
    if (!run.pruned) {
        return run.why_not_pruned.empty()
                   ? text
                   : text + format_line("not pruned: {}\n", run.why_not_pruned);
    }
    const FusedCounters& counters = run.counters;
    text += fmt::format("{} of {} postings scored, {} documents scored, {} given up before",
                        counters.postings_scored, counters.postings, counters.documents_scored,
                        counters.documents_skipped);
    if (counters.postings_in_memory > 0) {
        text += fmt::format(", {} postings in memory", counters.postings_in_memory);
    }
    if (counters.vectors_decoded > 0) {
        text += fmt::format(", {} vectors compared ({} from memory)", counters.vectors_decoded,
                            counters.vectors_in_memory);
    }
    if (counters.vectors_bounded > 0) {
        text += fmt::format(", {} bounded by a part", counters.vectors_bounded);
    }
    if (counters.positions_read > 0) {
        text += fmt::format(", positions of {} read", counters.positions_read);
    }
    return text + "\n" + clusters_text(run);
}

std::string second_pass_text(const FinishedSearch& search) {
    const SearchRun& run = search.result.run;
    if (run.rescored == 0) return "";
    std::string text =
        fmt::format("second pass: {} of {} matches in {:.2f} of {:.2f} ms", run.rescored,
                    search.result.matches, run.rescoring_milliseconds, search.milliseconds);
    if (!search.wider) return text + "\n";
    return text + fmt::format("; --window {} would change {} of these {} results, in {:.2f} ms\n",
                              search.wider->window, search.wider->changed,
                              search.result.hits.size(), search.wider->milliseconds);
}

std::map<Xapian::docid, Xapian::doccount> ranks_of(const SearchResult& result) {
    std::map<Xapian::docid, Xapian::doccount> ranks;
    for (const SearchHit& hit : result.hits) ranks[hit.docid] = hit.rank;
    return ranks;
}

std::string compared_cell(const SearchHit& hit,
                          const std::map<Xapian::docid, Xapian::doccount>& others) {
    const auto other = others.find(hit.docid);
    const std::string place = other == others.end() ? "new" : fmt::format("#{}", other->second);
    const std::string title =
        hit.title.empty() || hit.title == hit.name ? hit.name : hit.name + "  " + hit.title;
    return fmt::format("{:<4} {}", place, shortened(visible(in_one_line(title)), kComparedTitle));
}

}  // namespace

std::string results_text(const FinishedSearch& search) {
    std::string text;
    for (const SearchHit& hit : search.result.hits) {
        const std::string title = in_one_line(hit.title);
        text += fmt::format("{:3}. {:8.4f}  {}{}{}{}", hit.rank, hit.score,
                            hit.probability ? fmt::format("p {:.3f}  ", *hit.probability) : "",
                            kBold, visible(hit.name), kPlain);
        if (!title.empty() && title != hit.name) text += "  " + visible(title);
        text += "\n";
        // Snippets are lines of their own, with bold type.
        if (!hit.snippet.empty()) text += "      " + hit.snippet + "\n";
        if (hit.collapsed > 0) text += fmt::format("      and {} more like it\n", hit.collapsed);
        if (hit.explanation) text += explanation_text(*hit.explanation);
    }
    if (!search.result.hits.empty() && search.result.hits.front().explanation) {
        text += "\n" + formulas_text(*search.result.hits.front().explanation) +
                run_text(search.result.run) + second_pass_text(search);
    }
    return text;
}

std::string interleaved_text(const InterleavedSearch& search) {
    std::string text;
    for (const InterleavedSearch::Hit& one : search.hits) {
        const std::string title = in_one_line(one.hit.title);
        text += fmt::format("{:3}.  {}{}{}", one.hit.rank, kBold, visible(one.hit.name), kPlain);
        if (!title.empty() && title != one.hit.name) text += "  " + visible(title);
        text += "\n";
        if (!one.hit.snippet.empty()) text += "      " + one.hit.snippet + "\n";
    }
    return text;
}

Json interleaved_json(const InterleavedSearch& search) {
    Json hits = Json::array();
    for (const InterleavedSearch::Hit& one : search.hits) {
        Json hit = json_of(one.hit);
        hit["team"] = search.models[one.team];
        hits.push_back(std::move(hit));
    }
    return {{"session", search.session},
            {"query", search.query},
            {"rankings", search.models},
            {"hits", std::move(hits)}};
}

std::string comparison_text(const FinishedSearch& left, const FinishedSearch& right) {
    const auto left_ranks = ranks_of(left.result);
    const auto right_ranks = ranks_of(right.result);
    TextTable table(3);
    const auto heading = [&](const FinishedSearch& search) {
        return fmt::format("{} ({:.2f} ms)", search.model, search.milliseconds);
    };
    table.row({"", heading(left), heading(right)});
    const std::size_t rows = std::max(left.result.hits.size(), right.result.hits.size());
    for (std::size_t i = 0; i < rows; ++i) {
        const bool on_left = i < left.result.hits.size();
        const bool on_right = i < right.result.hits.size();
        const SearchHit& hit = on_left ? left.result.hits[i] : right.result.hits[i];
        table.row({fmt::format("{:3}.", hit.rank),
                   on_left ? compared_cell(left.result.hits[i], right_ranks) : "",
                   on_right ? compared_cell(right.result.hits[i], left_ranks) : ""});
    }
    return kBold + visible(left.query) + kPlain + "\n" + table.text();
}

std::string summary_text(const FinishedSearch& search) {
    const SearchResult& result = search.result;
    const bool exact = result.matches_at_least == result.matches_at_most;
    std::string text =
        fmt::format("{}{} match{} in {:.1f} ms",
                    !result.complete ? "at least "
                    : exact          ? ""
                                     : "about ",
                    result.matches, result.matches == 1 ? "" : "es", search.milliseconds);
    if (!search.candidates.empty()) text += ", " + search.candidates;
    if (!result.corrected.empty()) text += "; did you mean: " + result.corrected;
    return text;
}

}  // namespace braid::cli
