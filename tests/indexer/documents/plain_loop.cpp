// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/tests/indexer/documents/plain_loop.h"

#include <nlohmann/json.hpp>

#include "braid/core/settings/stop_words.h"
#include "braid/error.h"

namespace braid::test {

bool MemoryReader::next(SourceDocument& document) {
    if (next_ == documents_.size()) {
        if (!failure_.empty()) throw FormatError(failure_);
        return false;
    }
    document = documents_[next_++];
    return true;
}

SourceDocument make_document(const std::string& id,
                             const std::vector<std::pair<std::string, std::string>>& fields) {
    SourceDocument document{.id = id, .fields = {}, .where = {"memory", 1}};
    for (const auto& [name, text] : fields) document.fields.push_back({name, text});
    return document;
}

std::vector<SourceDocument> random_documents(Random& random, std::size_t count) {
    const std::vector<std::string> words = {"the",
                                            "of",
                                            "isn't",
                                            "running",
                                            "runs",
                                            "Runner",
                                            "Xapian",
                                            "x86",
                                            "2024",
                                            "3.14",
                                            "AT&T",
                                            "C++",
                                            "U.S.A.",
                                            "\xC3\x89t\xC3\xA9",
                                            "na\xC3\xAFve",
                                            "e-mail",
                                            "mail",
                                            "searching",
                                            "\"quoted\"",
                                            "back\\slash",
                                            "a",
                                            "database",
                                            "databases",
                                            "ranking",
                                            "ranker",
                                            "weights"};
    const auto text = [&](std::uint64_t longest) {
        std::string result;
        for (std::uint64_t i = random.below(longest + 1); i > 0; --i) {
            result += words[random.below(words.size())] + (random.below(8) == 0 ? "\n" : " ");
        }
        return result;
    };
    std::vector<SourceDocument> documents;
    for (std::size_t i = 0; i < count; ++i) {
        documents.push_back(
            make_document("d" + std::to_string(i), {{"title", text(6)},
                                                    {"text", text(60)},
                                                    {"section", random.below(2) ? "net" : "Games"},
                                                    {"unlisted", text(2)}}));
    }
    return documents;
}

void index_by_plain_loop(const std::vector<SourceDocument>& documents, const std::string& path) {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
    const std::vector<std::string> words = english_stop_words();
    const Xapian::SimpleStopper stopper(words.begin(), words.end());
    for (const SourceDocument& source : documents) {
        Xapian::TermGenerator generator;
        generator.set_stemmer(Xapian::Stem("english"));
        generator.set_stopper(&stopper);
        nlohmann::ordered_json data = nlohmann::ordered_json::object();
        for (const SourceField& field : source.fields) {
            data[field.name] = field.text;
            const Xapian::termpos start = generator.get_termpos();
            if (field.name != "title" && field.name != "text") continue;
            if (field.name == "title") {
                generator.index_text(field.text, 2);
                generator.set_termpos(start);
                generator.index_text(field.text, 1, "S");
            } else {
                generator.index_text(field.text);
            }
            generator.increase_termpos();
        }
        Xapian::Document document = generator.get_document();
        const std::string section = source.text_of("section");
        document.add_boolean_term((section == "Games" ? "XSECTION:" : "XSECTION") + section);
        document.add_boolean_term("Q" + source.id);
        document.add_value(0, source.id);
        document.set_data(data.dump());
        database.replace_document("Q" + source.id, document);
    }
    database.commit();
}

Dump dump(const Xapian::Database& database) {
    Dump result;
    for (auto posting = database.postlist_begin(""); posting != database.postlist_end("");
         ++posting) {
        const Xapian::Document document = database.get_document(*posting);
        std::vector<std::string>& lines = result[*posting];
        for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
            std::string line = *term + " wdf " + std::to_string(term.get_wdf());
            for (auto at = term.positionlist_begin(); at != term.positionlist_end(); ++at) {
                line += " @" + std::to_string(*at);
            }
            lines.push_back(line);
        }
        for (auto value = document.values_begin(); value != document.values_end(); ++value) {
            lines.push_back("slot " + std::to_string(value.get_valueno()) + " = " + *value);
        }
        lines.push_back("length " + std::to_string(database.get_doclength(*posting)));
        lines.push_back("data " + document.get_data());
    }
    return result;
}

Dump dump(const std::string& path) { return dump(Xapian::Database(path)); }

}  // namespace braid::test
