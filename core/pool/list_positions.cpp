// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/pool/list_positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace braid {
namespace {

// One query's list: what it has of relevant documents and of others.
struct List {
    std::vector<double> positions;
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};

    bool could_be_one() {
        std::sort(positions.begin(), positions.end());
        return std::adjacent_find(positions.begin(), positions.end()) == positions.end();
    }

    // Above 0 where the relevant ones come first.
    int relevant_first() const {
        if (counts[0] == 0 || counts[1] == 0) return 0;
        const double apart = sums[0] / counts[0] - sums[1] / counts[1];
        return apart > 0 ? 1 : apart < 0 ? -1 : 0;
    }
};

bool could_be_position(double value) { return value >= 1 && value == std::floor(value); }

}  // namespace

bool looks_like_positions(const TrainingSet& set, Grade relevant_from) {
    long long in_favour = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        for (std::size_t k = 0; k < set.width(); ++k) {
            List list;
            for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
                const double value = set.row(i)[k];
                if (std::isnan(value)) continue;
                if (!could_be_position(value)) return false;
                const std::size_t side = set.grades[i] >= relevant_from ? 1 : 0;
                list.positions.push_back(value);
                list.sums[side] += value;
                list.counts[side] += 1;
            }
            if (!list.could_be_one()) return false;
            in_favour += list.relevant_first();
        }
    }
    return in_favour > 0;
}

}  // namespace braid
