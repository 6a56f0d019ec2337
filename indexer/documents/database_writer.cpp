// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/indexer/documents/database_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <xapian.h>

#include "braid/database.h"
#include "braid/error.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/table_file.h"
#include "braid/settings.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr char kMark[] = "braid-rebuild";

void mark(const fs::path& folder, const std::string& uuid) {
    std::ofstream out(folder / kMark, std::ios::binary);
    out << uuid;
    if (!out.flush()) {
        throw Error("can't write '" + (folder / kMark).string() + "': " + std::strerror(errno));
    }
}

// A mark that was cut short is the beginning of a UUID: only the folder's first file may be.
bool is_marked(const fs::path& folder, const std::string& uuid) {
    std::ifstream in(folder / kMark, std::ios::binary);
    if (!in) return false;
    const std::string found(std::istreambuf_iterator<char>(in), {});
    if (found == uuid) return true;
    return uuid.starts_with(found) && std::distance(fs::directory_iterator(folder), {}) == 1;
}

// The mark last: a removal that is cut short is recognised, too.
void remove_marked(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename() != kMark) fs::remove_all(entry.path());
    }
    fs::remove_all(folder);
}

void rename(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) == 0) return;
    throw Error("can't rename '" + from + "' to '" + to + "': " + std::strerror(errno));
}

std::string uuid_of(const std::string& folder) { return open_databases({folder}).get_uuid(); }

bool is_database(const std::string& folder) { return look_at(folder) == DatabasePlace::kDatabase; }

}  // namespace

RebuildPlace::RebuildPlace(const std::string& database) {
    std::error_code error;
    // Through links, and without a slash at the end.
    database_ = fs::weakly_canonical(database, error).string();
    if (error) database_ = database;
    while (database_.ends_with('/')) database_.pop_back();
    folder_ = database_ + ".rebuild";
    aside_ = database_ + "-old";
}

void RebuildPlace::recover() const {
    std::error_code error;
    if (fs::exists(database_, error) || !fs::exists(fs::path(folder_) / kMark, error)) return;
    if (is_database(aside_) && is_marked(folder_, uuid_of(aside_))) rename(aside_, database_);
}

void RebuildPlace::prepare(const std::string& uuid) const {
    for (const std::string& left : {folder_, aside_}) {
        std::error_code error;
        if (!fs::exists(left) || fs::is_empty(left, error)) continue;
        if (is_marked(left, uuid)) {
            remove_marked(left);
        } else if (left == folder_) {
            throw Error("'" + left + "' is in the way: a database is rebuilt there first");
        }
    }
    fs::create_directory(folder_);
    mark(folder_, uuid);
}

void RebuildPlace::publish(const std::string& uuid) const {
    mark(database_, uuid);
    if (renameat2(AT_FDCWD, database_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) != 0) {
        if (errno != EINVAL && errno != ENOSYS) {
            throw Error("can't exchange '" + database_ + "' and '" + folder_ +
                        "': " + std::strerror(errno));
        }
        rename(database_, aside_);
        rename(folder_, database_);
        rename(aside_, folder_);
    }
    std::error_code ignored;
    fs::remove(fs::path(database_) / kMark, ignored);
}

void RebuildPlace::clear() const noexcept {
    try {
        remove_marked(folder_);
    } catch (const fs::filesystem_error&) {  // The next rebuild tries again.
    }
}

namespace {

namespace fs = std::filesystem;

// Refuses a database that can't take documents by these settings.
void check_settings(const std::string& path, const IndexSettings& stored,
                    const IndexSettings& wanted) {
    const std::string point = index_settings_difference(stored, wanted);
    if (point.empty()) return;
    throw Error("database '" + path + "' was indexed with other settings than are asked for: " +
                point + "; leave them as they are in the database, or rebuild it");
}

std::optional<IndexSettings> stored_settings(const std::string& path,
                                             const Xapian::Database& database) {
    try {
        return load_index_settings(database);
    } catch (const FormatError& error) {
        throw FormatError("database '" + path + "': " + error.what());
    }
}

[[noreturn]] void refuse_foreign(const std::string& path) {
    throw Error("database '" + path + "' was written by another program (it has no metadata key " +
                kIndexSettingsKey +
                "), whose words and names Braid's would not fit; index into a " + "new database");
}

}  // namespace

DatabaseWriter::DatabaseWriter(const std::string& path, const IndexSettings& settings, bool rebuild)
    : path_(path), place_(path) {
    place_.recover();
    const DatabasePlace place = look_at(path);
    if (place == DatabasePlace::kOther) {
        throw Error("database '" + path + "': the folder holds something other than a database; " +
                    "expected a new or empty folder, or a database that Braid wrote");
    }
    if (place == DatabasePlace::kNothing) {
        database_ = create_database(path);
    } else if (rebuild) {
        begin_rebuild();
    } else {
        database_ = open_for_writing(path);
    }
    try {
        open(settings);
    } catch (const Xapian::Error& error) {
        throw Error(explain(error, path));
    }
}

DatabaseWriter::~DatabaseWriter() {
    // After an error Xapian may refuse any of these; the last commit is whole all the same.
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const Xapian::Error&) {
        }
    };
    if (in_transaction_) attempt([this] { database_.cancel_transaction(); });
    attempt([this] { database_.close(); });
    attempt([this] { old_.close(); });
    if (rebuilds_) place_.clear();
}

void DatabaseWriter::open(const IndexSettings& settings) {
    if (const auto stored = stored_settings(path_, database_)) {
        check_settings(path_, *stored, settings);
    } else {
        // One without documents may be what was left when its making was cut short.
        if (database_.get_doccount() > 0) refuse_foreign(path_);
        store_index_settings(database_, settings);
        store_document_names(database_, {DocumentNameSource::Kind::kValue, {}, kNameSlot});
        store_stemmer(database_, settings.analysis.stemmer);
        database_.commit();
    }
    database_.begin_transaction();
    in_transaction_ = true;
}

void DatabaseWriter::begin_rebuild() {
    std::error_code error;
    const fs::path real = fs::canonical(path_, error);
    if (error || !fs::is_directory(real)) {
        throw Error("database '" + path_ + "' can't be rebuilt: it is not one database's folder");
    }
    old_ = open_for_writing(path_);
    bool foreign = old_.get_doccount() > 0;
    try {
        foreign = foreign && !load_index_settings(old_);
    } catch (const FormatError&) {  // Damaged or of a newer Braid, which is no reason to keep it.
        foreign = false;
    }
    if (foreign) refuse_foreign(path_);
    // Another rebuild of this database is kept off by old_'s lock.
    place_.prepare(old_.get_uuid());
    rebuilds_ = true;
    try {
        database_ = Xapian::WritableDatabase(place_.folder(), Xapian::DB_CREATE);
    } catch (const Xapian::Error& failure) {
        throw Error(explain(failure, place_.folder()));
    }
}

Xapian::docid DatabaseWriter::find(const std::string& id_term) const {
    const Xapian::PostingIterator posting = database_.postlist_begin(id_term);
    return posting == database_.postlist_end(id_term) ? 0 : *posting;
}

void DatabaseWriter::commit() {
    database_.commit_transaction();
    database_.begin_transaction();
}

void DatabaseWriter::finish(const std::function<void(const std::string&)>& complete) {
    database_.commit_transaction();
    in_transaction_ = false;
    const std::string uuid = database_.get_uuid();
    database_.close();
    if (complete) complete(rebuilds_ ? place_.folder() : path_);
    if (rebuilds_) {
        place_.publish(uuid);
        old_.close();
    }
    write_table_files({path_}, TableFiles::kRenew);
}

}  // namespace braid
