// SPDX-License-Identifier: GPL-2.0-or-later
// A library to preload: writes each query that a program gives to Xapian::Enquire::get_mset to the
// file that QUERY_LOG names, one line each, with its first three arguments before it.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include <xapian.h>

Xapian::MSet Xapian::Enquire::get_mset(Xapian::doccount first, Xapian::doccount count,
                                       Xapian::doccount check_at_least, const Xapian::RSet* rset,
                                       const Xapian::MatchDecider* decider) const {
    using Real =
        Xapian::MSet (*)(const Xapian::Enquire*, Xapian::doccount, Xapian::doccount,
                         Xapian::doccount, const Xapian::RSet*, const Xapian::MatchDecider*);
    static const auto real = reinterpret_cast<Real>(
        dlsym(RTLD_NEXT, "_ZNK6Xapian7Enquire8get_msetEjjjPKNS_4RSetEPKNS_12MatchDeciderE"));
    const char* path = std::getenv("QUERY_LOG");
    if (std::FILE* log = path ? std::fopen(path, "a") : nullptr) {
        std::fprintf(log, "%u %u %u ", first, count, check_at_least);
        for (const unsigned char byte : get_query().serialise()) std::fprintf(log, "%02x", byte);
        std::fputc('\n', log);
        std::fclose(log);
    }
    return real(this, first, count, check_at_least, rset, decider);
}
