// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "braid/core/model/fusion.h"

namespace braid::cli {

/// A fusion method as options name it.
struct FusionInput {
    std::string method;                      ///< "" where none was named.
    std::vector<std::string> settings = {};  ///< "k=20"
    std::string normaliser = {};             ///< "": the method's.
    std::vector<double> weights = {};
};

/// --set, --norm and --weights, which say how the method of option `method` fuses `lists`.
void add_fusion_settings(CLI::App& command, FusionInput& input, const std::string& method,
                         const std::string& lists);

/// Checked. Throws CLI::ValidationError for what is wrong, and for settings without a method.
FusionOptions fusion_options(const FusionInput& input);

/// Every method with its settings and formula.
std::string fusion_methods_text();

}  // namespace braid::cli
