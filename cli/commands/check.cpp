// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "braid/cli/options/command.h"
#include "braid/cli/output/output.h"
#include "braid/indexer/check/database_check.h"

namespace braid::cli {
namespace {

struct CheckCommand {
    std::vector<std::string> databases;
    std::string sidecar;
    bool repair = false;
    bool json = false;
};

constexpr char kCheckFooter[] = R"(
Reads all of Braid's data in the database and reports damage: wrong checksums, and parts that don't
belong together. It checks topic models and their words, every document's vectors and statistics,
clusters and the installed model. --repair rebuilds what it can (documents' vectors and statistics,
clusters, the list of models), removes other damaged data, clears unfinished work, and reports what it
did. It reports damage to the database itself apart; xapian-check finds more about that.

Exit code 0: sound (notes are possible), 1: damaged. After a repair: 0 if no damage is left.

Examples:
  braid check --db packages.db
  braid check --db packages.db --repair
  braid check --db ~/.mail/.notmuch/xapian --sidecar ~/.cache/braid-mail --json)";

const char* name_of(CheckFinding::Kind kind) {
    switch (kind) {
        case CheckFinding::Kind::kNote:
            return "note";
        case CheckFinding::Kind::kDamaged:
            return "damaged";
        case CheckFinding::Kind::kNewer:
            return "newer";
        case CheckFinding::Kind::kDatabase:
            break;
    }
    return "database damaged";
}

void report_text(const CheckReport& report) {
    for (const std::string& done : report.repaired) print_formatted("repaired: {}\n", done);
    for (const CheckFinding& finding : report.findings) {
        print_formatted("{}: database '{}': {}: {}{}{}\n", name_of(finding.kind), finding.database,
                        finding.where, finding.problem, finding.cure.empty() ? "" : "; ",
                        finding.cure);
    }
    print_formatted(
        "{}: {} documents, {} topic models, {} vectors of words, {} of documents, {} records\n",
        report.sound() ? "sound" : "damaged", report.documents, report.models, report.words,
        report.vectors, report.records);
}

void report_json(const CheckReport& report) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const CheckFinding& finding : report.findings) {
        findings.push_back({{"kind", name_of(finding.kind)},
                            {"database", finding.database},
                            {"where", finding.where},
                            {"problem", finding.problem},
                            {"cure", finding.cure}});
    }
    const nlohmann::ordered_json all = {{"sound", report.sound()},
                                        {"documents", report.documents},
                                        {"topic_models", report.models},
                                        {"vectors_of_words", report.words},
                                        {"vectors_of_documents", report.vectors},
                                        {"records", report.records},
                                        {"repaired", report.repaired},
                                        {"findings", std::move(findings)}};
    print_json(all, 2);
}

int run_check(const CheckCommand& command, Session& session) {
    const CheckReport report = check_database(
        command.databases,
        {.sidecar = command.sidecar, .repair = command.repair, .progress = session.progress()});
    session.finish();
    if (command.json) {
        report_json(report);
    } else {
        report_text(report);
    }
    return report.sound() ? kDone : kFailed;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
    CLI::App* sub = app.add_subcommand("check", "Check Braid's data in a database, and repair it");
    const auto command = std::make_shared<CheckCommand>();
    add_value(*sub, "--db", command->databases, "DB", "Database; repeat for all of its shards")
        ->required();
    add_value(*sub, "--sidecar", command->sidecar, "DIR",
              "Sidecar folder of `braid adopt --sidecar`");
    sub->add_flag("--repair", command->repair, "Repair or remove damaged data");
    sub->add_flag("--json", command->json, "Print JSON");
    sub->add_flag("--quiet,-q", session.quiet, "Hide progress");
    sub->footer(kCheckFooter);
    set_action(*sub, session, command, run_check);
}

}  // namespace braid::cli
