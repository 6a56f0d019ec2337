// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/store/analysis.h"

#include <set>

#include "braid/error.h"
#include "braid/tests/support/support.h"

using braid::AnalysisSettings;
using braid::IndexSettings;
using namespace braid::test;
using Stemming = AnalysisSettings::Stemming;

namespace {

using Terms = std::set<std::string>;

Terms terms_of(const AnalysisSettings& analysis, const std::string& text) {
    const auto stopper = braid::make_stopper(analysis);
    Xapian::TermGenerator generator;
    braid::configure(generator, analysis, stopper.get());
    generator.index_text(text);
    const Xapian::Document document = generator.get_document();
    return {document.termlist_begin(), document.termlist_end()};
}

Xapian::Query parse(const IndexSettings& settings, const std::string& text) {
    const auto stopper = braid::make_stopper(settings.analysis);
    Xapian::QueryParser parser;
    braid::configure(parser, settings, stopper.get());
    return parser.parse_query(text);
}

Terms query_terms(const IndexSettings& settings, const std::string& text) {
    const Xapian::Query query = parse(settings, text);
    return {query.get_terms_begin(), query.get_terms_end()};
}

}  // namespace

TEST_CASE("Analysis: an unknown stemmer is refused with the list of known ones") {
    CHECK_THROWS_AS(braid::make_stemmer({.stemmer = "englisch"}), braid::UnknownComponent);
    CHECK_THROWS_WITH(
        braid::make_stemmer({.stemmer = "englisch"}),
        Contains("did you mean 'english'?") && Contains("none, ") && Contains("swedish"));
    CHECK(braid::make_stemmer({.stemmer = "none"})("running") == "running");
    CHECK(braid::make_stemmer({.stemmer = "english"})("running") == "run");
}

TEST_CASE("Analysis: stemming decides which terms there are") {
    AnalysisSettings analysis{.stop_words = "none"};
    CHECK(terms_of(analysis, "Running") == Terms{"Zrun", "running"});
    analysis.stemming = Stemming::kAll;
    CHECK(terms_of(analysis, "Running") == Terms{"run"});
    analysis.stemming = Stemming::kNone;
    CHECK(terms_of(analysis, "Running") == Terms{"running"});
    analysis = {.stemmer = "none", .stop_words = "none"};
    CHECK(terms_of(analysis, "Running") == Terms{"running"});
}

TEST_CASE("Analysis: documents keep stop words as written, unless they are told not to") {
    AnalysisSettings analysis{.stop_list = {"the"}};
    CHECK(terms_of(analysis, "The dogs") == Terms{"Zdog", "dogs", "the"});
    analysis.stop_documents = true;
    CHECK(terms_of(analysis, "The dogs") == Terms{"Zdog", "dogs"});
    analysis.stemming = Stemming::kAll;
    CHECK(terms_of(analysis, "The dogs") == Terms{"dog"});
    analysis.stop_documents = false;
    CHECK(terms_of(analysis, "The dogs") == Terms{"dog", "the"});
}

TEST_CASE("Analysis: queries lose stop words, as documents and lists spell them") {
    IndexSettings settings;
    settings.analysis.stop_list = {"isn't", "\xC3\x89TANT", "the"};
    CHECK(query_terms(settings, "the dogs") == Terms{"Zdog"});
    CHECK(query_terms(settings, "isn't dogs") == Terms{"Zdog"});
    CHECK(query_terms(settings, "Isn\xE2\x80\x99t dogs") == Terms{"Zdog"});  // curly apostrophe
    CHECK(query_terms(settings, "\xC3\xA9tant dogs") == Terms{"Zdog"});
    CHECK(query_terms(settings, "\"the dogs\"") == Terms{"dogs", "the"});
    settings.analysis = {.stop_words = "none"};
    CHECK(query_terms(settings, "the dogs") == Terms{"Zdog", "Zthe"});
}

TEST_CASE("Analysis: stop words are read from the settings' own list first, then by name") {
    CHECK(braid::make_stopper({.stop_words = "none"}) == nullptr);
    const auto own = braid::make_stopper({});
    CHECK((*own)("the"));
    CHECK_FALSE((*own)("dog"));
    const auto listed = braid::make_stopper({.stop_words = "/no/such/file", .stop_list = {"dog"}});
    CHECK((*listed)("dog"));
    CHECK_FALSE((*listed)("the"));
    CHECK_THROWS_AS(braid::make_stopper({.stop_words = "/no/such/file"}), braid::Error);
}

TEST_CASE("Analysis: a stop word that Xapian takes for several or none is refused") {
    CHECK_THROWS_WITH(braid::make_stopper({.stop_list = {"e-mail"}}),
                      Contains("stop word 'e-mail' is not one word but: e, mail"));
    CHECK_THROWS_WITH(braid::make_stopper({.stop_list = {"--"}}), Contains("is not one word"));
}

TEST_CASE("Analysis: the SMART list stops all its words") {
    const auto file = braid::test::shared_file("data/stop/smart.571");
    BRAID_SKIP_WITHOUT(file);
    const auto stopper = braid::make_stopper({.stop_words = *file});
    for (const char* word : {"a's", "isn't", "c'mon", "the", "would"}) CHECK((*stopper)(word));
}

TEST_CASE("Analysis: no word is too long for a term, with any prefix") {
    const AnalysisSettings analysis{.stop_words = "none", .max_word_length = 240};
    CHECK(braid::longest_word({.max_word_length = 64}, "XSECTION") == 64);
    CHECK(braid::longest_word(analysis, "") == 240);
    const braid::test::TemporaryFolder folder;
    Xapian::WritableDatabase database((folder / "db").string(), Xapian::DB_CREATE);
    for (const std::string prefix : {"", "S", "XABCDEFGHIJKLMNOPQRSTUVWXYZABCDE"}) {
        for (std::size_t length = 190; length <= 250; ++length) {
            const std::string word = std::string(length - 2, 'b') + "at";  // stems to "..ate"
            Xapian::TermGenerator generator;
            braid::configure(generator, analysis, nullptr);
            generator.set_max_word_length(braid::longest_word(analysis, prefix));
            generator.index_text(word, 1, prefix);
            CHECK_NOTHROW(database.add_document(generator.get_document()));
        }
    }
    CHECK_NOTHROW(database.commit());
}

TEST_CASE("Analysis: queries know the fields' prefixes, filters and ranges") {
    IndexSettings settings;
    settings.analysis.stop_words = "none";
    settings.fields = {{.name = "title", .prefix = "S"},
                       {.name = "tag", .prefix = "XTAG", .exact = true},
                       {.name = "year", .slot = 2, .numeric = true},
                       {.name = "date", .slot = 3}};
    CHECK(query_terms(settings, "title:dogs") == Terms{"ZSdog"});
    CHECK(query_terms(settings, "title:\"two dogs\"") == Terms{"Sdogs", "Stwo"});
    CHECK(query_terms(settings, "tag:Role") == Terms{"XTAG:Role"});
    CHECK(query_terms(settings, "tag:\"two words\"") == Terms{"XTAGtwo words"});
    const Xapian::Query years(Xapian::Query::OP_VALUE_RANGE, 2, Xapian::sortable_serialise(2001),
                              Xapian::sortable_serialise(2004));
    CHECK(parse(settings, "year:2001..2004").get_description() == years.get_description());
    CHECK_THAT(parse(settings, "date:2001..2004").get_description(),
               Contains("VALUE_RANGE 3 2001 2004"));
    // Two values of one filter are alternatives.
    CHECK_THAT(parse(settings, "tag:a tag:b").get_description(), Contains("(XTAGa OR XTAGb)"));
    // Values that are too long for a term are found by the same hash that indexed them.
    CHECK(query_terms(settings, "tag:" + std::string(300, 'x')).begin()->size() == 245);
}
