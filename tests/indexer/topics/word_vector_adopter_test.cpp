// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "braid/adopt.h"
#include "braid/core/topics/word_vectors.h"
#include "braid/core/vectors/query_vector.h"
#include "braid/core/vectors/vector_codes.h"
#include "braid/error.h"
#include "braid/indexer/check/database_check.h"
#include "braid/indexer/topics/topic_state.h"
#include "braid/plugin/store/stored_topic_model.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

namespace {

constexpr char kWords[] =
    "Aircraft 1 0 0 0.2\n"
    "plane 0.9 0.1 0 0.2\n"
    "planes 0.7 0.3 0 0.2\n"
    "wing 0.6 0 0.5 0.2\n"
    "cat 0 1 0 0.2\n"
    "pet 0 0.9 0.2 0.2\n"
    "sofa 0 0.4 0.7 0.2\n"
    "unheard 0 0 1 0.2\n";

Documents small_documents() {
    const std::vector<std::string> texts = {"the aircraft has a wing", "planes with a wing",
                                            "a cat on the sofa", "a pet, a cat, a sofa",
                                            "nothing that vectors know"};
    Documents documents;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        documents.push_back(make_document("d" + std::to_string(i), {{"text", texts[i]}}));
    }
    return documents;
}

struct Place {
    TemporaryFolder folder;
    std::string path = folder / "db";
    std::string words = folder / "words.txt";

    Place() {
        index(path, small_documents());
        write_file(words, kWords);
    }
    AdoptOptions options() const { return {.word_vectors = words}; }
};

const TopicSettings kModel = {.model = kWordVectorsModel};

}  // namespace

TEST_CASE("Word vectors adopted: words of one stem are one, and queries fold in") {
    const Place place;
    const AdoptedModel adopted = adopt(place.path, kModel, place.options());
    CHECK(adopted.trained);
    CHECK(adopted.dimensions == 4);
    CHECK(adopted.written == 5);
    CHECK(adopted.coverage > 0.5);
    CHECK(adopted.coverage < 1);
    CHECK(adopted.identity.name == "word-vectors");
    CHECK(adopted.record->vocabulary == 6);  // "planes" is plane; nobody has "unheard".
    CHECK(check_database({place.path}, {}).findings.empty());
    const Xapian::Database database(place.path);
    CHECK(problem_of(database, database).empty());
    CHECK(topic_state(database, database, adopted.identity).advice().empty());
    // Words near each other bring their documents near.
    StoredTopicModel model(database, adopted.identity);
    const QueryVector query(model.fold({{"aircraft", 1}}).vector);
    std::vector<double> similar;
    for (const auto& [docid, value] : values_of(database, adopted.record->slot)) {
        similar.push_back(query.dot(open_vector(value, 4, "test")));
    }
    CHECK(similar[0] > similar[2] + 0.2);
    CHECK(similar[1] > similar[2] + 0.2);
    CHECK(similar[1] > similar[3] + 0.2);
    CHECK(similar[4] == 0);
    CHECK(model.fold({{"knows", 1}}).unknown == 1);
}

TEST_CASE("Word vectors adopted: a stem has the mean of its words, by their place in the file") {
    const Place place;
    TopicSettings settings = kModel;
    settings.parameters = {{"components", 0}, {"a", 1e9}};
    settings.choices = {{"weighting", "sif"}};
    const AdoptedModel adopted = adopt(place.path, settings, place.options());
    StoredTopicModel model(Xapian::Database(place.path), adopted.identity);
    const std::vector<float>* const plane = model.term_vector("plane");
    REQUIRE(plane != nullptr);
    CHECK_THAT((*plane)[0], WithinAbs((0.9 / 2 + 0.7 / 3) / (1.0 / 2 + 1.0 / 3), 0.01));
    CHECK_THAT((*plane)[1], WithinAbs((0.1 / 2 + 0.3 / 3) / (1.0 / 2 + 1.0 / 3), 0.01));
    CHECK(model.term_vector("aircraft") != nullptr);
    CHECK(model.term_vector("unheard") == nullptr);
    CHECK(model.term_vector("noth") == nullptr);
}

TEST_CASE("Word vectors adopted: again they stay, another file replaces them, new documents fold") {
    const Place place;
    const AdoptedModel first = adopt(place.path, kModel, place.options());
    const AdoptedModel again = adopt(place.path, kModel, place.options());
    CHECK_FALSE(again.trained);
    CHECK(again.written == 0);
    CHECK(again.identity == first.identity);
    index(place.path, {make_document("new", {{"text", "aircraft on a sofa"}})});
    CHECK(values_of(Xapian::Database(place.path), first.record->slot).size() == 6);
    write_file(place.words, std::string(kWords) + "knows 1 1 1 1\n");
    const AdoptedModel other = adopt(place.path, kModel, place.options());
    CHECK(other.trained);
    CHECK(other.replaced == first.identity.id);
    CHECK(other.written == 6);
    CHECK(leftovers_of(Xapian::Database(place.path)).empty());
    write_file(place.words, "2 3\naircraft 1 0 0\ncat 0 1 0.5\n");
    CHECK(adopt(place.path, kModel, place.options()).dimensions == 3);
    CHECK(adopt(place.path, kModel, {.sidecar = place.folder / "side", .word_vectors = place.words})
              .written == 6);
}

TEST_CASE("Word vectors adopted: what doesn't fit is refused, and nothing is written") {
    const Place place;
    const auto before = dump(place.path);
    CHECK_THROWS_WITH(adopt(place.path, kModel), Contains("found no file of words' vectors"));
    write_file(place.words, "chat 1 0\nchien 0 1\naircraft 1 1\n");
    CHECK_THROWS_WITH(
        adopt(place.path, kModel, place.options()),
        Contains("have a vector there, expected 20 % or more") && Contains("--force"));
    write_file(place.words, "chat 1 0\nchien 0 1\n");
    AdoptOptions forced = place.options();
    forced.least_coverage = 0;
    CHECK_THROWS_WITH(adopt(place.path, kModel, forced),
                      Contains("no word of the documents has a vector"));
    write_file(place.words, "9 4\n" + std::string(kWords));
    CHECK_THROWS_WITH(adopt(place.path, kModel, place.options()), Contains("it may be cut off"));
    CHECK_THROWS_WITH(adopt(place.path, kModel, {.word_vectors = place.folder / "none"}),
                      Contains("none"));
    TopicSettings wrong = kModel;
    wrong.choices = {{"weighting", "raw"}};
    CHECK_THROWS_WITH(adopt(place.path, wrong, place.options()), Contains("raw"));
    CHECK(dump(place.path) == before);
    write_file(place.words, "aircraft 1 1\nzebra 2 2\n");
    CHECK(adopt(place.path, kModel, forced).record->vocabulary == 1);
}
