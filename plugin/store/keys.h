// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// Keys of a database's metadata; docs/formats.md describes what each holds. All begin "braid:".
inline constexpr char kIndexSettingsKey[] = "braid:index";
inline constexpr char kDocumentNamesKey[] = "braid:names";
inline constexpr char kStemmersKey[] = "braid:stemmers";
inline constexpr char kTopicCatalogueKey[] = "braid:current";

/// Where records of documents are; see plugin/store/document_records.h.
inline constexpr char kDocumentRecordsKey[] = "braid:documents";
/// The slot, in decimal digits, while they are first written.
inline constexpr char kBegunRecordsKey[] = "braid:documents:begun";

inline constexpr char kFusionModelKey[] = "braid:model";
/// What kFusionModelKey has held, and since when.
inline constexpr char kInstalledModelsKey[] = "braid:installed";

/// Which table file is of this state; see plugin/store/table_file.h.
inline constexpr char kTableFileKey[] = "braid:tables";

/// In a sidecar: the identifier (Xapian::Database::get_uuid) of the database it belongs to.
inline constexpr char kSidecarKey[] = "braid:sidecar";

/// Keys of one topic model: kTopicKeyPrefix, the model's id (16 hexadecimal digits) and
/// one of the endings. A term's vector has the word behind the last.
inline constexpr char kTopicKeyPrefix[] = "braid:";
inline constexpr char kTopicRecordEnding[] = ":h";
inline constexpr char kTopicWordsEnding[] = ":w";
inline constexpr char kTopicClustersEnding[] = ":c";
inline constexpr char kTopicUseEnding[] = ":s";
inline constexpr char kTopicTermEnding[] = ":t:";

/// The value slot in which a database written by Braid keeps each document's name.
inline constexpr unsigned kNameSlot = 0;

/// The first value slot that topic vectors may take; a model takes the first free one.
inline constexpr unsigned kFirstTopicSlot = 1000;

}  // namespace braid
