// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/followed_databases.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "braid/core/base/bytes.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/newest_state.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/topic_store.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

// A look at a local database takes a microsecond, at a remote one some of these.
constexpr std::chrono::microseconds kRoundTrip{50};

/// Lets looks that cost a round trip pass once a second.
class LookPace {
  public:
    bool is_due() {
        const Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::seconds(1)) return false;
        last_ = now;
        return true;
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point last_ = Clock::now();
};

/// Whether no shard is on a server. Xapian's databases in memory have neither a state nor a UUID;
/// shards that it can't separate may be anywhere.
bool is_here(const Xapian::Database& database) {
    const std::vector<Xapian::Database> shards = shards_of(database);
    if (shards.empty()) return shard_count(database) == 0;
    return std::all_of(shards.begin(), shards.end(), [](const Xapian::Database& shard) {
        return state_of(shard) || shard.get_uuid().empty();
    });
}

void add_token(const Xapian::Database& database, ByteWriter& token) {
    token.text(database.get_uuid());
    if (const auto state = state_of(database)) token.varint(state->revision);
    token.varint(database.get_doccount());
    token.varint(database.get_lastdocid());
    token.varint(database.get_total_length());
    for (const char* key : {kTopicCatalogueKey, kFusionModelKey, kIndexSettingsKey,
                            kDocumentNamesKey, kStemmersKey}) {
        token.text(database.get_metadata(key));
    }
}

class FollowedHandles : public FollowedDatabases {
  public:
    explicit FollowedHandles(const OpenedDatabases& handles) : handles_(handles) {}

    bool have_moved(Look look) override {
        if (look == Look::kWhenDue && is_slow_ && !pace_.is_due()) return false;
        return state_token(handles_) != token_;
    }
    OpenedDatabases newest() override {
        // Three times, since a busy machine may stop a program in the middle of a quick look.
        is_slow_ = true;
        for (int i = 0; i < 3 && is_slow_; ++i) {
            using Clock = std::chrono::steady_clock;
            const Clock::time_point start = Clock::now();
            token_ = state_token(handles_);
            is_slow_ = Clock::now() - start > kRoundTrip && !all_are_here();
        }
        return handles_;
    }
    bool can_reopen() const override { return false; }
    bool is_copy() const override { return false; }
    const std::string& mixture() const override { return mixture_; }

  private:
    // A process's first look at a database here reads it from the disk, and any look takes long on
    // a busy machine.
    bool all_are_here() const {
        return is_here(handles_.database) &&
               std::all_of(handles_.sidecars.begin(), handles_.sidecars.end(), is_here);
    }

    OpenedDatabases handles_;
    std::string token_;
    std::string mixture_;
    bool is_slow_ = false;  ///< Remote.
    LookPace pace_;
};

// The file of a database's folder that every commit replaces, or a stub that is its content.
std::string version_file(const std::string& folder) {
    for (const char* name : {"iamglass", "iamchert", "iamhoney", "XAPIANDB"}) {
        std::error_code ignored;
        const fs::path path = fs::path(folder) / name;
        if (fs::exists(path, ignored)) return path.string();
    }
    return (fs::path(folder) / "iamglass").string();
}

/// The files that change with every commit to databases, or when one takes another's place.
class WatchedFiles {
  public:
    /// Adds what is behind a spec; what is no file can't be watched.
    void add(const std::string& spec) {
        std::error_code ignored;
        if (fs::is_directory(spec, ignored)) {
            add_folder(spec);
        } else if (fs::exists(spec, ignored)) {
            add_file(spec);
        } else {
            has_others_ = true;
        }
    }
    bool has_others() const { return has_others_; }
    /// Whether folders are others than those of `former`.
    bool are_others_than(const WatchedFiles& former) const { return folders_ != former.folders_; }
    bool have_changed() const {
        return std::any_of(files_.begin(), files_.end(), [](const File& file) {
            return file_identity(file.path) != file.identity;
        });
    }

  private:
    struct File {
        std::string path;
        FileIdentity identity;
    };

    void add_folder(const std::string& path) {
        folders_.push_back(file_identity(path));
        add_file(version_file(path));
    }

    void add_file(const std::string& path) {
        files_.push_back({path, file_identity(path)});
        if (fs::path(path).filename().string().starts_with("iam")) return;
        add_stub(path);
    }

    // A line is a type of database and its path, relative to the stub, or where its server is.
    void add_stub(const std::string& path) {
        std::ifstream stub(path);
        std::string line;
        while (std::getline(stub, line) && line.find('\0') == std::string::npos) {
            const std::size_t space = line.find(' ');
            if (line.starts_with("#") || space == std::string::npos) continue;
            std::error_code ignored;
            const fs::path target = fs::path(path).parent_path() / line.substr(space + 1);
            if (!line.starts_with("remote") && fs::is_directory(target, ignored)) {
                add_folder(target.string());
            } else {
                has_others_ = true;
            }
        }
    }

    std::vector<File> files_;
    std::vector<FileIdentity> folders_;
    bool has_others_ = false;
};

class FollowedPaths : public FollowedDatabases {
  public:
    explicit FollowedPaths(const SearchPaths& paths) : paths_(paths) {}

    bool have_moved(Look look) override {
        if (watched_.have_changed()) return true;
        if (!watched_.has_others()) return false;
        if (look == Look::kWhenDue && !pace_.is_due()) return false;
        try {
            return reopen_all(scout_.database, scout_.sidecars);
        } catch (const Xapian::Error&) {
            return true;  // newest() says what is wrong, unless it passes.
        }
    }

    OpenedDatabases newest() override {
        // First what tells of changes, so that none is missed.
        WatchedFiles watched;
        for (const std::string& spec : paths_.databases) watched.add(spec);
        for (const std::string& spec : paths_.sidecars) watched.add(spec);
        if (watched.has_others()) scout_ = open_paths(paths_);
        std::vector<Xapian::Database> shards = open_shards(paths_.databases);
        OpenedDatabases opened;
        for (const std::string& spec : paths_.sidecars) {
            opened.sidecars.push_back(open_databases({spec}));
        }
        mixture_ = mixture_of(paths_.sidecars.empty() ? shards : opened.sidecars);
        opened.database = joined(std::move(shards));
        opened.stays = true;
        const std::string uuid = opened.database.get_uuid();
        is_copy_ = uuid == uuid_ && watched.are_others_than(watched_);
        uuid_ = uuid;
        watched_ = std::move(watched);
        return opened;
    }
    bool can_reopen() const override { return true; }
    bool is_copy() const override { return is_copy_; }
    const std::string& mixture() const override { return mixture_; }

  private:
    static std::string mixture_of(const std::vector<Xapian::Database>& holders) {
        ByteWriter named;
        bool is_mixed = false;
        std::string first;
        for (const Xapian::Database& holder : holders) {
            const std::string models = holder.get_metadata(kTopicCatalogueKey);
            if (named.bytes().empty()) first = models;
            is_mixed = is_mixed || models != first;
            named.text(models);
        }
        return is_mixed ? named.bytes() : "";
    }

    SearchPaths paths_;
    WatchedFiles watched_;
    OpenedDatabases scout_;  ///< Databases that can't be watched: reopened to see changes.
    LookPace pace_;
    std::string mixture_;
    std::string uuid_;
    bool is_copy_ = false;
};

}  // namespace

OpenedDatabases open_paths(const SearchPaths& paths) {
    OpenedDatabases opened{open_databases(paths.databases)};
    for (const std::string& spec : paths.sidecars) {
        opened.sidecars.push_back(open_databases({spec}));
    }
    return opened;
}

std::string state_token(const OpenedDatabases& opened) {
    ByteWriter token;
    add_token(opened.database, token);
    for (const Xapian::Database& sidecar : opened.sidecars) add_token(sidecar, token);
    return token.bytes();
}

std::unique_ptr<FollowedDatabases> follow_handles(const OpenedDatabases& handles) {
    return std::make_unique<FollowedHandles>(handles);
}

std::unique_ptr<FollowedDatabases> follow_paths(const SearchPaths& paths) {
    return std::make_unique<FollowedPaths>(paths);
}

}  // namespace braid
