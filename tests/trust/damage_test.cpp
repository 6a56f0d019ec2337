// SPDX-License-Identifier: GPL-2.0-or-later
// Databases with damaged bytes: of the files of glass, of the table file beside them, and of
// Braid's own records, which Xapian hands over as they are. A command gives an answer or an error
// message. Where it ends by a signal or doesn't end, walk_database reads the same database by
// Xapian alone: only what that survives counts against Braid. BRAID_TEST_SEED chooses the damage,
// BRAID_TRUST_FLIPS how much of it the slow tests do, BRAID_TRUST_KEEP a folder for databases that
// Braid crashed on.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <xapian.h>

#include "braid/core/base/random.h"
#include "braid/plugin/store/table_file.h"
#include "braid/tests/trust/scenarios.h"

using namespace braid;
using namespace braid::test;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{30};

int flips(int usual) {
    const char* given = std::getenv("BRAID_TRUST_FLIPS");
    return given == nullptr ? usual : std::atoi(given);
}

/// A database that is damaged again and again, and the commands that read it.
class Patient {
  public:
    explicit Patient(const Scenarios& scenarios)
        : scenarios_(scenarios), state_(scenarios.folder() / "damaged") {
        copy_state(scenarios.complete(), state_);
        Outcome outcome = run({.arguments = scenarios.run_arguments(state_, false)});
        REQUIRE(outcome.code == 0);
        REQUIRE(outcome.err.empty());
        healthy_run_ = outcome.out;
        REQUIRE_FALSE(walk_crashes());
    }

    fs::path database() const { return state_ / "db"; }

    // Runs the commands; `what` says what the damage is, `checked` whether it must not change a
    // ranking without a message.
    // `checked`: what was damaged carries a checksum, so that no ranking changes without a message.
    void examine(const std::string& what, bool checked) {
        ++examined_;
        INFO(what << "; seed " << braid::test::seed());
        const Outcome searched = attempt(what, scenarios_.run_arguments(state_, false));
        if (searched.code == 0 && searched.err.empty() && searched.out != healthy_run_) {
            ++changed_silently_;
            if (checked) FAIL_CHECK("another ranking, and no message");
        }
        const std::string braid = braid::test::braid_program();
        attempt(what, {braid, "search", "--db", database(), "--explain", "--quiet", "--candidates",
                       "hybrid", "w5 w6 common"});
        attempt(what, {braid, "topics", "--db", database(), "--json"});
    }

    std::string summary() const {
        return std::to_string(examined_) + " damaged databases: " + std::to_string(crashes_) +
               " crashes of Braid, " + std::to_string(foreign_crashes_) +
               " that a plain walk has too, " + std::to_string(refused_) + " errors, " +
               std::to_string(changed_silently_) + " rankings changed without a word; seed " +
               std::to_string(braid::test::seed());
    }

  private:
    Outcome attempt(const std::string& what, std::vector<std::string> arguments) {
        Outcome outcome = run({.arguments = arguments, .kill_after = kPatience});
        if (outcome.code == 1) {
            ++refused_;
            CHECK_FALSE(outcome.err.empty());
        }
        if (!outcome.is_crash()) {
            INFO(arguments[1] << ": " << outcome.err);
            CHECK((outcome.code == 0 || outcome.code == 1));
            return outcome;
        }
        if (walk_crashes()) {
            ++foreign_crashes_;
            return outcome;
        }
        std::string command;
        for (const std::string& word : arguments) command += word + " ";
        ++crashes_;
        keep(what);
        INFO(outcome.err);
        FAIL_CHECK(command << "ended with " << outcome.code
                           << (outcome.timed_out ? " after its time" : ""));
        return outcome;
    }

    // Whether Xapian alone crashes, too, or reads where it may not (guarded_new.cpp).
    bool walk_crashes() const {
        Launch walk{
            .arguments = {braid::test::walk_program(), database(), scenarios_.complete() / "db"},
            .kill_after = kPatience};
        if (run(walk).is_crash()) return true;
        walk.environment = {{"WALK_GUARDED", "1"}};
        return run(walk).is_crash();
    }

    void keep(const std::string& what) const {
        const char* folder = std::getenv("BRAID_TRUST_KEEP");
        if (folder == nullptr) return;
        const fs::path kept = fs::path(folder) / ("crash-" + std::to_string(examined_));
        copy_state(state_, kept);
        braid::test::write_file(kept / "what", what + "\n");
    }

    const Scenarios& scenarios_;
    fs::path state_;
    std::string healthy_run_;
    int examined_ = 0;
    int crashes_ = 0;
    int foreign_crashes_ = 0;
    int refused_ = 0;
    int changed_silently_ = 0;
};

/// Files of a database.
class Files {
  public:
    /// The table file alone, or all others.
    Files(const fs::path& database, bool table_file) {
        for (const auto& entry : fs::directory_iterator(database)) {
            const bool is_table_file = entry.path().filename() == TableFile::kName;
            if (is_table_file == table_file && entry.file_size() > 0) {
                files_.push_back({entry.path(), {}});
            }
        }
        REQUIRE_FALSE(files_.empty());
        std::sort(files_.begin(), files_.end());
        for (auto& [path, bytes] : files_) bytes = braid::test::read_file(path);
    }

    // Changes one to four bytes in a row, and says where.
    std::string damage(Random& random) {
        auto& [path, bytes] = files_[random.below(files_.size())];
        std::string damaged = bytes;
        std::size_t at = random.below(bytes.size());
        // Most of a small table is empty: three times in four, look for a byte that says something.
        if (random.below(4) > 0) {
            while (bytes[at] == '\0') at = random.below(bytes.size());
        }
        const std::size_t count = std::min(1 + random.below(4), bytes.size() - at);
        for (std::size_t i = at; i < at + count; ++i) {
            const auto change = static_cast<char>(random.below(2) == 0 ? 1U << random.below(8)
                                                                       : 1 + random.below(255));
            damaged[i] = static_cast<char>(damaged[i] ^ change);
        }
        damaged_ = &path;
        healthy_ = &bytes;
        write(path, damaged);
        return path.filename().string() + ", " + std::to_string(count) + " bytes from " +
               std::to_string(at);
    }

    void restore() const { write(*damaged_, *healthy_); }

  private:
    // The table file can't be written to.
    static void write(const fs::path& path, const std::string& bytes) {
        const fs::path part = path.string() + ".new";
        braid::test::write_file(part, bytes);
        fs::rename(part, path);
    }

    std::vector<std::pair<fs::path, std::string>> files_;
    const fs::path* damaged_ = nullptr;
    const std::string* healthy_ = nullptr;
};

// Flips a bit, sets a byte, cuts the end off or adds to it.
std::string damaged_value(std::string bytes, Random& random) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
        case 0:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
            break;
        case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random.below(255)));
            break;
        case 2:
            bytes.resize(std::max<std::size_t>(at, 1));
            break;
        default:
            bytes += static_cast<char>(random.below(256));
    }
    return bytes;
}

/// Braid's own records in a database: metadata, and values in its slots.
class Records {
  public:
    explicit Records(const fs::path& path) : path_(path) {
        const Xapian::Database database(path.string());
        for (auto key = database.metadata_keys_begin("braid:");
             key != database.metadata_keys_end("braid:"); ++key) {
            const bool of_word = (*key).find(":t:") != std::string::npos;
            (of_word ? word_keys_ : keys_).push_back(*key);
        }
        for (unsigned slot = 1000; slot < 1010; ++slot) {
            if (database.get_value_freq(slot) > 0) slots_.push_back(slot);
        }
        last_ = database.get_lastdocid();
    }

    std::string damage_metadata(Random& random) {
        const auto& keys = random.below(3) == 0 ? word_keys_ : keys_;
        const std::string key = keys[random.below(keys.size())];
        Xapian::WritableDatabase database(path_.string());
        healthy_ = database.get_metadata(key);
        database.set_metadata(key, damaged_value(healthy_, random));
        database.commit();
        key_ = key;
        return "metadata key " + key;
    }

    std::string damage_slot(Random& random) {
        id_ = static_cast<Xapian::docid>(1 + random.below(last_));
        slot_ = slots_[random.below(slots_.size())];
        Xapian::WritableDatabase database(path_.string());
        healthy_ = database.get_document(id_).get_value(slot_);
        set_value(database, damaged_value(healthy_, random));
        key_.clear();
        return "slot " + std::to_string(slot_) + " of document " + std::to_string(id_);
    }

    void restore() const {
        Xapian::WritableDatabase database(path_.string());
        if (key_.empty()) {
            set_value(database, healthy_);
        } else {
            database.set_metadata(key_, healthy_);
            database.commit();
        }
    }

  private:
    void set_value(Xapian::WritableDatabase& database, const std::string& value) const {
        Xapian::Document document = database.get_document(id_);
        document.add_value(slot_, value);
        database.replace_document(id_, document);
        database.commit();
    }

    fs::path path_;
    std::vector<std::string> keys_;
    std::vector<std::string> word_keys_;
    std::vector<unsigned> slots_;
    Xapian::docid last_ = 0;
    // What was damaged last; key_ is "" where it was a value.
    std::string key_;
    std::string healthy_;
    Xapian::docid id_ = 0;
    unsigned slot_ = 0;
};

void check_files(int count, bool table_file) {
    const Scenarios scenarios;
    Patient patient(scenarios);
    Files files(patient.database(), table_file);
    Random random(braid::test::seed());
    for (int i = 0; i < count; ++i) {
        patient.examine(files.damage(random), table_file);
        files.restore();
    }
    WARN((table_file ? "table file: " : "glass: ") << patient.summary());
}

void check_records(int count) {
    const Scenarios scenarios;
    Patient patient(scenarios);
    Records records(patient.database());
    Random random(braid::test::seed());
    for (int i = 0; i < count; ++i) {
        const std::string what =
            i % 2 == 0 ? records.damage_metadata(random) : records.damage_slot(random);
        patient.examine(what, true);
        records.restore();
    }
    WARN("records: " << patient.summary());
}

}  // namespace

TEST_CASE("Damage: bytes of glass files, and commands answer or say what is wrong") {
    check_files(24, false);
}

TEST_CASE("Damage: bytes of the table file, and commands find the same") { check_files(12, true); }

TEST_CASE("Damage: bytes of Braid's records, and commands answer or say what is wrong") {
    check_records(24);
}

TEST_CASE("Damage: many bytes of glass files", "[.slow]") { check_files(flips(5000), false); }

TEST_CASE("Damage: many bytes of the table file", "[.slow]") { check_files(flips(5000), true); }

TEST_CASE("Damage: many bytes of Braid's records", "[.slow]") { check_records(flips(5000)); }
