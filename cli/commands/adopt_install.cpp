// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/cli/commands/adopt_install.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "braid/cli/options/topic_options.h"
#include "braid/core/eval/summary.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/training/known_items.h"

namespace braid::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kItems = 500;
constexpr char kCommand[] = "braid adopt";
constexpr char kForce[] = "--force installs without";

const std::vector<std::string>& holders(const InstallRequest& request) {
    return request.paths.sidecars.empty() ? request.paths.databases : request.paths.sidecars;
}

// The topic model that the candidate lacks, or "".
std::string lacking(const RankingCandidate& candidate, const InstallRequest& request) {
    const std::vector<TopicModelIdentity> there =
        load_topic_catalogue(open_databases({holders(request).front()}));
    for (const RankerSpec& spec : candidate.model.rankers) {
        std::string name = topic_model_of(spec);
        if (name.empty() || !(spec.weight > 0)) continue;
        const bool is_there = std::any_of(there.begin(), there.end(),
                                          [&](const auto& model) { return model.name == name; });
        if (!is_there) return name;
    }
    return "";
}

// What ranks today, with a name for it.
RankingCandidate current_ranking(const InstallRequest& request) {
    const std::optional<FusionModel> model =
        load_fusion_model(open_databases({holders(request).front()}));
    if (!model) return {"bm25", FusionModel{}};
    return {"the current ranking", *model};
}

InstalledModel record_of(const RankingCandidate& candidate, const RankingCandidate& current,
                         const KnownItemFinding& found, std::size_t items) {
    return {.by = kCommand,
            .note = "by known items of the database",
            .measure = "mrr",
            .queries = items,
            .figures = {{candidate.name, found.mean, 1}, {current.name, found.before, found.p}}};
}

Json figures_of(const std::string& name, const KnownItemFinding& found) {
    return {{"name", name},
            {"mrr", found.mean},
            {"difference", found.difference},
            {"low", found.interval.low},
            {"high", found.interval.high},
            {"p", found.p},
            {"safe", found.is_safe}};
}

class Installation {
  public:
    Installation(const InstallRequest& request, Session& session)
        : request_(request), session_(session), current_(current_ranking(request)) {}

    Json run() {
        items_ = draw_known_items(open_databases(request_.paths.databases), kItems);
        if (items_.empty()) {
            throw Error(
                fmt::format("not installed: no document has the words for a search of its "
                            "own, so nothing shows what a ranking loses; {}",
                            kForce));
        }
        before_ = ranks_of(current_.model);
        std::string refused;
        for (const RankingCandidate& candidate : request_.candidates) {
            const std::string why = try_one(candidate);
            if (why.empty()) return result_;
            refused += (refused.empty() ? "" : "; ") + why;
        }
        throw Error(fmt::format(
            "not installed: {}; expected an interval from -{:g} up; searches rank as before; "
            "{}",
            refused, kMostKnownItemLoss, kForce));
    }

  private:
    std::vector<double> ranks_of(const FusionModel& model) {
        return reciprocal_ranks(request_.paths, model, items_, *executor_, session_.progress());
    }

    // Why it isn't installed, or "".
    std::string try_one(const RankingCandidate& candidate) {
        if (const std::string topics = lacking(candidate, request_); !topics.empty()) {
            return fmt::format("{} needs the topic model {}, which the database lacks",
                               candidate.name, topics);
        }
        const KnownItemFinding found = compare_known_items(ranks_of(candidate.model), before_);
        session_.finish();
        session_.note(fmt::format(
            "{} finds {} documents by 2 to 4 of their words with a mean reciprocal rank of {:.4f}; "
            "{}: {:.4f}, difference {:+.4f} (95 % interval {:+.4f} .. {:+.4f})",
            candidate.name, items_.size(), found.mean, current_.name, found.before,
            found.difference, found.interval.low, found.interval.high));
        result_["tried"].push_back(figures_of(candidate.name, found));
        if (!found.is_safe) {
            return fmt::format(
                "{} changes the mean reciprocal rank of {} searches for one "
                "document by {:+.4f} (95 % interval {:+.4f} .. {:+.4f})",
                candidate.name, items_.size(), found.difference, found.interval.low,
                found.interval.high);
        }
        install_ranking(holders(request_), candidate.model,
                        record_of(candidate, current_, found, items_.size()), session_);
        result_["installed"] = candidate.name;
        return "";
    }

    const InstallRequest& request_;
    Session& session_;
    RankingCandidate current_;
    std::vector<KnownItem> items_;
    std::vector<double> before_;
    std::unique_ptr<Executor> executor_ = make_executor(request_.threads);
    Json result_ = {{"tried", Json::array()}};
};

}  // namespace

Json install_by_evidence(const InstallRequest& request, Session& session) {
    if (!request.force) return Installation(request, session).run();
    const RankingCandidate& first = request.candidates.front();
    install_ranking(holders(request), first.model, {.by = kCommand, .note = "by --force"}, session);
    return {{"tried", Json::array()}, {"installed", first.name}};
}

}  // namespace braid::cli
