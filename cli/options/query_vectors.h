// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/core/model/fusion_model.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/plugin/query/query_inputs.h"

namespace braid::cli {

/// "[NAME=]FILE" with vectors; the name is the usual one where none is given.
struct NamedFile {
    std::string name;
    std::string file;
};
NamedFile named_file(const std::string& text, const std::string& usual_name = "vectors");

/// How files of vectors are read within the session's limits.
VectorOptions vector_reading(const Session& session);

/// The vectors of queries that come as files beside them.
class QueryVectors {
  public:
    /// Each is "[NAME=]FILE". Throws as read_vectors does, and InvalidArgument for one name twice.
    QueryVectors(const std::vector<std::string>& files, const VectorOptions& reading,
                 const std::string& usual_name = "vectors");

    /// What weights follow from, "embedding" by name. Throws InvalidArgument for a vector that is
    /// all zero, too.
    static QueryVectors embeddings(const std::vector<std::string>& files,
                                   const VectorOptions& reading);

    /// By name.
    std::map<std::string, std::size_t> dimensions() const;

    /// By name, of one query. Throws InvalidArgument unless each file has one vector.
    std::map<std::string, std::vector<float>> single() const;
    /// Throws InvalidArgument where a file without ids has not as many vectors.
    void check_count(std::size_t queries) const;

    /// By name, those of a query: by its id in files that have ids, else by its place. A file that
    /// has none for that id is left out.
    std::map<std::string, std::vector<float>> of(const std::string& id, std::size_t place) const;

  private:
    struct Entry {
        std::string file;
        SourceVectors vectors;
        std::map<std::string, std::size_t> rows;  ///< By id.
    };
    std::map<std::string, Entry> entries_;  ///< By name.
};

/// What the queries of a file bring beside their words, for the commands that take such a file.
struct QueryExtras {
    std::vector<std::string> vectors;  ///< As QueryVectors takes them.
    double now = 0;                    ///< 0: the machine's clock.
};

/// --query-vectors and --now.
void add_query_extras(CLI::App& command, QueryExtras& extras);

/// Those of each of `queries`, in their order, all at one time. Throws as QueryVectors does.
std::vector<QueryInputs> query_inputs(const QueryExtras& extras,
                                      const std::vector<SourceQuery>& queries,
                                      const Session& session);

/// Throws InvalidArgument, which lists the queries by their ids, where some have no vector for a
/// ranker of `model`: one that counts, or any if `all`.
void check_vectors(const FusionModel& model, bool all, const std::vector<std::string>& ids,
                   const std::vector<QueryInputs>& inputs);

/// Whether a ranker counts documents' ages.
bool counts_ages(const FusionModel& model);
/// Notes the time that ages are counted from, where a ranker counts any.
void note_time(const FusionModel& model, double now, const Session& session);

}  // namespace braid::cli
