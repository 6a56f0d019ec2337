// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <xapian.h>

#include "braid/core/base/export.h"
#include "braid/core/settings/settings.h"
#include "braid/plugin/store/topic_record.h"

namespace braid {

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

/// Takes the model out of the catalogue; false if it isn't there.
BRAID_API bool withdraw_topic_model(Xapian::WritableDatabase& database, const std::string& name);

/// Removes all keys of the model. The documents' vectors are the caller's business.
BRAID_API void clear_topic_keys(Xapian::WritableDatabase& database, const std::string& id);

/// The first value slot from kFirstTopicSlot up that no document, intact topic model or field has
/// in any of `shards`, which all get the same.
BRAID_API unsigned free_topic_slot(const std::vector<Xapian::Database>& shards,
                                   const IndexSettings& settings);

}  // namespace braid
