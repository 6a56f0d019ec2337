// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/indexer/formats/input.h"
#include "braid/indexer/formats/letor_data.h"
#include "braid/progress.h"
#include "braid/training_set.h"

namespace braid {

struct LetorOptions {
    std::size_t features = 0;       ///< Minimum number of columns, for a part of a larger set.
    std::size_t first_feature = 1;  ///< 0 for files that count their features from 0.
    std::size_t most_features = 1 << 14;  ///< The matrix is dense: more are an error.
    WarningSink warn;                     ///< May be empty.
    Progress progress;                    ///< May be empty; bytes of the file as stored.
    std::size_t max_line = LineReader::kDefaultMaxLine;  ///< Bytes; a longer line is an error.
};

/// Reads a LETOR or SVMlight ranking file ("-": standard input; gzip is unpacked):
///
///     # 1:bm25 2:lsa                                 names of the features; may be left out
///     2 qid:10 1:0.5 2:NULL 4:-3e-2 # docid = D7     label, query, features, a comment
///
/// Labels are whole numbers. Features come in any order, each at most once. Scattered lines of
/// a query are grouped, with a warning. Memory: the matrix; the file is streamed.
/// Throws FormatError with the line, and for a file without a row; Cancelled.
LetorData read_letor(const std::string& path, const LetorOptions& options = {});
LetorData read_letor(Input input, const LetorOptions& options = {});

/// The names of a file's features: from its names line, or "1", "2" and so on.
std::vector<std::string> feature_names(const LetorData& data);

/// The file as a training set: features are rankers, labels grades. Documents have names if every
/// row has one.
TrainingSet training_set(const LetorData& data);

/// The same with only the features `rankers`, in that order. In a file without names, a feature
/// beyond the last is 0, as in rows that don't mention it. Throws FormatError, which begins with
/// `file`, if the file's names lack a ranker, or if it has no names and a ranker isn't a number.
TrainingSet training_set(const LetorData& data, std::span<const std::string> rankers,
                         const std::string& file);

}  // namespace braid
