// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/model/serving.h"

#include <algorithm>

#include <fmt/format.h>

#include "braid/core/base/text.h"
#include "braid/core/lexical/ranker.h"
#include "braid/core/model/model_function.h"
#include "braid/core/model/model_rankers.h"
#include "braid/core/pool/normalisers.h"
#include "braid/error.h"

namespace braid {
namespace {

constexpr Serves kNo = Serves::kNever;
constexpr Serves kRecords = Serves::kWithRecords;
constexpr Serves kQuery = Serves::kWithQuery;
constexpr Serves kYes = Serves::kAlways;

constexpr char kRecordsServe[] =
    "; FusedSource serves it in a database that keeps records of its documents (`braid adopt "
    "--statistics`)";

// Columns: ensemble, weight, postings, source, pool.
constexpr ServingRow kTable[] = {
    {Trait::kWords, "is a sum over words", {kYes, kYes, kYes, kYes, kYes}, "", ""},
    {Trait::kNoSum,
     "is no sum over words",
     {kNo, kNo, kNo, kNo, kYes},
     "ranker {label}: {server} can't serve {ranker}, which is no sum over words",
     "; the best of a first pass can be rescored by it"},
    {Trait::kField,
     "scores one field",
     {kYes, kNo, kNo, kRecords, kRecords},
     "ranker {label}: {server} can't score the field '{field}' alone, since a posting holds the "
     "length of the whole document",
     kRecordsServe},
    {Trait::kBlend,
     "weighs fields together",
     {kYes, kNo, kNo, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which weighs the occurrences of a word in "
     "several fields together, since a posting holds those of one",
     "; FusedSource serves it"},
    {Trait::kUniqueTerms,
     "needs the number of unique terms",
     {kYes, kNo, kNo, kRecords, kYes},
     "ranker {label}: {server} can't serve {ranker}, which needs the number of unique terms of "
     "each document, since Xapian doesn't pass it on",
     kRecordsServe},
    {Trait::kNorm,
     "needs the norm of the document",
     {kYes, kNo, kNo, kRecords, kRecords},
     "ranker {label}: {server} can't serve {ranker}, which needs the norm of each document, since "
     "Xapian doesn't pass it on",
     kRecordsServe},
    {Trait::kVectors,
     "compares vectors",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which needs documents' vectors, which no "
     "posting has",
     "; use Ranking or Searcher, or a TopicSource beside the text"},
    {Trait::kWordsOfTopics,
     "mixes words and topics",
     {kNo, kNo, kYes, kNo, kYes},
     "ranker {label}: {server} can't serve {ranker}, which mixes words and topics",
     "; use Ranking or Searcher, or an LbdmSource beside the text"},
    {Trait::kNeighbours,
     "reads the words of neighbours",
     {kNo, kNo, kYes, kNo, kYes},
     "ranker {label}: {server} can't serve {ranker}, which reads the words of a document's "
     "neighbours",
     "; use Ranking or Searcher, or a NeighbourSource beside the text"},
    {Trait::kPositions,
     "reads positions",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which reads the positions of words",
     "; use Ranking or Searcher, or a FusedSource beside the text"},
    {Trait::kOtherWords,
     "weighs other words than the query's",
     {kNo, kNo, kYes, kNo, kYes},
     "ranker {label}: {server} can't serve {ranker}, which weighs other words than the query's",
     "; use Ranking or Searcher"},
    {Trait::kValues,
     "reads a value slot",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which needs documents' values, which no "
     "posting has",
     "; use Ranking or Searcher, or a ValueRanker beside the text"},
    {Trait::kTitle,
     "compares the words of a field",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which compares the words of a field in their "
     "order",
     "; use Ranking or Searcher"},
    {Trait::kFilter,
     "looks whether a filter matches",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, which no posting of the query's words tells",
     "; use Ranking or Searcher"},
    {Trait::kAllWords,
     "asks for all words of the query",
     {kNo, kNo, kYes, kYes, kYes},
     "ranker {label}: {server} can't serve {ranker}, since it sees one word at a time",
     "; use Ranking or Searcher"},
    {Trait::kFactor,
     "multiplies the score",
     {kNo, kNo, kNo, kYes, kNo},
     "ranker {label}: {server} can't serve a factor of the score, since it knows a part of it only",
     "; use Ranking or Searcher"},
    {Trait::kFile,
     "is a feature of a file",
     {kNo, kNo, kNo, kNo, kNo},
     "ranker {quoted} is a feature that a file had, which no database can compute; such a model "
     "is for braid score",
     ""},
    {Trait::kWeights, "weights from 0 up", {kYes, kYes, kYes, kYes, kYes}, "", ""},
    {Trait::kQueryWeights,
     "weights from 0 up that follow from the query",
     {kYes, kQuery, kQuery, kQuery, kQuery},
     "{server}: the model's weights follow from the query, which it isn't told; QueryWeights "
     "makes the query's own model of it",
     "; use Ranking or Searcher"},
    {Trait::kSignedByQuery,
     "weights of any sign that follow from the query",
     {kYes, kNo, kNo, kNo, kQuery},
     "the model can't rank a database in one pass: its weights, which follow from the query, may "
     "be negative; train with weights=non-negative",
     ""},
    {Trait::kSignedWeights,
     "weights of any sign",
     {kYes, kNo, kNo, kNo, kYes},
     "the model can't rank a database in one pass: it is no sum of its rankers times weights from "
     "0 up, but of the form {form}",
     ""},
    {Trait::kNoWeights,
     "any other function",
     {kYes, kNo, kNo, kNo, kYes},
     "the model can't rank a database in one pass: it is no sum of its rankers times weights from "
     "0 up, but of the form {form}",
     ""},
    {Trait::kNormalised,
     "a normaliser",
     {kYes, kNo, kNo, kNo, kYes},
     "the model can't rank a database in one pass: its rankers are normalised by {normaliser} "
     "before they are added up, which needs {needs}; train with a normaliser that becomes part of "
     "the weights (none or scale)",
     ""},
};

constexpr const char* kServerNames[kServers] = {"LexicalEnsemble", "FusedWeight", "FusedWeight",
                                                "FusedSource", "PoolScorer"};

const ServingRow& row_of(Trait trait) { return kTable[static_cast<std::size_t>(trait)]; }

Serves cell(Server server, Trait trait) {
    return row_of(trait).servers[static_cast<std::size_t>(server)];
}

// The first row that refuses, and of which ranker it is: nullptr for the model's function.
struct Refusal {
    const ServingRow* row = nullptr;
    const RankerSpec* ranker = nullptr;
};

Refusal refusal(Server server, const std::vector<Trait>& traits, const RankerSpec* ranker,
                const Given& given) {
    for (const Trait trait : traits) {
        if (!is_served(server, trait, given)) return {&row_of(trait), ranker};
    }
    return {};
}

// Functions go last: what a ranker lacks is easier to mend.
Refusal refusal(Server server, const FusionModel& model, const Given& given) {
    for (const RankerSpec& spec : model.rankers) {
        const std::vector<Trait> traits = traits_of(spec);
        const bool of_file = traits.front() == Trait::kFile && server != Server::kEnsemble;
        if (!(spec.weight > 0) && server != Server::kPool && !of_file) continue;
        const Refusal found = refusal(server, traits, &spec, given);
        if (found.row != nullptr) return found;
    }
    return refusal(server, function_traits(model), nullptr, given);
}

std::string refusal_in_words(const Refusal& refusal, Server server, const FusionModel& model) {
    if (refusal.row == nullptr) return "";
    const RankerSpec spec = refusal.ranker == nullptr ? RankerSpec{} : *refusal.ranker;
    const std::string& normaliser = model.normaliser.normaliser;
    std::string why = fmt::format(
        fmt::runtime(refusal.row->reason), fmt::arg("label", spec.label()),
        fmt::arg("quoted", shown(spec.label())),
        fmt::arg("server", kServerNames[static_cast<std::size_t>(server)]),
        fmt::arg("ranker", spec.ranker), fmt::arg("field", spec.field),
        fmt::arg("form", shown(model.function.form)), fmt::arg("normaliser", normaliser),
        fmt::arg("needs", normalisers().find(normaliser).per_document
                              ? "a ranker's whole score for a document"
                              : "the scores of all documents of a query"));
    const Serves served = cell(server, refusal.row->trait);
    if (served == Serves::kWithRecords) {
        why +=
            "; the database keeps no records of its documents, `braid adopt --statistics` "
            "makes them";
    }
    const bool of_postings = server != Server::kSource && server != Server::kPool;
    return of_postings ? why + refusal.row->advice : why;
}

Trait family_trait(RankerFamily family) {
    switch (family) {
        case RankerFamily::kLexical:
            return Trait::kWords;
        case RankerFamily::kTopicLanguage:
            return Trait::kWordsOfTopics;
        case RankerFamily::kNeighbours:
            return Trait::kNeighbours;
        case RankerFamily::kProximity:
            return Trait::kPositions;
        case RankerFamily::kTermFeedback:
            return Trait::kOtherWords;
        case RankerFamily::kFeature:
            return Trait::kFile;
        case RankerFamily::kValue:
            return Trait::kValues;
        case RankerFamily::kTitle:
            return Trait::kTitle;
        case RankerFamily::kFilter:
            return Trait::kFilter;
        case RankerFamily::kAllWords:
            return Trait::kAllWords;
        case RankerFamily::kTopic:
        case RankerFamily::kTopicFeedback:
        case RankerFamily::kVector:
            break;
    }
    return Trait::kVectors;
}

}  // namespace

std::span<const ServingRow> serving_table() { return kTable; }

bool is_served(Server server, Trait trait, const Given& given) {
    switch (cell(server, trait)) {
        case Serves::kNever:
            return false;
        case Serves::kWithRecords:
            return given.records;
        case Serves::kWithQuery:
            return given.query;
        case Serves::kAlways:
            break;
    }
    return true;
}

std::vector<Trait> traits_of(const RankerSpec& spec) {
    const RankerFamily family = family_of(spec);
    if (is_factor(spec)) return {Trait::kFactor};
    if (family != RankerFamily::kLexical) return {family_trait(family)};
    const LexicalTraits& asked = lexical_rankers().find(spec.ranker).traits;
    std::vector<Trait> traits;
    if (!asked.is_sum) traits.push_back(Trait::kNoSum);
    if (asked.blends_fields) {
        traits.push_back(Trait::kBlend);
    } else if (!spec.field.empty()) {
        traits.push_back(Trait::kField);
    }
    if (asked.needs_norm) traits.push_back(Trait::kNorm);
    if (asked.needs_unique_terms) traits.push_back(Trait::kUniqueTerms);
    traits.push_back(Trait::kWords);
    return traits;
}

std::vector<Trait> function_traits(const FusionModel& model) {
    std::vector<Trait> traits;
    if (model.normaliser.normaliser != "none") traits.push_back(Trait::kNormalised);
    traits.push_back(trait_of(model.function));
    return traits;
}

std::string why_not_served(Server server, const RankerSpec& spec, const Given& given) {
    return refusal_in_words(refusal(server, traits_of(spec), &spec, given), server, {});
}

std::string why_not_served(Server server, const FusionModel& model, const Given& given) {
    return refusal_in_words(refusal(server, model, given), server, model);
}

void require_served(Server server, const FusionModel& model, const Given& given) {
    const Refusal found = refusal(server, model, given);
    if (found.row == nullptr) return;
    const std::string why = refusal_in_words(found, server, model);
    const bool never = found.ranker != nullptr && cell(server, found.row->trait) == Serves::kNever;
    if (never && found.row->trait != Trait::kFile) throw InvalidArgument(why);
    throw ModelMismatch(why);
}

Serving serving(const FusionModel& model, bool has_records) {
    const Given given{.records = has_records, .query = true};
    const std::string why = why_not_served(Server::kPostings, model, given);
    if (why.empty()) return {};
    // Factors come after a pool's scores.
    const FusionModel summed = without_factors(model);
    const Refusal of_pool = refusal(Server::kPool, summed, given);
    if (of_pool.row != nullptr) {
        const bool of_file = of_pool.row->trait == Trait::kFile;
        return {of_file ? Way::kFile : Way::kUnserved,
                refusal_in_words(of_pool, Server::kPool, model)};
    }
    if (why_not_served(Server::kSource, model, given).empty()) return {Way::kSource, why};
    const bool has_first_pass =
        std::any_of(model.rankers.begin(), model.rankers.end(), [](const RankerSpec& spec) {
            return spec.weight > 0 && why_not_served(Server::kPostings, spec).empty();
        });
    return {has_first_pass ? Way::kRescored : Way::kPool, why};
}

void require_database_model(const FusionModel& model) {
    for (const RankerSpec& spec : model.rankers) {
        if (traits_of(spec).front() != Trait::kFile) continue;
        throw ModelMismatch("the model can't rank a database: " +
                            why_not_served(Server::kPool, spec));
    }
}

bool weighs_by_query(const FusionModel& model) {
    const Trait trait = trait_of(model.function);
    return trait == Trait::kQueryWeights || trait == Trait::kSignedByQuery;
}

bool needs_record(const RankerSpec& spec) {
    const std::vector<Trait> traits = traits_of(spec);
    return std::any_of(traits.begin(), traits.end(), [](Trait trait) {
        return cell(Server::kSource, trait) == Serves::kWithRecords;
    });
}

bool has_document_part(const FusionModel& model) {
    return std::any_of(model.rankers.begin(), model.rankers.end(), [](const RankerSpec& spec) {
        return spec.weight > 0 && family_of(spec) == RankerFamily::kLexical &&
               lexical_rankers().find(spec.ranker).traits.has_document_part;
    });
}

}  // namespace braid
