// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/topics/word_rows.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "braid/indexer/formats/word_vector_reader.h"

namespace braid {
namespace {

std::string in_lower_case(std::string_view text) {
    std::string result;
    for (Xapian::Utf8Iterator at(text.data(), text.size()); at != Xapian::Utf8Iterator(); ++at) {
        Xapian::Unicode::append_utf8(result, Xapian::Unicode::tolower(*at));
    }
    return result;
}

// Sums by word of the vocabulary.
class Rows {
  public:
    Rows(const std::vector<std::string>& vocabulary, const Xapian::Stem& stem)
        : vocabulary_(vocabulary), stem_(stem), weights_(vocabulary.size()) {}

    void add(std::string_view given, std::size_t place, std::span<const float> vector) {
        if (sums_.columns == 0) sums_ = FloatMatrix(vocabulary_.size(), vector.size());
        const std::string word = in_lower_case(given);
        const std::string stem = stem_(word);
        const auto found = std::lower_bound(vocabulary_.begin(), vocabulary_.end(), stem);
        if (found == vocabulary_.end() || *found != stem || !seen_.insert(word).second) return;
        const auto row = static_cast<std::size_t>(found - vocabulary_.begin());
        const double weight = 1 / static_cast<double>(place);
        weights_[row] += weight;
        const std::span<float> sum = sums_.row(row);
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k] += static_cast<float>(weight * vector[k]);
        }
    }

    FloatMatrix means() && {
        for (std::size_t row = 0; row < weights_.size(); ++row) {
            if (weights_[row] == 0) continue;
            for (float& x : sums_.row(row)) x = static_cast<float>(x / weights_[row]);
        }
        return std::move(sums_);
    }

  private:
    const std::vector<std::string>& vocabulary_;
    Xapian::Stem stem_;
    FloatMatrix sums_;
    std::vector<double> weights_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

WordRows read_word_rows(const std::string& file, const VectorOptions& options,
                        const std::vector<std::string>& vocabulary, const Xapian::Stem& stem,
                        const Progress& progress) {
    Rows rows(vocabulary, stem);
    const WordVectorFile read = read_word_vectors(
        file, options,
        [&](std::string_view word, std::size_t place, std::span<const float> vector) {
            rows.add(word, place, vector);
        },
        progress);
    return {std::move(rows).means(), fmt::format("{:016x}", read.checksum)};
}

}  // namespace braid
