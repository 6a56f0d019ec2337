// SPDX-License-Identifier: GPL-2.0-or-later
// The Python module `braid`. It takes and gives the objects of python3-xapian, whose proxies hold
// the address of their C++ object; both modules use one libxapian.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include <xapian.h>

#include "braid/config.h"
#include "braid/error.h"
#include "braid/ranking.h"
#include "braid/searcher.h"

namespace braid::python {
namespace {

namespace py = pybind11;

/// The C++ object of a proxy of python3-xapian's class `name`, or of one derived from that.
template <typename T>
T& object_of(const py::handle& proxy, const char* name) {
    const py::object type = py::module_::import("xapian").attr(name);
    if (!py::isinstance(proxy, type)) {
        throw py::type_error("found " + py::repr(proxy).cast<std::string>() +
                             ", expected a xapian." + name);
    }
    const auto address = py::int_(proxy.attr("this")).cast<std::uintptr_t>();
    if (address == 0) throw py::value_error(std::string("the xapian.") + name + " has no object");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): SWIG gives the address as a number.
    return *reinterpret_cast<T*>(address);
}

bool is_a(const py::handle& object, const char* name) {
    return py::isinstance(object, py::module_::import("xapian").attr(name));
}

/// Xapian's own errors are python3-xapian's, so that one `except` catches both modules'.
void raise_xapian_error(const Xapian::Error& error) {
    const py::module_ xapian = py::module_::import("xapian");
    const char* type = error.get_type();
    const py::object kind =
        py::hasattr(xapian, type) ? xapian.attr(type) : xapian.attr("RuntimeError");
    PyErr_SetObject(kind.ptr(), kind(error.get_msg()).ptr());
}

void add_errors(py::module_& module) {
    const auto root = py::register_exception<Error>(module, "Error");
    py::register_exception<InvalidArgument>(module, "InvalidArgument", root);
    py::register_exception<UnknownComponent>(module, "UnknownComponent", root);
    py::register_exception<FormatError>(module, "FormatError", root);
    py::register_exception<ConfigError>(module, "ConfigError", root);
    py::register_exception<ModelMismatch>(module, "ModelMismatch", root);
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the type that pybind11 takes.
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Xapian::Error& error) {
            raise_xapian_error(error);
        }
    });
}

/// Arguments of Searcher.search. Xapian's objects stay Python's.
struct SearchArguments {
    py::object query;
    py::object filter;
};

SearchRequest request_of(const std::string& text, const SearchArguments& objects) {
    SearchRequest request;
    request.text = text;
    if (!objects.query.is_none()) request.query = object_of<Xapian::Query>(objects.query, "Query");
    if (py::isinstance<py::str>(objects.filter)) {
        request.filters = {objects.filter.cast<std::string>()};
    } else if (is_a(objects.filter, "Query")) {
        request.filter = object_of<Xapian::Query>(objects.filter, "Query");
    } else if (!objects.filter.is_none()) {
        request.filters = objects.filter.cast<std::vector<std::string>>();
    }
    return request;
}

std::optional<SearchSettings::Candidates> candidates_of(const std::optional<std::string>& name) {
    using Candidates = SearchSettings::Candidates;
    if (!name) return std::nullopt;
    if (*name == "words") return Candidates::kWords;
    if (*name == "all") return Candidates::kAll;
    if (*name == "hybrid") return Candidates::kHybrid;
    throw InvalidArgument("candidates: found '" + *name + "', expected words, all or hybrid");
}

/// Makes the query a copy that shares nothing with it, whose reference count other threads may
/// change. False where it has none: it holds a posting source, which may be one in Python.
bool detach(std::optional<Xapian::Query>& query) {
    if (!query) return true;
    try {
        query = Xapian::Query::unserialise(query->serialise());
        return true;
    } catch (const Xapian::Error&) {
        return false;
    }
}

/// Searcher::search without Python's lock, so that other threads go on. A posting source in Python
/// must run under the lock.
SearchResult search(Searcher& searcher, SearchRequest request) {
    if (!detach(request.query) || !detach(request.filter)) return searcher.search(request);
    const py::gil_scoped_release unlocked;
    return searcher.search(request);
}

FusionModel model_of(const py::object& model) { return load_model(model.cast<std::string>()); }

std::unique_ptr<Searcher> make_searcher(const py::object& database, const py::object& model) {
    std::unique_ptr<Searcher> searcher;
    if (is_a(database, "Database")) {
        searcher = std::make_unique<Searcher>(object_of<Xapian::Database>(database, "Database"));
    } else if (py::isinstance<py::str>(database)) {
        searcher = std::make_unique<Searcher>(database.cast<std::string>());
    } else if (!py::isinstance<py::sequence>(database)) {
        throw py::type_error("found " + py::repr(database).cast<std::string>() +
                             ", expected a path, a list of paths or a xapian.Database");
    } else {
        searcher = std::make_unique<Searcher>(
            SearchPaths{.databases = database.cast<std::vector<std::string>>()});
    }
    if (!model.is_none()) searcher->rank_by(model_of(model));
    return searcher;
}

std::unique_ptr<Ranking> make_ranking(const py::object& database, const py::object& model,
                                      const std::optional<std::string>& candidates) {
    const auto& of = object_of<Xapian::Database>(database, "Database");
    RankingSetup setup;
    setup.candidates = candidates_of(candidates).value_or(setup.candidates);
    if (model.is_none()) return std::make_unique<Ranking>(of, setup);
    return std::make_unique<Ranking>(of, model_of(model), setup);
}

QueryInputs inputs_of(std::map<std::string, std::vector<float>> vectors) {
    QueryInputs inputs;
    inputs.vectors = std::move(vectors);
    return inputs;
}

/// Under Python's lock, and so are first passes for feedback: the query may hold a posting source
/// in Python, and threads of Python may share the database.
RankedQuery apply(Ranking& ranking, const py::object& enquire, const py::object& query,
                  std::map<std::string, std::vector<float>> vectors, bool relevance_set) {
    return ranking.apply(object_of<Xapian::Enquire>(enquire, "Enquire"),
                         object_of<Xapian::Query>(query, "Query"),
                         {.inputs = inputs_of(std::move(vectors)), .relevance_set = relevance_set});
}

void add_ranking(py::module_& module) {
    py::class_<RankedQuery>(module, "RankedQuery", "What Ranking.apply chose for a query.")
        .def_readonly("why_not_fused", &RankedQuery::why_not_fused,
                      "Why BM25 ranks; empty where the model does.")
        .def_property_readonly("path", [](const RankedQuery& ranked) { return ranked.run.path; })
        .def_property_readonly("pruned",
                               [](const RankedQuery& ranked) { return ranked.run.pruned; })
        .def_property_readonly("why_not_pruned",
                               [](const RankedQuery& ranked) { return ranked.run.why_not_pruned; })
        .def(
            "probability",
            [](const RankedQuery& ranked, double score) -> std::optional<double> {
                if (ranked.calibration.empty()) return std::nullopt;
                return ranked.calibration.probability(score);
            },
            py::arg("score"),
            "How probably a document of that score is relevant; None without a calibration.")
        .def(
            "least_score",
            [](const RankedQuery& ranked, double probability) -> std::optional<double> {
                if (ranked.calibration.empty()) return std::nullopt;
                return ranked.calibration.least_score(probability);
            },
            py::arg("probability"),
            "The least score of that probability, infinite if none has it; None without a "
            "calibration.")
        .def_readonly("check_at_least", &RankedQuery::check_at_least,
                      "The least third argument of get_mset with which no result is lost.");
    py::class_<Ranking>(module, "Ranking", R"(Ranks the queries of an Enquire by a model.

    ranking = braid.Ranking(database)
    ranking.apply(enquire, query)
    matches = enquire.get_mset(0, 10)

`database` is a xapian.Database, which is never reopened. `model` is a preset's name or a file; None:
the model installed in the database. `candidates` is "words", which keeps the query's matches, or
"all". One Ranking belongs to one thread.)")
        .def(py::init(&make_ranking), py::arg("database"), py::arg("model") = py::none(),
             py::kw_only(), py::arg("candidates") = py::none())
        .def(
            "apply", &apply, py::arg("enquire"), py::arg("query"), py::kw_only(),
            py::arg("vectors") = py::dict(), py::arg("relevance_set") = false,
            R"(Sets the query and the weighting scheme of `enquire`, which is over the same database.
Returns what was chosen. Call it again once the database was reopened or changed.)");
}

constexpr char kDatabase[] = "braid_database";
constexpr char kRanking[] = "braid_ranking";

/// An Enquire doesn't say which database it is over, so each one made from now on keeps it.
void keep_databases() {
    const py::object type = py::module_::import("xapian").attr("Enquire");
    const py::object init = type.attr("__init__");
    type.attr("__init__") = py::cpp_function(
        [init](const py::object& self, const py::object& database) {
            init(self, database);
            self.attr(kDatabase) = database;
        },
        py::is_method(type), py::arg("database"));
}

/// The Ranking of the last call stays with the Enquire: what it has read serves the next.
RankedQuery apply_once(const py::object& enquire, const py::object& query, const py::object& model,
                       py::object database, std::map<std::string, std::vector<float>> vectors) {
    object_of<Xapian::Enquire>(enquire, "Enquire");
    object_of<Xapian::Query>(query, "Query");
    if (database.is_none()) database = py::getattr(enquire, kDatabase, py::none());
    if (database.is_none()) {
        throw py::value_error(
            "the Enquire was made before braid was imported, and doesn't say which database it is "
            "over; give it by database=");
    }
    py::object kept = py::getattr(enquire, kRanking, py::none());
    if (kept.is_none() || !py::object(kept[py::int_(0)]).is(database) ||
        !py::object(kept[py::int_(1)]).equal(model)) {
        kept =
            py::make_tuple(database, model, py::cast(make_ranking(database, model, std::nullopt)));
        enquire.attr(kRanking) = kept;
    }
    return apply(kept[py::int_(2)].cast<Ranking&>(), enquire, query, std::move(vectors), false);
}

void add_apply(py::module_& module) {
    keep_databases();
    module.def("apply", &apply_once, py::arg("enquire"), py::arg("query"),
               py::arg("model") = py::none(), py::kw_only(), py::arg("database") = py::none(),
               py::arg("vectors") = py::dict(),
               R"(Sets `query` on `enquire`, ranked by `model`.

    enquire = xapian.Enquire(xapian.Database("packages"))
    braid.apply(enquire, query)
    for match in enquire.get_mset(0, 10): ...

`model` is a preset's name or a file; None: the model installed in the database. `database` is needed
where the Enquire was made before this module was imported. Returns what was chosen and why.)");
}

void add_results(py::module_& module) {
    py::class_<RankerExplanation>(module, "RankerExplanation", "One ranker's part of a score.")
        .def_readonly("label", &RankerExplanation::label)
        .def_readonly("ranker", &RankerExplanation::ranker)
        .def_readonly("formula", &RankerExplanation::formula)
        .def_readonly("weight", &RankerExplanation::weight)
        .def_readonly("value", &RankerExplanation::value)
        .def_readonly("contribution", &RankerExplanation::contribution)
        .def_readonly("bound", &RankerExplanation::bound)
        .def_readonly("note", &RankerExplanation::note);
    py::class_<SearchHit>(module, "Hit", "One result.")
        .def_readonly("rank", &SearchHit::rank)
        .def_readonly("docid", &SearchHit::docid)
        .def_readonly("name", &SearchHit::name)
        .def_readonly("score", &SearchHit::score)
        .def_readonly("probability", &SearchHit::probability)
        .def_readonly("percent", &SearchHit::percent)
        .def_property_readonly("data", [](const SearchHit& hit) { return py::bytes(hit.data); })
        .def_readonly("fields", &SearchHit::fields)
        .def_readonly("title", &SearchHit::title)
        .def_readonly("snippet", &SearchHit::snippet)
        .def_readonly("collapsed", &SearchHit::collapsed)
        .def_property_readonly("rankers",
                               [](const SearchHit& hit) {
                                   return hit.explanation ? hit.explanation->rankers
                                                          : std::vector<RankerExplanation>();
                               })
        .def("__repr__", [](const SearchHit& hit) {
            return "<braid.Hit " + std::to_string(hit.rank) + ": " + hit.name + ", " +
                   std::to_string(hit.score) + ">";
        });
    py::class_<SearchResult>(module, "Result",
                             "A page of results; len() and iteration give its hits.")
        .def_readonly("hits", &SearchResult::hits)
        .def_readonly("matches", &SearchResult::matches)
        .def_readonly("corrected", &SearchResult::corrected)
        .def_readonly("complete", &SearchResult::complete)
        .def_property_readonly("path", [](const SearchResult& result) { return result.run.path; })
        .def("__len__", [](const SearchResult& result) { return result.hits.size(); })
        .def(
            "__iter__",
            [](const SearchResult& result) {
                return py::make_iterator(result.hits.begin(), result.hits.end());
            },
            py::keep_alive<0, 1>());
}

void add_searcher(py::module_& module) {
    py::class_<Searcher>(module, "Searcher", R"(Searches a database by a fusion model.

    for hit in braid.Searcher("packages").search("text editor"):
        print(hit.rank, hit.name, hit.score)

`database` is a path, a list of paths, or a xapian.Database, which is never reopened. `model` is a
preset's name or a file; None: the database's own model, or BM25 where it has none. One Searcher
belongs to one thread.)")
        .def(py::init(&make_searcher), py::arg("database"), py::arg("model") = py::none())
        .def(
            "rank_by",
            [](Searcher& searcher, const std::string& model) {
                searcher.rank_by(load_model(model));
            },
            py::arg("model"), "Ranks by a preset's model or a file's from now on.")
        .def(
            "search",
            [](Searcher& searcher, const std::string& text, Xapian::doccount count,
               Xapian::doccount first, const py::object& query, const py::object& filter,
               const std::optional<std::string>& candidates, double min_score,
               double min_probability, bool explain,
               std::map<std::string, std::vector<float>> vectors) {
                SearchRequest request = request_of(text, {query, filter});
                request.count = count;
                request.first = first;
                request.candidates = candidates_of(candidates);
                request.min_score = min_score;
                request.min_probability = min_probability;
                request.explain = explain;
                request.inputs.vectors = std::move(vectors);
                return search(searcher, std::move(request));
            },
            py::arg("text") = "", py::kw_only(), py::arg("count") = 10, py::arg("first") = 0,
            py::arg("query") = py::none(), py::arg("filter") = py::none(),
            py::arg("candidates") = py::none(), py::arg("min_score") = 0.0,
            py::arg("min_probability") = 0.0, py::arg("explain") = false,
            py::arg("vectors") = py::dict(),
            R"(One page of results, `count` from `first` on.

`text` is in Xapian's query syntax; `query`, a xapian.Query, is ranked instead. `filter` restricts
results: text ("section:games"), a list of texts, or a xapian.Query. `candidates` is "words", "all"
or "hybrid". `vectors` holds the query's vectors by name. With `explain` each hit has its rankers.)")
        .def("refresh", &Searcher::refresh, "Moves to the newest state of the database now.");
}

}  // namespace
}  // namespace braid::python

PYBIND11_MODULE(braid, module) {
    module.doc() = "Learned ranking ensembles inside Xapian, on the objects of python3-xapian.";
    braid::python::add_errors(module);
    braid::python::add_results(module);
    braid::python::add_searcher(module);
    braid::python::add_ranking(module);
    braid::python::add_apply(module);
}
