// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/error.h"

#include "braid/core/base/text.h"

namespace braid {
namespace {

std::string unknown_message(const std::string& kind, const std::string& name,
                            const std::vector<std::string>& known) {
    std::string message = "unknown " + kind + " '" + name + "'";
    const std::string near = nearest_word(name, known);
    if (!near.empty()) message += "; did you mean '" + near + "'?";
    message += "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i) message += (i ? ", " : "") + known[i];
    return message;
}

}  // namespace

UnknownComponent::UnknownComponent(const std::string& kind, const std::string& name,
                                   const std::vector<std::string>& known)
    : Error(unknown_message(kind, name, known)) {}

std::string SourceLocation::to_string() const {
    return line == 0 ? file : file + ":" + std::to_string(line);
}

FormatError::FormatError(const SourceLocation& where, const std::string& what)
    : Error(where.to_string() + ": " + what) {}

}  // namespace braid
