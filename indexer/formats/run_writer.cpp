// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/formats/run_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "braid/core/base/error.h"
#include "braid/core/base/text.h"
#include "braid/indexer/formats/scan.h"

namespace braid {
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
    throw InvalidArgument(std::string(what) + " name " + quoted(name) + " " + problem +
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
                            quoted(document.document), quoted(query.query), document.score));
        }
    }
    std::vector<ScoredDocument> ranked = query.documents;
    rank_documents(ranked);
    const char gap = blanks ? '\t' : ' ';
    std::size_t rank = 0;
    for (const ScoredDocument& document : ranked) {
        fmt::format_to(std::back_inserter(out), "{0}{1}Q0{1}{2}{1}{3}{1}{4}{1}{5}\n", query.query,
                       gap, document.document, ++rank, document.score, run_name);
    }
}

std::string run_text(const Run& run) {
    std::string out;
    for (const QueryRun& query : run.queries()) append_run(out, query, run.name());
    return out;
}

}  // namespace braid
