// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <xapian.h>

#include "braid/core/base/bytes.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/tables/topic_table.h"

namespace braid {

/// The largest weight that a source or a weight gives Xapian. Beyond it sums may be infinite, and
/// Xapian silently drops NaN.
inline constexpr double kMostBound = 1e300;

/// `bound` of the scores of `name`. Throws Xapian::InvalidArgumentError for more than kMostBound,
/// infinity and NaN: weights, parameters and statistics may come from bytes that someone sent.
inline double possible_bound(double bound, const std::string& name) {
    if (bound <= kMostBound) return bound;
    throw Xapian::InvalidArgumentError(
        fmt::format("{}: scores may be as large as {}, expected at most {}: a weight, a parameter "
                    "or a statistic is too large",
                    name, bound, kMostBound));
}

/// Throws InvalidArgument "{what}: weight ..." for a weight that is negative or not finite.
inline void require_weight(double weight, const std::string& what) {
    if (const std::string why = why_no_weight(weight); !why.empty()) {
        throw InvalidArgument(what + ": weight " + why);
    }
}

/// Throws Xapian::UnimplementedError, in the name of `what`, where there are sidecars.
inline void refuse_remote_sidecars(const std::vector<Xapian::Database>& sidecars,
                                   const std::string& what) {
    if (sidecars.empty()) return;
    throw Xapian::UnimplementedError(what +
                                     " that a sidecar holds can't be used in a remote database");
}

/// Common format of serialised weights and posting sources (docs/formats.md): a class keeps its
/// name, and the first byte is the version of the rest.

inline ByteWriter versioned_bytes(char version) {
    ByteWriter out;
    out.raw({&version, 1});
    return out;
}

/// Returns what `read` makes of the rest, all of which it must read. Throws
/// Xapian::SerialisationError for another version and if `read` throws a braid::Error.
template <typename Read>
auto read_versioned(const std::string& bytes, const std::string& name, char version,
                    const Read& read) {
    try {
        ByteReader in(bytes, name);
        const char found = in.raw("version", 1)[0];
        if (found != version) {
            in.fail("version", fmt::format("found {}, can read {}", int{found}, int{version}));
        }
        return read(in);
    } catch (const Error& error) {
        throw Xapian::SerialisationError(error.what());
    }
}

/// A source's name in registries, and the version of its bytes in docs/formats.md.
struct SentAs {
    const char* name;
    char version;
};

/// `Base` with a name for registries and bytes for servers, by what `Source` begins with:
///
///     static constexpr SentAs kSentAs{"braid::LbdmSource", 1};
///     void write_bytes(ByteWriter& out) const;
///     std::unique_ptr<LbdmSource> read_bytes(ByteReader& in) const;
template <typename Source, typename Base = Xapian::PostingSource>
class SentSource : public Base {
  public:
    using Base::Base;

    std::string name() const override { return Source::kSentAs.name; }
    std::string get_description() const override { return Source::kSentAs.name; }

    /// Throws what `write_bytes` does.
    std::string serialise() const override {
        ByteWriter out = versioned_bytes(Source::kSentAs.version);
        source().write_bytes(out);
        return out.bytes();
    }

    /// Throws Xapian::SerialisationError for bytes that `serialise` didn't write.
    std::unique_ptr<Source> from_bytes(const std::string& bytes) const {
        return read_versioned(bytes, name(), Source::kSentAs.version, [this](ByteReader& in) {
            std::unique_ptr<Source> read = source().read_bytes(in);
            in.finish();
            return read;
        });
    }
    Base* unserialise(const std::string& bytes) const override {
        return from_bytes(bytes).release();
    }

  private:
    const Source& source() const { return static_cast<const Source&>(*this); }
};

inline Xapian::valueno read_slot(ByteReader& in) {
    return static_cast<Xapian::valueno>(in.varint_in("slot", 0, Xapian::BAD_VALUENO - 1));
}

inline void write_topic_slot(ByteWriter& out, const TopicSlot& model) {
    out.text(model.id);
    out.varint(model.slot);
}

inline TopicSlot read_topic_slot(ByteReader& in) {
    std::string id = in.text("topic model");
    return {std::move(id), read_slot(in)};
}

}  // namespace braid
