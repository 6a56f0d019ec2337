// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "braid/indexer/formats/csv_documents.h"
#include "braid/indexer/formats/debian_join.h"
#include "braid/indexer/formats/document_reader.h"
#include "braid/indexer/formats/json_documents.h"
#include "braid/indexer/formats/smart_documents.h"
#include "braid/indexer/formats/text_documents.h"
#include "braid/indexer/formats/trec_documents.h"

namespace braid {
namespace {

constexpr int kCertainEnough = 50;

template <typename Reader, auto... arguments>
std::unique_ptr<DocumentReader> open(Input input, const ReaderContext& context) {
    return std::make_unique<Reader>(std::move(input), context, arguments...);
}

std::vector<DocumentFormat> list_formats() {
    return {
        {"smart", "SMART collections (.I .T .A .B .W ...), such as MED, CRAN, CISI, CACM", false,
         SmartDocuments::recognise, open<SmartDocuments>},
        {"trec", "TREC collections: SGML records <DOC> <DOCNO> ... </DOC>", false,
         TrecDocuments::recognise, open<TrecDocuments>},
        {"jsonl", "JSON lines: one object a line, such as BEIR's corpus.jsonl", false,
         JsonDocuments::recognise, open<JsonDocuments>},
        {"csv", "tables under a header line, separated by , ; | or tabs, quoted as in RFC 4180",
         false, CsvDocuments::recognise, open<CsvDocuments, '\0'>},
        {"tsv", "tables under a header line, separated by tabs, mostly without quotes", false,
         CsvDocuments::recognise_tabs, open<CsvDocuments, '\t'>},
        {"text", "plain text files; each is one document, named by its path", true,
         TextDocuments::recognise, open<TextDocuments>},
        {"debian", "Debian package lists: Packages, Translation-en, apt-cache dumpavail", false,
         DebianDocuments::recognise, open<DebianDocuments>, DebianJoin::belong_together,
         [](std::vector<Input> inputs, const ReaderContext& context) {
             return std::make_unique<DebianJoin>(std::move(inputs), context);
         }},
    };
}

}  // namespace

const Registry<DocumentFormat>& document_formats() {
    static const Registry<DocumentFormat> formats("document format", list_formats());
    return formats;
}

const DocumentFormat& guess_document_format(const std::string& path, std::string_view head) {
    if (head.empty()) throw FormatError({path, 0}, "is empty: its format can't be told");
    const DocumentFormat* best = nullptr;
    int best_score = 0;
    std::string rivals;
    std::string known;
    for (const DocumentFormat& format : document_formats()) {
        known += (known.empty() ? "" : ", ") + format.name;
        const int score = format.recognise(path, head);
        if (score < kCertainEnough || score < best_score) continue;
        rivals = score == best_score ? rivals + ", " + format.name : format.name;
        best = &format;
        best_score = score;
    }
    if (best == nullptr) {
        throw FormatError({path, 0}, "can't tell its format; give one of: " + known);
    }
    if (rivals != best->name) {
        throw FormatError({path, 0}, "may be one of: " + rivals + "; say which");
    }
    return *best;
}

}  // namespace braid
