// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/options/fusion_input.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/pool/normalisers.h"
#include "braid/error.h"

namespace braid::cli {
namespace {

// "k=20" is a parameter or a choice of the method; which one is for the method to say.
void take_setting(const std::string& text, FusionOptions& options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw CLI::ValidationError("--set " + text + ": expected NAME=VALUE");
    }
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    for (const ChoiceInfo& choice : fusion_methods().find(options.method).choices) {
        if (choice.name == name) {
            options.choices[name] = value;
            return;
        }
    }
    double number = 0;
    if (!CLI::detail::lexical_cast(value, number)) {
        throw CLI::ValidationError("--set " + text + ": expected a number");
    }
    options.parameters[name] = number;
}

std::vector<std::string> usable_normalisers() {
    std::vector<std::string> names;
    for (const NormaliserInfo& info : normalisers()) {
        if (!info.needs_bounds && !info.of_positions) names.push_back(info.name);
    }
    return names;
}

}  // namespace

void add_fusion_settings(CLI::App& command, FusionInput& input, const std::string& method,
                         const std::string& lists) {
    command
        .add_option("--set", input.settings,
                    "Parameter or choice of " + method +
                        ", NAME=VALUE; may be repeated (braid fuse --help "
                        "lists them)")
        ->allow_extra_args(false)
        ->take_all();
    command
        .add_option("--norm", input.normaliser, "Normaliser for methods that add scores [min-max]")
        ->check(CLI::IsMember(usable_normalisers()));
    command
        .add_option("--weights", input.weights,
                    "Weights of the " + lists + ", in their order, such as 2,1,1 [equal]")
        ->delimiter(',')
        ->allow_extra_args(false);
}

FusionOptions fusion_options(const FusionInput& input) {
    if (input.method.empty()) {
        if (input.settings.empty() && input.normaliser.empty() && input.weights.empty()) return {};
        throw CLI::ValidationError("--set, --norm and --weights need --fusion");
    }
    FusionOptions options;
    options.method = input.method;
    options.normaliser = input.normaliser;
    options.weights = input.weights;
    try {
        std::set<std::string> names;
        for (const std::string& text : input.settings) {
            take_setting(text, options);
            const std::string name = text.substr(0, text.find('='));
            if (!names.insert(name).second) {
                throw CLI::ValidationError("--set " + name + ": given twice");
            }
        }
        Fuser{options};
    } catch (const Error& error) {
        throw CLI::ValidationError(error.what());
    }
    return options;
}

std::string fusion_methods_text() {
    std::string text = "\nMethods, their parameters and choices (--set):\n";
    for (const FusionInfo& method : fusion_methods()) {
        text += fmt::format("  {:<8} {}\n", method.name, method.summary);
        std::vector<std::string> parameters;
        for (const ParameterInfo& parameter : method.parameters) {
            parameters.push_back(fmt::format("{}={:g}", parameter.name, parameter.default_value));
        }
        std::vector<std::string> choices;
        for (const ChoiceInfo& choice : method.choices) {
            choices.push_back(fmt::format("{}={}", choice.name, fmt::join(choice.values, "|")));
        }
        for (const std::vector<std::string>& settings : {parameters, choices}) {
            if (!settings.empty()) text += fmt::format("{:11}{}\n", "", fmt::join(settings, " "));
        }
    }
    return text;
}

}  // namespace braid::cli
