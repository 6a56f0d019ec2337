// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/ranking/proximity_part.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "braid/core/model/model_rankers.h"
#include "braid/error.h"
#include "braid/plugin/database/statistics.h"
#include "braid/plugin/ranking/pool_postings.h"
#include "braid/plugin/sources/proximity_scorer.h"

namespace braid {

using Query = Xapian::Query;

// docs/algorithms/proximity.md
SourcePart proximity_part(const RankerSpec& spec, const Xapian::Database& database,
                          const Query& text, WordForms& forms) {
    if (!database.has_positions()) {
        throw ModelMismatch(fmt::format(
            "ranker {}: the database has no positions of words, which {} looks at; index it with "
            "positions (analysis: {{positions: true}}), or drop the ranker",
            spec.label(), spec.ranker));
    }
    SourcePart part;
    part.spec = spec;
    part.any_known = true;
    part.known = 1;
    const std::vector<double> parameters = resolve_parameters(
        spec.ranker, model_rankers().find(spec.ranker).parameters, spec.parameters);
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

}  // namespace braid
