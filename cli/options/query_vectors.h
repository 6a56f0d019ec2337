// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/cli/options/command.h"
#include "braid/indexer/formats/query_reader.h"
#include "braid/indexer/formats/vector_reader.h"
#include "braid/model.h"
#include "braid/search_request.h"
#include "braid/training_set.h"

namespace braid::cli {

/// Parses "[NAME=]FILE" with vectors; the name has a default.
struct NamedFile {
    std::string name;
    std::string file;
};
NamedFile named_file(const std::string& text, const std::string& usual_name = "vectors");

/// Options for reading vectors, with the session's limits.
VectorOptions vector_reading(const Session& session);

/// Query vectors from files.
class QueryVectors {
  public:
    /// Each is "[NAME=]FILE". Throws as read_vectors does, and InvalidArgument for one name twice.
    QueryVectors(const std::vector<std::string>& files, const VectorOptions& reading,
                 const std::string& usual_name = "vectors");

    /// Embeddings for query-dependent weights, by default named "embedding". Also throws
    /// InvalidArgument for an all-zero vector.
    static QueryVectors embeddings(const std::vector<std::string>& files,
                                   const VectorOptions& reading);

    /// Dimensions by name.
    std::map<std::string, std::size_t> dimensions() const;

    /// One query's vectors by name. Throws InvalidArgument unless each file has one vector.
    std::map<std::string, std::vector<float>> single() const;
    /// Throws InvalidArgument if a file without ids has another number of vectors.
    void check_count(std::size_t queries) const;

    /// A query's vectors by name: by its id in files with ids, else by its index. Skips files
    /// without a vector for that id.
    std::map<std::string, std::vector<float>> of(const std::string& id, std::size_t place) const;

    /// Gives each query of a set its vectors as query features, named as those of a database are:
    /// "embedding:NAME:0" and so on. Throws InvalidArgument as `check_count` does, and where a
    /// query has no vector.
    void add_to(TrainingSet& set) const;

  private:
    struct Entry {
        std::string file;
        SourceVectors vectors;
        std::map<std::string, std::size_t> rows;  ///< By id.
    };
    std::map<std::string, Entry> entries_;  ///< By name.
};

/// Options for query inputs other than words: vectors and the time.
struct QueryExtras {
    std::vector<std::string> vectors;  ///< As QueryVectors takes them.
    double now = 0;                    ///< 0: the machine's clock.
};

/// Adds --query-vectors and --now.
void add_query_extras(CLI::App& command, QueryExtras& extras);

/// The inputs of each of `queries`, in order, all with the same time. Throws as QueryVectors does.
std::vector<QueryInputs> query_inputs(const QueryExtras& extras,
                                      const std::vector<SourceQuery>& queries,
                                      const Session& session);

/// Throws InvalidArgument, which lists query ids, if queries lack a vector for a ranker of `model`
/// with a weight, or for any ranker if `all`.
void check_vectors(const FusionModel& model, bool all, const std::vector<std::string>& ids,
                   const std::vector<QueryInputs>& inputs);

/// Whether a ranker of one of the models reads the queries' vectors `name`.
bool reads_vectors(const std::vector<FusionModel>& models, const std::string& name);
/// The warning about vectors that no ranker reads.
std::string unread_vectors(const std::string& option, const std::string& name);

/// Whether a ranker uses documents' ages.
bool counts_ages(const FusionModel& model);
/// Notes the time from which ages count, if a ranker uses ages.
void note_time(const FusionModel& model, double now, const Session& session);

}  // namespace braid::cli
