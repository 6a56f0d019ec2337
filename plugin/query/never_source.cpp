// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/never_source.h"

#include <limits>

namespace braid {
namespace {

constexpr Xapian::docid kBehindAll = std::numeric_limits<Xapian::docid>::max();

}  // namespace

void NeverSource::init(const Xapian::Database&) { docid_ = 0; }
void NeverSource::next(double) { docid_ = kBehindAll; }
void NeverSource::skip_to(Xapian::docid, double) { docid_ = kBehindAll; }

bool NeverSource::check(Xapian::docid, double) {
    docid_ = kBehindAll;
    return true;
}

NeverSource* NeverSource::clone() const { return new NeverSource; }
std::string NeverSource::name() const { return "braid::NeverSource"; }
std::string NeverSource::get_description() const { return "braid::NeverSource"; }
std::string NeverSource::serialise() const { return {}; }

NeverSource* NeverSource::unserialise(const std::string& serialised) const {
    if (!serialised.empty()) {
        throw Xapian::SerialisationError("braid::NeverSource has " +
                                         std::to_string(serialised.size()) +
                                         " bytes, expected none");
    }
    return new NeverSource;
}

}  // namespace braid
