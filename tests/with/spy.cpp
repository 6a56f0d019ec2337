// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded behind libbraid-with.so, it appends a line to BRAID_SPY for each page that a program
// gets: its query, serialised, as hexadecimal digits; first, count; the documents. Before the first
// query that the program sets, it runs BRAID_SPY_DO, a call of a shell.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <utility>

#include <xapian.h>

namespace {

using SetQuery = void (*)(Xapian::Enquire*, const Xapian::Query&, Xapian::termcount);
using GetMset = Xapian::MSet (*)(const Xapian::Enquire*, Xapian::doccount, Xapian::doccount,
                                 Xapian::doccount, const Xapian::RSet*,
                                 const Xapian::MatchDecider*);

template <typename Function>
Function next(const char* symbol) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
}

// The program's query; Braid's own aren't noted. By an Enquire's only member, which it keeps where
// it is moved.
std::string& query_of(const Xapian::Enquire* enquire) {
    static std::map<const void*, std::string> all;
    const void* internals = nullptr;
    std::memcpy(&internals, enquire, sizeof internals);
    return all[internals];
}

// The database is open then, and nothing was read that a search needs.
void act_once() {
    static bool has_acted = false;
    const char* const call = std::getenv("BRAID_SPY_DO");
    if (call == nullptr || std::exchange(has_acted, true)) return;
    if (std::system(("unset LD_PRELOAD; " + std::string(call)).c_str()) != 0) std::abort();
}

#define BRAID_SET_QUERY "_ZN6Xapian7Enquire9set_queryERKNS_5QueryEj"
#define BRAID_GET_MSET "_ZNK6Xapian7Enquire8get_msetEjjjPKNS_4RSetEPKNS_12MatchDeciderE"

}  // namespace

#define BRAID_IN_FRONT(name, symbol) name __asm__(symbol) __attribute__((visibility("default")))

extern "C" {

void BRAID_IN_FRONT(set_query(Xapian::Enquire* enquire, const Xapian::Query& query,
                              Xapian::termcount length),
                    BRAID_SET_QUERY);
void set_query(Xapian::Enquire* enquire, const Xapian::Query& query, Xapian::termcount length) {
    act_once();
    next<SetQuery>(BRAID_SET_QUERY)(enquire, query, length);
    if (query.get_description().find("braid::") == std::string::npos) {
        query_of(enquire) = query.serialise();
    }
}

Xapian::MSet BRAID_IN_FRONT(get_mset(const Xapian::Enquire* enquire, Xapian::doccount first,
                                     Xapian::doccount count, Xapian::doccount check,
                                     const Xapian::RSet* relevant,
                                     const Xapian::MatchDecider* decider),
                            BRAID_GET_MSET);
Xapian::MSet get_mset(const Xapian::Enquire* enquire, Xapian::doccount first,
                      Xapian::doccount count, Xapian::doccount check, const Xapian::RSet* relevant,
                      const Xapian::MatchDecider* decider) {
    Xapian::MSet found =
        next<GetMset>(BRAID_GET_MSET)(enquire, first, count, check, relevant, decider);
    std::string line;
    char digits[3];
    for (const char c : query_of(enquire)) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(c) & 0xffU);
        line += digits;
    }
    line += ' ' + std::to_string(first) + ' ' + std::to_string(count);
    for (auto hit = found.begin(); hit != found.end(); ++hit) line += ' ' + std::to_string(*hit);
    std::FILE* const file = std::fopen(std::getenv("BRAID_SPY"), "a");
    if (file == nullptr) std::abort();
    std::fputs((line + '\n').c_str(), file);
    std::fclose(file);
    return found;
}

}  // extern "C"
