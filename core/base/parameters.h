// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "braid/core/base/export.h"

namespace braid {

/// A parameter whose values are words.
struct ChoiceInfo {
    std::string name;
    std::string default_value;
    std::vector<std::string> values;
    std::string summary;
};

/// Words for a component's choices by name; those left out have their defaults.
using ChoiceMap = std::map<std::string, std::string>;

/// The word of every choice of `infos`. Throws UnknownComponent, naming `component`, for a word
/// that is not allowed and for a name that is no choice of it.
BRAID_API ChoiceMap resolve_choices(const std::string& component,
                                    const std::vector<ChoiceInfo>& infos, const ChoiceMap& given);

/// For ParameterInfo::is_whole.
inline constexpr bool kWhole = true;

/// One numeric parameter of a registered component, as help texts and checks know it.
struct ParameterInfo {
    std::string name;
    double default_value = 0;
    double minimum = 0;
    double maximum = 0;
    std::string summary;    ///< One phrase, with the source of the default.
    bool is_whole = false;  ///< Whether only whole numbers mean anything.
    /// "choice=value" (or "choice=value|other") without which it isn't read; "" where it always is.
    std::string only_with = {};
};

/// Why a parameter can't have the value ("2.7, expected a whole number from 1 to 1000"); ""
/// where it can.
BRAID_API std::string why_not_allowed(const ParameterInfo& info, double value);

/// Values for a component's parameters by name; those left out have their defaults. Ordered, so
/// that it prints and serialises the same way every time.
using ParameterMap = std::map<std::string, double>;

/// The value of every parameter of `infos`, in that order. Throws InvalidArgument, naming
/// `component`, for a value that is out of range, not finite or no whole number where one is
/// expected, and UnknownComponent for a name
/// that is no parameter of it: a parameter that would be ignored is an error.
BRAID_API std::vector<double> resolve_parameters(const std::string& component,
                                                 const std::vector<ParameterInfo>& infos,
                                                 const ParameterMap& given);

}  // namespace braid
