// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace braid::cli {

/// Throws Error where `write_file` could not write `path`: long work should fail before it begins.
void check_writable(const std::string& path);

/// Writes a new file beside `path`, brings it to the disk and puts it in the place of `path`, so
/// that a reader sees the old text or the new one, whatever happens. A device is written to as it
/// is. Throws Error.
void write_file(const std::string& path, std::string_view text);

}  // namespace braid::cli
