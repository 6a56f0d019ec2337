// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// Root of everything Braid throws. A message says what went wrong, what was found, what was
/// expected and where; it is one line without a full stop and can be shown to a user as it is.
class BRAID_API Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A caller passed a value outside its documented range.
class BRAID_API InvalidArgument : public Error {
  public:
    using Error::Error;
};

/// A name that no registry entry has.
class BRAID_API UnknownComponent : public Error {
  public:
    /// `kind` is the family in the singular ("measure"); `known` are the names there are. The
    /// message lists them and, where one is close to `name`, suggests it.
    UnknownComponent(const std::string& kind, const std::string& name,
                     const std::vector<std::string>& known);
};

/// A place in an input: a file's name ("-" for standard input) and a line that counts from 1.
struct SourceLocation {
    std::string file;
    std::size_t line = 0;

    /// "file:line", or "file" where the line is 0.
    BRAID_API std::string to_string() const;
};

/// A file, or a stored value, that does not follow its format.
class BRAID_API FormatError : public Error {
  public:
    using Error::Error;
    FormatError(const SourceLocation& where, const std::string& what);
};

/// A configuration that can't be used. The message begins "file:line:column: key: ".
class BRAID_API ConfigError : public Error {
  public:
    using Error::Error;
};

/// A model that does not belong to the database it was to be used with.
class BRAID_API ModelMismatch : public Error {
  public:
    using Error::Error;
};

/// The work was given up because the caller's progress callback asked for it.
class BRAID_API Cancelled : public Error {
  public:
    using Error::Error;
};

/// A setting that can't be used, with its place in the value that was checked, so that a reader of
/// files can say the line. The message is "{path}: {problem}".
class BRAID_API InvalidSetting : public InvalidArgument {
  public:
    /// `path` names the members that lead there: "fields[2].prefix".
    InvalidSetting(const std::string& path, const std::string& problem)
        : InvalidArgument(path + ": " + problem), path_(path), problem_(problem) {}

    const std::string& path() const { return path_; }
    const std::string& problem() const { return problem_; }

  private:
    std::string path_;
    std::string problem_;
};

}  // namespace braid
