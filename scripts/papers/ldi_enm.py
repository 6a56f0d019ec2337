# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper of LDI and EnM, but for its toy: numbers of topics, rankers and ensembles."""

import json
import random
import time

from . import charts
from .lab import Collection, read_vectors
from .steps import Chart, Table, Text, signed, step, tested
from .texts import (BETAS, FOUR, NAMES, PAPER_MAP, PAPER_SIZES, PAPER_TOPICS, PAPER_WEIGHTS, RANKERS, SEEDS,
                    SMALL, charts_of, collection_run, ldi_names, ldi_of, ldi_seeds, lsi_of, mean, names_of,
                    note_quick, order, plsi_by_beta, plsi_name, plsi_of_beta, plsi_of_words, prepared, run_of,
                    trained, with_spread)
from .tsne import t_sne


@step
def collection_sizes(lab, orderings):
    rows = []
    for name in names_of(lab):
        collection = prepared(lab, name)
        topics = lab.json("topics", "--db", collection.db, "--model", "lsi", "--json")[0]
        found = lab.json("eval", *collection.judgements, *collection.prefixes, "--measures", "map",
                         "--json", "--quiet", run_of(collection, "tfidf"))["runs"][0]["queries"]
        documents, queries, terms = PAPER_SIZES[name]
        rows.append([collection.title, documents, topics["documents"], queries,
                     found["judged"] + found["unjudged"], found["judged"], terms,
                     topics["vocabulary"]])
    return [Table(["", "documents, paper", "documents", "queries, paper", "queries found", "judged",
                   "terms, paper", "terms"], rows),
            Text("Our terms are stems (English) of two documents and more, without the stop words of "
                 "SMART; the paper doesn't mention stems. Means are over judged queries.")]


# Numbers of topics.

KINDS = ("LSI", "pLSI", "pLSI, beta .8", "LDI")


def sweep(lab, name):
    """What `Collection.measured` says by kind and number of topics, in lists, which for LDI have an entry
    a seed: {kind: {K: [...]}}. At the paper's K these are the models of `prepared`."""
    collection = prepared(lab, name)
    seeds = SEEDS[:2] if lab.quick else SEEDS[:3]
    lsi, plsi, ldi = Collection.TOPICS[name]
    # (kind, ranker, the paper's K, the model's name there, and the line of a model)
    models = [("LSI", "lsa", lsi, "lsi", lsi_of), ("pLSI", "plsi", plsi, "plsi-held", plsi_of_words),
              ("pLSI, beta .8", "plsi", plsi, plsi_name(.8), lambda k, one: plsi_of_beta(k, .8, one))]
    models += [("LDI", "ldi", ldi, one, lambda k, one, seed=seed: ldi_of(k, seed, one))
               for seed, one in zip(seeds, ldi_names())]
    tried = Collection.TRIED[name]
    collection.adopt("sweep", [line(k, f"{one}-k{k}") for k in tried for _, _, own, one, line in models
                               if k != own])
    found = {kind: {k: [] for k in tried} for kind in KINDS}
    for k in tried:
        for kind, ranker, own, one, _ in models:
            found[kind][k].append(collection.measured(ranker, one if k == own else f"{one}-k{k}"))
    return found


def maps_by_topics(lab, name):
    """MAP, in the mean of seeds: {kind: {K: MAP}}."""
    return {kind: {k: mean(maps_of(several)) for k, several in by_k.items()}
            for kind, by_k in sweep(lab, name).items()}


def maps_of(several):
    return [one["mean"]["map"] for one in several]


def topics_step(name):
    def made(lab, orderings):
        if name not in names_of(lab):
            return note_quick(lab)
        found, maps, paper = sweep(lab, name), maps_by_topics(lab, name), PAPER_TOPICS[name]
        rows = [[k, paper[k][0], maps["LSI"][k], paper[k][1], maps["pLSI"][k], maps["pLSI, beta .8"][k],
                 paper[k][2], with_spread(maps_of(found["LDI"][k]))] for k in paper]
        series = [(kind, list(paper), [maps[kind][k] for k in paper]) for kind in KINDS]
        series += [(f"{label}, paper", list(paper), [paper[k][i] for k in paper])
                   for i, label in enumerate(("LSI", "pLSI", "LDI"))]
        seeds = [maps_of(found["LDI"][k]) for k in paper]
        chart = charts.lines("MAP by number of topics", "topics", "MAP", series,
                             bands=[("LDI", list(paper), list(zip(*seeds)))])
        return [Table(["K", "LSI, paper", "LSI", "pLSI, paper", "pLSI", "pLSI, beta .8", "LDI, paper",
                       "LDI, mean and deviation of seeds"], rows),
                Chart(chart, f"MAP by K. LDI has one chain; the band is of its {len(seeds[0])} seeds. pLSI's "
                             "beta is found by held-out words, or held at .8.")]
    made.__name__ = f"topics_{name}"
    return made


for one in SMALL + ("mc",):
    step(topics_step(one))


def best_topics(maps):
    return max(maps, key=maps.get)


def chosen_by_half(by_k):
    """Two halves of the queries, each the test of what the other one chose: the numbers of topics chosen,
    and MAP. `by_k` has lists of what `Collection.measured` says."""
    values = {}
    for k, several in by_k.items():
        every = [one["per_query"] for one in several]
        values[k] = [mean([one[query]["map"] for one in every]) for query in every[0]]
    chosen, total = [], 0.0
    for half in (0, 1):
        best = max(values, key=lambda k: sum(values[k][1 - half::2]))
        chosen.append(best)
        total += sum(values[best][half::2])
    return chosen, total / len(values[best])


@step
def topic_numbers(lab, orderings):
    best, halves, betas = [], [], []
    for name in names_of(lab):
        collection = prepared(lab, name)
        found, maps = sweep(lab, name), maps_by_topics(lab, name)
        lsi, plsi, ldi = Collection.TOPICS[name]
        better = max(("pLSI", "pLSI, beta .8"), key=lambda kind: max(maps[kind].values()))
        best.append([collection.title, lsi, best_topics(maps["LSI"]), plsi, best_topics(maps[better]), ldi,
                     best_topics(maps["LDI"])])
        row = [collection.title]
        for kind in KINDS:
            chosen, value = chosen_by_half(found[kind])
            row += [", ".join(map(str, chosen)), value, max(maps[kind].values())]
        halves.append(row)
        by_beta = {one: [said] for one, said in plsi_by_beta(collection).items()}
        betas.append([collection.title, plsi, PAPER_MAP["plsi"][name],
                      *(maps_of(several)[0] for several in by_beta.values()), chosen_by_half(by_beta)[1],
                      collection.map_of("plsi", "plsi-words")])
    return [Text("The number of topics of the best MAP on the very queries, as the paper chose it, "
                 "among the numbers that it tried."),
            Table(["", "LSI, paper", "LSI", "pLSI, paper", "pLSI", "LDI, paper", "LDI"], best),
            Text("What that choice gives away: every other query chooses K for the queries between, and the "
                 "other way round; both K, MAP by them, and MAP of the K that is best on the very queries."),
            Table([""] + [head for kind in KINDS for head in (f"{kind}, K", "MAP", "best")], halves),
            Text("pLSI at the paper's K, by how beta is found. The paper lowered beta until precision on its "
                 "queries no longer rose: the best of these columns is that. \"By halves\" lets the other half "
                 "of the queries choose among them. The last column is Braid's own form of pLSI, which ranks by "
                 "p(z|w) and needs no such choice."),
            Table(["", "K", "paper", "held-out words", *(f"beta {b}" for b in BETAS), "by halves", "words"],
                  betas)]


# Rankers and ensembles.

@step
def precision_rankers(lab, orderings):
    return charts_of(lab, RANKERS, SMALL, "Single rankers")


@step
def precision_rankers_merged(lab, orderings):
    return charts_of(lab, RANKERS, ("mc",), "Single rankers")


@step
def precision_ensembles(lab, orderings):
    return charts_of(lab, ("ldi", "uniform", "enm-b"), SMALL, "LDI, UniEnM and EnM")


@step
def precision_ensembles_merged(lab, orderings):
    return charts_of(lab, ("ldi", "uniform", "enm-b"), ("mc",), "LDI, UniEnM and EnM")


def curve_of(report, what="held_out"):
    return [[point.get(what) for point in fold["curve"]] for fold in report["folds"]]


@step
def boosting_curve(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    report = trained(prepared(lab, "med"), "enm-b")
    series = []
    for fold in report["folds"]:
        for what, label in (("training", "training"), ("held_out", "held out")):
            ys = [point.get(what) for point in fold["curve"]]
            series.append((f"{label}, fold {fold['fold']}", list(range(1, len(ys) + 1)), ys))
    return [Chart(charts.lines("EnM.B on MED", "round", "MAP", series), "MAP after each round."),
            Text("Rounds: " + ", ".join(str(len(fold["curve"])) for fold in report["folds"]) +
                 "; the fit ends when a round changes the training MAP no more.")]


@step
def ensemble_weights(lab, orderings):
    rows = []
    for name in names_of(lab):
        report = trained(prepared(lab, name), "enm-b")
        weights = [one["folds"]["mean"] for one in report["rankers"]]
        rows.append([Collection.TITLES[name]] +
                    [x for pair in zip(PAPER_WEIGHTS[name], weights) for x in pair])
    return [Table([""] + [f"{NAMES[one]}{what}" for one in FOUR for what in (", paper", "")], rows),
            Text("Means over the two folds. Weights of cosines, which are not equally spread.")]


@step
def ranker_maps(lab, orderings):
    rows, made = [], []
    for name in names_of(lab):
        collection = prepared(lab, name)
        names = RANKERS + ("uniform", "enm-b")
        found = collection.evaluate([collection_run(collection, one) for one in names], "map")
        ldi = maps_of(ldi_seeds(collection))
        five = collection.map_of("ldi", "ldi-5")
        for one in names:
            ours = found[one]["mean"]["map"]
            base = found["tfidf"]["mean"]["map"]
            paper, paper_base = PAPER_MAP[one][name], PAPER_MAP["tfidf"][name]
            rows.append([collection.title, NAMES[one], paper,
                         f"{100 * (paper / paper_base - 1):+.1f} %", ours,
                         f"{100 * (ours / base - 1):+.1f} %", signed(ours - paper),
                         with_spread(ldi) if one == "ldi" else ""])
        rows.append([collection.title, "LDI, five chains", "", "", five,
                     f"{100 * (five / found['tfidf']['mean']['map'] - 1):+.1f} %", "", ""])
        claims = [("EnM > UniEnM", "enm-b", "uniform"), ("UniEnM > LDI", "uniform", "ldi")]
        claims += [(f"LDI > {NAMES[other]}", "ldi", other)
                   for other in ("tfidf", "lsi", "plsi", "lbdm")]
        made += [order(collection, "ldi-enm", *claim) for claim in claims]
    orderings += made
    return [Table(["", "ranker", "paper", "over TFIDF", "ours", "over TFIDF", "ours - paper",
                   "five seeds"], rows),
            Text("LDI's row is the first of five seeds, of one chain, as the paper has it; UniEnM and EnM "
                 "take the same four rankers. pLSI has the beta that is best on these queries (see table "
                 "5). EnM and UniEnM are measured on held-out halves; differences by a paired t test over "
                 "queries:"),
            tested(made)]


# Examples.

def example(lab, query, document, where):
    if "mc" not in lab.collections:
        return note_quick(lab)
    collection = prepared(lab, "mc")
    file = run_of(collection, "ldi")
    ranked = [line.split() for line in lab.path(file).open() if line.startswith(query + " ")]
    names = [one[2] for one in ranked]
    other = [name for name in names if name.startswith(where)]
    place = names.index(document) + 1 if document in names else None
    own = other.index(document) + 1 if document in other else None
    return [Table(["", "rank among all", f"rank among {where[:-1].upper()}"],
                  [[f"{document}, which the paper found first", place, own]]),
            Text(f"Our first three of the other collection: {', '.join(other[:3])}; of all: "
                 f"{', '.join(names[:3])}. One chain of {Collection.TOPICS['mc'][2]} topics, whose "
                 "topics differ from seed to seed.")]


@step
def example_one(lab, orderings):
    return example(lab, "cisi:6", "cacm:698", "cacm:")


@step
def example_two(lab, orderings):
    return example(lab, "cacm:59", "cisi:179", "cisi:")


def kept_json(lab, name, make):
    """What `make` returns, from the file of an earlier run where there is one."""
    path = lab.path("steps", f"{name}-{lab.program_hash[:8]}.json")
    if not path.exists():
        begin = time.process_time()
        made = make()
        path.write_text(json.dumps({"made": made, "processor": time.process_time() - begin}))
    found = json.loads(path.read_text())
    lab.processor[path.name] = found["processor"]
    return found["made"]


@step
def map_of_documents(lab, orderings):
    if "mc" not in lab.collections:
        return note_quick(lab)
    collection = prepared(lab, "mc")
    lab.braid("topics", "--db", collection.db, "--model", "ldi-s1", "--export", "files/mc.npy", "--ids",
              "files/mc.ids", "--quiet", makes=["files/mc.npy", "files/mc.ids"])
    names, rows = read_vectors(lab, "files/mc")
    chance = random.Random(1)
    chosen = sorted(chance.sample([i for i, row in enumerate(rows) if any(row)], 400))
    where = kept_json(lab, "t-sne", lambda: t_sne([rows[i] for i in chosen]))
    groups = [(Collection.TITLES[part], [(*where[n], names[i]) for n, i in enumerate(chosen)
                                         if names[i].startswith(part + ":")]) for part in SMALL]
    return [Chart(charts.points("t-SNE of LDI's document vectors", groups),
                  "400 documents of the merged collection, drawn at random; t-SNE in full, perplexity "
                  "20."),
            Text("`braid topics --db mc --model ldi --export mc.npy --ids mc.ids` writes the vectors of "
                 "all documents for other programs.")]
