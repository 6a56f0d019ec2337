// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace braid {

/// Keys of a database's metadata; docs/formats.md describes what each holds. All begin "braid:".
inline constexpr char kIndexSettingsKey[] = "braid:index";
inline constexpr char kDocumentNamesKey[] = "braid:names";

/// The value slot in which a database written by Braid keeps each document's name.
inline constexpr unsigned kNameSlot = 0;

}  // namespace braid
