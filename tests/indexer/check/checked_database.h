// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <xapian.h>

#include "braid/adopt.h"
#include "braid/indexer/check/database_check.h"
#include "braid/plugin/store/topic_store.h"
#include "braid/tests/indexer/topics/topic_runs.h"
#include "braid/tests/support/support.h"

namespace braid::test {

inline constexpr Xapian::doccount kDocuments = 80;

// With two topic models, one of them in clusters, records and an installed model.
struct CheckedDatabase {
    CheckedDatabase() {
        index(path, topical_documents(kDocuments, 0, 12));
        adopt({path}, {clustered_model(), small_model(3, "plsi")});
        adopt_statistics({path});
        rank_by_topics(path, {"lsa", "plsi"});
    }

    static TopicSettings clustered_model() {
        TopicSettings model = small_model(4);
        model.clusters = 5;
        return model;
    }

    CheckReport check(bool repair = false) const {
        return check_database({path}, {.repair = repair});
    }

    // Changes one byte of the value of a key.
    void flip(const std::string& key, std::size_t at = 9) const {
        Xapian::WritableDatabase database(path);
        std::string bytes = database.get_metadata(key);
        REQUIRE(bytes.size() > at);
        bytes[at] = static_cast<char>(bytes[at] ^ 4);
        database.set_metadata(key, bytes);
        database.commit();
    }

    void change(Xapian::docid docid, const std::function<void(Xapian::Document&)>& work) const {
        Xapian::WritableDatabase database(path);
        Xapian::Document document = database.get_document(docid);
        work(document);
        database.replace_document(docid, document);
        database.commit();
    }

    void flip_value(Xapian::docid docid, unsigned slot) const {
        change(docid, [&](Xapian::Document& document) {
            std::string bytes = document.get_value(slot);
            REQUIRE(bytes.size() > 9);
            bytes[9] = static_cast<char>(bytes[9] ^ 4);
            document.add_value(slot, bytes);
        });
    }

    TopicModelIdentity model(const std::string& name) const {
        return find_topic_model(Xapian::Database(path), name);
    }
    std::string key(const std::string& name, const char* ending) const {
        return topic_key(model(name).id, ending);
    }
    TopicRecord record(const std::string& name) const {
        return load_topic_record(Xapian::Database(path), model(name).id);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& each : load_topic_catalogue(Xapian::Database(path))) {
            result.push_back(each.name);
        }
        return result;
    }

    TemporaryFolder folder;
    std::string path = folder / "db";
};

inline std::string text_of(const CheckReport& report) {
    std::string text;
    for (const CheckFinding& finding : report.findings) {
        text += std::to_string(static_cast<int>(finding.kind)) + " " + finding.where + ": " +
                finding.problem + "\n";
    }
    for (const std::string& done : report.repaired) text += "repaired " + done + "\n";
    return text;
}

inline std::size_t count(const CheckReport& report, CheckFinding::Kind kind) {
    return static_cast<std::size_t>(
        std::count_if(report.findings.begin(), report.findings.end(),
                      [&](const CheckFinding& finding) { return finding.kind == kind; }));
}

}  // namespace braid::test
