// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "braid/cli/options/query_vectors.h"
#include "braid/cli/options/train_setup.h"
#include "braid/config.h"
#include "braid/core/base/text.h"
#include "braid/core/eval/measure.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"
#include "braid/indexer/formats/letor_reader.h"

namespace braid::cli {
namespace {

LetorData read_file(const std::string& path, Session& session) {
    LetorOptions options;
    options.warn = session.warnings();
    options.progress = session.progress();
    options.max_line = session.limits.line;
    return read_letor(path, options);
}

// Splits "name=value"; false where it has no name or no sign.
bool split_pair(const std::string& text, std::string& name, std::string& value) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) return false;
    name = text.substr(0, sign);
    value = text.substr(sign + 1);
    return true;
}

double number_of(const std::string& owner, const std::string& name, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw InvalidArgument(
            fmt::format("{}: {} is {}, expected a number", owner, name, shown(text)));
    }
    return value;
}

// The model's rankers that the features are named after.
std::vector<RankerSpec> rankers_by_name(const FusionModel& model, const std::string& config,
                                        const std::vector<std::string>& names) {
    std::vector<RankerSpec> rankers;
    for (const std::string& name : names) {
        const auto found =
            std::find_if(model.rankers.begin(), model.rankers.end(),
                         [&](const RankerSpec& spec) { return spec.label() == name; });
        if (found == model.rankers.end()) {
            std::vector<std::string> known;
            for (const RankerSpec& spec : model.rankers) known.push_back(spec.label());
            throw UnknownComponent("ranker of " + config, name, known);
        }
        rankers.push_back(*found);
    }
    return rankers;
}

std::vector<std::string> labels_of(const std::vector<RankerSpec>& rankers) {
    std::vector<std::string> names;
    names.reserve(rankers.size());
    for (const RankerSpec& spec : rankers) names.push_back(spec.label());
    return names;
}

// The first file's; files without names can differ in width, since rows leave zeros out.
std::vector<std::string> widest_names(const std::vector<const LetorData*>& files) {
    const LetorData* widest = files.front();
    if (!widest->feature_names.empty()) return widest->feature_names;
    for (const LetorData* file : files) {
        if (file->feature_names.empty() && file->features > widest->features) widest = file;
    }
    return feature_names(*widest);
}

}  // namespace

ClickOptions click_options(const TrainCommand& command, Session& session) {
    ClickOptions reading = command.click_reading;
    reading.warn = session.warnings();
    reading.note = [&session](const std::string& text) { session.note(text); };
    reading.max_line = session.limits.line;
    return reading;
}

namespace {

// Clicks instead of the file's labels.
void judge_by_clicks(const TrainCommand& command, TrainingSet& set, Session& session) {
    if (set.documents.empty()) {
        throw Error(command.letor +
                    ": has documents without names, expected \"# docid = NAME\" in every row to "
                    "know which were clicked");
    }
    std::optional<Judgements> read;
    if (command.batch == nullptr)
        read = read_clicks(command.clicks, click_options(command, session));
    const Judgements& judgements = read ? *read : *command.batch;
    std::size_t judged = 0;
    for (std::size_t q = 0; q < set.queries.size(); ++q) {
        const QueryJudgements* query = judgements.find(set.queries[q]);
        for (std::size_t i = set.query_begin[q]; i < set.query_begin[q + 1]; ++i) {
            const auto grade = query == nullptr ? std::nullopt : query->grade(set.documents[i]);
            set.grades[i] = grade.value_or(kUnjudged);
            if (grade) ++judged;
        }
    }
    session.note(fmt::format("{} of {} documents are judged by clicks", judged, set.rows()));
    if (command.has_validation() || command.has_test()) {
        session.note("--vali and --test are judged by their own labels");
    }
}

}  // namespace

TrainInput read_files(const TrainCommand& command, Session& session) {
    settings_of(command.setup, session);  // For the limits of the files.
    const LetorData train = read_file(command.letor, session);
    std::optional<LetorData> validation;
    std::optional<LetorData> test;
    if (!command.validation.empty()) validation = read_file(command.validation, session);
    if (!command.test.empty()) test = read_file(command.test, session);
    TrainInput input;
    const std::string& rankers =
        command.setup.model.empty() ? command.setup.config : command.setup.model;
    if (!command.continued.empty()) {
        input.rankers = load_model(command.continued).rankers;
    } else {
        std::vector<const LetorData*> files = {&train};
        if (validation) files.push_back(&*validation);
        if (test) files.push_back(&*test);
        const std::vector<std::string> names = widest_names(files);
        input.rankers = rankers.empty() ? feature_rankers(names)
                                        : rankers_by_name(named_model(rankers), rankers, names);
    }
    const std::vector<std::string> names = labels_of(input.rankers);
    if (names.empty()) {
        throw Error(command.letor + ": none of its rows has a feature, expected at least one");
    }
    input.train = training_set(train, names, command.letor);
    if (validation) input.validation = training_set(*validation, names, command.validation);
    if (test) input.test = training_set(*test, names, command.test);
    const std::vector<std::string>& embeddings = command.query_features.embeddings;
    if (!embeddings.empty()) {
        const QueryVectors vectors = QueryVectors::embeddings(embeddings, vector_reading(session));
        vectors.add_to(input.train);
        if (input.validation) vectors.add_to(*input.validation);
        if (input.test) vectors.add_to(*input.test);
    }
    if (!command.clicks.empty()) judge_by_clicks(command, input.train, session);
    return input;
}

void settle_columns(TrainCommand& command, const TrainingSet& train, const Session& session) {
    if (command.columns == "scores" || !command.continued.empty()) return;
    if (command.columns.empty()) {
        // Rankers give scores, and what is asked for in so many words is done.
        const bool is_open = command.may_guess_columns && command.setup.model.empty() &&
                             command.setup.config.empty();
        if (!looks_like_positions(train, command.job.options.judging.relevant_from)) return;
        session.note(fmt::format(
            "the columns look like positions in lists (distinct whole numbers from 1 up, smaller "
            "ones better) and are read as {}; --columns {} reads them as {}",
            is_open ? "such" : "scores", is_open ? "scores" : "positions",
            is_open ? "scores" : "such"));
        if (!is_open) return;
    }
    command.job.normaliser = {.normaliser = "position", .missing = MissingScore::kZero};
}

void set_parameters(const std::vector<std::string>& parameters, TrainingJob& job) {
    const LearnerInfo& info = learners().find(job.learner);
    for (const std::string& text : parameters) {
        std::string name;
        std::string value;
        if (!split_pair(text, name, value)) {
            throw InvalidArgument(fmt::format("-p {}: expected name=value", shown(text)));
        }
        set_option(info, name, value, job.options);
    }
    resolve_options(info, job.options);
}

void set_tuning(TrainCommand& command) {
    TrainingJob& job = command.job;
    const LearnerInfo& info = learners().find(job.learner);
    job.tuned.clear();
    if (command.tuned.size() == 1 && command.tuned[0].empty()) job.tuned = own_grid(info);
    for (const std::string& text : command.tuned) {
        if (text.empty()) continue;
        TunedSetting setting;
        std::string values;
        if (!split_pair(text, setting.name, values)) {
            throw InvalidArgument(
                fmt::format("--tune {}: expected name=value,value ..", shown(text)));
        }
        for (std::size_t begin = 0; begin <= values.size();) {
            const std::size_t end = std::min(values.find(',', begin), values.size());
            setting.values.push_back(values.substr(begin, end - begin));
            begin = end + 1;
        }
        job.tuned.push_back(setting);
    }
    if (!job.tuned.empty()) all_settings(info, job.options, job.tuned);
}

void set_normaliser(const std::string& text, const std::string& missing, TrainingJob& job) {
    Normalisation& how = job.normaliser;
    how = {};
    how.missing = missing == "minimum" ? MissingScore::kMinimum
                  : missing == "zero"  ? MissingScore::kZero
                                       : MissingScore::kRefuse;
    job.scale = text == "scale";
    if (job.scale) return;
    const std::size_t colon = text.find(':');
    how.normaliser = text.substr(0, colon);
    if (!normalisers().contains(how.normaliser)) {
        std::vector<std::string> known = normalisers().names();
        known.push_back("scale");
        throw UnknownComponent("normaliser", how.normaliser, known);
    }
    for (std::size_t at = colon; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at + 1), text.size());
        std::string name;
        std::string value;
        if (!split_pair(text.substr(at + 1, end - at - 1), name, value)) {
            throw InvalidArgument(fmt::format(
                "--normalise {}: expected a name, or a name:parameter=value", shown(text)));
        }
        how.parameters[name] = number_of(how.normaliser, name, value);
        at = end;
    }
    resolve_parameters(how.normaliser, normalisers().find(how.normaliser).parameters,
                       how.parameters);
}

void continue_from(const FusionModel& model, TrainCommand& command) {
    const ModelProvenance& before = model.provenance;
    TrainingJob& job = command.job;
    const std::string& file = command.continued;
    if (before.learner.empty()) {
        throw InvalidArgument(file + ": no learner made this model, expected one that " +
                              "`braid train` wrote");
    }
    if (command.gave_learner && job.learner != before.learner) {
        throw InvalidArgument(fmt::format("{}: learned by {}, which {} can't continue", file,
                                          before.learner, job.learner));
    }
    if (command.gave_normaliser) {
        throw InvalidArgument("--normalise and --missing: --continue keeps those of its model");
    }
    const LearnerInfo& info = learners().find(before.learner);
    if (!info.resumable || before.learning.state.empty()) {
        throw InvalidArgument(fmt::format("{}: {} can't continue a model, it always learns anew",
                                          file, before.learner));
    }
    job.learner = before.learner;
    job.normaliser = model.normaliser;
    job.scale = !before.learning.scales.empty();
    job.scales = before.learning.scales;
    if (!command.gave_seed) job.options.seed = before.seed;
    if (!command.gave_measure) job.options.measure = before.learning.measure;
    if (!command.gave_relevance) {
        job.options.judging.relevant_from = before.learning.relevant_from;
    }
    const LearnerOptions given = job.options;
    for (const auto& [name, value] : before.options) {
        set_option(info, name, value, job.options);
    }
    for (const auto& [name, value] : given.parameters) job.options.parameters[name] = value;
    for (const auto& [name, value] : given.choices) job.options.choices[name] = value;
    job.options.state = LearnerState{before.learning.state};
}

}  // namespace braid::cli
