// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/form_fields.h"

#include <cmath>

#include <fmt/format.h>

#include "braid/core/base/error.h"

namespace braid {
namespace {

std::size_t whole(const FunctionForm& form, const std::string& name, double number, double most) {
    if (number >= 0 && number <= most && number == std::floor(number)) {
        return static_cast<std::size_t>(number);
    }
    throw InvalidArgument(
        fmt::format("function {}: \"{}\" has {}, expected a whole number from 0 "
                    "to {}",
                    form.form, name, number, most));
}

}  // namespace

void check_count(const std::string& form, const std::string& name, std::size_t got,
                 std::size_t expected) {
    if (got == expected) return;
    throw InvalidArgument(fmt::format("function {}: {} numbers \"{}\", expected {}, one a ranker",
                                      form, got, name, expected));
}

void check_finite(const std::string& form, const std::string& name,
                  const std::vector<double>& numbers) {
    for (const double number : numbers) {
        if (std::isfinite(number)) continue;
        throw InvalidArgument(
            fmt::format("function {}: a number of \"{}\" is {}, expected a finite "
                        "one",
                        form, name, number));
    }
}

std::vector<double> finite_numbers(const FunctionForm& form, const std::string& name) {
    std::vector<double> numbers = values_of(form.numbers, name);
    check_finite(form.form, name, numbers);
    return numbers;
}

double single_number(const FunctionForm& form, const std::string& name) {
    const std::vector<double> values = values_of(form.numbers, name);
    if (values.size() == 1) return values[0];
    throw InvalidArgument(fmt::format("function {}: {} numbers \"{}\", expected one", form.form,
                                      values.size(), name));
}

std::size_t single_count(const FunctionForm& form, const std::string& name, double most) {
    return whole(form, name, single_number(form, name), most);
}

std::vector<std::size_t> counts(const FunctionForm& form, const std::string& name, double most) {
    std::vector<std::size_t> result;
    for (const double number : values_of(form.numbers, name)) {
        result.push_back(whole(form, name, number, most));
    }
    return result;
}

}  // namespace braid
