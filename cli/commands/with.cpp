// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <getopt.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "braid/cli/options/command.h"
#include "braid/cli/options/search_setup.h"
#include "braid/config/presets.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/store/sidecar.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

struct WithOptions {
    std::string model;
    std::string log;
    std::vector<std::string> sidecars;
    std::vector<std::string> program;
};

constexpr char kLibrary[] = "libbraid-with.so";

// Installed, or beside the command's folder in a build tree.
fs::path find_library() {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const std::array<fs::path, 2> folders = {here / BRAID_WITH_FOLDER, here / "../with"};
    for (const fs::path& folder : folders) {
        const fs::path library = folder / kLibrary;
        std::error_code ignored;
        if (fs::exists(library, ignored)) return fs::canonical(library);
    }
    throw Error(fmt::format(
        "found no {} in {} or {}; install Braid again, or build it without "
        "sanitizers",
        kLibrary, folders[0].lexically_normal().string(), folders[1].lexically_normal().string()));
}

// LD_PRELOAD ends names at spaces and colons, so a library below such a path gets a link that has
// none. It stays, for the processes that the program starts, in a folder that no other user writes.
fs::path preloadable(const fs::path& library) {
    if (library.string().find_first_of(" :\t\n") == std::string::npos) return library;
    const fs::path folder = fmt::format("/tmp/braid-with-{}", geteuid());
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
        throw std::system_error(errno, std::generic_category(), folder);
    }
    struct stat found {};
    if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
        found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        throw Error(
            fmt::format("{}: expected a folder that only this user may write", folder.string()));
    }
    fs::path link = folder / fmt::format("{:x}.so", std::hash<std::string>()(library.string()));
    if (symlink(library.c_str(), link.c_str()) != 0 && errno != EEXIST) {
        throw std::system_error(errno, std::generic_category(), link);
    }
    if (fs::read_symlink(link) != library) {
        throw Error(fmt::format("{}: expected a link to {}", link.string(), library.string()));
    }
    return link;
}

void set_variable(const char* name, const std::string& value) {
    if (setenv(name, value.c_str(), 1) != 0) {
        throw std::system_error(errno, std::generic_category(), name);
    }
}

// Other libraries that are preloaded stay so.
std::string with_others(const std::string& library) {
    const char* const before = std::getenv("LD_PRELOAD");
    if (before == nullptr || *before == '\0') return library;
    std::string others = before;
    for (const char* end : {":", " "}) {
        if ((others + end).starts_with(library + end)) return others;
    }
    return library + ':' + others;
}

// The program may change its folder.
std::string model_elsewhere(const std::string& model) {
    static_cast<void>(named_model(model));  // Tells of mistakes now, where they can be read.
    if (model_rankers().contains(model) || presets().contains(model)) return model;
    return fs::absolute(model);
}

// As execvp and getopt_long take them: pointers into the words, and then a null pointer.
std::vector<char*> arguments_of(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return arguments;
}

// Becomes the program.
[[noreturn]] void run_preloaded(std::vector<std::string> words) {
    set_variable("LD_PRELOAD", with_others(preloadable(find_library())));
    const std::vector<char*> arguments = arguments_of(words);
    execvp(arguments[0], arguments.data());
    throw Error(fmt::format("can't run {}: {}", words[0], std::generic_category().message(errno)));
}

// Of a call of xapian-tcpsrv.
std::vector<std::string> served_folders(std::vector<std::string> words) {
    static constexpr std::array<option, 6> kWithValues = {
        {{"interface", required_argument, nullptr, 0},
         {"port", required_argument, nullptr, 0},
         {"active-timeout", required_argument, nullptr, 0},
         {"idle-timeout", required_argument, nullptr, 0},
         {"timeout", required_argument, nullptr, 0},
         {nullptr, 0, nullptr, 0}}};
    std::vector<char*> arguments = arguments_of(words);
    const int count = static_cast<int>(words.size());
    opterr = 0;
    while (getopt_long(count, arguments.data(), "I:p:a:i:t:", kWithValues.data(), nullptr) != -1) {
    }
    return {arguments.begin() + optind, arguments.begin() + count};
}

// The program may change its folder.
std::string sidecars_elsewhere(const std::vector<std::string>& sidecars) {
    std::string lines;
    for (const std::string& folder : sidecars) {
        const std::string path = fs::absolute(folder).string();
        if (sidecar_uuid(Xapian::Database(path)).empty()) {
            throw InvalidArgument(fmt::format(
                "{}: found no sidecar, expected what braid adopt --sidecar made", folder));
        }
        lines += path + '\n';
    }
    return lines;
}

int run_with(const WithOptions& options, const Session&) {
    const std::string program = fs::path(options.program[0]).filename().string();
    if (program == "xapian-progsrv") {
        throw InvalidArgument(
            "xapian-progsrv makes its list of classes inside libxapian, so Braid's can't be added; "
            "serve the database by braid-tcpsrv, and open it by its port");
    }
    if (!options.sidecars.empty()) {
        set_variable("BRAID_WITH_SIDECARS", sidecars_elsewhere(options.sidecars));
    }
    if (!options.model.empty()) set_variable("BRAID_WITH_MODEL", model_elsewhere(options.model));
    if (!options.log.empty()) set_variable("BRAID_WITH_LOG", fs::absolute(options.log));
    run_preloaded(options.program);
}

}  // namespace

int run_tcpsrv(std::vector<std::string> arguments) {
    arguments[0] = "xapian-tcpsrv";
    std::string folders;
    for (const std::string& folder : served_folders(arguments)) {
        folders += fs::absolute(folder).string() + '\n';
    }
    set_variable("BRAID_WITH_SERVED", folders);
    run_preloaded(arguments);
}

void add_with(CLI::App& app, Session& session) {
    auto options = std::make_shared<WithOptions>();
    CLI::App* command = app.add_subcommand(
        "with", "Run a program unmodified; its searches rank by the model in its database");
    command->footer(
        "A search keeps the program's own ranking if the program sorts by date or sets a weighting "
        "scheme other than BM25, or if the database has no installed model.\n\nExample: braid with "
        "-- quest --db=mail 'memory leak'");
    add_value(*command, "--model", options->model, "MODEL",
              "Rank every database by this model: a file, a preset or a ranker's name [each "
              "database's installed model]");
    add_value(*command, "--log", options->log, "FILE",
              "For each search, append a line to FILE: what was done and why");
    add_value(*command, "--sidecar", options->sidecars, "DIR",
              "Sidecar folder: rank its database by the models in it")
        ->allow_extra_args(false);
    add_value(*command, "program", options->program, "PROGRAM...",
              "The program and its arguments, after --")
        ->required();
    set_action(*command, session, options, run_with);
}

}  // namespace braid::cli
