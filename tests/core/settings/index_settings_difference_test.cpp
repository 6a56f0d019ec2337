// SPDX-License-Identifier: GPL-2.0-or-later
#include <functional>

#include "braid/settings.h"
#include "braid/tests/support/support.h"

using braid::IndexSettings;

namespace {

// What `change` makes of the default settings, compared with them.
std::string difference_by(const std::function<void(IndexSettings&)>& change) {
    IndexSettings first;
    first.fields = {{.name = "title", .prefix = "S"}, {.name = "text"}};
    IndexSettings second = first;
    change(second);
    return braid::index_settings_difference(first, second);
}

}  // namespace

TEST_CASE("Index settings: what indexes alike does not differ") {
    CHECK(difference_by([](IndexSettings&) {}).empty());
    CHECK(difference_by([](IndexSettings& s) { s.batch = 7; }).empty());
    CHECK(difference_by([](IndexSettings& s) { std::swap(s.fields[0], s.fields[1]); }).empty());
    CHECK(difference_by([](IndexSettings& s) { s.analysis.stop_words = "/elsewhere"; }).empty());
}

TEST_CASE("Index settings: a difference is named with both values, the first one's first") {
    using Stemming = braid::AnalysisSettings::Stemming;
    const auto check = [](const std::string& expected,
                          const std::function<void(IndexSettings&)>& change) {
        CHECK(difference_by(change) == expected);
    };
    check("stemmer: english, german", [](auto& s) { s.analysis.stemmer = "german"; });
    check("stemming: some, all", [](auto& s) { s.analysis.stemming = Stemming::kAll; });
    check("stop words: english (0 words), english (1 words, not the same ones)",
          [](auto& s) { s.analysis.stop_list = {"the"}; });
    check("stop_documents: no, yes", [](auto& s) { s.analysis.stop_documents = true; });
    check("positions: yes, no", [](auto& s) { s.analysis.positions = false; });
    check("spelling: no, yes", [](auto& s) { s.analysis.spelling = true; });
    check("max_word_length: 64, 65", [](auto& s) { s.analysis.max_word_length = 65; });
    check("fields: text title, title", [](auto& s) { s.fields.pop_back(); });
    check("field 'title' prefix: 'S', ''", [](auto& s) { s.fields[0].prefix = ""; });
    check("field 'title' free_text: yes, no", [](auto& s) { s.fields[0].free_text = false; });
    check("field 'title' exact: no, yes", [](auto& s) { s.fields[0].exact = true; });
    check("field 'title' weight: 1, 3", [](auto& s) { s.fields[0].weight = 3; });
    check("field 'title' slot: -1, 4", [](auto& s) { s.fields[0].slot = 4; });
    check("field 'title' numeric: no, yes", [](auto& s) { s.fields[0].numeric = true; });
    check("stored: *, nothing", [](auto& s) { s.stored.clear(); });
}
