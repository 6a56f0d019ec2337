// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace braid::cli {

/// Throws Error if `write_file` could not write `path`, so that long work fails before it begins.
void check_writable(const std::string& path);

/// Writes a new file beside `path`, syncs it and renames it to `path`, so that a reader always sees
/// the old text or the new one. Writes to devices directly. Throws Error.
void write_file(const std::string& path, std::string_view text);

}  // namespace braid::cli
