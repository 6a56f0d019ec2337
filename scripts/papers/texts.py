# SPDX-License-Identifier: GPL-2.0-or-later
"""The two papers of ensembles on text collections: LDI with EnM, and gEnM."""

import json
import math
import random
import struct
import time

from . import charts
from .lab import Collection
from .pages import Chart, Ordering, Table, Text, cell, p_text, signed

STEPS = {}


def step(function):
    STEPS[function.__name__] = function
    return function


SMALL = ("med", "cran", "cisi", "cacm")
SEEDS = (1, 2, 3, 4, 5)
RANKERS = ("tfidf", "lsi", "plsi", "lbdm", "ldi")
FOUR = ("tfidf", "lsi", "plsi", "ldi")
LEARNERS = ("uniform", "enm-b", "genm-bat", "genm-on", "uns-enm")
NAMES = {"tfidf": "TFIDF", "lsi": "LSI", "plsi": "pLSI", "lbdm": "LBDM", "ldi": "LDI",
         "uniform": "UniEnM", "enm-b": "EnM", "genm-bat": "gEnM.BAT", "genm-on": "gEnM.ON",
         "uns-enm": "UnsEnM"}

# The papers' figures. Those of 2016: table 7; of 2017: table 3.
PAPER_MAP = {
    "tfidf": {"med": .4605, "cran": .2716, "cisi": .0935, "cacm": .1177, "mc": .1946},
    "lsi": {"med": .5026, "cran": .2661, "cisi": .1229, "cacm": .1094, "mc": .1709},
    "plsi": {"med": .5334, "cran": .2740, "cisi": .1223, "cacm": .0973, "mc": .1918},
    "lbdm": {"med": .5516, "cran": .2941, "cisi": .1030, "cacm": .1174, "mc": .1968},
    "ldi": {"med": .5738, "cran": .3146, "cisi": .1429, "cacm": .1349, "mc": .2084},
    "uniform": {"med": .6034, "cran": .3519, "cisi": .1510, "cacm": .1743, "mc": .2735},
    "enm-b": {"med": .6420, "cran": .3766, "cisi": .1637, "cacm": .1890, "mc": .2768}}
PAPER_GENM = {  # MAP, P@1, P@5
    "med": {"enm-b": (.6420, .8667, .7867), "genm-bat": (.6458, .9333, .8133),
            "genm-on": (.6467, .9333, .8133), "uns-enm": (.6465, .9333, .8133)},
    "cran": {"enm-b": (.3766, .6133, .3742), "genm-bat": (.3937, .6622, .4080),
             "genm-on": (.3972, .6667, .3991), "uns-enm": (.3972, .6356, .4018)},
    "cisi": {"enm-b": (.1637, .3289, .2974), "genm-bat": (.1945, .4868, .3237),
             "genm-on": (.1816, .3684, .2868), "uns-enm": (.1825, .3947, .3079)},
    "cacm": {"enm-b": (.1890, .3654, .2192), "genm-bat": (.2166, .3846, .2500),
             "genm-on": (.2256, .4423, .2538), "uns-enm": (.1745, .3077, .2000)},
    "mc": {"enm-b": (.2768, .4204, .307), "genm-bat": (.3162, .5196, .3614),
           "genm-on": (.3099, .5300, .3624), "uns-enm": (.3169, .5274, .3629)}}
PAPER_WEIGHTS = {"med": (.21, .21, .25, .33), "cran": (.22, .22, .25, .31),
                 "cisi": (.31, .18, .18, .33), "cacm": (.47, .28, .12, .13),
                 "mc": (.34, .18, .26, .22)}
PAPER_TOPICS = {  # LSI, pLSI, LDI by K; None where the paper prints nothing.
    "med": {50: (.4538, .4534, .4868), 75: (.4885, .4448, .5615), 100: (.5026, .5334, .5738),
            125: (.4976, .4089, .5687)},
    "cran": {50: (.2151, .2495, .2767), 75: (.2383, .2464, .2931), 100: (.2541, .2606, .3146),
             125: (.2661, .2681, .3133), 150: (.2668, .2740, .3002)},
    "cisi": {50: (.1086, .1223, .1124), 75: (.1139, .1062, .1188), 100: (.1185, .1093, .1429),
             125: (.1210, .1079, .1413), 150: (.1229, .1056, .1378)},
    "cacm": {50: (.0601, .0703, .0908), 75: (.0817, .0973, .1349), 100: (.0962, .0920, .1083),
             125: (.1094, .0776, .1256)},
    "mc": {100: (.1150, .1286, .1906), 150: (.1339, .1119, .1973), 200: (.1450, .1194, .2084),
           250: (.1541, .1830, .2011), 400: (.1681, .1918, .1908), 500: (.1709, .1909, .1871)}}
PAPER_SIZES = {"med": (1033, 30, 5775), "cran": (1400, 225, 8213), "cisi": (1460, 112, 10170),
               "cacm": (3204, 64, 9961), "mc": (7097, 431, 27784)}


def names_of(lab):
    return [name for name in SMALL + ("mc",) if name in lab.collections]


def note_quick(lab):
    missing = [Collection.TITLES[name] for name in SMALL + ("mc",) if name not in lab.collections]
    if not missing:
        return []
    return [Text(f"Not in this run: {', '.join(missing)}. A whole run has all five collections.")]


# Rankers at the papers' numbers of topics.

def topic(model, name, k, seed=None, **settings):
    text = f"model: {model}, name: {name}, dimensions: {k}"
    if seed is not None:
        text += f", seed: {seed}"
    return text + "".join(f", {key}: {value}" for key, value in settings.items())


def ldi_names():
    return [f"ldi-s{seed}" for seed in SEEDS]


# pLSI's beta held at a value, which the paper lowered until precision on its queries fell.
BETAS = (.9, .8, .7, .6)


def plsi_of_beta(k, beta):
    return topic("plsi", f"plsi-b{round(100 * beta)}", k,
                 parameters=f"{{held-out: 0, beta: {beta}, iterations: 50}}",
                 choices="{ranking: posterior}")


def prepared(lab, name):
    """The collection, indexed, with the papers' topic models and the words' own pLSI."""
    collection = Collection(lab, name)
    lsi, plsi, ldi = Collection.TOPICS[name]
    models = [topic("lsa", "lsi", lsi, choices="{weighting: tf-idf}"),
              topic("plsi", "plsi-held", plsi, choices="{ranking: posterior}"),
              topic("plsi", "plsi-words", plsi),
              topic("lda", "lda", ldi, parameters="{chains: 1}"),
              topic("ldi", "ldi-5", ldi)]
    models += [topic("ldi", one, ldi, seed, parameters="{chains: 1}")
               for one, seed in zip(ldi_names(), SEEDS)]
    models += [plsi_of_beta(plsi, beta) for beta in BETAS]
    collection.adopt("papers", models)
    return collection


def plsi_maps(collection):
    """MAP of pLSI by how its beta is found: by held-out words, or held at a value."""
    found = {"held-out words": collection.map_of("plsi-held", ["ranker: plsi, topics: plsi-held"])}
    for beta in BETAS:
        one = f"plsi-b{round(100 * beta)}"
        found[f"{beta}"] = collection.map_of(one, [f"ranker: plsi, topics: {one}"])
    return found


def best_plsi(collection):
    """The paper's way: the beta of the best precision on the very queries."""
    found = plsi_maps(collection)
    best = max(found, key=found.get)
    return "plsi-held" if best == "held-out words" else f"plsi-b{round(100 * float(best))}"


def line_of(collection, ranker, seed=SEEDS[0]):
    lines = {"tfidf": "ranker: tfidf-cosine", "lsi": "ranker: lsa, topics: lsi",
             "lbdm": "ranker: lbdm, topics: lda", "ldi": f"ranker: ldi, topics: ldi-s{seed}"}
    if ranker == "plsi":
        return f"ranker: plsi, topics: {best_plsi(collection)}"
    return lines[ranker]


def run_of(collection, ranker):
    return collection.run(ranker, [line_of(collection, ranker)])


def trained(collection, learner, *options, key=None, rankers=FOUR, folds=2):
    """The report of a learner on the four rankers' own scores, by two-fold cross-validation; its
    held-out run is then in runs/NAME/LEARNER.run."""
    lab = collection.lab
    model = collection.model("-".join(rankers), [line_of(collection, one) for one in rankers])
    file = f"reports/{collection.name}-{key or learner}.json"
    runs = f"runs/{collection.name}/{key or 'learned'}"
    makes = [file] + ([f"{runs}/{learner}.run"] if folds else [])
    fold_options = ["--folds", folds, "--runs", runs] if folds else []
    lab.path(runs).mkdir(parents=True, exist_ok=True)
    lab.braid("train", "--db", collection.db, *collection.queries, *collection.judgements,
              *collection.prefixes, "--model-rankers", model, "--candidates", "all", "--pool",
              collection.depth, "--learner", learner, "--normalise", "none", "--hold-back", "0",
              "--no-oracle", "--measures", "map,p@1,p@5", *fold_options, "--quiet", *options,
              "--report", file, makes=makes)
    return json.loads(lab.path(file).read_text())


def run_of_learner(collection, learner):
    trained(collection, learner)
    return f"runs/{collection.name}/learned/{learner}.run"


def compared(collection, better, worse, measures="map", test="t"):
    """What `braid eval` says of the first run less the second."""
    files = [collection_run(collection, worse), collection_run(collection, better)]
    return collection.evaluate(files, measures, test)[better]["difference"]


def collection_run(collection, name):
    return run_of(collection, name) if name in RANKERS else run_of_learner(collection, name)


def order(collection, paper, claim, better, worse, measure="map", test="t"):
    found = compared(collection, better, worse, measure, test)[measure]
    return Ordering(paper, collection.title, claim, measure, found["mean"], found["p"])


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

def precision_chart(collection, names, title):
    files = [collection_run(collection, one) for one in names]
    found = collection.evaluate(files, "map")
    recall = [i / 10 for i in range(11)]
    return Chart(charts.lines(title, "recall", "interpolated precision",
                              [(NAMES[one], recall, found[one]["interpolated_precision"])
                               for one in names], (0, 1), (0, 1)), title)


def charts_of(lab, names, collections, what):
    shown = [name for name in collections if name in names_of(lab)]
    return [precision_chart(prepared(lab, name), names, f"{what} on {Collection.TITLES[name]}.")
            for name in shown] or note_quick(lab)


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


# gEnM.

@step
def toy_weights(lab, orderings):
    scores = {"1": (.35, .2), "2": (.4, .1), "3": (.25, .7)}
    relevant, rows = {"2", "3"}, []
    for name, weights, printed in (("ranker 1", (1, 0), .72), ("ranker 2", (0, 1), .72),
                                   ("ensemble 1", (.5, .5), .72), ("ensemble 2", (.7, .3), .89)):
        value = {d: weights[0] * s[0] + weights[1] * s[1] for d, s in scores.items()}
        ranked = sorted(value, key=lambda d: -value[d])
        found, ap = 0, 0.0
        for place, document in enumerate(ranked, 1):
            if document in relevant:
                found += 1
                ap += found / place / len(relevant)
        rows.append([name, f"{weights[0]}, {weights[1]}", ", ".join(ranked), printed, ap])
    return [Table(["", "weights", "ranking", "paper's MAP", "MAP"], rows),
            Text("The printed scores give these values: each ranker has 5/6, equal weights keep 5/6, and "
                 "weights (.7, .3) rank both relevant documents first. The point stands, the numbers "
                 "don't. The printed column of ensemble 1 is the sum of both scores, not their mean.")]


def line_report(lab):
    return trained(prepared(lab, "med"), "genm-bat", key="line", rankers=("ldi", "plsi"), folds=0)


@step
def objective(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    found = line_report(lab)["two_rankers"]
    values = found["measure"]
    tops = sum(1 for i in range(1, len(values) - 1) if values[i - 1] < values[i] >= values[i + 1])
    chart = charts.lines("MAP by the weight of LDI", "weight of LDI, the rest is pLSI's", "MAP",
                         [("MAP", found["first_weight"], values)])
    return [Chart(chart, "MAP of LDI and pLSI on MED, by 501 weights."),
            Text(f"It has {tops} local maxima at this resolution.")]


@step
def objective_smooth(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    found = line_report(lab)["two_rankers"]
    first = found["first_weight"]
    best = max(range(len(first)), key=lambda i: found["measure"][i])
    smooth = max(range(len(first)), key=lambda i: found["smooth"][i])
    chart = charts.lines("MAP and its smooth form", "weight of LDI", "MAP",
                         [("MAP", first, found["measure"]),
                          ("smooth, beta 200", first, found["smooth"])])
    return [Chart(chart, "The same, with the smooth objective."),
            Text(f"MAP is largest ({cell(found['measure'][best])}) at {first[best]:.3f}; the smooth one at "
                 f"{first[smooth]:.3f}, where MAP is {cell(found['measure'][smooth])}.")]


@step
def genm_table(lab, orderings):
    rows, tests = [], []
    measures = ("map", "p@1", "p@5")
    for name in names_of(lab):
        collection = prepared(lab, name)
        files = [run_of_learner(collection, one) for one in LEARNERS]
        found = collection.evaluate(files, ",".join(measures))
        for m, measure in enumerate(measures):
            row = [collection.title, measure]
            for one in LEARNERS[1:]:
                row += [PAPER_GENM[name][one][m], found[one]["mean"][measure]]
            rows.append(row + [found["uniform"]["mean"][measure]])
            wilcoxon = order(collection, "genm", "gEnM.BAT > EnM", "genm-bat", "enm-b", measure,
                             "wilcoxon")
            orderings.append(wilcoxon)
            paper = PAPER_GENM[name]["genm-bat"][m] - PAPER_GENM[name]["enm-b"][m]
            tests.append([collection.title, measure, signed(paper), signed(wilcoxon.difference),
                          p_text(wilcoxon.p), wilcoxon.verdict])
        for better in ("genm-on", "uns-enm"):
            orderings.append(order(collection, "genm", f"{NAMES[better]} > EnM", better, "enm-b"))
    head = ["", ""] + [f"{NAMES[one]}{what}" for one in LEARNERS[1:] for what in (", paper", "")]
    return [Table(head + ["UniEnM"], rows),
            Text("Two folds, the four rankers' own cosines, each learner with its defaults. The test that "
                 "the paper makes, Wilcoxon's, of gEnM.BAT less EnM:"),
            Table(["", "", "paper's difference", "ours", "p", "verdict"], tests)]


@step
def genm_precision(lab, orderings):
    return charts_of(lab, LEARNERS[1:], SMALL + ("mc",), "Ensembles")


@step
def genm_starts(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    blocks = []
    collection = prepared(lab, "med")
    for learner in ("genm-on", "uns-enm"):
        report = trained(collection, learner, "-p", "start=zero-one", key=f"{learner}-starts", folds=0)
        series = []
        for start in report["starts"]:
            ys = [point["training"] for point in start["curve"]]
            label = " ".join(f"{weight:.2g}" for weight in start["weights"])
            series.append((label, list(range(len(ys))), ys))
        ends = [ys[-1] for _, _, ys in series]
        blocks += [Chart(charts.lines(f"{NAMES[learner]} on MED", "iteration", "MAP", series),
                         f"{NAMES[learner]} on MED from every zero-one vector (TFIDF, LSI, pLSI, LDI), "
                         "on the queries it learns from."),
                   Text(f"{len(series)} starts end between {cell(min(ends))} and {cell(max(ends))}.")]
    return blocks


LABELLED = (5, 10, 20, 40, 80, 125)
TAUGHT = ("auto", "genm-on", "genm-bat", "enm-b", "listnet")
UNTAUGHT = {"before": "standard, not learned", "bm25": "bm25"}


def by_labels(lab, learner, count):
    """MAP on Cranfield's last hundred queries, learned from the first `count`, as a user would: from the
    ranking `standard`, with no option but the learner. The systems of the report by kind or name."""
    if not lab.path("db/cran-standard").exists():
        lab.forget("db/cran-standard")
    lab.braid("index", "--db", "db/cran-standard", "--quiet",
              lab.need("cran", Collection.FILES["cran"][0]), makes=["db/cran-standard"])
    lab.braid("adopt", "--db", "db/cran-standard", "--install", "--quiet", makes=["db/cran-standard"])
    lines = lab.need("cran", "cranqrel").read_text().splitlines()
    parts = {True: "", False: ""}
    for line in lines:
        query = int(line.split()[0])
        if query <= count or query > LABELLED[-1]:
            parts[query <= count] += line.rstrip() + "\n"
    taught = lab.file(f"cran-first-{count}.qrels", parts[True])
    tested = lab.file("cran-last.qrels", parts[False])
    queries = lab.need("cran", "cran.qry")
    report = lab.report(f"cran-{learner}-{count}", "--db", "db/cran-standard", "--queries", queries,
                        "--query-ids", "sequence", "--qrels", taught, "--grades", "all=1",
                        "--test-queries", queries, "--test-qrels", tested, "--learner", learner,
                        "--no-oracle")
    return {one["name"] if one["kind"] == "single" else one["kind"]: one["mean"]["map"]
            for one in report["systems"]}


def labels_chart(lab):
    if "cran" not in lab.collections:
        return []
    counts = (5, 20, 125) if lab.quick else LABELLED
    found = {one: [by_labels(lab, one, count) for count in counts] for one in TAUGHT}
    series = [(label, list(counts), [one[kind] for one in found[TAUGHT[0]]])
              for kind, label in UNTAUGHT.items()]
    series += [(one, list(counts), [each["learned"] for each in found[one]]) for one in TAUGHT]
    return [Chart(charts.lines("Gain by judged queries", "judged queries to learn from", "MAP", series),
                  "MAP on Cranfield's last 100 queries, learned from its first by `braid train --db` with no "
                  "option but the learner, so that learned weights are held back."),
            Table(["judged queries"] + [label for label, _, _ in series],
                  [[str(count)] + [ys[i] for _, _, ys in series] for i, count in enumerate(counts)])]


@step
def which_learner(lab, orderings):
    return labels_chart(lab) + [Table(["algorithm", "kind", "judgements", "in Braid"],
                  [["gEnM.BAT", "batch", "all at once", "`genm-bat`"],
                   ["gEnM.ON", "online", "one query at a time", "`genm-on` with `--continue`"],
                   ["UnsEnM", "batch", "none", "`uns-enm`"]]),
            Text("docs/papers/README.md has the table that follows from all five papers.")]


@step
def sigmoid(lab, orderings):
    beta = 300
    xs = [i / 100000 for i in range(-2000, 2001, 20)]
    exact = [1 / (1 + math.exp(beta * x)) for x in xs]
    cut = [y if abs(x) < 2 / beta else float(x < 0) for x, y in zip(xs, exact)]
    inside = 1 / (1 + math.exp(-2)) - 1 / (1 + math.exp(2))
    return [Chart(charts.lines("A sigmoid and its cut form", "score difference", "", [
        ("sigmoid, beta 300", xs, exact), ("0 and 1 beyond 2/beta", xs, cut)]),
        "The paper's approximation."),
        Text(f"At 2/beta the sigmoid is {1 / (1 + math.exp(2)):.3f}, not 0: the window has "
             f"{100 * inside:.0f} % of its rise and loses the rest of the gradient. Braid's "
             "learners take all of it; `-p window=2` is the paper's.")]
