// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/open_database.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>

#include "braid/core/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/unfinished_database.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

struct Server {
    std::string host;
    unsigned port = 0;
};

// HOST:PORT, unless a file of that name exists.
std::optional<Server> server_of(const std::string& spec) {
    const std::size_t colon = spec.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || colon == 0 || fs::exists(spec, ignored)) return std::nullopt;
    Server server{spec.substr(0, colon)};
    if (server.host.find('/') != std::string::npos) return std::nullopt;
    const char* end = spec.data() + spec.size();
    const auto [stop, error] = std::from_chars(spec.data() + colon + 1, end, server.port);
    if (error != std::errc() || stop != end || server.port < 1 || server.port > 65535) {
        return std::nullopt;
    }
    if (server.host.starts_with('[') && server.host.ends_with(']')) {
        server.host = server.host.substr(1, server.host.size() - 2);
    }
    return server;
}

bool is_database_folder(const fs::path& path) {
    std::error_code ignored;
    // Of Xapian's formats: the current one, its two predecessors, and a folder with a stub in it.
    for (const char* name : {"iamglass", "iamchert", "iamflint", "iamhoney", "XAPIANDB"}) {
        if (fs::exists(path / name, ignored)) return true;
    }
    return false;
}

// Why a path that Xapian did not recognise can't be a database.
std::string describe_path(const std::string& spec) {
    std::error_code error;
    const fs::file_status status = fs::status(spec, error);
    if (status.type() == fs::file_type::none) return error.message();
    if (!fs::exists(status)) return "there is no such file or folder";
    if (access(spec.c_str(), R_OK) != 0 ||
        (fs::is_directory(status) && access(spec.c_str(), X_OK) != 0)) {
        return "no rights to read it";
    }
    if (!fs::is_directory(status)) return "it is a file, but not a stub that lists databases";
    if (fs::is_empty(spec, error)) return "the folder is empty";
    if (is_unfinished_database(spec)) {
        return "the creation of a database was cut short there, and the command that created it "
               "finishes it";
    }
    return "the folder holds no database";
}

Xapian::Database open_one(const std::string& spec) {
    try {
        if (const auto server = server_of(spec)) {
            return Xapian::Remote::open(server->host, server->port);
        }
        Xapian::Database database(spec);
        // An empty stub opens as no database at all, of which every use fails in its own way.
        if (database.get_uuid().empty()) {
            throw Error("database '" + spec + "': it is a file that lists no database");
        }
        return database;
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, spec));
    }
}

// Rather than that a lock can't be made at all.
bool is_taken(const Xapian::Error& error) {
    return error.get_msg().find("already locked") != std::string::npos;
}

}  // namespace

std::string explain(const Xapian::Error& error, const std::string& spec) {
    const std::string_view type = error.get_type();
    std::string reason = error.get_msg();
    if (error.get_error_string() != nullptr) {
        reason += std::string(": ") + error.get_error_string();
    }
    const std::string start = "database '" + spec + "': ";
    if (type == "DatabaseNotFoundError") {
        const std::string found = describe_path(spec);
        // A stub is there, and what it names is not.
        if (look_at(spec) == DatabasePlace::kDatabase) return start + reason;
        return start + found +
               "; expected a folder or stub file of a Xapian database, or HOST:PORT";
    }
    if (type == "DatabaseLockError") {
        if (is_taken(error)) {
            return start +
                   "it is locked: another program writes to it; try again when that is done";
        }
        return start + "can't lock it for writing: " + reason;
    }
    if (type == "DatabaseVersionError") {
        return start + "its format is not one that this Xapian (" + Xapian::version_string() +
               ") reads: " + reason;
    }
    if (type == "DatabaseCorruptError") {
        return start + "it is damaged: " + reason + "; xapian-check says more";
    }
    if (type == "NetworkError" || type == "NetworkTimeoutError") {
        return start + "can't reach the server: " + reason;
    }
    if (type == "DatabaseOpeningError" && reason.find("Bad line") != std::string::npos) {
        return start + "it is a file, but neither a database nor a stub: " + reason;
    }
    return start + reason;
}

DatabasePlace look_at(const std::string& spec) {
    if (server_of(spec)) return DatabasePlace::kDatabase;
    std::error_code error;
    if (!fs::exists(spec, error)) return DatabasePlace::kNothing;
    if (!fs::is_directory(spec, error)) return DatabasePlace::kDatabase;
    if (is_database_folder(spec)) return DatabasePlace::kDatabase;
    const bool is_free = fs::is_empty(spec, error) || is_unfinished_database(spec);
    return is_free ? DatabasePlace::kNothing : DatabasePlace::kOther;
}

Xapian::Database open_databases(const std::vector<std::string>& specs) {
    if (specs.empty()) throw InvalidArgument("no database given");
    Xapian::Database all;
    std::string settings_of_first;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const Xapian::Database one = open_one(specs[i]);
        if (specs.size() == 1) return one;
        const std::string settings = one.get_metadata(kIndexSettingsKey);
        if (i == 0) settings_of_first = settings;
        if (settings != settings_of_first) {
            throw ModelMismatch("databases '" + specs[0] + "' and '" + specs[i] +
                                "' were indexed with different settings (metadata key " +
                                kIndexSettingsKey +
                                "): one query can't fit both; search them apart");
        }
        all.add_database(one);
    }
    return all;
}

Xapian::WritableDatabase open_for_writing(const std::string& spec) {
    try {
        if (const auto server = server_of(spec)) {
            return Xapian::Remote::open_writable(server->host, server->port);
        }
        return Xapian::WritableDatabase(spec, Xapian::DB_OPEN);
    } catch (const Xapian::DatabaseLockError& error) {
        if (is_taken(error)) throw DatabaseLocked(explain(error, spec));
        throw Error(explain(error, spec));
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, spec));
    }
}

Xapian::WritableDatabase create_database(const std::string& path) {
    if (look_at(path) != DatabasePlace::kNothing) {
        throw Error("database '" + path + "': can't be made there: the path is taken");
    }
    clear_unfinished_database(path);
    try {
        return Xapian::WritableDatabase(path, Xapian::DB_CREATE);
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, path));
    }
}

}  // namespace braid
