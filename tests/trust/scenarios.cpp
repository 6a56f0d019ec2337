// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/trust/scenarios.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "braid/plugin/store/keys.h"
#include "braid/tests/support/support.h"

namespace braid::test {
namespace {

namespace fs = std::filesystem;

void require(const Outcome& outcome, const std::string& what) {
    if (outcome.code != 0) throw std::runtime_error(what + ": " + outcome.err);
}

Outcome braid(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), braid_program());
    return run({.arguments = std::move(arguments)});
}

// What an undisturbed run makes differently each time: a model's record has the time of training,
// the list of installed models that of installing, and figures of what ranked before.
bool is_lasting(const std::string& line) {
    constexpr std::size_t kIdDigits = 16;
    const std::string start = "metadata braid:";
    for (const char* key : {kInstalledModelsKey, kTableFileKey}) {
        if (line.starts_with("metadata " + std::string(key) + " ")) return false;
    }
    return !line.starts_with(start) || line.find(":h ") != start.size() + kIdDigits;
}

std::string content_of(const fs::path& database) {
    const Outcome walked = run({.arguments = {walk_program(), database}});
    if (walked.code != 0) return walked.err;
    std::istringstream lines(walked.out);
    std::string content;
    for (std::string line; std::getline(lines, line);) {
        if (is_lasting(line)) content += line + "\n";
    }
    return content;
}

std::string files_of(const fs::path& state) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(state)) {
        // Xapian leaves empty tables and a version file for the next commit to use.
        const fs::path name = entry.path().filename();
        if (name == "v.tmp" || name.extension() == ".glass") continue;
        names.insert(fs::relative(entry.path(), state));
    }
    std::string text;
    for (const std::string& name : names) text += name + "\n";
    return text;
}

std::string topics_of(const fs::path& state, bool has_sidecar) {
    std::vector<std::string> arguments = {"topics", "--db", state / "db", "--json"};
    if (has_sidecar) arguments.insert(arguments.end(), {"--sidecar", state / "side"});
    const Outcome outcome = braid(arguments);
    if (outcome.code != 0) return outcome.err;
    nlohmann::json models = nlohmann::json::parse(outcome.out);
    for (nlohmann::json& model : models) model.erase("trained_at");
    return models.dump(1);
}

}  // namespace

std::string braid_program() { return BRAID_COMMAND; }
std::string walk_program() { return BRAID_WALK; }

void copy_state(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    if (from.empty()) {
        fs::create_directory(to);
    } else {
        fs::copy(from, to, fs::copy_options::recursive);
    }
}

std::string Fault::to_string() const {
    std::string text = kind + " at " + std::to_string(at);
    if (kind == "torn") text += ", after " + std::to_string(keep) + "/1000 of it";
    if (kind == "fail") text += ", errno " + std::to_string(error);
    return text;
}

std::map<std::string, std::string> Fault::environment() const {
    return {{"LD_PRELOAD", preload_name(BRAID_FAULT_LIBRARY)},
            {"BRAID_FAULT", kind},
            {"BRAID_FAULT_AT", std::to_string(at)},
            {"BRAID_FAULT_KEEP", std::to_string(keep)},
            {"BRAID_FAULT_ERROR", std::to_string(error)},
            {"BRAID_FAULT_NO_EXCHANGE", no_exchange ? "1" : "0"}};
}

Outcome run_with(const Fault& fault, const Scenario& scenario, const fs::path& state) {
    Launch launch{.arguments = scenario.arguments(state), .environment = fault.environment()};
    launch.arguments.insert(launch.arguments.begin(), braid_program());
    return run(launch);
}

Calls count_calls(const Scenario& scenario, const fs::path& state) {
    const TemporaryFolder folder;
    const fs::path count = folder / "count";
    Launch launch{.arguments = scenario.arguments(state),
                  .environment = {{"LD_PRELOAD", preload_name(BRAID_FAULT_LIBRARY)},
                                  {"BRAID_FAULT_COUNT", count}}};
    launch.arguments.insert(launch.arguments.begin(), braid_program());
    require(run(launch), scenario.name);
    const std::string counted = read_file(count);
    return {std::stol(counted), std::stol(counted.substr(counted.find('\n')))};
}

Scenarios::Scenarios() : later_documents_(base_.documents(60, 60)) {
    make_states();
    const std::string first = base_.documents(0, 60);
    add("index", "", false, {"index", "--db", "DB", "--batch", "25", "--topics", "lsa:4", first});
    add("adopt", "plain", false,
        {"adopt", "--db", "DB", "--batch", "25", "--clusters", "3", "--topics", "lsa:4,ldi:3"});
    add("retrain", "grown", true,
        {"adopt", "--db", "DB", "--batch", "25", "--retrain", "--topics", "lsa:8"});
    add("sidecar", "plain", false,
        {"adopt", "--db", "DB", "--batch", "25", "--sidecar", "SIDE", "--topics",
         "lsa:4,neighbours:3"});
    add("install", "grown", true,
        {"train", "--db", "DB", "--queries", base_.queries, "--qrels", base_.qrels,
         "--model-rankers", base_.rankers, "--learner", "coordinate", "--install", "--force"});
    add("rebuild", "grown", true,
        {"index", "--db", "DB", "--batch", "25", "--rebuild", "--topics", "lsa:8", first});
    add("statistics", "grown", true, {"adopt", "--db", "DB", "--batch", "25", "--statistics"});
}

// plain: 120 documents. grown: the first 60 with a topic model, the others folded in. complete:
// with everything that Braid can store.
void Scenarios::make_states() {
    const auto make = [&](const char* state, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, {"--db", folder() / state / "db", "--quiet"});
        require(braid(arguments), state);
    };
    const std::string first = base_.documents(0, 60);
    fs::create_directory(folder() / "plain");
    make("plain", {"index", first, later_documents_});
    fs::create_directory(folder() / "grown");
    fs::rename(base_.database, folder() / "grown" / "db");
    make("grown", {"index", later_documents_});
    copy_state(folder() / "grown", complete());
    make("complete", {"adopt", "--retrain", "--clusters", "4", "--topics", "lsa:8,lda:3"});
    make("complete", {"adopt", "--topics", "neighbours:5"});
    make("complete", {"adopt", "--statistics"});
    const std::string model = folder() / "complete.yaml";
    write_file(model,
               "model:\n  rankers:\n    - {ranker: bm25, weight: 2}\n    - {ranker: lsa}\n"
               "    - {ranker: lda}\n    - {ranker: tfidf-cosine, weight: 0.5}\n"
               "    - {ranker: lm-neighbours}\n");
    make("complete", {"train", "--queries", base_.queries, "--qrels", base_.qrels,
                      "--model-rankers", model, "--learner", "coordinate", "--install", "--force"});
}

void Scenarios::add(std::string name, const char* before, bool at_once,
                    std::vector<std::string> arguments) {
    Scenario scenario;
    scenario.name = std::move(name);
    if (*before != '\0') scenario.before = folder() / before;
    scenario.at_once = at_once;
    scenario.has_sidecar = std::count(arguments.begin(), arguments.end(), "SIDE") > 0;
    scenario.arguments = [arguments = std::move(arguments)](const fs::path& state) {
        std::vector<std::string> words = arguments;
        for (std::string& word : words) {
            if (word == "DB") word = state / "db";
            if (word == "SIDE") word = state / "side";
        }
        words.emplace_back("--quiet");
        return words;
    };
    all_.push_back(std::move(scenario));
}

const Scenario& Scenarios::find(const std::string& name) const {
    const auto found = std::find_if(
        all_.begin(), all_.end(), [&](const Scenario& scenario) { return scenario.name == name; });
    if (found == all_.end()) throw std::runtime_error("no scenario " + name);
    return *found;
}

std::vector<std::string> Scenarios::run_arguments(const fs::path& state, bool has_sidecar) const {
    std::vector<std::string> arguments = {braid_program(), "run",       "--db",       state / "db",
                                          "--quiet",       "--queries", base_.queries};
    if (has_sidecar) arguments.insert(arguments.end(), {"--sidecar", state / "side"});
    return arguments;
}

Seen Scenarios::look(const fs::path& state, bool has_sidecar) const {
    Seen seen;
    const Outcome searched = run({.arguments = run_arguments(state, has_sidecar)});
    seen.run = searched.code == 0 ? searched.out : searched.err;
    seen.topics = topics_of(state, has_sidecar);
    seen.content = content_of(state / "db");
    if (has_sidecar) seen.content += content_of(state / "side");
    seen.files = files_of(state);
    return seen;
}

}  // namespace braid::test
