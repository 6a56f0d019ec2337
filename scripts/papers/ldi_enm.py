# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper of LDI and EnM: its toy, numbers of topics, rankers and ensembles."""

import json
import math
import random
import struct
import time

from . import charts
from .lab import Collection
from .pages import Chart, Table, Text, p_text, signed
from .texts import (BETAS, FOUR, NAMES, PAPER_MAP, PAPER_SIZES, PAPER_TOPICS, PAPER_WEIGHTS, RANKERS, SEEDS,
                    SMALL, charts_of, collection_run, ldi_names, names_of, note_quick, order, plsi_maps,
                    prepared, run_of, topic, trained)

STEPS = {}


def step(function):
    STEPS[function.__name__] = function
    return function


# The toy of 2016. Its table 1 contradicts its tables 2 and 3, which follow from "samsung" in B2
# instead of T3.

TOY_TOPICS = ("technology", "business", "diet", "genetics")
TOY = {"T1": "apple smartphone os", "T2": "apple os system product",
       "T3": "smartphone system sign", "B1": "apple contract sign samsung",
       "B2": "product contract samsung", "D1": "apple pie pea fry", "D2": "pie fry oil",
       "D3": "fry", "G1": "oil modified bean", "G2": "pea modified bean"}
TOY_QUERIES = {"1": "sign system apple", "2": "contract product apple", "3": "apple os"}
TOY_PRINTED = {  # W of table 1's words, those of several topics.
    "apple": (.4275, .3053, .2672, 0), "product": (.4118, .5882, 0, 0), "sign": (.4118, .5882, 0, 0),
    "pea": (0, 0, 3 / 7, 4 / 7), "oil": (0, 0, 3 / 7, 4 / 7)}
TOY_PURE = {"smartphone": 0, "os": 0, "system": 0, "contract": 1, "samsung": 1, "pie": 2, "fry": 2,
            "modified": 3, "bean": 3}
PAPER_DOCUMENTS = {"T1": (.8092, .1018, .0891, 0), "T2": (.7098, .2234, .0668, 0),
                   "T3": (.8039, .1961, 0, 0), "B1": (.2098, .7234, .0668, 0),
                   "B2": (.1373, .8627, 0, 0), "D1": (.1069, .0763, .6739, .1429),
                   "D2": (0, 0, .8095, .1905), "D3": (0, 0, 1, 0), "G1": (0, 0, .1429, .8571),
                   "G2": (0, 0, .1429, .8571)}
PAPER_SIMILARITIES = {"T1": (.9475, .5227, .9938), "T2": (.9885, .6643, .9915),
                      "T3": (.9692, .6053, .9833), "B1": (.6734, .9902, .4796),
                      "B2": (.5681, .9586, .3543), "D1": (.3076, .2829, .3420),
                      "D2": (.1261, .1245, .1752), "D3": (.1296, .1279, .1800),
                      "G1": (.0213, .0210, .0296), "G2": (.0213, .0210, .0296)}


def word_vector(word):
    if word in TOY_PRINTED:
        return TOY_PRINTED[word]
    return tuple(1.0 if k == TOY_PURE[word] else 0.0 for k in range(4))


def mean_vector(text):
    words = [word_vector(word) for word in text.split()]
    return tuple(sum(one[k] for one in words) / len(words) for k in range(4))


def cosine(a, b):
    product = sum(x * y for x, y in zip(a, b))
    return product / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def toy_of(lab):
    """The toy in a database, its topics in the paper's order, and each document's vector."""
    documents = lab.file("toy.jsonl", "".join(
        json.dumps({"_id": name, "text": text}) + "\n" for name, text in TOY.items()))
    queries = lab.file("toy.tsv", "".join(f"{n}\t{text}\n" for n, text in TOY_QUERIES.items()))
    config = lab.file("toy.yaml", "topics:\n  - {model: ldi, dimensions: 4, seed: 1, coding: f32, "
                      "parameters: {chains: 1}}\n")
    if not lab.path("db/toy").exists():
        lab.forget("db/toy")
    lab.braid("index", "--db", "db/toy", "--quiet", "--stop-words", "none", documents,
              makes=["db/toy"])
    lab.braid("adopt", "--db", "db/toy", "--quiet", "--config", config, makes=["db/toy"])
    lab.braid("topics", "--db", "db/toy", "--model", "ldi", "--export", "files/toy.npy", "--ids",
              "files/toy.ids", "--quiet", makes=["files/toy.npy", "files/toy.ids"])
    names, rows = read_vectors(lab, "files/toy")
    rows = {name: [x / (sum(row) or 1) for x in row] for name, row in zip(names, rows)}
    # A topic is called what most of its documents are about.
    places = []
    for first in "TBDG":
        share = [sum(row[k] for name, row in rows.items() if name[0] == first) for k in range(4)]
        places.append(max((k for k in range(4) if k not in places), key=lambda k: share[k]))
    return {name: tuple(row[k] for k in places) for name, row in rows.items()}, queries


def read_vectors(lab, name):
    """The names and rows of `braid topics --export`."""
    data = lab.path(name + ".npy").read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    count, width = (int(x) for x in header.split("(")[1].split(")")[0].split(",")[:2])
    values = struct.unpack(f"<{count * width}f", data[10 + size:])
    rows = [values[i * width:(i + 1) * width] for i in range(count)]
    return lab.path(name + ".ids").read_text().split("\n")[:count], rows


@step
def toy_counts(lab, orderings):
    words = sorted({word for text in TOY.values() for word in text.split()})
    rows = [[word] + [text.split().count(word) or "" for text in TOY.values()] for word in words]
    return [Table(["word"] + list(TOY), rows),
            Text("The paper has \"samsung\" in T3 and B1. Its own tables 2 and 3 follow from it in B2 "
                 "and B1, as here.")]


def worst_difference(found, printed):
    return max(abs(a - b) for name in printed for a, b in zip(found[name], printed[name]))


@step
def toy_documents(lab, orderings):
    mine = {name: mean_vector(text) for name, text in TOY.items()}
    fitted, _ = toy_of(lab)
    rows = [[name, topic_name, PAPER_DOCUMENTS[name][k], mine[name][k], fitted[name][k]]
            for name in TOY for k, topic_name in enumerate(TOY_TOPICS)
            if PAPER_DOCUMENTS[name][k] or fitted[name][k] > .05]
    right = sum(max(range(4), key=lambda k: fitted[name][k]) == "TBDG".index(name[0])
                for name in TOY)
    return [Text(f"From the paper's word vectors, (10) gives its table within "
                 f"{worst_difference(mine, PAPER_DOCUMENTS):.5f}. Braid's own Gibbs sampler, with four "
                 f"topics on these ten documents, gives {right} of 10 documents most of the topic they "
                 "are about; beta is not printed, and ten documents don't decide it."),
            Table(["document", "topic", "paper", "by (10)", "learned here"], rows)]


@step
def toy_similarities(lab, orderings):
    mine = {name: tuple(cosine(mean_vector(text), mean_vector(query))
                        for query in TOY_QUERIES.values()) for name, text in TOY.items()}
    _, queries = toy_of(lab)
    found = {}
    printed = lab.braid("run", "--db", "db/toy", "--queries", queries, "--model", "ldi", "--candidates",
                        "all", "--depth", "all", "--quiet")
    for line in printed.splitlines():
        query, _, name, _, score, _ = line.split()
        found[name, query] = float(score)
    rows = [[name] + [value for q, query in enumerate(TOY_QUERIES)
                      for value in (PAPER_SIMILARITIES[name][q], mine[name][q],
                                    found.get((name, query), 0.0))] for name in TOY]
    head = ["document"] + [f"query {q} {what}" for q in TOY_QUERIES
                           for what in ("paper", "by (15)", "learned here")]
    return [Text(f"From the same vectors, (15) gives the paper's table within "
                 f"{worst_difference(mine, PAPER_SIMILARITIES):.5f}."), Table(head, rows)]


@step
def toy_words(lab, orderings):
    words = ["apple", "product", "sign", "pea", "oil"]
    return [Chart(charts.bars("p(topic | word)", "p(z|w)", words,
                              [(name, [word_vector(word)[k] for word in words])
                               for k, name in enumerate(TOY_TOPICS)]),
                  "The words of several topics, by the paper's numbers; every other word has one.")]


@step
def toy_queries(lab, orderings):
    return [Chart(charts.bars("p(topic | query)", "p(z|q)", [f"query {q}" for q in TOY_QUERIES],
                              [(name, [mean_vector(text)[k] for text in TOY_QUERIES.values()])
                               for k, name in enumerate(TOY_TOPICS)]),
                  "Queries in topic space, by (14). None has a part in genetics.")]


@step
def toy_space(lab, orderings):
    groups = []
    for label, first in zip(TOY_TOPICS, "TBDG"):
        groups.append((label, [(*mean_vector(text)[:2], name) for name, text in TOY.items()
                               if name[0] == first]))
    groups.append(("queries", [(*mean_vector(text)[:2], f"query {q}")
                               for q, text in TOY_QUERIES.items()]))
    return [Chart(charts.points("The toy in topic space", groups, True, "technology", "business"),
                  "The first two topics. Diet and genetics are the corner at 0.")]


@step
def toy_boosting(lab, orderings):
    ap = {"tfidf": (1, 7 / 12, 1), "ldi": (.5, 1, 1)}
    shares, value, rows, weights = [1 / 3] * 3, (0, 0, 0), [], {"tfidf": 0.0, "ldi": 0.0}
    for number in (1, 2):
        free = [one for one in ap if not weights[one]]
        best = max(free, key=lambda one: sum(d * a for d, a in zip(shares, ap[one])))
        edge = sum(d * a for d, a in zip(shares, ap[best]))
        weights[best] = .5 * math.log((1 + edge) / (1 - edge))
        value = ap[best] if number == 1 else (1, 1, 1)
        shares = [math.exp(-a) for a in value]
        shares = [one / sum(shares) for one in shares]
        rows.append([number, NAMES[best], edge, weights[best]] + shares)
    return [Text("By (33), (35) and (37) from the average precisions of the paper's figure. The printed "
                 "weight .228 of query 3 is a misprint: its share is .284, like query 1's. A test holds "
                 "`enm-b` to the same numbers."),
            Table(["round", "ranker", "weighted AP", "its weight", "query 1", "query 2", "query 3"],
                  rows)]


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

def sweep(lab, name):
    """MAP by number of topics: {K: (LSI, pLSI, [LDI by seed])}."""
    collection = Collection(lab, name)
    seeds = SEEDS[:2] if lab.quick else SEEDS[:3]
    tried = Collection.TRIED[name]
    models = []
    for k in tried:
        models += [topic("lsa", f"lsi-k{k}", k, choices="{weighting: tf-idf}"),
                   topic("plsi", f"plsi-k{k}", k, choices="{ranking: posterior}"),
                   topic("plsi", f"plsi8-k{k}", k,
                         parameters="{held-out: 0, beta: 0.8, iterations: 50}",
                         choices="{ranking: posterior}")]
        models += [topic("ldi", f"ldi-k{k}-s{seed}", k, seed, parameters="{chains: 1}")
                   for seed in seeds]
    collection.adopt("sweep", models)
    found = {}
    for k in tried:
        def measured(ranker, one):
            return collection.map_of(one, [f"ranker: {ranker}, topics: {one}"])
        found[k] = (measured("lsa", f"lsi-k{k}"), measured("plsi", f"plsi-k{k}"),
                    measured("plsi", f"plsi8-k{k}"),
                    [measured("ldi", f"ldi-k{k}-s{seed}") for seed in seeds])
    return found


def mean(values):
    return sum(values) / len(values)


def spread(values):
    return math.sqrt(sum((x - mean(values)) ** 2 for x in values) / max(len(values) - 1, 1))


def with_spread(values):
    return f"{mean(values):.4f} +- {spread(values):.4f}".replace("0.", ".")


def topics_step(name):
    def made(lab, orderings):
        if name not in names_of(lab):
            return note_quick(lab)
        found = sweep(lab, name)
        rows = []
        for k, (lsi, held, fixed, ldi) in found.items():
            paper = PAPER_TOPICS[name][k]
            rows.append([k, paper[0], lsi, paper[1], held, fixed, paper[2], with_spread(ldi)])
        series = [("LSI", [f[0] for f in found.values()]),
                  ("pLSI, beta by held-out words", [f[1] for f in found.values()]),
                  ("pLSI, beta .8", [f[2] for f in found.values()]),
                  ("LDI, one chain", [mean(f[3]) for f in found.values()])]
        paper = [(f"{label}, paper", [PAPER_TOPICS[name][k][i] for k in found])
                 for i, label in enumerate(("LSI", "pLSI", "LDI"))]
        chart = charts.lines("MAP by number of topics", "topics", "MAP",
                             [(label, list(found), ys) for label, ys in series + paper])
        return [Table(["K", "LSI, paper", "LSI", "pLSI, paper", "pLSI", "pLSI, beta .8", "LDI, paper",
                       "LDI, mean and deviation of seeds"], rows), Chart(chart, "MAP by K.")]
    made.__name__ = f"topics_{name}"
    return made


for one in SMALL + ("mc",):
    step(topics_step(one))


@step
def topic_numbers(lab, orderings):
    rows = []
    for name in names_of(lab):
        found = sweep(lab, name)
        best = [max(found, key=lambda k: found[k][0]), max(found, key=lambda k: max(found[k][1:3])),
                max(found, key=lambda k: mean(found[k][3]))]
        paper = Collection.TOPICS[name]
        rows.append([Collection.TITLES[name]] + [x for pair in zip(paper, best) for x in pair])
    blocks = [Text("The number of topics of the best MAP on the very queries, as the paper chose it, "
                   "among the numbers that it tried."),
              Table(["", "LSI, paper", "LSI", "pLSI, paper", "pLSI", "LDI, paper", "LDI"], rows)]
    rows = []
    for name in names_of(lab):
        collection = prepared(lab, name)
        found = plsi_maps(collection)
        words = collection.map_of("plsi-words", ["ranker: plsi, topics: plsi-words"])
        rows.append([collection.title, Collection.TOPICS[name][1], PAPER_MAP["plsi"][name]] +
                    list(found.values()) + [words])
    blocks += [Text("pLSI at the paper's K, by how beta is found. The paper lowered beta until "
                    "precision on its queries no longer rose: the best of these columns is that. The "
                    "last column is Braid's own form of pLSI, which ranks by p(z|w) and needs no "
                    "such choice."),
               Table(["", "K", "paper", "held-out words"] + [f"beta {b}" for b in BETAS] + ["words"],
                     rows)]
    return blocks


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
    rows, comparisons = [], []
    for name in names_of(lab):
        collection = prepared(lab, name)
        names = RANKERS + ("uniform", "enm-b")
        found = collection.evaluate([collection_run(collection, one) for one in names], "map")
        ldi = [collection.map_of(one, [f"ranker: ldi, topics: {one}"]) for one in ldi_names()]
        five = collection.map_of("ldi-5", ["ranker: ldi, topics: ldi-5"])
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
        for claim, better, worse in claims:
            one = order(collection, "ldi-enm", claim, better, worse)
            orderings.append(one)
            comparisons.append([collection.title, claim, signed(one.difference), p_text(one.p),
                                one.verdict])
    return [Table(["", "ranker", "paper", "over TFIDF", "ours", "over TFIDF", "ours - paper",
                   "five seeds"], rows),
            Text("LDI's row is the first of five seeds, of one chain, as the paper has it; UniEnM and EnM "
                 "take the same four rankers. pLSI has the beta that is best on these queries (see table "
                 "5). EnM and UniEnM are measured on held-out halves; differences by a paired t test over "
                 "queries:"),
            Table(["", "claim", "difference", "p", "verdict"], comparisons)]


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


# t-SNE, in full, on a sample.

def neighbour_shares(rows, perplexity):
    count = len(rows)
    distances = [[sum((x - y) ** 2 for x, y in zip(a, b)) for b in rows] for a in rows]
    shares = [[0.0] * count for _ in range(count)]
    for i in range(count):
        low, high, beta = 0.0, math.inf, 1.0
        for _ in range(40):
            line = [math.exp(-d * beta) if j != i else 0.0 for j, d in enumerate(distances[i])]
            total = sum(line) or 1e-300
            entropy = math.log(total) + beta * sum(p * d for p, d in zip(line, distances[i])) / total
            if abs(entropy - math.log(perplexity)) < 1e-4:
                break
            low, high = (beta, high) if entropy > math.log(perplexity) else (low, beta)
            beta = beta * 2 if high == math.inf else (low + high) / 2
        shares[i] = [p / total for p in line]
    return [[max((shares[i][j] + shares[j][i]) / (2 * count), 1e-12) for j in range(count)]
            for i in range(count)]


def t_sne(rows, rounds=250, perplexity=20, seed=1):
    chance = random.Random(seed)
    count = len(rows)
    shares = neighbour_shares(rows, perplexity)
    at = [[chance.gauss(0, 1e-2), chance.gauss(0, 1e-2)] for _ in rows]
    speed = [[0.0, 0.0] for _ in rows]
    for number in range(rounds):
        boost, keep = (4, .5) if number < 60 else (1, .8)
        near = [[1 / (1 + (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) for b in at] for a in at]
        total = sum(map(sum, near)) - count
        for i in range(count):
            x = y = 0.0
            here, line, share = at[i], near[i], shares[i]
            for j in range(count):
                pull = (boost * share[j] - line[j] / total) * line[j]
                x += pull * (here[0] - at[j][0])
                y += pull * (here[1] - at[j][1])
            speed[i][0] = keep * speed[i][0] - 40 * x
            speed[i][1] = keep * speed[i][1] - 40 * y
        for i in range(count):
            at[i][0] += speed[i][0]
            at[i][1] += speed[i][1]
    return at


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
