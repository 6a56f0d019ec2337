# SPDX-License-Identifier: GPL-2.0-or-later
"""What the papers on text collections share: their figures, their rankers, and learners on them."""

import json
import math

from . import charts
from .lab import Collection
from .steps import Chart, Ordering, Text

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


def lsi_of(k, name="lsi"):
    return topic("lsa", name, k, choices="{weighting: tf-idf}")


def ldi_of(k, seed, name):
    """The paper's LDI: one chain."""
    return topic("ldi", name, k, seed, parameters="{chains: 1}")


def ldi_names():
    return [f"ldi-s{seed}" for seed in SEEDS]


def plsi_of_words(k, name="plsi-held"):
    """pLSI whose beta held-out words choose."""
    return topic("plsi", name, k, choices="{ranking: posterior}")


# pLSI's beta held at a value, which the paper lowered until precision on its queries fell.
BETAS = (.9, .8, .7, .6)


def plsi_name(beta):
    return f"plsi-b{round(100 * beta)}"


def plsi_of_beta(k, beta, name=None):
    return topic("plsi", name or plsi_name(beta), k,
                 parameters=f"{{held-out: 0, beta: {beta}, iterations: 50}}",
                 choices="{ranking: posterior}")


def prepared(lab, name):
    """The collection, indexed, with the papers' topic models and the words' own pLSI."""
    collection = Collection(lab, name)
    lsi, plsi, ldi = Collection.TOPICS[name]
    models = [lsi_of(lsi), plsi_of_words(plsi), topic("plsi", "plsi-words", plsi),
              topic("lda", "lda", ldi, parameters="{chains: 1}"), topic("ldi", "ldi-5", ldi)]
    models += [ldi_of(ldi, seed, one) for one, seed in zip(ldi_names(), SEEDS)]
    models += [plsi_of_beta(plsi, beta) for beta in BETAS]
    collection.adopt("papers", models)
    return collection


def plsi_by_beta(collection):
    """What `Collection.measured` says of pLSI by model: its beta by held-out words, or held at a value."""
    return {one: collection.measured("plsi", one) for one in ("plsi-held", *map(plsi_name, BETAS))}


def best_plsi(collection):
    """The paper's way: the beta of the best precision on the very queries."""
    found = plsi_by_beta(collection)
    return max(found, key=lambda one: found[one]["mean"]["map"])


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


def mean(values):
    return sum(values) / len(values)


def with_spread(values):
    deviation = math.sqrt(sum((x - mean(values)) ** 2 for x in values) / max(len(values) - 1, 1))
    return f"{mean(values):.4f} +- {deviation:.4f}".replace("0.", ".")


def ldi_seeds(collection):
    """What `Collection.measured` says of LDI's five seeds, the first of which stands for LDI."""
    return [collection.measured("ldi", one) for one in ldi_names()]


def precision_chart(collection, names, title):
    """Precision over recall, with LDI's spread over seeds."""
    files = [collection_run(collection, one) for one in names]
    found = collection.evaluate(files, "map")
    recall = [i / 10 for i in range(11)]
    series = [(NAMES[one], recall, found[one]["interpolated_precision"]) for one in names]
    bands = []
    if "ldi" in names:
        seeds = ldi_seeds(collection)
        bands = [(NAMES["ldi"], recall, [one["interpolated_precision"] for one in seeds])]
        title += f" The band is of LDI's five seeds: MAP {with_spread([one['mean']['map'] for one in seeds])}."
    return Chart(charts.lines(title, "recall", "interpolated precision", series, (0, 1), (0, 1), bands), title)


def charts_of(lab, names, collections, what):
    shown = [name for name in collections if name in names_of(lab)]
    return [precision_chart(prepared(lab, name), names, f"{what} on {Collection.TITLES[name]}.")
            for name in shown] or note_quick(lab)
