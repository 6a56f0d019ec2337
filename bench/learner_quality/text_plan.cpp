// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/bench/learner_quality/text_plan.h"

#include <map>
#include <stdexcept>

#include "braid/bench/common/settings.h"
#include "braid/bench/learner_quality/contenders.h"

namespace braid::bench {
namespace {

// Returns whether there is such a setting of what is trained and how.
bool set_protocol(TextPlan& plan, const std::string& name, const std::string& value) {
    if (name == "collections") {
        plan.collections = split(value);
    } else if (name == "rankers") {
        plan.rankers = value;
    } else if (name == "learners") {
        plan.learners = split(value);
    } else if (name == "seeds") {
        plan.seeds = std::stoul(value);
    } else if (name == "normaliser") {
        plan.trial.normaliser = value;
    } else if (name == "pool") {
        plan.trial.pool = std::stoul(value);
    } else if (name == "judged") {
        if (value != "added" && value != "found") {
            throw std::runtime_error("judged=" + value + ": expected added or found");
        }
        plan.trial.adds_judged = value == "added";
    } else if (name == "topic-dimensions") {
        plan.trial.topic_dimensions = std::stoul(value);
    } else if (name == "features") {
        plan.trial.features = split(value);
    } else if (name == "in-sample") {
        plan.in_sample = value == "yes";
    } else if (name == "labels") {
        for (const std::string& n : split(value)) plan.labels.push_back(std::stoul(n));
    } else {
        return false;
    }
    return true;
}

bool set_output(TextPlan& plan, const std::string& name, const std::string& value) {
    if (name == "baseline") {
        plan.baseline = value;
    } else if (name == "picture") {
        plan.picture = value;
    } else if (name == "recall-picture") {
        plan.recall_picture = value;
    } else if (name == "curve-picture") {
        plan.curve_picture = value;
    } else if (name == "keep") {
        plan.keep = value;
    } else if (name == "threads") {
        plan.threads = std::stoul(value);
    } else {
        return false;
    }
    return true;
}

// Worse forms of rankers that `all` has.
bool is_paper_only(const std::string& family) {
    return family == "plsi-posterior" || family == "ldi-one-chain";
}

}  // namespace

TextPlan parse_text_plan(int argc, char** argv) {
    if (argc < 3) throw std::runtime_error("usage: text_learners DATA CACHE [SETTING=VALUE ..]");
    TextPlan plan;
    plan.data = argv[1];
    plan.cache = argv[2];
    for (const Contender& contender : contenders()) plan.learners.push_back(contender.name);
    for (int i = 3; i < argc; ++i) {
        const std::string setting = argv[i];
        const std::size_t at = setting.find('=');
        if (at == std::string::npos) throw std::runtime_error(setting + ": expected NAME=VALUE");
        const std::string name = setting.substr(0, at);
        const std::string value = setting.substr(at + 1);
        if (!set_protocol(plan, name, value) && !set_output(plan, name, value)) {
            throw std::runtime_error("there is no setting " + name);
        }
    }
    return plan;
}

std::vector<std::string> families_of(const TextPlan& plan, const TextRankers& rankers) {
    if (plan.rankers == "papers") {
        return {"tf-idf-cosine", "lsa", "plsi-posterior", "ldi-one-chain"};
    }
    if (plan.rankers == "kinds") {
        return {"bm25",         "lm-dirichlet", "bm25-feedback", "lsa",
                "lsa-feedback", "ldi",          "ldi-feedback",  "lbdm"};
    }
    if (plan.rankers != "all") return split(plan.rankers);
    std::vector<std::string> names;
    for (const auto& family : rankers.families()) {
        if (!is_paper_only(family.name)) names.push_back(family.name);
    }
    return names;
}

const char* published_maps(const std::string& collection) {
    static const std::map<std::string, const char*> lines = {
        {"med", "EnM .6420, gEnM.BAT .6458, gEnM.ON .6467, UnsEnM .6465"},
        {"cran", "EnM .3766, gEnM.BAT .3937, gEnM.ON .3972, UnsEnM .3972"},
        {"cisi", "EnM .1637, gEnM.BAT .1945, gEnM.ON .1816, UnsEnM .1825"},
        {"cacm", "EnM .1890, gEnM.BAT .2166, gEnM.ON .2256, UnsEnM .1745"},
        {"merged", "EnM .2768, gEnM.BAT .3162, gEnM.ON .3099, UnsEnM .3169"}};
    return lines.at(collection);
}

}  // namespace braid::bench
