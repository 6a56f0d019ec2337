// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fast documents are read, by format, beside a plain loop over the same input's lines.
//
// One thread; processor time, the median of five runs. A file's MB are those of its text,
// uncompressed.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/indexer/formats/document_reader.h"

namespace braid::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;

// Words of 1 to 11 letters in lines of about 70, with a letter that is not ASCII in every tenth.
std::string words(braid::Random& random, std::size_t size, const std::string& line_end) {
    std::string text;
    std::size_t line = 0;
    while (text.size() < size) {
        const std::size_t begin = text.size();
        for (std::uint64_t i = 1 + random.below(11); i > 0; --i) {
            text += static_cast<char>('a' + random.below(26));
        }
        if (random.below(600) == 0) text += "\u00E9";
        line += text.size() - begin + 1;
        const bool ends = line > 64;
        text += ends ? line_end : " ";
        if (ends) line = 0;
    }
    return text;
}

using Record = std::function<std::string(braid::Random&, std::size_t)>;

std::string generate(const Record& record) {
    braid::Random random;
    std::string text;
    for (std::size_t i = 1; text.size() < kBytes; ++i) text += record(random, i);
    return text;
}

std::vector<std::pair<std::string, Record>> records() {
    const auto number = [](std::size_t i) { return std::to_string(i); };
    return {
        {"smart",
         [=](braid::Random& random, std::size_t i) {
             return ".I " + number(i) + "\n.T\n" + words(random, 50, "\n") +
                    "\n.A\nSome One\n.W\n" + words(random, 800, "\n") + "\n";
         }},
        {"trec",
         [=](braid::Random& random, std::size_t i) {
             return "<DOC>\n<DOCNO> AP-" + number(i) + " </DOCNO>\n<HEAD>" +
                    words(random, 50, "\n") + "</HEAD>\n<TEXT>\n<P>\n" + words(random, 1500, "\n") +
                    "&amp;\n</P>\n<P>\n" + words(random, 1000, "\n") + "\n</P>\n</TEXT>\n</DOC>\n";
         }},
        {"jsonl",
         [=](braid::Random& random, std::size_t i) {
             return "{\"_id\": \"" + number(i) + "\", \"title\": \"" + words(random, 50, " ") +
                    "\", \"text\": \"" + words(random, 1000, "\\n") +
                    "\", \"metadata\": {\"year\": 2001, \"url\": \"http://example.org/" +
                    number(i) + "\"}}\n";
         }},
        {"csv",
         [=](braid::Random& random, std::size_t i) {
             return (i == 1 ? "id,title,text\n" : "") + number(i) + "," + words(random, 50, " ") +
                    ",\"" + words(random, 800, ", ") + "\"\"\n\"\n";
         }},
        {"debian",
         [=](braid::Random& random, std::size_t i) {
             return "Package: package-" + number(i) +
                    "\nVersion: 1.0-1\nDescription-md5: 0123456789abcdef0123456789abcdef\nTag: "
                    "role::program, use::searching, works-with::text\nSection: utils\n"
                    "Description-en: " +
                    words(random, 50, " ") + "\n " + words(random, 600, "\n ") + "\n\n";
         }},
        {"text", [](braid::Random& random, std::size_t) { return words(random, 10000, "\n"); }},
    };
}

using Source = std::function<braid::Input()>;

void report(const std::string& name, const std::string& format, const Source& open) {
    std::size_t bytes = 0;
    const double lines = median_processor_seconds(5, [&] {
        braid::LineReader reader(open());
        std::string_view line;
        bytes = 0;
        while (reader.next(line)) bytes += line.size() + 1;
    });
    std::size_t documents = 0;
    const double reading = median_processor_seconds(5, [&] {
        braid::ReaderOptions options;
        options.max_record = 2 * kBytes;  // The text format's one document.
        const auto reader = braid::open_documents(open(), format, options);
        braid::SourceDocument document;
        for (documents = 0; reader->next(document); ++documents) {
        }
    });
    const double megabytes = static_cast<double>(bytes) / 1e6;
    fmt::print("{:<32} {:>8} documents  {:>7.0f} MB/s   lines alone {:>7.0f} MB/s\n", name,
               documents, megabytes / reading, megabytes / lines);
}

struct Options : Arguments {
    std::vector<std::string> files = positional(
        "FILE", &files, "Files, formats guessed; 64 MB of generated text in each format if none");
};

void measure(const Options& options) {
    for (const std::string& file : options.files) {
        report(file, "", [&] { return braid::Input(file); });
    }
    if (!options.files.empty()) return;
    for (const auto& [format, record] : records()) {
        const std::string text = generate(record);
        const std::string& name = format;
        report(name, name, [&] { return braid::Input::from_memory(text, name); });
    }
}

}  // namespace

void add_documents(Program& program) {
    program.add("documents", "Reading documents of each format, beside reading lines", measure);
}

}  // namespace braid::bench
