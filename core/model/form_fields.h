// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "braid/core/model/function_form.h"

namespace braid {

/// Throw InvalidArgument, naming form and numbers, for a count that is not one a ranker, and for
/// numbers that are not finite.
void check_count(const std::string& form, const std::string& name, std::size_t got,
                 std::size_t expected);
void check_finite(const std::string& form, const std::string& name,
                  const std::vector<double>& numbers);

/// Those of that name; none where it isn't there.
template <typename Values>
Values values_of(const std::map<std::string, Values>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? Values{} : found->second;
}

/// Finite, all of them.
std::vector<double> finite_numbers(const FunctionForm& form, const std::string& name);

/// Throw InvalidArgument for another count than one, and for what is no whole number from 0 to
/// `most`.
double single_number(const FunctionForm& form, const std::string& name);
std::size_t single_count(const FunctionForm& form, const std::string& name, double most);
std::vector<std::size_t> counts(const FunctionForm& form, const std::string& name, double most);

}  // namespace braid
