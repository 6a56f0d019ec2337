// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/document_parts.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "braid/core/lexical/ranker.h"
#include "braid/core/lexical/value_rankers.h"
#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/database/xapian_version.h"
#include "braid/plugin/query/query_builder.h"
#include "braid/plugin/ranking/pool_postings.h"
#include "braid/plugin/sources/proximity_scorer.h"
#include "braid/plugin/sources/title_source.h"
#include "braid/plugin/sources/value_ranker.h"
#include "braid/plugin/store/document_values.h"

namespace braid {
namespace {

using Query = Xapian::Query;

std::vector<double> parameters_of(const RankerSpec& spec) {
    return resolve_parameters(spec.ranker, model_rankers().find(spec.ranker).parameters,
                              spec.parameters);
}

// What the ranker of values itself knows of its parameters.
ValuePrior prior_of(const RankerSpec& spec, Xapian::valueno slot, double now) {
    ValuePrior prior{spec.ranker, spec.parameters, slot, now};
    prior.parameters.erase(kTimesParameter);
    return prior;
}

SourcePart part_of(const RankerSpec& spec) {
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    return part;
}

// Whether documents match a filter: found once for the whole database, when first asked.
std::function<double(const PartDocument&)> matches_filter(const Query& filter,
                                                          const Xapian::Database& database) {
    struct Matches {
        explicit Matches(const Query& query) : found(query) {}
        MatchSource found;
        bool is_there = false;
        Xapian::docid last = 0;
    };
    const auto matches = std::make_shared<Matches>(filter);
    return [matches, database](const PartDocument& document) {
        if (!matches->is_there || document.docid < matches->last) matches->found.init(database);
        matches->is_there = true;
        matches->last = document.docid;
        matches->found.skip_to(document.docid, 0);
        const bool found = !matches->found.at_end() && matches->found.get_docid() == document.docid;
        return found ? 1.0 : 0.0;
    };
}

const FieldSettings& title_field(const RankerSpec& spec, const IndexSettings& settings) {
    std::vector<std::string> known;
    for (const FieldSettings& field : settings.fields) {
        if (field.prefix.empty()) continue;
        if (field.name == spec.field) return field;
        known.push_back(field.name);
    }
    throw ModelMismatch(fmt::format(
        "ranker {}: the database indexes no field '{}' with a prefix of its own; {}; index it "
        "again with such a field (`braid index --rebuild --config FILE`), or say by --config which "
        "prefix another program has given it",
        spec.label(), spec.field,
        known.empty() ? "it has no field that it does"
                      : fmt::format("it does so for {}", fmt::join(known, ", "))));
}

bool has_terms(const Xapian::Database& database, const std::string& prefix) {
    return database.allterms_begin(prefix) != database.allterms_end(prefix);
}

// BM25 of a document that has all words of the bag.
class AllWordsScorer {
  public:
    AllWordsScorer(const Xapian::Database& database, const BagOfWords& bag) {
        const auto ranker = make_lexical_ranker("bm25", {});
        for (const BagTerm& term : bag.terms) {
            scorers_.push_back(ranker->term_scorer(bag.statistics(term)));
            bound_ += scorers_.back()->upper_bound(bound_statistics(database, term.term));
        }
    }

    double bound() const { return bound_; }

    double score(std::span<const double> counts, double length) const {
        double sum = 0;
        for (std::size_t i = 0; i < scorers_.size(); ++i) {
            if (!(counts[i] > 0)) return 0;
            sum += scorers_[i]->score({counts[i], length, 0});
        }
        return sum;
    }

  private:
    std::vector<std::unique_ptr<const LexicalScorer>> scorers_;
    double bound_ = 0;
};

template <typename T>
void keep(std::vector<T>& values, const std::vector<bool>& kept) {
    std::size_t at = 0;
    std::erase_if(values, [&](const T&) { return !kept[at++]; });
}

}  // namespace

Xapian::valueno value_slot(const RankerSpec& spec, const std::vector<FieldSettings>& fields) {
    const auto given = spec.parameters.find(kSlotParameter);
    if (spec.field.empty()) return static_cast<Xapian::valueno>(given->second);
    std::vector<std::string> known;
    for (const FieldSettings& field : fields) {
        if (field.slot == FieldSettings::kNoSlot) continue;
        if (field.name == spec.field) return static_cast<Xapian::valueno>(field.slot);
        known.push_back(field.name);
    }
    throw ModelMismatch(fmt::format(
        "ranker {}: the field '{}' has no value slot in this database; {}; the slot's number can "
        "be given as parameters.slot instead",
        spec.label(), spec.field,
        known.empty() ? "no field has one" : fmt::format("{} have one", fmt::join(known, ", "))));
}

SourcePart value_part(const RankerSpec& spec, Xapian::valueno slot, double now,
                      const Xapian::Database& database, const std::vector<ScoreFactor>& factors) {
    SourcePart part = part_of(spec);
    part.slot = slot;
    const auto source = std::make_shared<const ValueRanker>(prior_of(spec, slot, now), spec.weight);
    part.value = [source](const PartDocument& document) { return source->score(document.value); };
    part.bound = source->bound(database);
    if (spec.weight > 0) part.source = boosted_query(source->clone(), factors);
    return part;
}

std::string value_note(const SourcePart& part, const std::string& value) {
    if (value.empty()) return fmt::format("the document has no value in slot {}", part.slot);
    const ValuePrior prior = prior_of(part.spec, part.slot, 0);
    const bool time = ValueScorer(prior.ranker, prior.parameters, 0).of_time();
    if (time ? value_time(value) : value_number(value)) return "";
    return fmt::format("the document's value in slot {} is no {}", part.slot,
                       time ? "date" : "number");
}

Query filter_of(const RankerSpec& spec, const IndexSettings& settings,
                const Xapian::Database& database) {
    ParsedQuery parsed;
    try {
        parsed = QueryBuilder(settings, {}, {}).parse(spec.field, database);
    } catch (const InvalidArgument& error) {
        throw ModelMismatch(fmt::format("ranker {}: its filter: {}", spec.label(), error.what()));
    }
    if (!parsed.doubts.empty() || parsed.query.empty()) {
        throw ModelMismatch(
            fmt::format("ranker {}: its filter '{}': {}", spec.label(), spec.field,
                        parsed.doubts.empty() ? "has no words" : parsed.doubts.front()));
    }
    return parsed.query;
}

SourcePart filter_part(const RankerSpec& spec, const Query& filter,
                       const Xapian::Database& database, const std::vector<ScoreFactor>& factors) {
    SourcePart part = part_of(spec);
    part.value = matches_filter(filter, database);
    part.bound = 1;
    if (!(spec.weight > 0)) return part;
    const Query weight = boosted_query(new Xapian::FixedWeightPostingSource(spec.weight), factors);
    part.source = Query(Query::OP_FILTER, weight, filter);
    return part;
}

SourcePart title_part(const RankerSpec& spec, const Query& text, const IndexSettings& settings,
                      const Xapian::Database& database, const std::vector<ScoreFactor>& factors) {
    SourcePart part = part_of(spec);
    const FieldSettings& field = title_field(spec, settings);
    const AnalysisSettings& analysis = settings.analysis;
    const std::vector<double> scores = parameters_of(spec);
    TitleQuery query{.prefix = field.prefix,
                     .exact = field.exact,
                     .words = name_words(text, analysis),
                     .stemmer = analysis.stemming == AnalysisSettings::Stemming::kNone
                                    ? "none"
                                    : analysis.stemmer,
                     .stop_words = analysis.stop_list,
                     .scores = {scores[0], scores[1], scores[2]}};
    std::sort(query.stop_words.begin(), query.stop_words.end());
    const TitleSource source(query, spec.weight);
    const auto matcher = std::make_shared<const TitleMatcher>(
        database, std::make_shared<const TitleQuery>(std::move(query)));
    part.bound = matcher->bound();
    part.value = [matcher](const PartDocument& document) { return matcher->score(document.docid); };
    if (!field.exact && !database.has_positions() && database.get_doccount() > 0) {
        throw ModelMismatch(fmt::format(
            "ranker {}: the database keeps no positions, so nothing tells in which order the field "
            "'{}' has its words; index again with analysis.positions: true, or with exact: true "
            "for the field",
            spec.label(), spec.field));
    }
    if (!(part.bound > 0) && database.get_doccount() > 0 && !has_terms(database, field.prefix)) {
        part.doubt = fmt::format(
            "ranker {}: no document has the field '{}' (no term has the prefix {}), so it gives "
            "nothing",
            spec.label(), spec.field, field.prefix);
    }
    if (spec.weight > 0 && part.bound > 0) part.source = boosted_query(source.clone(), factors);
    return part;
}

ScoreFactor value_factor(const RankerSpec& spec, const IndexSettings& settings, double now) {
    return {.prior = prior_of(spec, value_slot(spec, settings.fields), now),
            .times = spec.parameters.at(kTimesParameter),
            .weight = spec.weight};
}

ScoreFactor filter_factor(const RankerSpec& spec, const Query& filter) {
    return {.filter = filter, .times = spec.parameters.at(kTimesParameter), .weight = spec.weight};
}

SourcePart factor_part(const RankerSpec& spec, const ScoreFactor& factor,
                       const Xapian::Database& database) {
    SourcePart part = part_of(spec);
    part.factor = factor;
    part.bound = 1;
    if (factor.prior) {
        part.slot = factor.prior->slot;
        part.value = [factor, database](const PartDocument& document) {
            return FactorReader(database, {factor}).value(0, document.docid);
        };
    } else {
        part.value = matches_filter(factor.filter, database);
    }
    return part;
}

// docs/algorithms/proximity.md
SourcePart proximity_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Query& text, WordForms& forms) {
    if (!database.has_positions()) {
        throw ModelMismatch(fmt::format(
            "ranker {}: the database has no positions of words, which {} looks at; index it with "
            "positions (analysis: {{positions: true}}), or drop the ranker",
            spec.label(), spec.ranker));
    }
    SourcePart part = part_of(spec);
    const std::vector<double> parameters = parameters_of(spec);
    const Query words = scored_words(text);
    if (words.empty()) {
        part.value = [](const PartDocument&) { return 0.0; };
        return part;
    }
    const BagOfWords bag = read_bag_of_words(database, words);
    ProximityQuery query = read_proximity_query(
        database, words, forms, {parameters[0], parameters[1], parameters[2], parameters[3]});
    std::vector<double> most;
    for (const BagTerm& term : bag.terms) {
        part.terms.push_back(term.term);
        most.push_back(bound_statistics(database, term.term).occurrences_max);
    }
    const auto scorer =
        std::make_shared<ProximityScorer>(std::make_shared<const ProximityQuery>(query), database);
    part.bound = scorer->bound(most, static_cast<double>(database.get_doclength_lower_bound()));
    part.value = [scorer, terms = part.terms, database](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        if (!document.counts.empty()) {
            return scorer->score(document.docid, document.counts, length);
        }
        return scorer->score(document.docid, counts_in(database, document.docid, terms), length);
    };
    part.note = [scorer] {
        const std::string pairs = scorer->note();
        return pairs.empty() ? "no two adjacent words of the query are near each other" : pairs;
    };
    if (!(spec.weight > 0)) return part;
    part.proximity = FusedProximity{std::move(query), spec.weight};
    const auto source = std::make_shared<const FusedSource>(
        FusionModel{.rankers = {}}, bag, std::vector<FusedTopic>(), std::vector<Xapian::Database>(),
        std::vector<FusedProximity>{*part.proximity});
    part.without_positions = [source] { return source->counters().without_positions; };
    part.source = Query(source->clone()->release());
    return part;
}

BagOfWords all_words_of(BagOfWords bag) {
    std::vector<bool> known;
    for (const BagTerm& term : bag.terms) known.push_back(term.documents > 0);
    for (BagField& field : bag.fields) keep(field.terms, known);
    keep(bag.terms, known);
    bag.all = true;
    return bag;
}

SourcePart all_words_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Xapian::Query& text, const std::vector<ScoreFactor>& factors,
                          const std::shared_ptr<PostingTables>& postings) {
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    const std::vector<double> parameters = resolve_parameters(
        spec.ranker, model_rankers().find(spec.ranker).parameters, spec.parameters);
    const Xapian::Query given = scored_words(text);
    BagOfWords bag;
    if (!given.empty()) bag = all_words_of(read_bag_of_words(database, given));
    std::set<std::string> different;
    for (const BagTerm& term : bag.terms) different.insert(term.term);
    const std::size_t words = different.size();
    if (words < 2 || static_cast<double>(words) > parameters[0]) {
        part.value = [](const PartDocument&) { return 0.0; };
        part.note = [words, most = parameters[0]] {
            return fmt::format("the query has {} {} that any document has, not 2 to {:g}", words,
                               words == 1 ? "word" : "words", most);
        };
        return part;
    }
    for (const BagTerm& term : bag.terms) part.terms.push_back(term.term);
    const auto scorer = std::make_shared<const AllWordsScorer>(database, bag);
    part.bound = scorer->bound();
    part.value = [scorer, terms = part.terms, database](const PartDocument& document) {
        const auto length = static_cast<double>(document.length);
        if (!document.counts.empty()) return scorer->score(document.counts, length);
        return scorer->score(counts_in(database, document.docid, terms), length);
    };
    if (!(spec.weight > 0)) return part;
    part.of_all_words = true;
    FusedSource source({.rankers = {{.ranker = "bm25", .weight = spec.weight}}}, std::move(bag));
    source.use_postings(postings);
    part.source = boosted_query(source.clone(), factors);
    return part;
}

}  // namespace braid
