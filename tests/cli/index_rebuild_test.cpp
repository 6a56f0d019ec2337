// SPDX-License-Identifier: GPL-2.0-or-later
// What `braid index --rebuild` keeps of the database it replaces.
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/cli/topic_fixture.h"

using namespace braid;
using namespace braid::test;

namespace {

std::optional<FusionModel> installed(const TopicFixture& fixture) {
    return load_fusion_model(Xapian::Database(fixture.database));
}

void install(const TopicFixture& fixture, const FusionModel& model) {
    Xapian::WritableDatabase database(fixture.database);
    store_fusion_model(database, model);
    database.commit();
}

CommandResult rebuild(const TopicFixture& fixture, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--rebuild", fixture.documents(0, 50)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fixture.run("index", arguments);
}

}  // namespace

TEST_CASE("braid index --rebuild: the installed model stays, with the new topics") {
    const TopicFixture fixture;
    fixture.adopt_topics("lsa:3");
    const TopicModelIdentity before = find_topic_model(Xapian::Database(fixture.database), "lsa");
    FusionModel model;
    model.rankers = {{.ranker = "bm25", .weight = .75}, {.ranker = "lsa", .weight = .25}};
    model.provenance.learner = "genm-bat";
    model.provenance.topic_models = {before};
    install(fixture, model);
    const CommandResult kept = rebuild(fixture, {"--topics", "lsa:3"});
    INFO(kept.err);
    CHECK(kept.code == 0);
    CHECK_THAT(kept.err, !Contains("warning"));
    const TopicModelIdentity after = find_topic_model(Xapian::Database(fixture.database), "lsa");
    CHECK(after.id != before.id);
    const auto found = installed(fixture);
    REQUIRE(found);
    CHECK(found->rankers == model.rankers);
    CHECK(found->provenance.learner == "genm-bat");
    CHECK(found->provenance.topic_models == std::vector<TopicModelIdentity>{after});
    CHECK(fixture.run("search", {"w0 w5"}).code == 0);
    // Without topics it can't be kept.
    const CommandResult lost = rebuild(fixture);
    CHECK(lost.code == 0);
    CHECK_THAT(lost.err, Contains("without its installed model (0.75 bm25 + 0.25 lsa)") &&
                             Contains("needs the topic model lsa"));
    CHECK_FALSE(installed(fixture));
}

TEST_CASE(
    "braid index --rebuild: a model of words stays, one of the configuration takes its place") {
    const TopicFixture fixture;
    FusionModel model;
    model.rankers = {{.ranker = "bm25", .weight = 1}, {.ranker = "dph", .weight = 2}};
    install(fixture, model);
    CHECK_THAT(rebuild(fixture).err, !Contains("warning"));
    CHECK(installed(fixture) == model);
    const std::string config = fixture.folder.file(
        "braid.yaml", "topics: [{model: lsa, dimensions: 3}]\nmodel: {rankers: [{ranker: pl2}]}\n");
    const CommandResult other = rebuild(fixture, {"--config", config});
    INFO(other.err);
    REQUIRE(installed(fixture));
    CHECK(installed(fixture)->rankers.front().ranker == "pl2");
}

TEST_CASE("braid index --rebuild: what is damaged in the old database does not stop it") {
    const TopicFixture fixture;
    FusionModel model;
    model.rankers = {{.ranker = "dph", .weight = 1}};
    install(fixture, model);
    fixture.damage_keys(kFusionModelKey, 10);
    const CommandResult unread = rebuild(fixture);
    CHECK(unread.code == 0);
    CHECK_THAT(unread.err, Contains("installed model, which can't be read"));
    fixture.damage_keys(kIndexSettingsKey, 10);
    const CommandResult refused = rebuild(fixture);
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains(kIndexSettingsKey) && Contains("--config"));
    write_file(fixture.folder / "braid.yaml", "{}\n");
    CHECK(rebuild(fixture, {"--config", fixture.folder / "braid.yaml"}).code == 0);
    CHECK(fixture.run("search", {"w0 w5"}).code == 0);
}

TEST_CASE("braid index: words that another Xapian's stemmer made are warned of until a rebuild") {
    const TopicFixture fixture;
    CHECK(load_stemmers(Xapian::Database(fixture.database)) ==
          std::vector{stemmer_mark("english")});
    const auto warned = [](const CommandResult& result) {
        INFO(result.err);
        CHECK(result.code == 0);
        return result.err.find("'english' of Xapian 1.2.0") != std::string::npos;
    };
    CHECK_FALSE(warned(fixture.run("search", {"w0 w5"})));
    Xapian::WritableDatabase database(fixture.database);
    store_stemmers(database, {{"english", 1, "1.2.0"}});
    database.close();
    CHECK(warned(fixture.run("search", {"w0 w5"})));
    CHECK(warned(fixture.run("adopt", {"--topics", "lsa:3"})));
    CHECK(warned(fixture.run("index", {fixture.documents(0, 2)})));
    CHECK_FALSE(warned(rebuild(fixture, {"--topics", "lsa:3"})));
    CHECK_FALSE(warned(fixture.run("search", {"w0 w5"})));
}
