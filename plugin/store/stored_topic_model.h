// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <xapian.h>

#include "braid/core/topics/topic_model.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

/// A text in a model's topic space.
struct FoldedText {
    std::vector<float> vector;  ///< Of length 1, or all zero if no word is known.
    double known = 0;           ///< Occurrences of known words.
    double unknown = 0;         ///< Occurrences of unknown words.
};

/// A topic model in a database, opened to fold texts in. Reads words' vectors on first use, 4
/// microseconds each on a local database, and keeps them up to kMaxKeptBytes.
/// For one thread, like the database. After the database is reopened, open it again.
class StoredTopicModel {
  public:
    static constexpr std::size_t kMaxKeptBytes = std::size_t{256} << 20;

    /// Throws ModelMismatch if the database doesn't hold the model, FormatError if it can't be
    /// read.
    BRAID_API StoredTopicModel(const Xapian::Database& database,
                               const TopicModelIdentity& identity);
    BRAID_API ~StoredTopicModel();
    BRAID_API StoredTopicModel(StoredTopicModel&&) noexcept;
    StoredTopicModel& operator=(StoredTopicModel&&) noexcept;

    const TopicModelIdentity& identity() const { return identity_; }
    const TopicRecord& record() const { return record_; }
    std::uint8_t tag() const { return tag_; }

    BRAID_API FoldedText fold(const WordCounts& words);

    /// The word's vector, valid until the next call of a member; nullptr for an unknown word.
    /// Throws FormatError with the key for an unreadable vector.
    BRAID_API const std::vector<float>* term_vector(const std::string& word);

    /// A document's vector as its slot holds it. `length` is the document's length in Xapian's
    /// sense, the sum of its wdf.
    BRAID_API std::string encode(std::span<const float> vector, std::uint64_t length) const;

  private:
    void make_room(std::size_t words);
    const std::vector<float>* look_up(const std::string& word);

    TopicModelIdentity identity_;
    TopicRecord record_;
    std::uint8_t tag_;
    Xapian::Database database_;
    std::unique_ptr<const TopicFolding> folding_;
    /// Empty for an unknown word.
    std::unordered_map<std::string, std::vector<float>> vectors_;
};

}  // namespace braid
