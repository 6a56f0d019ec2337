// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters and choices by name, and what is right for them:
//
//     #include <iostream>
//     #include "braid/model.h"
//     #include "braid/registry.h"
//
//     for (const braid::ComponentInfo& ranker : braid::components(braid::Family::kRankers)) {
//         for (const braid::ParameterInfo& info : ranker.parameters) {
//             std::cout << ranker.name << ": " << info.name << " = " << info.default_value << '\n';
//         }
//     }
//     braid::RankerSpec spec{.ranker = "bm25", .parameters = {{"k1", 0.9}, {"b", 0.4}}};
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

/// The seed wherever a caller names none.
inline constexpr std::uint64_t kDefaultSeed = 20161218;

/// A parameter whose values are words.
struct ChoiceInfo {
    std::string name;
    std::string default_value;
    std::vector<std::string> values;
    std::string summary;
};

/// Values of a component's choices by name; missing ones have their defaults.
using ChoiceMap = std::map<std::string, std::string>;

/// The value of every choice of `infos`. Throws UnknownComponent, naming `component`, for a value
/// that is not allowed and for an unknown choice.
BRAID_API ChoiceMap resolve_choices(const std::string& component,
                                    const std::vector<ChoiceInfo>& infos, const ChoiceMap& given);

/// For ParameterInfo::is_whole.
inline constexpr bool kWhole = true;

/// A numeric parameter of a registered component, for help texts and validation.
struct ParameterInfo {
    std::string name;
    double default_value = 0;
    double minimum = 0;
    double maximum = 0;
    std::string summary;    ///< One phrase, with the source of the default.
    bool is_whole = false;  ///< Only whole numbers are allowed.
    /// "choice=value" (or "choice=value|other") with which alone it is read; "": always.
    std::string only_with = {};
};

/// Why a parameter can't have the value ("2.7, expected a whole number from 1 to 1000"); "" if it
/// can.
BRAID_API std::string why_not_allowed(const ParameterInfo& info, double value);

/// Values of a component's parameters by name; missing ones have their defaults. Ordered, so that
/// printing and serialising are deterministic.
using ParameterMap = std::map<std::string, double>;

/// The value of every parameter of `infos`, in that order. Throws InvalidArgument, naming
/// `component`, for a value that is out of range, not finite, or not whole where it must be, and
/// UnknownComponent for an unknown parameter: no parameter is ignored.
BRAID_API std::vector<double> resolve_parameters(const std::string& component,
                                                 const std::vector<ParameterInfo>& infos,
                                                 const ParameterMap& given);

}  // namespace braid
