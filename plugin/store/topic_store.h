// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/model.h"
#include "braid/plugin/store/topic_record.h"
#include "braid/settings.h"

namespace braid {

/// A database's topic models, under the metadata keys of plugin/store/keys.h. Models in the
/// catalogue are complete: their entry is written last and removed before their data is cleared.
/// Writes take effect at the next commit; a WritableDatabase of several shards must be written
/// shard by shard.

/// What load_topic_catalogue reads.
BRAID_API void store_topic_catalogue(Xapian::WritableDatabase& database,
                                     const std::vector<TopicModelIdentity>& models);

/// The model of that name. Throws ModelMismatch, which lists the models.
BRAID_API TopicModelIdentity find_topic_model(const Xapian::Database& database,
                                              const std::string& name);

/// Ids of all models with a record, published or not.
BRAID_API std::vector<std::string> recorded_topic_models(const Xapian::Database& database);

/// `ending` is one of keys.h.
BRAID_API std::string topic_key(std::string_view id, std::string_view ending);

/// The record; empty if it is damaged or absent. Throws NewerFormat for one of a newer version.
BRAID_API std::optional<TopicRecord> intact_topic_record(const Xapian::Database& database,
                                                         const std::string& id);

/// Value slots with vectors that are marked as the model's and that no other model nor the records
/// of documents have: where the vectors of a model are whose record is damaged.
BRAID_API std::vector<unsigned> slots_marked_as(const Xapian::Database& database,
                                                const std::string& id);

/// Whether a value is marked as a vector of the model with that tag, damaged or not.
BRAID_API bool is_marked_vector(std::string_view value, std::uint8_t tag);

/// Throw ModelMismatch if there is none, FormatError if it can't be read.
BRAID_API TopicRecord load_topic_record(const Xapian::Database& database, const std::string& id);
BRAID_API TopicSummary load_topic_summary(const Xapian::Database& database, const std::string& id);
/// All zero if none is stored.
BRAID_API TopicUse load_topic_use(const Xapian::Database& database, const std::string& id);

/// A hash of all that folding and the documents' vectors depend on: the same training of the same
/// texts has the same id, whenever and wherever it was done.
BRAID_API std::string topic_model_id(const TopicRecord& record, const TopicModel& model);

/// Tag of a model's document vectors: one byte of its id.
BRAID_API std::uint8_t topic_model_tag(std::string_view id);

/// A term's vector as it is stored: its length, and the direction in binary16.
std::string encode_term_vector(std::span<const float> vector);
/// Throws FormatError with `where` for bytes that aren't a vector of that many components.
BRAID_API void decode_term_vector(std::string_view bytes, std::string_view where,
                                  std::span<float> result);

/// The pieces of publishing a topic model; plugin/store/topic_store.h says in which order they
/// keep searchers from seeing half a model. All take one shard.

/// The record, the summary and every term's vector, under `id`. Not the catalogue.
BRAID_API void write_topic_model(Xapian::WritableDatabase& database, const std::string& id,
                                 const TopicRecord& record, const TopicSummary& summary,
                                 const TopicModel& model);

/// Writes the record again where it is of an older version, as it has to be when vectors of the
/// newest version join its own: so that an older Braid refuses the model and not only them.
BRAID_API void renew_topic_record(Xapian::WritableDatabase& database, const std::string& id,
                                  const TopicRecord& record);

/// Names the model in the catalogue, in place of the one of that name, whose id is returned; "" if
/// there was none.
BRAID_API std::string publish_topic_model(Xapian::WritableDatabase& database,
                                          const TopicModelIdentity& identity);

/// Removes the model from the catalogue; false if absent.
BRAID_API bool withdraw_topic_model(Xapian::WritableDatabase& database, const std::string& name);

/// Removes all keys of the model. The caller removes the documents' vectors.
BRAID_API void clear_topic_keys(Xapian::WritableDatabase& database, const std::string& id);

/// The first value slot from kFirstTopicSlot up that no document, intact topic model or field has
/// in any of `shards`, which all get the same.
BRAID_API unsigned free_topic_slot(const std::vector<Xapian::Database>& shards,
                                   const IndexSettings& settings);

}  // namespace braid
