// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/core/model/fusion.h"

namespace braid::cli {

/// A fusion method as given by options.
struct FusionInput {
    std::string method;                      ///< "" if not given.
    std::vector<std::string> settings = {};  ///< "k=20"
    std::string normaliser = {};             ///< "": the method's default.
    std::vector<double> weights = {};
};

/// Adds --set, --norm and --weights: settings for the method of option `method` over `lists`.
void add_fusion_settings(CLI::App& command, FusionInput& input, const std::string& method,
                         const std::string& lists);

/// Throws CLI::ValidationError for invalid settings and for settings without a method.
FusionOptions fusion_options(const FusionInput& input);

/// All methods with their settings and formulas.
std::string fusion_methods_text();

}  // namespace braid::cli
