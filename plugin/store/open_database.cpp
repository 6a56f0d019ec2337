// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/open_database.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/newest_state.h"
#include "braid/plugin/store/settings_store.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr char kLock[] = "flintlock";
constexpr char kNewVersion[] = "v.tmp";
constexpr std::array<std::string_view, 6> kTables = {"postlist.glass", "termlist.glass",
                                                     "docdata.glass",  "position.glass",
                                                     "spelling.glass", "synonym.glass"};

// What every version file begins with.
constexpr std::string_view kMagic = "\x0f\x0dXapian Glass";
// A version file without documents has about 100 bytes.
constexpr std::uintmax_t kMaxVersionBytes = 4096;

// A version file of glass, or what a write that was cut short left of its beginning.
bool begins_a_version_file(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > kMaxVersionBytes) return false;
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    return bytes.size() == size && (bytes.starts_with(kMagic) || kMagic.starts_with(bytes));
}

bool is_leftover(const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_regular_file(error) || entry.is_symlink(error)) return false;
    const std::string name = entry.path().filename();
    if (name == kNewVersion) return begins_a_version_file(entry.path());
    const bool is_known =
        name == kLock || std::find(kTables.begin(), kTables.end(), name) != kTables.end();
    return is_known && entry.file_size(error) == 0;
}

// Xapian's own lock, held until the end of scope.
class FolderLock {
  public:
    explicit FolderLock(const std::string& folder) {
        const std::string path = fs::path(folder) / kLock;
        file_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        struct flock whole = {};
        whole.l_type = F_WRLCK;
        whole.l_whence = SEEK_SET;
        if (file_ >= 0 && fcntl(file_, F_OFD_SETLK, &whole) == 0) return;
        const int reason = errno;
        if (file_ >= 0) close(file_);
        const std::string start = "database '" + folder + "': ";
        if (reason == EAGAIN || reason == EACCES) {
            throw DatabaseLocked(start + "it is locked: another program is creating it; try " +
                                 "again when that is done");
        }
        throw Error(start + "can't lock it for writing: " + std::strerror(reason));
    }
    ~FolderLock() { close(file_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int file_ = -1;
};

}  // namespace

bool is_unfinished_database(const std::string& folder) {
    std::error_code error;
    if (!fs::exists(fs::path(folder) / kLock, error)) return false;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (!is_leftover(entry)) return false;
    }
    return !error;
}

void clear_unfinished_database(const std::string& folder) {
    if (!is_unfinished_database(folder)) return;
    const FolderLock lock(folder);
    // Who created a database there meanwhile is done with it, or the lock would be taken.
    if (!is_unfinished_database(folder)) return;
    for (const std::string_view name : kTables) fs::remove(fs::path(folder) / name);
    fs::remove(fs::path(folder) / kNewVersion);
}

namespace {

struct RemoteServer {
    std::string host;
    unsigned port = 0;
};

// HOST:PORT, unless a file of that name exists.
std::optional<RemoteServer> server_of(const std::string& spec) {
    const std::size_t colon = spec.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || colon == 0 || fs::exists(spec, ignored)) return std::nullopt;
    RemoteServer server{spec.substr(0, colon)};
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
    // Files of Xapian's formats: the current one, its two predecessors, and a folder with a stub.
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

// Commits between two reads of an opening cause these, as damage does.
bool may_pass(const Xapian::Error& error) {
    const std::string_view type = error.get_type();
    return type == "DatabaseModifiedError" || type == "DatabaseCorruptError" ||
           type == "DatabaseError" || type == "DatabaseOpeningError";
}

// Waits 0.2 s in all: a damaged database is still damaged then.
void pause_before(unsigned attempt) {
    const unsigned milliseconds = attempt < 5 ? 1U << attempt : 32;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

Xapian::Database open_folder(const std::string& spec) {
    // Xapian opens one file after the other. If another folder replaces this one meanwhile
    // (`braid index --rebuild`), some files are of one database and some of the other.
    for (unsigned attempt = 0;; ++attempt) {
        const FileIdentity before = file_identity(spec);
        Xapian::Database database(spec);
        if (file_identity(spec) == before) return database;
        if (attempt == kMaxReopens) {
            throw Xapian::DatabaseOpeningError("another database replaced it during each attempt");
        }
    }
}

Xapian::Database open_one(const std::string& spec) {
    for (unsigned attempt = 0;; ++attempt) {
        try {
            if (const auto server = server_of(spec)) {
                return Xapian::Remote::open(server->host, server->port);
            }
            Xapian::Database database = open_folder(spec);
            // An empty stub opens as no database at all, of which every use fails in its own way.
            if (database.size() == 0) {
                throw Error("database '" + spec + "': it is a file that lists no database");
            }
            return database;
        } catch (const Xapian::Error& error) {
            if (attempt == kMaxReopens || !may_pass(error)) throw Error(explain(error, spec));
        }
        pause_before(attempt);
    }
}

// One query can't fit shards that were indexed in different ways.
void check_same_settings(const std::vector<std::string>& specs,
                         std::vector<Xapian::Database>& shards) {
    std::string settings_of_first;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const std::string settings = on_newest_state(
            "attempts to read how '" + specs[i] + "' was indexed",
            [&] {
                shards[i] = open_one(specs[i]);
                return true;
            },
            [&](unsigned) {
                // Converts to one form, whichever version of Braid wrote them.
                const std::optional<IndexSettings> stored = load_index_settings(shards[i]);
                return stored ? serialise(*stored) : std::string();
            });
        if (i == 0) settings_of_first = settings;
        if (settings == settings_of_first) continue;
        throw ModelMismatch("databases '" + specs[0] + "' and '" + specs[i] +
                            "' were indexed with different settings (metadata key " +
                            kIndexSettingsKey + "): one query can't fit both; search them apart");
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

bool is_on_server(const std::string& spec) { return server_of(spec).has_value(); }

std::vector<Xapian::Database> open_shards(const std::vector<std::string>& specs) {
    if (specs.empty()) throw InvalidArgument("no database given");
    std::vector<Xapian::Database> shards;
    shards.reserve(specs.size());
    for (const std::string& spec : specs) shards.push_back(open_one(spec));
    if (specs.size() > 1) check_same_settings(specs, shards);
    return shards;
}

Xapian::Database open_databases(const std::vector<std::string>& specs) {
    return joined(open_shards(specs));
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
        throw Error("database '" + path + "': it can't be created, since the path exists");
    }
    clear_unfinished_database(path);
    try {
        return Xapian::WritableDatabase(path, Xapian::DB_CREATE);
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, path));
    }
}

}  // namespace braid
