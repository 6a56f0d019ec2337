// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/query/bag_of_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/lexical/field_weights.h"
#include "braid/core/lexical/ranker.h"
#include "braid/error.h"
#include "braid/plugin/database/database_conventions.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_tree.h"
#include "braid/plugin/store/analysis.h"

namespace braid {
namespace {

using Query = Xapian::Query;

using Note = TermNotes::Note;

/// To servers it is BM25; here it notes the statistics of terms, each of which says by its wqf,
/// counted from 1, which it is.
class NotingWeight : public Xapian::Weight {
  public:
    explicit NotingWeight(std::vector<Note>& notes) : notes_(&notes) {
        for (const auto flag : {TERMFREQ, COLLECTION_FREQ, WQF}) need_stat(flag);
    }

    NotingWeight* clone() const override { return new NotingWeight(*notes_); }
    void init(double factor) override {
        const std::size_t number = get_wqf();
        if (factor == 0 || number == 0 || number > notes_->size()) return;  // Belongs to no term.
        // Less the document that is here alone, where no term occurs.
        (*notes_)[number - 1] = {true, static_cast<double>(get_termfreq()) - 1,
                                 static_cast<double>(get_collection_freq())};
    }
    std::string name() const override { return Xapian::BM25Weight().name(); }
    std::string serialise() const override { return Xapian::BM25Weight().serialise(); }
    NotingWeight* unserialise(const std::string&) const override {
        throw Xapian::UnimplementedError("NotingWeight isn't registered");
    }
    double get_sumpart(BRAID_SUMPART_PARAMETERS) const override { return 0; }
    double get_maxpart() const override { return 0; }
    double get_sumextra(BRAID_SUMEXTRA_PARAMETERS) const override { return 0; }
    double get_maxextra() const override { return 0; }

  private:
    std::vector<Note>* notes_;
};

// Shards that Xapian can't separate are taken for servers', which serves others as well.
bool any_is_remote(const Xapian::Database& database) {
    const std::vector<Xapian::Database> shards = shards_of(database);
    if (shards.empty()) return shard_count(database) > 0;
    return std::any_of(shards.begin(), shards.end(),
                       [](const auto& shard) { return !state_of(shard); });
}

// From servers each number is a round trip, and each shard has its own. A search exchanges all at
// once, with all servers side by side: a shard of one document here is told what they add up to.
void ask_servers(const Xapian::Database& database, const std::vector<std::string>& words,
                 TermNotes& known) {
    Xapian::Document document;  // Without one, Xapian weighs nothing there.
    std::vector<Query> terms;
    for (const std::string& word : words) {
        document.add_boolean_term(word);
        terms.emplace_back(word, static_cast<Xapian::termcount>(terms.size() + 1));
    }
    Xapian::WritableDatabase here("", Xapian::DB_BACKEND_INMEMORY);
    here.add_document(document);
    // In this order: what is added to a copy of several databases, Xapian 2 adds to all copies.
    Xapian::Database with_one_here;
    with_one_here.add_database(here);
    with_one_here.add_database(database);
    std::vector<Note> notes(terms.size());
    Xapian::Enquire enquire(with_one_here);
    enquire.set_weighting_scheme(NotingWeight(notes));
    enquire.set_query(Query(Query::OP_OR, terms.begin(), terms.end()));
    enquire.get_mset(0, 0);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!notes[i].is_there) {
            const TermStatistics read = term_statistics(database, {}, words[i], 0);
            notes[i] = {true, read.documents, read.occurrences};
        }
        known.of.insert_or_assign(words[i], notes[i]);
    }
}

void read_from_servers(const Xapian::Database& database, BagOfWords& bag, TermNotes& known) {
    constexpr std::size_t kMost = 10'000;
    if (!known.stays || known.of.size() >= kMost) known.of.clear();
    std::vector<std::string> unknown;
    for (const BagTerm& term : bag.terms) {
        if (!known.of.try_emplace(term.term).first->second.is_there) unknown.push_back(term.term);
    }
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    if (!unknown.empty()) ask_servers(database, unknown, known);
    for (BagTerm& term : bag.terms) {
        const Note& note = known.of[term.term];
        term.documents = note.documents;
        term.occurrences = note.occurrences;
    }
}

void read_here(const Xapian::Database& database, BagOfWords& bag) {
    for (BagTerm& term : bag.terms) {
        const TermStatistics read = term_statistics(database, bag.collection, term.term, 0);
        term.documents = read.documents;
        term.occurrences = read.occurrences;
    }
}

bool is_term(const Query& query) { return query.get_type() == Query::LEAF_TERM; }

// Whether every document with one of its words matches.
bool is_any_word(const Query& query) {
    return !has_part(query, [](const Query& part) {
        return !is_term(part) && (part.get_type() != Query::OP_OR || is_leaf(part));
    });
}

// Whether it restricts an AND without a part in the score.
bool only_restricts(const Query& query) {
    switch (query.get_type()) {
        case Query::LEAF_MATCH_ALL:
        case Query::OP_VALUE_RANGE:
        case Query::OP_VALUE_GE:
        case Query::OP_VALUE_LE:
            return true;
        default:
            return is_scaled_to_nothing(query);
    }
}

bool is_sum_of_words(const Query& query) {
    const std::vector<Query> parts = subqueries(query);
    const auto all = [&](std::size_t from, bool (*holds)(const Query&)) {
        return std::all_of(parts.begin() + static_cast<std::ptrdiff_t>(from), parts.end(), holds);
    };
    switch (query.get_type()) {
        case Query::OP_PHRASE:
        case Query::OP_NEAR:
            return all(0, is_term);
        case Query::OP_AND:
            return !all(0, only_restricts) && all(0, [](const Query& part) {
                return only_restricts(part) || is_sum_of_words(part);
            });
        case Query::OP_FILTER:
        case Query::OP_AND_NOT:
            return is_sum_of_words(parts.front());
        case Query::OP_AND_MAYBE:
            return is_sum_of_words(parts.front()) && all(1, is_any_word);
        default:
            return is_any_word(query);
    }
}

// The statistics of a bag, or of its words in a field.
template <typename Bag>
double norm_of(const Bag& bag) {
    double squares = 0;
    for (const BagTerm& term : bag.terms) {
        if (term.term.empty()) continue;
        const double component = tfidf_component(bag.statistics(term));
        squares += component * component;
    }
    return std::sqrt(squares);
}

double read_count(ByteReader& in, std::string_view name) {
    const double value = in.finite_real(name);
    if (value < 0) in.fail(name, fmt::format("found {}, expected 0 or more", value));
    return value;
}

double read_field_weight(ByteReader& in) {
    const double weight = read_count(in, "field's weight");
    if (weight > kMostFieldWeight) in.fail("field's weight", "is too large");
    return weight;
}

void write_terms(ByteWriter& out, const std::vector<BagTerm>& terms) {
    out.varint(terms.size());
    for (const BagTerm& term : terms) {
        out.text(term.term);
        out.real(term.query_occurrences);
        out.real(term.documents);
        out.real(term.occurrences);
    }
}

std::vector<BagTerm> read_terms(ByteReader& in) {
    std::vector<BagTerm> terms(in.count("terms", 25));
    for (BagTerm& term : terms) {
        term.term = in.text("term");
        term.query_occurrences = read_count(in, "term's query occurrences");
        term.documents = read_count(in, "term's documents");
        term.occurrences = read_count(in, "term's occurrences");
    }
    return terms;
}

}  // namespace

std::string why_no_bag_of_words(const Query& query) {
    if (query.empty()) return "it is empty";
    // Below an AND only an AND may be, and below an OR an OR: so they are one list of terms.
    const Query::op joined = query.get_type() == Query::OP_AND ? Query::OP_AND : Query::OP_OR;
    std::string reason;
    walk_query(query, [&](const Query& part, std::size_t) {
        if (part.get_type() == joined || part.get_type() == Query::LEAF_TERM)
            return WalkStep::kInto;
        reason = fmt::format("it isn't an OR or an AND of terms alone: {}", part.get_description());
        return WalkStep::kStop;
    });
    return reason;
}

std::optional<Query> words_of_sum(const Query& query) {
    if (why_no_bag_of_words(query).empty() || !is_sum_of_words(query)) return std::nullopt;
    std::vector<Query> words;
    for_each_scored_leaf(query, [&](const Query& leaf) {
        if (is_term(leaf)) words.push_back(leaf);
    });
    return Query(Query::OP_OR, words.begin(), words.end());
}

bool TermNotes::on_servers(const Xapian::Database& database) {
    if (!on_servers_) on_servers_ = any_is_remote(database);
    return *on_servers_;
}

BagOfWords read_bag_of_words(const Xapian::Database& database, const Query& query,
                             const std::vector<FieldCollection>& fields) {
    TermNotes notes;
    return read_bag_of_words(database, query, fields, notes);
}

BagOfWords read_bag_of_words(const Xapian::Database& database, const Query& query,
                             const std::vector<FieldCollection>& fields, TermNotes& notes) {
    const std::string reason = why_no_bag_of_words(query);
    if (!reason.empty()) {
        throw InvalidArgument(fmt::format("the query is no bag of words: {}", reason));
    }
    BagOfWords bag;
    bag.all = query.get_type() == Query::OP_AND;
    bag.collection = collection_statistics(database);
    bag.length = query.get_length();
    for_each_scored_leaf(query, [&](const Query& leaf) {
        bag.terms.push_back({*leaf.get_terms_begin(), static_cast<double>(leaf.get_length())});
    });
    if (!bag.terms.empty() && notes.on_servers(database)) {
        read_from_servers(database, bag, notes);
    } else {
        read_here(database, bag);
    }
    for (const FieldCollection& field : fields) {
        bag.fields.push_back(read_bag_field(database, bag, field));
    }
    return bag;
}

BagField read_bag_field(const Xapian::Database& database, const BagOfWords& bag,
                        const FieldCollection& field) {
    BagField result{field.name, field.collection, {}};
    for (const BagTerm& term : bag.terms) {
        BagTerm& in_field = result.terms.emplace_back();
        in_field.term = term_in_field(field.prefix, term.term);
        in_field.query_occurrences = term.query_occurrences;
        if (in_field.term.empty()) continue;
        const TermStatistics statistics =
            term_statistics(database, field.collection, in_field.term, in_field.query_occurrences);
        in_field.documents = statistics.documents;
        in_field.occurrences = statistics.occurrences;
    }
    return result;
}

std::vector<BagBlend::Field> BagBlend::terms_for(const std::string& term) const {
    std::vector<Field> terms;
    for (const Field& field : fields) {
        std::string in_field = term_in_field(field.prefix, term);
        if (!in_field.empty() && in_field != term) terms.push_back({in_field, field.weight});
    }
    return terms;
}

BagBlend make_blend(const std::string& names, const std::vector<FieldSettings>& fields) {
    const FieldWeights weights = parse_field_weights(names);
    BagBlend blend{.name = names, .whole = weights.whole, .fields = {}};
    for (const FieldWeight& wanted : weights.fields) {
        std::vector<std::string> known;
        const FieldSettings* found = nullptr;
        for (const FieldSettings& field : fields) {
            if (field.exact || field.prefix.empty()) continue;
            known.push_back(field.name);
            if (field.name == wanted.field) found = &field;
        }
        if (found == nullptr) {
            throw ModelMismatch(fmt::format(
                "the field '{}' can't be weighed, since the database doesn't index its words with "
                "a prefix of their own; {}",
                wanted.field,
                known.empty() ? "it has no field that it does"
                              : fmt::format("it does so for {}", fmt::join(known, ", "))));
        }
        blend.fields.push_back({found->prefix, wanted.weight});
    }
    return blend;
}

double BagOfWords::query_norm() const { return norm_of(*this); }

double BagField::query_norm() const { return norm_of(*this); }

double BagField::length() const {
    double sum = 0;
    for (const BagTerm& term : terms) sum += term.term.empty() ? 0 : term.query_occurrences;
    return sum;
}

void write_bag_of_words(ByteWriter& out, const BagOfWords& bag) {
    out.flag(bag.all);
    out.real(bag.collection.documents);
    out.real(bag.collection.total_length);
    out.real(bag.length);
    write_terms(out, bag.terms);
    out.varint(bag.fields.size());
    for (const BagField& field : bag.fields) {
        out.text(field.name);
        out.real(field.collection.total_length);
        write_terms(out, field.terms);
    }
    out.varint(bag.blends.size());
    for (const BagBlend& blend : bag.blends) {
        out.text(blend.name);
        out.real(blend.whole);
        out.varint(blend.fields.size());
        for (const BagBlend::Field& field : blend.fields) {
            out.text(field.prefix);
            out.real(field.weight);
        }
    }
}

BagOfWords read_bag_of_words(ByteReader& in) {
    BagOfWords bag;
    bag.all = in.flag("all");
    bag.collection.documents = read_count(in, "documents");
    bag.collection.total_length = read_count(in, "total length");
    bag.length = read_count(in, "query length");
    bag.terms = read_terms(in);
    for (const BagTerm& term : bag.terms) {
        if (term.term.empty()) in.fail("term", "found none, expected a word");
    }
    bag.fields.resize(in.count("fields", 10));
    for (BagField& field : bag.fields) {
        field.name = in.text("field");
        field.collection = {bag.collection.documents, read_count(in, "field's length")};
        field.terms = read_terms(in);
        if (field.terms.size() != bag.terms.size()) {
            in.fail("field's terms",
                    fmt::format("found {}, expected {}", field.terms.size(), bag.terms.size()));
        }
    }
    bag.blends.resize(in.count("blends", 10));
    for (BagBlend& blend : bag.blends) {
        blend.name = in.text("fields");
        blend.whole = read_field_weight(in);
        blend.fields.resize(in.count("fields", 9));
        for (BagBlend::Field& field : blend.fields) {
            field.prefix = in.text("prefix");
            field.weight = read_field_weight(in);
        }
    }
    return bag;
}

}  // namespace braid
