// SPDX-License-Identifier: GPL-2.0-or-later
// What an application does with an installed Braid: rank with a model from a configuration.
#include <braid/config.h>
#include <braid/weight.h>
#include <iostream>

#include <xapian.h>

int main() {
    Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
    for (const char* text : {"ropes", "a braid of ropes, a braid of hair", "hair and a braid"}) {
        Xapian::TermGenerator terms;
        terms.index_text(text);
        database.add_document(terms.get_document());
    }
    const braid::Settings settings =
        braid::parse_settings("model: {rankers: [{ranker: bm25}, {ranker: dph, weight: 2}]}", "-");
    Xapian::Enquire enquire(database);
    enquire.set_query(Xapian::Query("braid"));
    enquire.set_weighting_scheme(braid::FusedWeight(settings.model));
    const Xapian::MSet found = enquire.get_mset(0, 10);
    for (auto hit = found.begin(); hit != found.end(); ++hit) std::cout << *hit << '\n';
}
