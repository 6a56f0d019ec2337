// SPDX-License-Identifier: GPL-2.0-or-later
// A plain walk through a database by Xapian alone: what a search could touch, without Braid.
//   walk_database DB LIKE   reads from DB everything that the intact database LIKE has: metadata,
//                           postings, termlists, values; errors are passed over. What ends this
//                           program by a signal is no fault of Braid's.
//   walk_database DB        prints what the database holds, so that two can be compared
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <xapian.h>

namespace {

std::string printable(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > 0x20 && byte < 0x7f && c != '\\') {
            text += c;
        } else {
            char escaped[5];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
            text += escaped;
        }
    }
    return text;
}

void print_document(const Xapian::Database& database, Xapian::docid id) {
    const Xapian::Document document = database.get_document(id);
    std::printf("document %u length %u data %s\n", id, database.get_doclength(id),
                printable(document.get_data()).c_str());
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
        std::printf("document %u term %s wdf %u", id, printable(*term).c_str(), term.get_wdf());
        for (auto at = term.positionlist_begin(); at != term.positionlist_end(); ++at) {
            std::printf(" %u", *at);
        }
        std::printf("\n");
    }
    for (auto value = document.values_begin(); value != document.values_end(); ++value) {
        std::printf("document %u value %u %s\n", id, value.get_valueno(),
                    printable(*value).c_str());
    }
}

void print(const Xapian::Database& database) {
    for (auto key = database.metadata_keys_begin(); key != database.metadata_keys_end(); ++key) {
        std::printf("metadata %s %s\n", printable(*key).c_str(),
                    printable(database.get_metadata(*key)).c_str());
    }
    for (auto at = database.postlist_begin(""); at != database.postlist_end(""); ++at) {
        print_document(database, *at);
    }
    for (auto term = database.allterms_begin(); term != database.allterms_end(); ++term) {
        std::printf("term %s in %u, %u times\n", printable(*term).c_str(),
                    database.get_termfreq(*term), database.get_collection_freq(*term));
    }
}

template <typename Work>
void attempt(const Work& work) {
    try {
        work();
    } catch (const Xapian::Error&) {
    } catch (const std::exception&) {
    }
}

/// Goes through a damaged database by what an intact one has.
class Walk {
  public:
    Walk(const std::string& damaged, const std::string& intact)
        : damaged_(damaged), intact_(intact) {}

    void all() {
        attempt([&] { statistics(); });
        metadata();
        postings();
        documents();
        values();
    }

    // Without it an optimiser could leave the reads out.
    unsigned long sum() const { return sum_; }

  private:
    void statistics() {
        sum_ += damaged_.get_doccount() + damaged_.get_lastdocid();
        sum_ += static_cast<unsigned long>(damaged_.get_avlength());
        sum_ += damaged_.get_doclength_lower_bound() + damaged_.get_doclength_upper_bound();
        sum_ += damaged_.get_uuid().size() + static_cast<unsigned long>(damaged_.has_positions());
    }

    void metadata() {
        attempt([&] {
            for (auto key = damaged_.metadata_keys_begin(); key != damaged_.metadata_keys_end();
                 ++key) {
                sum_ += damaged_.get_metadata(*key).size();
            }
        });
        for (auto key = intact_.metadata_keys_begin(); key != intact_.metadata_keys_end(); ++key) {
            attempt([&] { sum_ += damaged_.get_metadata(*key).size(); });
        }
    }

    void walk_term(const std::string& term) {
        attempt([&] {
            sum_ += damaged_.get_termfreq(term) + damaged_.get_collection_freq(term);
            sum_ += damaged_.get_wdf_upper_bound(term);
        });
        attempt([&] {
            for (auto at = damaged_.postlist_begin(term); at != damaged_.postlist_end(term); ++at) {
                sum_ += *at + at.get_wdf() + at.get_doclength();
            }
        });
        for (const Xapian::docid step : {2U, 7U, 40U}) {
            attempt([&] {
                const auto end = damaged_.postlist_end(term);
                for (auto at = damaged_.postlist_begin(term); at != end;) {
                    sum_ += *at + at.get_wdf();
                    at.skip_to(*at + step);
                }
            });
        }
    }

    void postings() {
        attempt([&] {
            for (auto term = damaged_.allterms_begin(); term != damaged_.allterms_end(); ++term) {
                sum_ += term.get_termfreq();
            }
        });
        walk_term("");
        for (auto term = intact_.allterms_begin(); term != intact_.allterms_end(); ++term) {
            walk_term(*term);
        }
        attempt([&] { search(); });
    }

    // The matcher's own moves: several lists at once, with its bounds.
    void search() {
        Xapian::Enquire enquire(damaged_);
        std::vector<std::string> terms;
        for (auto term = intact_.allterms_begin(); term != intact_.allterms_end(); ++term) {
            terms.push_back(*term);
        }
        enquire.set_query(Xapian::Query(Xapian::Query::OP_OR, terms.begin(), terms.end()));
        for (const Xapian::doccount count : {10U, 1000U}) {
            const Xapian::MSet found = enquire.get_mset(0, count);
            for (auto at = found.begin(); at != found.end(); ++at) sum_ += *at;
        }
    }

    void documents() {
        for (auto at = intact_.postlist_begin(""); at != intact_.postlist_end(""); ++at) {
            attempt([&] {
                sum_ += damaged_.get_doclength(*at) + damaged_.get_unique_terms(*at);
                const Xapian::Document document = damaged_.get_document(*at);
                sum_ += document.get_data().size();
                for (auto value = document.values_begin(); value != document.values_end();
                     ++value) {
                    sum_ += value.get_valueno() + (*value).size();
                }
            });
            attempt([&] {
                const Xapian::Document document = damaged_.get_document(*at);
                for (auto term = document.termlist_begin(); term != document.termlist_end();
                     ++term) {
                    sum_ += (*term).size() + term.get_wdf();
                }
            });
        }
    }

    void values() {
        for (Xapian::valueno slot = 0; slot < 1010; slot = slot == 9 ? 1000 : slot + 1) {
            attempt([&] {
                sum_ += damaged_.get_value_freq(slot);
                sum_ += damaged_.get_value_lower_bound(slot).size();
                sum_ += damaged_.get_value_upper_bound(slot).size();
            });
            for (const Xapian::docid step : {1U, 5U, 60U}) {
                attempt([&] {
                    auto at = damaged_.valuestream_begin(slot);
                    while (at != damaged_.valuestream_end(slot)) {
                        const Xapian::docid id = at.get_docid();
                        sum_ += id + (*at).size();
                        at.skip_to(id + step);
                    }
                });
            }
        }
    }

    Xapian::Database damaged_;
    Xapian::Database intact_;
    unsigned long sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) return 2;
    try {
        if (argc == 2) {
            print(Xapian::Database(argv[1]));
            return 0;
        }
        Walk walk(argv[1], argv[2]);
        walk.all();
        std::printf("%lu\n", walk.sum());
    } catch (const Xapian::Error& error) {
        std::fprintf(stderr, "%s\n", error.get_description().c_str());
        return 1;
    }
    return 0;
}
