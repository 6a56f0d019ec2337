// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/keys.h"
#include "braid/plugin/store/settings_store.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/terms.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"

using namespace braid;
using namespace braid::test;

namespace {

TopicState state_of(const std::string& path, const AdoptedModel& adopted) {
    const Xapian::Database database(path);
    return braid::topic_state(database, database, adopted.identity);
}

// That each of these documents has the vector that folding in its own terms gives.
void check_folded(const std::string& path, const AdoptedModel& adopted, Xapian::docid first,
                  Xapian::docid last) {
    const Xapian::Database database(path);
    braid::StoredTopicModel model(database, adopted.identity);
    const auto values = values_of(database, adopted.record->slot);
    for (Xapian::docid document = first; document <= last; ++document) {
        const auto words =
            braid::document_words(database.get_document(document), model.record().form);
        CHECK(words.length == database.get_doclength(document));
        REQUIRE(values.contains(document));
        CHECK(values.at(document) == model.encode(model.fold(words.words).vector, words.length));
    }
}

// Changes a document as a program that knows nothing of topics does.
template <typename Change>
void change(Xapian::WritableDatabase& database, Xapian::docid id, const Change& how) {
    Xapian::Document document = database.get_document(id);
    how(document);
    database.replace_document(id, document);
}

}  // namespace

TEST_CASE("Topic updates: documents that are indexed later come in with their vectors") {
    const TopicalDatabase topical(60);
    const std::string& path = topical.path;
    const AdoptedModel signed_model = adopt(path, small_model(5));
    const AdoptedModel positive = adopt(path, small_model(4, "plsi"));
    Documents later = topical_documents(25, 60);
    later.push_back(make_document("unknown", {{"text", "unheard words unheard"}}));
    later.push_back(make_document("wordless", {{"section", "net"}}));
    later.push_back(make_document("d3", {{"text", "w5 w11 w17 w5"}}));  // in place of the one there
    {
        braid::Indexer indexer(path, {.batch = 7});
        for (const auto& document : later) {
            indexer.add(document);
            const Xapian::Database seen(path);  // whatever is committed has its vectors
            CHECK(problem_of(seen, seen).empty());
            const auto use = braid::load_topic_use(seen, signed_model.identity.id);
            CHECK(use.folded_documents % 7 == 0);
            CHECK(use.folded_documents >= seen.get_doccount() - 60);
        }
        indexer.finish();
    }
    for (const AdoptedModel& adopted : {signed_model, positive}) {
        check_folded(path, adopted, 61, 87);
        check_folded(path, adopted, 4, 4);
        const TopicState state = state_of(path, adopted);
        CHECK(state.documents == 87);
        CHECK(state.missing + state.stale + state.foreign == 0);
        CHECK(state.use.folded_documents == 28);
        CHECK(state.use.unknown_words >= 2);
        CHECK(state.use.unknown_words < state.use.words);
    }
    CHECK(adopt(path, small_model(5)).written == 0);
}

TEST_CASE("Topic updates: a rerun fills in what other programs left missing or stale") {
    const TopicalDatabase topical(60);
    const std::string& path = topical.path;
    const AdoptedModel adopted = adopt(path, small_model(5));
    const unsigned slot = adopted.record->slot;
    const auto before = values_of(Xapian::Database(path), slot);
    {
        Xapian::WritableDatabase other(path);
        other.delete_document(1);
        change(other, 2, [](auto& document) { document.add_term("Zw7", 3); });
        change(other, 3, [&](auto& document) { document.add_value(slot, "junk"); });
        change(other, 4, [&](auto& document) { document.remove_value(slot); });
        change(other, 5, [&](auto& document) {  // of another model
            std::string value = document.get_value(slot);
            value[1] = static_cast<char>(value[1] + 1);
            document.add_value(slot, value);
        });
        change(other, 6, [](auto& document) { document.set_data("same words"); });
        Xapian::Document added;
        added.add_term("Zw7", 2);
        added.add_term("Zunheard", 6);
        other.add_document(added);
        other.commit();
    }
    TopicState state = state_of(path, adopted);
    CHECK(state.documents == 60);
    CHECK(state.missing == 2);
    CHECK(state.stale == 1);
    CHECK(state.foreign == 2);
    REQUIRE(state.advice().size() == 1);
    CHECK_THAT(state.advice()[0], Contains("5 documents have no vector"));

    const AdoptedModel again = adopt(path, small_model(5));
    CHECK_FALSE(again.trained);
    CHECK(again.written == 5);
    CHECK(again.folded == 5);
    CHECK(again.identity == adopted.identity);
    check_folded(path, adopted, 2, 5);
    check_folded(path, adopted, 61, 61);
    const auto after = values_of(Xapian::Database(path), slot);
    for (Xapian::docid document = 6; document <= 60; ++document) {
        CHECK(after.at(document) == before.at(document));
    }
    state = state_of(path, adopted);
    CHECK(state.missing + state.stale + state.foreign == 0);
    CHECK(state.use.folded_documents == 5);
    CHECK(state.use.unknown_words >= 6);
    CHECK(adopt(path, small_model(5)).written == 0);
}

TEST_CASE("Topic updates: adopting again in small batches counts each folded document once") {
    const TopicalDatabase topical(40);
    const std::string& path = topical.path;
    const AdoptedModel adopted = adopt(path, small_model(5));
    {
        Xapian::WritableDatabase other(path);
        const std::string prefix = braid::topic_key(adopted.identity.id, braid::kTopicTermEnding);
        const std::string known = (*other.metadata_keys_begin(prefix)).substr(prefix.size());
        for (int i = 0; i < 23; ++i) {
            Xapian::Document document;
            document.add_term("Z" + known);
            document.add_term("Zunheard");
            other.add_document(document);
        }
        other.commit();
    }
    CHECK(adopt(path, small_model(5), {.batch = 5}).folded == 23);
    CHECK(state_of(path, adopted).use == braid::TopicUse{23, 46, 23});
}

TEST_CASE("Topic updates: a ranking that was learned with the former model goes on with the new") {
    const TopicalDatabase topical(80);
    const std::string& path = topical.path;
    const AdoptedModel former = adopt(path, small_model(4));
    const AdoptedModel other = adopt(path, small_model(3, "lda"));
    braid::FusionModel ranking{.rankers = {{.ranker = "bm25"}, {.ranker = "lsa", .weight = 7}}};
    ranking.provenance.topic_models = {former.identity, other.identity};
    const auto install = [&] {
        Xapian::WritableDatabase writer(path, Xapian::DB_OPEN);
        store_fusion_model(writer, ranking);
        writer.commit();
    };
    install();
    const AdoptedModel later = adopt(path, small_model(5));
    REQUIRE(later.identity.id != former.identity.id);
    ranking.provenance.topic_models = {later.identity, other.identity};
    CHECK(braid::load_fusion_model(Xapian::Database(path)) == ranking);
    // What never fitted is left as it is.
    ranking.provenance.topic_models = {{"lsa", "0123456789abcdef"}};
    install();
    adopt(path, small_model(4));
    CHECK(braid::load_fusion_model(Xapian::Database(path)) == ranking);
}

TEST_CASE("Topic state: says when to retrain") {
    const TemporaryFolder folder;
    const std::string path = folder / "db";
    // So many that they have the words that others of their kind have.
    index(path, topical_documents(120));
    const AdoptedModel adopted = adopt(path, small_model(5));
    TopicState state = state_of(path, adopted);
    CHECK(state.advice().empty());
    CHECK(state.folded_share() == 0);
    CHECK(state.unknown_share_since() == 0);
    CHECK(state.unknown_share_then() > 0);
    CHECK(state.unknown_share_then() < 0.5);

    index(path, topical_documents(24, 120));  // 17 %, of the same kind
    state = state_of(path, adopted);
    CHECK_THAT(state.folded_share(), Catch::WithinRel(24.0 / 144, 1e-12));
    CHECK(state.advice().empty());

    index(path, topical_documents(90, 144));  // 49 %
    state = state_of(path, adopted);
    REQUIRE(state.advice().size() == 1);
    CHECK_THAT(state.advice()[0], Contains("49 % of the documents") && Contains("--retrain"));

    Documents foreign;
    for (int i = 0; i < 15; ++i) {
        std::string text;
        for (int w = 0; w < 200; ++w) text += " other" + std::to_string(i * 200 + w);
        foreign.push_back(make_document("f" + std::to_string(i), {{"text", text}}));
    }
    index(path, foreign);
    state = state_of(path, adopted);
    CHECK(state.unknown_share_since() > 0.5);
    REQUIRE(state.advice().size() == 2);
    CHECK_THAT(state.advice()[1], Contains("unknown to the model"));

    const AdoptedModel anew = adopt(path, small_model(5), {.retrain = true});
    CHECK(anew.replaced == adopted.identity.id);
    state = state_of(path, anew);
    CHECK(state.advice().empty());
    CHECK(state.use == braid::TopicUse());
    CHECK(state.record.documents == 249);
}

TEST_CASE("Topic state: a few documents are no reason to retrain") {
    TopicState state;
    state.documents = 100'000;
    state.record.words = 1000;
    state.record.unknown_words = 150;
    // 35 % unknown words, 20 points more: by chance among 8 documents, not among 80.
    state.use = {8, 100, 35};
    CHECK(state.advice().empty());
    state.use = {80, 1000, 350};
    REQUIRE(state.advice().size() == 1);
    CHECK_THAT(state.advice()[0], Contains("35 % of the new") && Contains("15 % were"));
    state.use = {80'000, 1'000'000, 240'000};
    CHECK(state.folded_share() == 0.8);
    CHECK(state.advice().size() == 1);  // Nine points more.
}

TEST_CASE("Topic state: removing a model leaves the others, and nothing of it") {
    const TopicalShards topical(40, 40);
    const std::vector<std::string>& paths = topical.paths;
    const auto before = braid::test::dump(paths[1]);
    const auto models = adopt(paths, {small_model(5), small_model(4, "plsi")});
    CHECK_THROWS_AS(braid::remove_topic_model(paths, "", "lda"), braid::ModelMismatch);
    braid::remove_topic_model(paths, "", "lsa");
    for (const std::string& path : paths) {
        const Xapian::Database shard(path);
        CHECK(braid::load_topic_catalogue(shard) == std::vector{models[1].identity});
        CHECK(leftovers_of(shard).empty());
        CHECK(problem_of(shard, shard).empty());
    }
    CHECK_THROWS_AS(braid::remove_topic_model(paths, "", "lsa"), braid::ModelMismatch);
    braid::remove_topic_model(paths, "", "plsi");
    CHECK(braid::test::dump(paths[1]) == before);
    CHECK(leftovers_of(Xapian::Database(paths[1])).empty());
    CHECK(adopt(paths, {small_model(5)}).front().record->slot == models[0].record->slot);
}

TEST_CASE("Topic state: a removal that was stopped goes on when it is asked for again") {
    const TopicalShards topical(40, 40);
    const std::vector<std::string>& paths = topical.paths;
    adopt(paths, {small_model(5)});
    const auto stop = [](const braid::ProgressReport&) { return false; };
    CHECK_THROWS_AS(braid::remove_topic_model(paths, "", "lsa", stop), braid::Cancelled);
    for (const std::string& path : paths) {
        CHECK(braid::load_topic_catalogue(Xapian::Database(path)).empty());
        CHECK_FALSE(leftovers_of(Xapian::Database(path)).empty());
    }
    {  // as a kill between the two shards leaves it
        Xapian::WritableDatabase second(paths[1]);
        const std::string id = braid::recorded_topic_models(second).front();
        braid::store_topic_catalogue(second, {{"lsa", id}});
    }
    braid::remove_topic_model(paths, "", "lsa");
    for (const std::string& path : paths) {
        CHECK(braid::load_topic_catalogue(Xapian::Database(path)).empty());
        CHECK(leftovers_of(Xapian::Database(path)).empty());
    }
    adopt(paths, {small_model(5)});
    CHECK_THROWS_AS(braid::remove_topic_model(paths, "", "lsa", stop), braid::Cancelled);
    braid::remove_topic_model(paths, "", "lsa");
    CHECK(leftovers_of(Xapian::Database(paths[0])).empty());
}
