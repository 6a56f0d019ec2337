// SPDX-License-Identifier: GPL-2.0-or-later
//
// How fast runs, judgements and LETOR files are read, on one thread.
//
// Prints the median of five measurements in user and system time of this process, which a busy
// machine disturbs less than the clock. Small files are read again and again, 100 MB in all, for
// one measurement. MB are millions of bytes of the text, not of the gzip.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

#include <fmt/format.h>

#include "braid/bench/commands.h"
#include "braid/bench/common/processes.h"
#include "braid/bench/common/timing.h"
#include "braid/core/base/random.h"
#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/judgement_reader.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/indexer/formats/letor_reader.h"
#include "braid/indexer/formats/runs.h"

namespace braid::bench {
namespace {

// `read` returns how many lines (judgements, rows) there were.
void measure(const std::string& name, const std::string& path,
             const std::function<std::size_t(const std::string&)>& read) {
    const auto bytes = static_cast<double>(braid::read_whole(path).size());
    const int readings = std::max(1, static_cast<int>(100e6 / bytes));
    std::size_t lines = 0;
    const double median = median_processor_seconds(5,
                                                   [&] {
                                                       for (int i = 0; i < readings; ++i)
                                                           lines = read(path);
                                                   }) /
                          readings;
    fmt::print("{:<8} {:>9} lines {:>8.1f} MB {:>8.4f} s {:>7.0f} MB/s  {}\n", name, lines,
               bytes / 1e6, median, bytes / 1e6 / median, path);
}

std::size_t rows_of_run(const std::string& path) {
    std::size_t lines = 0;
    const braid::Run run = braid::read_run(path);
    for (const braid::QueryRun& query : run.queries()) lines += query.documents.size();
    return lines;
}

std::size_t rows_of_qrels(const std::string& path) { return braid::read_judgements(path).size(); }

std::size_t rows_of_letor(const std::string& path) { return braid::read_letor(path).rows(); }

void write(const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error("can't write " + path);
}

std::string document_name(braid::Random& random) {
    return fmt::format("GX{:03}-{:02}-{:08}", random.below(300), random.below(100),
                       random.below(100'000'000));
}

void write_run(const std::string& path, int digits) {
    braid::Random random;
    std::string text;
    for (int query = 1; query <= 1000; ++query) {
        double score = 30;
        for (int rank = 1; rank <= 1000; ++rank) {
            score -= 0.02 * random.uniform();
            text += fmt::format("{} Q0 {} {} {:.{}g} bm25\n", query, document_name(random), rank,
                                score, digits);
        }
    }
    write(path, text);
}

void write_qrels(const std::string& path) {
    braid::Random random;
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) {
        text += fmt::format("{} 0 {} {}\n", i / 1000 + 1, document_name(random), random.below(3));
    }
    write(path, text);
}

// Rows like MQ2008's: 46 features in [0, 1] with six decimals, or with all digits.
void write_letor(const std::string& path, int rows, bool all_digits) {
    braid::Random random;
    std::string text;
    for (int row = 0; row < rows; ++row) {
        text += fmt::format("{} qid:{}", random.below(3), row / 100);
        for (int feature = 1; feature <= 46; ++feature) {
            const double value = random.uniform();
            text += all_digits ? fmt::format(" {}:{}", feature, value)
                               : fmt::format(" {}:{:.6f}", feature, value);
        }
        text += fmt::format(" #docid = {} inc = 1 prob = 0.5\n", document_name(random));
    }
    write(path, text);
}

void measure_generated() {
    const TemporaryFolder folder;
    write_run(folder.path("run-6-digits"), 6);
    write_run(folder.path("run-17-digits"), 17);
    write_qrels(folder.path("qrels"));
    write_letor(folder.path("letor-6-decimals"), 360'000, false);
    write_letor(folder.path("letor-17-digits"), 180'000, true);
    measure("run", folder.path("run-6-digits"), rows_of_run);
    measure("run", folder.path("run-17-digits"), rows_of_run);
    measure("qrels", folder.path("qrels"), rows_of_qrels);
    measure("letor", folder.path("letor-6-decimals"), rows_of_letor);
    measure("letor", folder.path("letor-17-digits"), rows_of_letor);
}

struct Options : Arguments {
    std::string kind =
        positional("KIND", &kind, "run, qrels or letor; generated files of each kind if none");
    std::vector<std::string> files =
        positional("FILE", &files, "Files of this kind, packed by gzip or not");
};

void measure_files(const Options& options) {
    const std::string& kind = options.kind;
    if (kind.empty()) {
        measure_generated();
        return;
    }
    const auto read = kind == "run" ? rows_of_run : kind == "qrels" ? rows_of_qrels : rows_of_letor;
    if (kind != "run" && kind != "qrels" && kind != "letor") {
        throw braid::UnknownComponent("kind of file", kind, {"run", "qrels", "letor"});
    }
    for (const std::string& file : options.files) measure(kind, file, read);
}

}  // namespace

void add_files(Program& program) {
    program.add("files", "Reading runs, judgements and LETOR files", measure_files);
}

}  // namespace braid::bench
