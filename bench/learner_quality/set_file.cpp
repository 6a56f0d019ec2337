// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/set_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace braid::bench {
namespace {

template <typename T>
void numbers(std::ostream& out, const std::vector<T>& values) {
    const std::uint64_t size = values.size();
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(size * sizeof(T)));
}
template <typename T>
void numbers(std::istream& in, std::vector<T>& values) {
    std::uint64_t size = 0;
    in.read(reinterpret_cast<char*>(&size), sizeof size);
    values.resize(size);
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(size * sizeof(T)));
}
void names(std::ostream& out, const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& value : values) all += value + "\n";
    numbers(out, std::vector<char>(all.begin(), all.end()));
}
void names(std::istream& in, std::vector<std::string>& values) {
    std::vector<char> all;
    numbers(in, all);
    std::string value;
    for (const char c : all) {
        if (c != '\n') {
            value += c;
            continue;
        }
        values.push_back(value);
        value.clear();
    }
}

// Writes or reads what a file holds of a set, in the order of the file.
template <typename Stream, typename Set>
void members(Stream& stream, Set& set) {
    numbers(stream, set.query_begin);
    numbers(stream, set.scores);
    numbers(stream, set.grades);
    numbers(stream, set.query_features);
    names(stream, set.rankers);
    names(stream, set.queries);
    names(stream, set.query_feature_names);
}

}  // namespace

void write_set(const std::string& path, const TrainingSet& set) {
    std::ofstream out(path + ".part", std::ios::binary);
    members(out, set);
    std::vector<std::uint64_t> missed;
    for (const auto& grades : set.unpooled) missed.push_back(grades.size());
    numbers(out, missed);
    out.close();
    if (!out) throw std::runtime_error(path + ": can't be written");
    std::filesystem::rename(path + ".part", path);
}

TrainingSet read_set(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    TrainingSet set;
    members(in, set);
    std::vector<std::uint64_t> missed;
    numbers(in, missed);
    for (const std::uint64_t count : missed) set.unpooled.emplace_back(count, 1);
    if (!in) throw std::runtime_error(path + ": can't be read");
    return set;
}

}  // namespace braid::bench
