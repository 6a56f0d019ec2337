// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "braid/indexer/formats/vector_reader.h"

namespace braid::cli {

/// "[NAME=]FILE" with vectors; the name is the usual one where none is given.
struct NamedFile {
    std::string name;
    std::string file;
};
NamedFile named_file(const std::string& text);

/// The vectors of queries that come as files beside them.
class QueryVectors {
  public:
    /// Each is "[NAME=]FILE". Throws as read_vectors does, and InvalidArgument for one name twice.
    explicit QueryVectors(const std::vector<std::string>& files);

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

}  // namespace braid::cli
