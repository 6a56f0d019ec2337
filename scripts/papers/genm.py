# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper of gEnM."""

import math

from . import charts
from .lab import Collection
from .steps import Chart, Table, Text, cell, p_text, signed, step
from .texts import (LEARNERS, NAMES, PAPER_GENM, SMALL, charts_of, names_of, note_quick, order, prepared,
                    run_of_learner, trained)

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


def along_a_line(lab):
    """MAP and its smooth form on MED by the weight of LDI beside pLSI: weights, MAP, smooth."""
    found = trained(prepared(lab, "med"), "genm-bat", key="line", rankers=("ldi", "plsi"), folds=0)
    return [found["two_rankers"][part] for part in ("first_weight", "measure", "smooth")]


@step
def objective(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    weights, values, _ = along_a_line(lab)
    tops = sum(1 for i in range(1, len(values) - 1) if values[i - 1] < values[i] >= values[i + 1])
    return [Chart(charts.lines("MAP by the weight of LDI", "weight of LDI, the rest is pLSI's", "MAP",
                               [("MAP", weights, values)]),
                  f"MAP of LDI and pLSI on MED, by {len(weights)} weights."),
            Text(f"It has {tops} local maxima at this resolution.")]


@step
def objective_smooth(lab, orderings):
    if "med" not in lab.collections:
        return note_quick(lab)
    weights, values, smooth = along_a_line(lab)
    best = max(range(len(weights)), key=lambda i: values[i])
    near = max(range(len(weights)), key=lambda i: smooth[i])
    return [Chart(charts.lines("MAP and its smooth form", "weight of LDI", "MAP",
                               [("MAP", weights, values), ("smooth, beta 200", weights, smooth)]),
                  "The same, with the smooth objective."),
            Text(f"MAP is largest ({cell(values[best])}) at {weights[best]:.3f}; the smooth one at "
                 f"{weights[near]:.3f}, where MAP is {cell(values[near])}.")]


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

def by_labels(lab, learner, count):
    """MAP on Cranfield's last hundred queries, learned from the first `count`, as a user would: from the
    ranking `standard`, with no option but the learner. (bm25, standard, learned, p of the gain over
    `standard`)"""
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
    systems = {one["name"]: one for one in report["systems"]}
    maps = [systems[name]["mean"]["map"] for name in ("bm25", "as before", "learned")]
    return *maps, systems["as before"]["learned_minus_this"]["p"]


def labels_chart(lab):
    if "cran" not in lab.collections:
        return []
    counts = (5, 20, 125) if lab.quick else LABELLED
    found = {one: [by_labels(lab, one, count) for count in counts] for one in TAUGHT}
    bm25, standard = found[TAUGHT[0]][0][:2]
    gains = {one: [learned - before for _, before, learned, _ in several] for one, several in found.items()}
    shown = sum(gain > 0 and one[3] < .05 for name in TAUGHT for gain, one in zip(gains[name], found[name]))
    rows = [[str(count)] + [f"{signed(gains[one][i])} ({p_text(found[one][i][3])})" for one in TAUGHT]
            for i, count in enumerate(counts)]
    series = [(one, list(counts), gains[one]) for one in TAUGHT]
    return [Chart(charts.lines("Gain by judged queries", "judged queries to learn from",
                               "MAP less that of standard", series),
                  "What judged queries add to `standard`, in MAP on Cranfield's last 100 queries; learned from "
                  "its first by `braid train --db` with no option but the learner, so that learned weights are "
                  "held back."),
            Table(["judged queries", *(f"{one} (p)" for one in TAUGHT)], rows),
            Text(f"On these queries `standard` has MAP {cell(standard)} without any judgement, "
                 f"{signed(standard - bm25)} over `bm25`. What judgements add to it is small: of the "
                 f"{len(TAUGHT) * len(counts)} gains above {shown} are shown by these 100 queries (p < .05).")]


@step
def which_learner(lab, orderings):
    return labels_chart(lab) + [
            Table(["algorithm", "kind", "judgements", "in Braid"],
                  [["gEnM.BAT", "batch", "all at once", "`genm-bat`"],
                   ["gEnM.ON", "online", "one query at a time", "`genm-on` with `--continue`"],
                   ["UnsEnM", "batch", "none", "`uns-enm`"]]),
            Text("docs/guide/training.md has the table that follows from all five papers and from more "
                 "collections.")]


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
