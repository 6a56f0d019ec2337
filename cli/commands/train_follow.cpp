// SPDX-License-Identifier: GPL-2.0-or-later
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "braid/cli/options/query_input.h"
#include "braid/cli/options/train_setup.h"
#include "braid/cli/output/output.h"
#include "braid/config.h"
#include "braid/error.h"
#include "braid/features.h"

namespace braid::cli {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);
constexpr std::size_t kLooksPerBatch = 10;

// A file that another program adds lines to.
class GrowingFile {
  public:
    explicit GrowingFile(std::string path) : path_(std::move(path)) {
        if (!std::ifstream(path_)) throw Error(path_ + ": can't be read");
    }

    // Whole lines that were added since the last call; "" if there are none.
    std::string more() {
        std::error_code failed;
        const std::uintmax_t size = std::filesystem::file_size(path_, failed);
        if (failed) throw Error(path_ + ": can't be read: " + failed.message());
        if (size < read_) {
            throw Error(fmt::format(
                "{}: has {} bytes, after {} that were read: another file took its place; the model "
                "of the last batch stays, and --continue goes on from it",
                path_, size, read_));
        }
        if (size == read_) return "";
        std::ifstream file(path_, std::ios::binary);
        file.seekg(static_cast<std::streamoff>(read_));
        std::string text(size - read_, '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
        text.resize(text.rfind('\n') + 1);  // npos + 1 is 0.
        read_ += text.size();
        return text;
    }

  private:
    std::string path_;
    std::uintmax_t read_ = 0;
};

Judgements of_queries(const Judgements& all, const std::set<std::string>& queries) {
    Judgements some;
    for (const QueryJudgements& query : all.queries()) {
        if (!queries.contains(query.query())) continue;
        for (const Judgement& one : query.all()) some.add(query.query(), one.document, one.grade);
    }
    return some;
}

bool has_relevant(const Judgements& judgements) {
    for (const QueryJudgements& query : judgements.queries()) {
        if (query.count_from(1) > 0) return true;
    }
    return false;
}

// A file's queries that the batch says something of.
TrainingSet judged_part(const TrainingSet& set, const Judgements& batch) {
    std::vector<std::size_t> queries;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        if (batch.find(set.queries[q]) != nullptr) queries.push_back(q);
    }
    return subset(set, queries);
}

// One batch after another.
class Follower {
  public:
    Follower(TrainCommand& command, Session& session)
        : command_(command),
          session_(session),
          executor_(make_executor(command.threads)),
          file_(command.clicks),
          log_(command.clicks, reading(command, session)) {
        if (command.from_database()) {
            for (const SourceQuery& query : read_queries(command.queries, session)) {
                known_.insert(query.id);
            }
        } else {
            const TrainingSet set = read_files_of(command, session).train;
            known_.insert(set.queries.begin(), set.queries.end());
        }
    }

    // Whether there was anything new.
    bool read() {
        const std::string lines = file_.more();
        if (lines.empty()) return false;
        log_.add(lines);
        for (const std::string& query : log_.take_changed()) {
            if (known_.contains(query)) {
                waiting_.insert(query);
            } else if (unknown_.insert(query).second) {
                session_.warnings()(
                    format_line("{}: clicks of the query '{}', which is not among the queries to "
                                "learn from, are left out",
                                command_.clicks, query));
            }
        }
        return true;
    }

    // Learns from what waits, if it says anything.
    void learn() {
        if (waiting_.empty()) return;
        const Judgements batch = of_queries(log_.judge(), waiting_);
        if (!has_relevant(batch)) return;  // More of these queries may come.
        command_.batch = &batch;
        TrainInput input = command_.from_database() ? read_database(command_, *executor_, session_)
                                                    : read_files(command_, session_);
        command_.batch = nullptr;
        if (!command_.from_database()) input.train = judged_part(input.train, batch);
        command_.job.anchor = input.anchor;
        TrainedModel trained = train_model(command_.job, input.rankers, input.train, nullptr,
                                           *executor_, session_.progress());
        trained.model.provenance.topic_models = input.topic_models;
        trained.model.candidates = input.candidates;
        if (interrupted()) return;
        write_file(command_.model, format_model(trained.model));
        session_.finish();
        session_.note(fmt::format("batch {}: {} queries, {} documents; model written to {}",
                                  ++batches_, input.train.queries.size(), input.train.rows(),
                                  command_.model));
        waiting_.clear();
        // The next one goes on from what was written.
        command_.continued = command_.model;
        command_.gave_learner = command_.gave_normaliser = false;
        continue_from(trained.model, command_);
    }

    std::size_t batches() const { return batches_; }

  private:
    // Without clicks.
    static TrainInput read_files_of(const TrainCommand& command, Session& session) {
        TrainCommand plain = command;
        plain.clicks.clear();
        return read_files(plain, session);
    }

    // Each batch would say the same again.
    static ClickOptions reading(const TrainCommand& command, Session& session) {
        ClickOptions options = click_options(command, session);
        options.note = {};
        options.warn = [said = std::set<std::string>(),
                        warn = session.warnings()](const std::string& text) mutable {
            if (said.insert(text).second) warn(text);
        };
        return options;
    }

    TrainCommand& command_;
    Session& session_;
    std::unique_ptr<Executor> executor_;
    GrowingFile file_;
    ClickLog log_;
    std::set<std::string> known_;
    std::set<std::string> unknown_;
    std::set<std::string> waiting_;
    std::size_t batches_ = 0;
};

}  // namespace

int follow_clicks(TrainCommand& command, Session& session) {
    Follower follower(command, session);
    try {
        while (!interrupted()) {
            if (follower.read()) follower.learn();
            for (std::size_t i = 0; i < kLooksPerBatch && !interrupted(); ++i) {
                std::this_thread::sleep_for(kLook);
            }
        }
    } catch (const Cancelled&) {
        // The model of the batch before stays.
    }
    session.finish();
    session.note(follower.batches() == 0
                     ? "stopped before any click was learned from; no model was written"
                     : fmt::format("stopped after {} batches; the model is {}", follower.batches(),
                                   command.model));
    return kDone;
}

}  // namespace braid::cli
