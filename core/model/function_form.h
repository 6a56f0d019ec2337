// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace braid {

/// How a model's rankers become one score, as files and databases hold it: the name of a form and
/// plain numbers and names, whatever the form makes of them. core/learn turns
/// it into a function and back, so a new form changes neither files nor bytes.
struct FunctionForm {
    /// "linear", the sum of scores times RankerSpec::weight, has no numbers of its own. Other
    /// forms read no such weights; what they say is what rankers count in the first pass of a
    /// search that takes two, 1 but for "fusion".
    std::string form = "linear";
    std::map<std::string, std::vector<double>> numbers = {};
    std::map<std::string, std::vector<std::string>> names = {};

    bool operator==(const FunctionForm&) const = default;
};

}  // namespace braid
