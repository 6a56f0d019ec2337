// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/core/settings/stop_words.h"
#include "braid/database.h"
#include "braid/error.h"
#include "braid/index.h"
#include "braid/indexer/documents/database_writer.h"
#include "braid/indexer/documents/document_builder.h"
#include "braid/indexer/topics/topic_counts.h"
#include "braid/plugin/store/analysis.h"
#include "braid/plugin/store/document_records.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/terms.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenReports{1};

// Checks all that can be wrong with settings, before a database is opened or made.
IndexSettings resolved(IndexSettings settings) {
    validate(settings);
    resolve_stop_words(settings.analysis);
    make_stemmer(settings.analysis);
    make_stopper(settings.analysis);
    return settings;
}

}  // namespace

class Indexer::State {
  public:
    State(const std::string& path, const IndexSettings& settings, IndexerOptions options)
        : path_(path),
          options_(std::move(options)),
          batch_(settings.batch),
          writer_(path, settings, options_.rebuild),
          builder_(settings, writer_.database(), options_.warn),
          data_writer_(settings.stored),
          topics_(writer_.database()),
          records_(load_document_records(writer_.database())),
          known_(writer_.database().get_lastdocid()) {
        for (const std::string& changed : changed_stemmers(writer_.database())) warn(changed);
    }

    void add(DocumentReader& reader);
    void add(const SourceDocument& source);
    void finish(const Complete& complete);
    const IndexCounts& counts() const { return counts_; }

    // Runs `work`, turning Xapian's errors into Braid's.
    template <typename Work>
    void guarded(const Work& work);

  private:
    void put(const SourceDocument& source, const std::string& name);
    void commit();
    void count_fields_again();
    bool is_seen_here(Xapian::docid id);
    void report(const DocumentReader& reader);
    [[noreturn]] void throw_stopped_rebuild() const {
        throw Cancelled("stopped: the database '" + path_ + "' is as it was before");
    }
    void warn(const std::string& message) const {
        if (options_.warn) options_.warn(message);
    }

    std::string path_;
    IndexerOptions options_;
    std::size_t batch_;
    DatabaseWriter writer_;
    DocumentBuilder builder_;
    DocumentDataWriter data_writer_;
    VectorMaker topics_;
    std::optional<DocumentRecords> records_;  ///< Where the database keeps any.
    Xapian::docid known_;                     // the last docid of earlier runs
    // Of docids up to known_, 64 at a time: this run had that document.
    std::unordered_map<Xapian::docid, std::uint64_t> replaced_here_;
    IndexCounts counts_;
    std::uint64_t committed_ = 0;
    std::uint64_t bytes_before_ = 0;  // of the readers before this one
    Clock::time_point last_report_ = {};
    std::string data_;
};

template <typename Work>
void Indexer::State::guarded(const Work& work) {
    try {
        work();
    } catch (const Xapian::Error& error) {
        throw Error(
            fmt::format("{}; the database is as it was at its last commit, {} of the "
                        "documents read here are in it",
                        explain(error, path_), writer_.rebuilds() ? 0 : committed_));
    }
}

void Indexer::State::add(DocumentReader& reader) {
    SourceDocument source;
    while (reader.next(source)) {
        add(source);
        report(reader);
    }
    bytes_before_ += reader.bytes_read();
}

void Indexer::State::report(const DocumentReader& reader) {
    const Clock::time_point now = Clock::now();
    if (!options_.progress || now - last_report_ < kBetweenReports) return;
    last_report_ = now;
    ProgressReport progress;
    progress.phase = "indexing";
    progress.done = counts_.read();
    if (options_.total_bytes > 0) {
        progress.done = bytes_before_ + reader.bytes_read();
        progress.total = options_.total_bytes;
        progress.unit = "bytes";
        progress.detail = fmt::format("{} documents", counts_.read());
    }
    if (options_.progress(progress)) return;
    if (writer_.rebuilds()) throw_stopped_rebuild();
    guarded([&] { commit(); });
    throw Cancelled(
        fmt::format("stopped: {} documents are in the database '{}'; the same command "
                    "goes on from there",
                    counts_.read(), path_));
}

void Indexer::State::add(const SourceDocument& source) {
    guarded([&] {
        if (source.id.empty()) {
            const std::string name = source.where.to_string();
            if (counts_.unnamed++ == 0) {
                warn(name +
                     ": a document without an id; it and others like it are called by file " +
                     "and line");
            }
            put(source, name);
        } else {
            put(source, source.id);
        }
        if (counts_.read() - committed_ >= batch_) {
            commit();
        }
    });
}

// From then on it is.
bool Indexer::State::is_seen_here(Xapian::docid id) {
    constexpr Xapian::docid kBits = 64;
    if (id > known_) return true;
    std::uint64_t& seen = replaced_here_[id / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (id % kBits);
    return (std::exchange(seen, seen | bit) & bit) != 0;
}

void Indexer::State::put(const SourceDocument& source, const std::string& name) {
    const std::string id_term = exact_term(kIdPrefix, name);
    const Xapian::docid id = writer_.find(id_term);
    data_writer_.write(source, data_);
    Xapian::WritableDatabase& database = writer_.database();
    if (id != 0 && is_seen_here(id)) {
        ++counts_.duplicates;
        warn(source.where.to_string() + ": a second document called '" + name +
             "'; it replaces the first");
    } else if (id != 0) {
        // Documents are a function of what the data hold, if they hold all.
        if (data_writer_.keeps_all() && database.get_document(id).get_data() == data_) {
            ++counts_.unchanged;
            return;
        }
        ++counts_.replaced;
    } else {
        ++counts_.added;
    }
    Xapian::Document document = builder_.build(source, name, id_term, data_);
    topics_.add_vectors(document);
    if (records_) {
        document.add_value(records_->slot,
                           encode_document_record(make_document_record(document, *records_)));
    }
    if (!builder_.has_words()) ++counts_.wordless;
    if (id != 0) {
        database.replace_document(id, document);
    } else {
        database.add_document(document);
    }
}

void Indexer::State::commit() {
    topics_.write_use(writer_.database());
    if (records_) store_document_records(writer_.database(), *records_);
    writer_.commit();
    committed_ = counts_.read();
}

// So that the mean lengths of fields are those of all documents.
void Indexer::State::count_fields_again() {
    if (!records_) return;
    records_->fields = count_fields(writer_.database(), *records_);
    store_document_records(writer_.database(), *records_);
}

void Indexer::State::finish(const Complete& complete) {
    guarded([&] {
        topics_.write_use(writer_.database());
        count_fields_again();
        writer_.finish([&](const std::string& folder) {
            committed_ = counts_.read();
            if (!complete) return;
            try {
                complete(folder);
            } catch (const Cancelled&) {
                if (writer_.rebuilds()) throw_stopped_rebuild();
                throw;
            }
        });
    });
}

Indexer::Indexer(const std::string& database, const IndexSettings& settings, IndexerOptions options)
    : state_(std::make_unique<State>(database, resolved(settings), std::move(options))) {}

Indexer::~Indexer() = default;

void Indexer::add(DocumentReader& reader) { state_->add(reader); }

void Indexer::add(const SourceDocument& document) { state_->add(document); }

void Indexer::finish(const Complete& complete) { state_->finish(complete); }

const IndexCounts& Indexer::counts() const { return state_->counts(); }

}  // namespace braid
