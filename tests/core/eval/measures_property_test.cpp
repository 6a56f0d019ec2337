// SPDX-License-Identifier: GPL-2.0-or-later
// Every measure, through Run and Judgements, against a reference that follows the words of its
// definition document by document.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "braid/core/base/random.h"
#include "braid/core/eval/evaluation.h"
#include "braid/tests/support/support.h"

using braid::Grade;
using braid::Random;

namespace {

struct Case {
    std::map<std::string, Grade> judged;
    std::vector<std::pair<std::string, double>> retrieved;
};

// The names in ranked order: each next one is the best of those left.
std::vector<std::string> ranked(const Case& c) {
    std::vector<std::string> order;
    std::vector<std::pair<std::string, double>> left = c.retrieved;
    while (!left.empty()) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < left.size(); ++i) {
            if (left[i].second > left[best].second ||
                (left[i].second == left[best].second && left[i].first > left[best].first)) {
                best = i;
            }
        }
        order.push_back(left[best].first);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return order;
}

class Reference {
  public:
    Reference(const Case& c, Grade level) : case_(c), level_(level), order_(ranked(c)) {}

    double value(const std::string& base, std::size_t k) const {
        const std::size_t n = order_.size();
        const std::size_t depth = k == 0 ? n : k;
        const auto relevant = static_cast<double>(total(level_));
        if (base == "judged") return judged_share(depth);
        if (base == "ndcg") return ndcg(depth, false, k);
        if (base == "ndcg-whole") return ndcg(depth, false, 0);
        if (base == "ndcg-exp") return ndcg(depth, true, k);
        if (base == "ndcg-letor") return k == 0 ? mean_ndcg() : letor(k);
        if (base == "err") return err(depth);
        if (relevant == 0) return 0;
        if (base == "map") return average_precision(depth) / relevant;
        if (base == "p") return hits(k) / static_cast<double>(k);
        if (base == "rprec") return hits(total(level_)) / relevant;
        if (base == "recall") return hits(depth) / relevant;
        if (base == "recall-min") return hits(k) / std::min(static_cast<double>(k), relevant);
        if (base == "mrr") return reciprocal(depth);
        if (base == "success") return hits(k) > 0 ? 1 : 0;
        if (base == "wta") return n > 0 && grade(0) == best() && best() >= level_ ? 1 : 0;
        if (base == "bpref") return bpref();
        throw std::logic_error("no reference for " + base);
    }

  private:
    std::optional<Grade> grade(std::size_t i) const {
        const auto found = case_.judged.find(order_[i]);
        if (found == case_.judged.end()) return std::nullopt;
        return found->second;
    }
    bool is_relevant(std::size_t i) const { return grade(i).has_value() && *grade(i) >= level_; }
    std::size_t total(Grade from) const {
        std::size_t count = 0;
        for (const auto& [name, g] : case_.judged) count += g >= from ? 1 : 0;
        return count;
    }
    Grade best() const {
        Grade highest = -1000;
        for (const auto& [name, g] : case_.judged) highest = std::max(highest, g);
        return highest;
    }
    double hits(std::size_t depth) const {
        double count = 0;
        for (std::size_t i = 0; i < std::min(depth, order_.size()); ++i) count += is_relevant(i);
        return count;
    }
    double average_precision(std::size_t depth) const {
        double sum = 0;
        for (std::size_t i = 0; i < std::min(depth, order_.size()); ++i) {
            if (is_relevant(i)) sum += hits(i + 1) / static_cast<double>(i + 1);
        }
        return sum;
    }
    double reciprocal(std::size_t depth) const {
        for (std::size_t i = 0; i < std::min(depth, order_.size()); ++i) {
            if (is_relevant(i)) return 1.0 / static_cast<double>(i + 1);
        }
        return 0;
    }
    double judged_share(std::size_t depth) const {
        const std::size_t shown = std::min(depth, order_.size());
        double count = 0;
        for (std::size_t i = 0; i < shown; ++i) count += grade(i).has_value();
        return shown == 0 ? 0 : count / static_cast<double>(shown);
    }
    static double gain(Grade g, bool exponential) {
        return g <= 0 ? 0 : exponential ? std::pow(2, g) - 1 : g;
    }
    std::vector<Grade> ideal() const {
        std::vector<Grade> grades;
        for (const auto& [name, g] : case_.judged) grades.push_back(g);
        std::sort(grades.rbegin(), grades.rend());
        return grades;
    }
    double ndcg(std::size_t depth, bool exponential, std::size_t k) const {
        double sum = 0;
        double most = 0;
        for (std::size_t i = 0; i < std::min(depth, order_.size()); ++i) {
            sum += gain(grade(i).value_or(0), exponential) / std::log2(i + 2.0);
        }
        const std::vector<Grade> perfect = ideal();
        for (std::size_t i = 0; i < perfect.size() && (k == 0 || i < k); ++i) {
            most += gain(perfect[i], exponential) / std::log2(i + 2.0);
        }
        return most == 0 ? 0 : sum / most;
    }
    double letor(std::size_t k) const {
        if (order_.size() < k) return 0;
        const std::vector<Grade> perfect = ideal();
        double sum = 0;
        double most = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const double weight = i < 2 ? 1 : 1 / std::log2(i + 1.0);
            sum += gain(grade(i).value_or(0), true) * weight;
            if (i < perfect.size()) most += gain(perfect[i], true) * weight;
        }
        return most == 0 ? 0 : sum / most;
    }
    double mean_ndcg() const {
        double sum = 0;
        for (std::size_t k = 1; k <= order_.size(); ++k) sum += letor(k);
        return order_.empty() ? 0 : sum / static_cast<double>(order_.size());
    }
    double err(std::size_t depth) const {
        double sum = 0;
        for (std::size_t i = 0; i < std::min(depth, order_.size()); ++i) {
            double reaches = 1;
            for (std::size_t j = 0; j < i; ++j) {
                reaches *= 1 - gain(std::min(4, grade(j).value_or(0)), true) / 16;
            }
            sum += reaches * gain(std::min(4, grade(i).value_or(0)), true) / 16 / (i + 1.0);
        }
        return sum;
    }
    double bpref() const {
        const std::size_t relevant = total(level_);
        const std::size_t others = total(0) - relevant;
        double sum = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            if (!is_relevant(i)) continue;
            std::size_t above = 0;
            for (std::size_t j = 0; j < i; ++j) {
                above += !is_relevant(j) && grade(j).value_or(-1) >= 0 ? 1 : 0;
            }
            sum += others == 0 ? 1
                               : 1 - static_cast<double>(std::min(above, relevant)) /
                                         static_cast<double>(std::min(others, relevant));
        }
        return sum / static_cast<double>(relevant);
    }

    const Case& case_;
    Grade level_;
    std::vector<std::string> order_;
};

// Small names and few distinct scores: many ties, names of which one is another's beginning.
Case random_case(Random& random) {
    Case c;
    const std::size_t documents = 1 + random.below(30);
    const std::uint64_t scores = 1 + random.below(12);
    const double judged = random.uniform();
    const double retrieved = random.uniform();
    const std::uint64_t grades = 1 + random.below(5);
    for (std::size_t i = 0; i < documents; ++i) {
        const std::string name = "d" + std::to_string(i);
        if (random.uniform() < judged) {
            c.judged[name] = static_cast<Grade>(random.below(grades + 2)) - 1;
        }
        if (random.uniform() < retrieved) {
            c.retrieved.emplace_back(name, static_cast<double>(random.below(scores)) / 4 - 1);
        }
    }
    if (c.judged.empty()) c.judged["elsewhere"] = 1;
    return c;
}

std::vector<double> values_of(const Case& c, const std::vector<std::string>& names, Grade level,
                              bool reversed) {
    braid::Judgements judgements;
    for (const auto& [name, grade] : c.judged) judgements.add("q", name, grade);
    braid::Run run;
    braid::QueryRun& list = run.query("q");
    for (std::size_t i = 0; i < c.retrieved.size(); ++i) {
        const auto& [name, score] = c.retrieved[reversed ? c.retrieved.size() - 1 - i : i];
        run.add(list, name, score);
    }
    const braid::JudgedPools pools(judgements);
    const braid::JudgedRun judged(pools, run);
    const braid::Evaluation evaluation =
        braid::evaluate(judged, names, {.measure = {.relevant_from = level}});
    std::vector<double> values;
    for (std::size_t m = 0; m < names.size(); ++m) values.push_back(evaluation.values[m].at(0));
    return values;
}

}  // namespace

TEST_CASE("Measures: equal a naive reference on random rankings, in any order of input, in [0, 1]",
          "[property]") {
    std::vector<std::pair<std::string, std::size_t>> parts;
    std::vector<std::string> names;
    for (const braid::MeasureInfo& info : braid::measures()) {
        for (const std::size_t k : {0, 1, 3, 10, 50}) {
            if (k == 0 ? info.cutoff == braid::MeasureInfo::Cutoff::kRequired
                       : info.cutoff == braid::MeasureInfo::Cutoff::kNone) {
                continue;
            }
            parts.emplace_back(info.name, k);
            names.push_back(k == 0 ? info.name : info.name + "@" + std::to_string(k));
        }
    }
    Random random(braid::test::seed());
    for (int round = 0; round < 1500; ++round) {
        const Case c = random_case(random);
        const auto level = static_cast<Grade>(1 + random.below(3));
        const Reference reference(c, level);
        const std::vector<double> values = values_of(c, names, level, false);
        REQUIRE(values == values_of(c, names, level, true));
        for (std::size_t m = 0; m < names.size(); ++m) {
            INFO(names[m] << " round " << round);
            REQUIRE(values[m] >= 0);
            REQUIRE(values[m] <= 1);
            REQUIRE_THAT(values[m],
                         Catch::WithinAbs(reference.value(parts[m].first, parts[m].second), 1e-12));
        }
    }
}
