// SPDX-License-Identifier: GPL-2.0-or-later
// Every error of Braid has one root, and a message that can be shown as it is:
//
//     #include <iostream>
//     #include "braid/searcher.h"
//
//     try {
//         braid::Searcher searcher("no such folder");
//     } catch (const braid::Error& error) {
//         std::cerr << error.what() << '\n';
//     }
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/// Marks what a Braid library offers to others; everything else is hidden in the shared objects.
#define BRAID_API __attribute__((visibility("default")))

namespace braid {

/// Root of all errors that Braid throws. A message says what went wrong, what was found, what was
/// expected and where; it is one line without a full stop and can be shown to users unchanged.
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
    /// `kind` is the family in the singular ("measure"); `known` are the valid names. The message
    /// lists them and suggests one that is similar to `name`.
    UnknownComponent(const std::string& kind, const std::string& name,
                     const std::vector<std::string>& known);
};

/// A location in an input: a file's name ("-" for standard input) and a line, from 1.
struct SourceLocation {
    std::string file;
    std::size_t line = 0;

    /// "file:line", or "file" if the line is 0.
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

/// A model that does not belong to the database it was used with.
class BRAID_API ModelMismatch : public Error {
  public:
    using Error::Error;
};

/// The caller's progress callback cancelled the work.
class BRAID_API Cancelled : public Error {
  public:
    using Error::Error;
};

/// A setting that can't be used, with its path in the checked value, so that a reader of files can
/// name the line. The message is "{path}: {problem}".
class BRAID_API InvalidSetting : public InvalidArgument {
  public:
    /// `path` names the members on the way: "fields[2].prefix".
    InvalidSetting(const std::string& path, const std::string& problem)
        : InvalidArgument(path + ": " + problem), path_(path), problem_(problem) {}

    const std::string& path() const { return path_; }
    const std::string& problem() const { return problem_; }

  private:
    std::string path_;
    std::string problem_;
};

}  // namespace braid
