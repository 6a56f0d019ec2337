// SPDX-License-Identifier: GPL-2.0-or-later
// A program that opens a database, searches it once and ends, as CGI programs do; `search_speed
// once` runs it. Made twice: with BRAID_ONE_SEARCH it ranks by the database's installed model, with
// the public headers and shared libraries that others have, else by Xapian's BM25, without Braid.
//     one_search DATABASE WORD...
// Prints the processor time of opening and searching in microseconds, and what was found.
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include <xapian.h>

#ifdef BRAID_ONE_SEARCH
#include "braid/ranking.h"
#endif

namespace {

double microseconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

int search(const std::string& path, const std::vector<std::string>& words) {
    const double start = microseconds();
    const Xapian::Database database(path);
    Xapian::Enquire enquire(database);
    const Xapian::Query query(Xapian::Query::OP_OR, words.begin(), words.end());
#ifdef BRAID_ONE_SEARCH
    braid::Ranking ranking(database);
    ranking.apply(enquire, query);
#else
    enquire.set_query(query);
#endif
    const Xapian::MSet found = enquire.get_mset(0, 10);
    const double end = microseconds();
    std::printf("%.3f", end - start);
    for (auto hit = found.begin(); hit != found.end(); ++hit) std::printf(" %u", *hit);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return argc < 3 ? 2 : search(argv[1], {argv + 2, argv + argc});
    } catch (const Xapian::Error& error) {
        std::fprintf(stderr, "%s\n", error.get_description().c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 1;
}
