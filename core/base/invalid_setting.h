// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "braid/core/base/error.h"

namespace braid {

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
