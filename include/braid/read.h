// SPDX-License-Identifier: GPL-2.0-or-later
// The documents of a collection, one by one:
//
//     #include <iostream>
//
//     const auto reader = braid::open_documents({"collection.jsonl.gz"}, "", {});
//     for (braid::SourceDocument document; reader->next(document);) {
//         std::cout << document.id << ": " << document.text_of("title") << '\n';
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/judgements.h"
#include "braid/progress.h"
#include "braid/run.h"
#include "braid/settings.h"
#include "braid/training_set.h"

namespace braid {

// "-" is standard input, and gzip is unpacked. docs/guide/documents.md and
// docs/guide/queries-and-judgements.md have the forms of files.

struct SourceField {
    std::string name;
    std::string text;  ///< Valid UTF-8.
};

/// One document from its source: named fields in the source's order; names may repeat.
struct SourceDocument {
    std::string id;  ///< The name that judgements and runs use; "" if the source has none.
    std::vector<SourceField> fields;
    SourceLocation where;  ///< The record's first line.

    /// All text of the fields called `name`, in order, joined by newlines.
    BRAID_API std::string text_of(std::string_view name) const;
};

/// Reads documents one by one, in memory independent of their number. Ids, field names and texts
/// are valid UTF-8, trimmed, without control characters except tab and newline; fields without text
/// are skipped. For one thread.
class BRAID_API DocumentReader {
  public:
    virtual ~DocumentReader() = default;

    /// Overwrites `document` with the next one; at the end returns false, also on later calls.
    /// Throws FormatError (with file and line) for fatal errors, after which the reader is
    /// unusable; reports others to the warning sink.
    virtual bool next(SourceDocument& document) = 0;

    /// Bytes of the input consumed, as stored (compressed); for progress.
    virtual std::uint64_t bytes_read() const = 0;
};

struct ReaderOptions {
    WarningSink warn;  ///< May be empty. Gets the first few of a kind, then their number.
    /// Bytes; a longer record is skipped with a warning. Memory is a small multiple of it at most.
    std::size_t max_record = Limits{}.record;
    std::string id_field;   ///< JSON, CSV: the field that names the document; "" finds it.
    char delimiter = '\0';  ///< CSV: '\0': detected.
    std::vector<std::string> columns;  ///< CSV: their names; empty: taken from the header line.
    std::string id_prefix = {};  ///< Comes before the name of each document that has one: "med:".
};

/// Reads the documents of `paths` in order: a file, "-" for standard input, or a folder, whose
/// files are read in name order. `format` "": guessed for each input. Inputs that
/// complete each other, such as Debian's Packages and Translation, are joined.
///
/// Throws UnknownComponent, or FormatError for absent inputs and unknown formats, for all paths
/// before the first document is read. In a folder, a file that fails before its first document is
/// skipped with a warning.
BRAID_API std::unique_ptr<DocumentReader> open_documents(const std::vector<std::string>& paths,
                                                         const std::string& format,
                                                         const ReaderOptions& options);

/// A query from its source, not yet parsed.
struct SourceQuery {
    std::string id;        ///< The name that judgements and runs use.
    std::string text;      ///< Valid UTF-8; fields are on lines of their own.
    SourceLocation where;  ///< The first line of its record.
};

struct QueryOptions {
    enum class Ids {
        kGiven,     ///< As in the file; plain lines are named by their numbers.
        kSequence,  ///< 1, 2, 3, in the file's order.
    };

    std::string format;               ///< "" to detect it.
    std::vector<std::string> fields;  ///< Fields to search for; empty: the format's default.
    Ids ids = Ids::kGiven;
    WarningSink warn;                      ///< May be empty.
    std::size_t max_line = Limits{}.line;  ///< Bytes; a longer line is an error.
    std::string id_prefix = {};  ///< Comes before each id; a number then loses its leading zeros.
};

/// Reads all queries of a file ("-": standard input; gzip is unpacked), in its order. Keeps
/// queries without text in the wanted fields, with a warning: an empty result is a result. Throws
/// UnknownComponent for an unknown format; FormatError with the line for a file that doesn't follow
/// its format or has no query, for a missing or repeated id, and if no query has any of the wanted
/// fields.
BRAID_API std::vector<SourceQuery> read_queries(const std::string& path,
                                                const QueryOptions& options = {});

/// Maps the grades of a judgement file to grades where more is better and 1 and above is relevant.
/// An empty map keeps whole numbers.
class BRAID_API GradeMap {
  public:
    GradeMap() = default;

    /// Reads "1=4,2=3,-1=4": grade in the file = grade from here on. "all" on the left stands for
    /// every grade not named, "same" on the right keeps it: "all=1", "-2=0,all=same". Throws
    /// InvalidArgument.
    explicit GradeMap(const std::string& text);

    /// Empty for a grade that the map doesn't name, and for a kept grade that isn't a whole number.
    std::optional<Grade> map(double grade) const;

    bool empty() const { return entries_.empty() && !others_; }

  private:
    struct Entry {
        double from = 0;
        std::optional<Grade> to;  ///< Empty: the same.
    };
    std::optional<Entry> others_;
    std::vector<Entry> entries_;
};

struct JudgementOptions {
    std::string format;  ///< ""  to detect it by the whole file.
    GradeMap grades;
    WarningSink warn;  ///< May be empty. Gets the first few of a kind, then their number.
    std::size_t max_line = Limits{}.line;  ///< Bytes; a longer line is an error.
    std::string id_prefix = {};            ///< As in QueryOptions and ReaderOptions: of both names.
};

/// Reads all judgements of a file ("-": standard input; gzip is unpacked). Keeps the first of
/// repeated judgements and warns with their number. Throws UnknownComponent for an unknown format,
/// FormatError with the line for a file that doesn't follow its format, or is empty.
BRAID_API Judgements read_judgements(const std::string& path, const JudgementOptions& options = {});

struct RunOptions {
    enum class Duplicates { kKeepBest, kRefuse };  ///< The higher score and a warning; FormatError.
    Duplicates duplicates = Duplicates::kKeepBest;
    WarningSink warn;                      ///< May be empty.
    std::size_t max_line = Limits{}.line;  ///< Bytes; a longer line is an error.
};

/// Reads a TREC run ("-": standard input; gzip is unpacked): query, anything, document, rank, score
/// and the run's name, between blanks, or between tabs where a line has exactly five of them. The
/// rank is ignored. Lines of a query may be scattered. Documents keep the order of their lines; see
/// rank_documents. The run keeps the file in memory: names are views into it. Throws
/// FormatError with the line; an empty file gives an empty run and a warning.
BRAID_API Run read_run(const std::string& path, const RunOptions& options = {});

/// A TREC run: for each query its documents, best first in the order of rank_documents, under the
/// run's own name ("braid" where that is empty), with the fewest digits that read back as the same
/// scores. Throws InvalidArgument for a name that can't stand in a run, and for a score that is not
/// finite.
BRAID_API std::string run_text(const Run& run);

/// The user's vectors of documents or queries: rows of one dimension, finite, not normalised.
struct SourceVectors {
    std::size_t dimensions = 0;
    std::vector<std::string> ids;  ///< One per row, or empty if the file has no names.
    std::vector<float> values;     ///< Row after row.

    std::size_t size() const { return dimensions > 0 ? values.size() / dimensions : 0; }
    std::span<const float> row(std::size_t i) const {
        return {values.data() + i * dimensions, dimensions};
    }
    bool operator==(const SourceVectors&) const = default;
};

struct VectorOptions {
    std::size_t max_line = Limits{}.line;              ///< Bytes; a longer line is an error.
    std::size_t max_dimensions = Limits{}.dimensions;  ///< Longer vectors are an error.
};

/// Reads NumPy's .npy ('<f4' or '<f8', C order) or JSON lines, each an object with "vector" or
/// "embedding" and maybe an id, or just an array; docs/formats.md. Throws FormatError, naming the
/// file and the line or row: no vectors, rows of different lengths, numbers that are not finite as
/// floats, ids on some lines only, the same id twice. Memory: 4 bytes a number, and the ids.
BRAID_API SourceVectors read_vectors(const std::string& path, const VectorOptions& options = {});

/// Reads a LETOR or SVMlight ranking file as learners see it: features are rankers, labels grades.
/// Throws FormatError with the line.
BRAID_API TrainingSet read_training_set(const std::string& path, const WarningSink& warn = {});

}  // namespace braid
