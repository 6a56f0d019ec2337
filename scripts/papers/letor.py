# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers on OHSUMED's five folds: semi-supervised ensemble ranking, and direct optimisation."""

import json
import math
import random

from . import charts
from .steps import Chart, Ordering, Table, Text, cell, signed, step, tested

CUTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
MEASURES = "map," + ",".join(f"ndcg-exp@{k},p@{k}" for k in CUTS)
NAMES = {"rankboost": "RankBoost", "ranksvm": "RankSVM", "listnet": "ListNet", "adarank": "AdaRank",
         "mhr-bc": "MHR-BC", "ser": "SER", "sser": "SSER", "svm-map": "SVM-map",
         "permurank": "PermuRank"}
SSER = ("rankboost", "ranksvm", "listnet", "adarank", "mhr-bc", "ser", "sser")
DIRECT = ("svm-map", "adarank", "permurank", "ranksvm", "rankboost")
# Learners with a constant that validation queries choose, as in LETOR's own baselines. SVM-map has its
# default: the large constants of its grid take minutes a fold, and validation chooses its step.
TUNED = ("ranksvm", "permurank", "mhr-bc")
GAMMAS = (0, .05, .1, .2, .5, 1, 2, 5)
QUICK_GAMMAS = (0, .5, 5)

PAPER_MAP = {"svm-map": .4456, "adarank": .4419, "permurank": .4495, "ranksvm": .4469,
             "rankboost": .4403}
PAPER_NDCG3 = {"svm-map": .4669, "adarank": .4803, "permurank": .4764, "ranksvm": .4649,
               "rankboost": .4726}
PAPER_SECONDS = {"ranksvm": "1228.5", "ser": "6.3", "sser": "7.5"}  # RankSVM by SVM-struct.


FOLDS = (1, 2, 3, 4, 5)


def files_of(lab, fold):
    folder = lab.need("letor", "OHSUMED", "QueryLevelNorm", f"Fold{fold}")
    return {part: folder / f"{part}.txt.gz" for part in ("train", "vali", "test")}


# Learners whose curves, pairs and groups are shown; a report takes longer than most fits.
REPORTED = ("adarank", "permurank", "rankboost")


def learn(lab, learner, *options, key=None):
    """Learns on each fold with its validation queries, and ranks its test queries; the reports' files
    of learners that have one."""
    reported = []
    for fold in FOLDS:
        files = files_of(lab, fold)
        name = f"{key or learner}-{fold}"
        runs = f"runs/ohsumed-{name}"
        tune = ["--tune"] if learner in TUNED else []
        file = f"reports/ohsumed-{name}.json"
        report = [file] if learner in REPORTED else []
        lab.braid("train", "--letor", files["train"], "--vali", files["vali"], "--test", files["test"],
                  "--learner", learner, *tune, *options, "--measures", "map", "--no-oracle", "--quiet",
                  "--runs", runs, *(["--report", file] if report else []),
                  makes=report + [f"{runs}/{learner}.run", f"{runs}/judgements.qrels"])
        reported += report
    return reported


def reports(lab, learner):
    return [json.loads(lab.path(file).read_text()) for file in learn(lab, learner)]


def run_of(lab, learner, *options, key=None):
    """All folds' test queries in one run, and their judgements; the name of the run."""
    name = key or learner
    learn(lab, learner, *options, key=key)
    parts = [lab.path("runs", f"ohsumed-{name}-{fold}") for fold in FOLDS]
    run = lab.path("runs", f"{name}.run")
    run.write_text("".join((part / f"{learner}.run").read_text() for part in parts))
    qrels = lab.path("runs", "ohsumed.qrels")
    qrels.write_text("".join((part / "judgements.qrels").read_text() for part in parts))
    return f"runs/{name}.run"


def evaluated(lab, runs, measures=MEASURES, test="t"):
    """`braid eval` of runs; the first is the baseline."""
    found = lab.json("eval", "--qrels", "runs/ohsumed.qrels", "--measures", measures,
                     *(["--test", test] if len(runs) > 1 else []), "--json", "--quiet", *runs)
    return {one["name"]: one for one in found["runs"]}


def order(lab, paper, claim, better, worse, measure):
    runs = [run_of(lab, worse), run_of(lab, better)]
    found = evaluated(lab, runs, measure)[better]["difference"][measure]
    return Ordering(paper, "OHSUMED", claim, measure, found["mean"], found["p"])


def table_of(lab, learners, measure):
    found = evaluated(lab, [run_of(lab, one) for one in learners])
    return {one: found[one]["mean"][measure] for one in learners}


# Hoi and Jin.

@step
def letor_features(lab, orderings):
    return [Text("The preset `letor25` has these features as rankers: ten of titles, ten of abstracts, "
                 "and five of both (`braid rankers` lists their formulas; `braid features --config "
                 "letor25` computes them for any database). OHSUMED's files bring their values.")]


@step
def sser_map(lab, orderings):
    found = table_of(lab, SSER, "map")
    made = [order(lab, "sser", f"SSER > {NAMES[one]}", "sser", one, "map") for one in SSER
            if one != "sser"]
    made += [order(lab, "sser", f"SER > {NAMES[one]}", "ser", one, "map")
             for one in ("rankboost", "adarank", "mhr-bc")]
    made.append(order(lab, "sser", "RankSVM > SER", "ranksvm", "ser", "map"))
    orderings += made
    return [Chart(charts.bars("MAP on OHSUMED", "MAP", [NAMES[one] for one in SSER],
                              [("test queries of all folds", [found[one] for one in SSER])],
                              min(found.values()) - .01), "MAP; the axis doesn't begin at 0."),
            Table(["learner", "MAP"], [[NAMES[one], found[one]] for one in SSER]),
            Text("The paper draws bars and prints no numbers. Its orderings:"),
            tested(made),
            Text("SSER with gamma 0 is SER; with gamma .5, the default, it differs by "
                 f"{signed(found['sser'] - found['ser'])}.")]


@step
def sser_ranks(lab, orderings):
    found = evaluated(lab, [run_of(lab, one) for one in SSER])
    blocks = []
    for measure, label in (("p", "P@k"), ("ndcg-exp", "NDCG@k")):
        series = [(NAMES[one], list(CUTS), [found[one]["mean"][f"{measure}@{k}"] for k in CUTS])
                  for one in SSER]
        blocks.append(Chart(charts.lines(f"{label} on OHSUMED", "k", label, series), f"{label}."))
    made = [order(lab, "sser", f"SSER > {NAMES[one]}", "sser", one, f"p@{k}") for k in (1, 2)
            for one in SSER if one != "sser"]
    orderings += made
    best = {k: max(SSER, key=lambda one: found[one]["mean"][f"p@{k}"]) for k in (1, 2)}
    return blocks + [Text(f"Best at rank 1: {NAMES[best[1]]}; at rank 2: {NAMES[best[2]]}. The paper has "
                          "SSER first at both."),
                     tested(made)]


@step
def sser_gamma(lab, orderings):
    means = []
    gammas = QUICK_GAMMAS if lab.quick else GAMMAS
    for gamma in gammas:
        name = f"sser-g{gamma}".replace(".", "")
        means.append(evaluated(lab, [run_of(lab, "sser", "-p", f"gamma={gamma}", key=name)])[name]
                     ["mean"]["map"])
    return [Chart(charts.bars("MAP by gamma", "MAP", [str(gamma) for gamma in gammas],
                              [("SSER", means)], min(means) - .002), "MAP by gamma."),
            Text(f"Flat here: {cell(min(means))} to {cell(max(means))}. The paper, on one fold, has a peak "
                 "near .5.")]


def fit_seconds(lab, learner):
    """Processor seconds of a fit on one thread, less those of `uniform`, which only reads."""
    found = []
    for fold in FOLDS:
        times = {one: lab.seconds_of("train", "--letor", str(files_of(lab, fold)["train"]), "--learner",
                                     one, "--no-oracle", "--quiet", "--threads", "1")
                 for one in (learner, "uniform")}
        found.append(max(times[learner] - times["uniform"], 0.0))
    return found


@step
def sser_times(lab, orderings):
    times = {one: fit_seconds(lab, one) for one in SSER}
    rows = [[NAMES[one], PAPER_SECONDS.get(one, ""), f"{sum(times[one]) / len(FOLDS):.2f}",
             *(f"{t:.2f}" for t in times[one])] for one in SSER]
    middle = {one: f"{sorted(times[one])[len(FOLDS) // 2]:.2f}" for one in ("ranksvm", "ser", "sser")}
    return [Table(["learner", "paper, mean of folds", "ours", *(f"fold {f}" for f in FOLDS)], rows),
            Text("Processor seconds of `braid train` on a fold's training queries, less those of `--learner "
                 "uniform`, which reads the same file. The paper's claim is that SER and SSER are hundreds of "
                 "times quicker than RankSVM, which ran on 350,000 pairs one by one. It is a claim about solvers "
                 "and gone with them: with sums over sorted scores RankSVM needs no pairs. In the middle of the "
                 f"folds it takes {middle['ranksvm']} s, SER {middle['ser']} s and SSER {middle['sser']} s: SSER "
                 "solves a quadratic program like SER's for every query that it ranks.")]


# Xu and others.

@step
def bounds_one(lab, orderings):
    xs = [i / 50 for i in range(51)]
    return [Chart(charts.lines("Type one bounds", "measure E", "loss", [
        ("1 - E", xs, [1 - x for x in xs]),
        ("exponential", xs, [math.exp(-x) for x in xs]),
        ("logistic", xs, [math.log2(1 + math.exp(-x)) for x in xs])], (0, 1), (0, 1.05)),
        "The paper's functions."),
        Text("`braid train --report` has both, and what they bound, for any learned model.")]


@step
def bounds_two(lab, orderings):
    xs = [i / 50 - 2 for i in range(201)]
    half = .5
    return [Chart(charts.lines("Type two bounds", "F(perfect) - F(imperfect)", "loss", [
        ("the loss, .5 lost", xs, [half * (x <= 0) for x in xs]),
        ("exponential", xs, [half * math.exp(-x) for x in xs]),
        ("logistic", xs, [half * math.log2(1 + math.exp(-x)) for x in xs]),
        ("hinge", xs, [half * max(0, 1 - x) for x in xs]),
        ("hinge of SVM-map", xs, [max(0, half - x) for x in xs])], (-2, 2), (0, 2.5)),
        "The paper's functions; none is the lowest everywhere.")]


def simulation(lab, number, variance):
    chance = random.Random(number)
    rows = ""
    for d in range(21):
        centre = 1 if d < 7 else -1
        x = centre + math.sqrt(.2) * chance.gauss(0, 1)
        y = centre + math.sqrt(variance) * chance.gauss(0, 1)
        rows += f"{1 if d < 7 else 0} qid:1 1:{x:.9f} 2:{y:.9f} # docid = d{d}\n"
    file = lab.file(f"simulation-{number}.txt", rows)
    report = lab.report(f"simulation-{number}", "--letor", file, "--learner", "uniform", "--normalise",
                        "none", "--no-oracle")
    circle = report["two_rankers"]["circle"]
    xs = [one["degrees"] for one in circle]
    one = [point["type_one"]["exponential"] for point in circle]
    two = [point["type_two"]["exponential"] for point in circle]
    every = [point["type_two_all_pairs"]["exponential"] for point in circle]
    chart = charts.lines("Bounds by the angle of the model", "degrees", "loss and its bounds", [
        ("1 - average precision", xs, [point["loss"] for point in circle]), ("type one", xs, one),
        ("type two, pairs of unequal grades", xs, two), ("type two, all pairs", xs, every)],
        (0, 358), (0, 2))

    def least(values):
        at = min(range(len(values)), key=lambda i: values[i])
        return values[at], xs[at]
    tighter = sum(a <= b for a, b in zip(two, one))
    tighter_all = sum(a <= b for a, b in zip(every, one))
    rows = [["type one", *least(one), ""], ["type two, pairs of unequal grades", *least(two), tighter],
            ["type two, all pairs", *least(every), tighter_all]]
    return [Chart(chart, f"Exponential bounds, variances .2 and {cell(variance)[:3].rstrip('0')}; what is above 2 is not "
                  "shown."),
            Table(["bound", "least", "at degrees", f"below type one at, of {len(xs)}"], rows),
            Text("With F over pairs of unequal grades, as SVM-map has it, this is the paper's figure: type "
                 "two is the tighter bound around 45 degrees. With F over all pairs, the paper's equation "
                 "(2), it is not.")]


@step
def simulation_one(lab, orderings):
    return simulation(lab, 1, .2)


@step
def simulation_two(lab, orderings):
    return simulation(lab, 2, 1.3)


@step
def direct_accuracy(lab, orderings):
    found = evaluated(lab, [run_of(lab, one) for one in DIRECT])
    shown = ["map"] + [f"ndcg-exp@{k}" for k in (1, 3, 5, 10)]
    labels = ["MAP"] + [f"NDCG@{k}" for k in (1, 3, 5, 10)]
    made = [order(lab, "direct", f"{NAMES[better]} > {NAMES[worse]}", better, worse, "ndcg-exp@1")
            for better in ("svm-map", "adarank", "permurank") for worse in ("ranksvm", "rankboost")]
    orderings += made
    return [Chart(charts.bars("OHSUMED", "mean", labels,
                              [(NAMES[one], [found[one]["mean"][m] for m in shown])
                               for one in DIRECT], .35), "The axis begins at .35."),
            Table(["learner"] + labels, [[NAMES[one]] + [found[one]["mean"][m] for m in shown]
                                         for one in DIRECT]),
            Text("NDCG has the gain 2^grade - 1 and discounts by log2(rank + 1). The paper says that direct "
                 "optimisation is significantly better in NDCG@1 than both baselines (t test):"),
            tested(made)]


def direct_table(lab, paper, measure):
    found = table_of(lab, DIRECT, measure)
    places = sorted(DIRECT, key=lambda one: -found[one])
    paper_places = sorted(DIRECT, key=lambda one: -paper[one])
    rows = [[NAMES[one], paper[one], paper_places.index(one) + 1, found[one], places.index(one) + 1,
             signed(found[one] - paper[one])] for one in DIRECT]
    return [Table(["learner", "paper", "place", "ours", "place", "ours - paper"], rows),
            Text("OHSUMED alone: WSJ, AP, TD2003 and TD2004 are not among our data. The paper has LETOR 2.0's "
                 "features, we have LETOR 3.0's.")]


@step
def direct_map(lab, orderings):
    made = [order(lab, "direct", f"{NAMES[better]} > {NAMES[worse]}", better, worse, "map")
            for better, worse in (("permurank", "svm-map"), ("permurank", "ranksvm"),
                                  ("ranksvm", "svm-map"), ("svm-map", "adarank"),
                                  ("adarank", "rankboost"))]
    orderings += made
    return direct_table(lab, PAPER_MAP, "map") + [
        Text("Neighbours by the paper's places. The paper itself says that its three direct methods don't differ "
             "significantly."), tested(made)]


@step
def direct_ndcg(lab, orderings):
    return direct_table(lab, PAPER_NDCG3, "ndcg-exp@3")


@step
def direct_curves(lab, orderings):
    ada, permu = reports(lab, "adarank")[0], reports(lab, "permurank")[0]
    series = []
    for label, report in (("AdaRank", ada), ("PermuRank", permu)):
        for what, shown in (("training", "training"), ("held_out", "test"), ("bound", "bound")):
            ys = [point.get(what) for point in report["curve"]]
            if any(y is not None and y > 0 for y in ys):
                name = "theorem 4's bound" if what == "bound" else shown
                series.append((f"{label}, {name}", list(range(1, len(ys) + 1)), ys))
    return [Chart(charts.lines("Learning curves on fold 1", "round", "MAP", series, (1, 100), (.3, .6)),
                  "MAP by round, fold 1; the first 100 rounds."),
            Text(f"Rounds: AdaRank {len(ada['curve'])}, PermuRank {len(permu['curve'])}. Theorem 4's lower "
                 "bound of AdaRank's training MAP is "
                 + bound_text(ada))]


def bound_text(report):
    bounds = [point["bound"] for point in report["curve"] if "bound" in point]
    best = max(bounds, default=None)
    if best is None:
        return "not in this report."
    return (f"{cell(bounds[0])} after the first round and at most {cell(best)} after any, far below the "
            "measure: a round adds to some query less than the bound asks for, and each such round "
            "lowers it.")


@step
def direct_times(lab, orderings):
    rows = [[NAMES[one], f"{sum(fit_seconds(lab, one)) / len(FOLDS):.2f}"] for one in DIRECT]
    return [Table(["learner", "seconds of a fit"], rows),
            Text("Processor seconds as in table 3 of `sser`, with each learner's defaults, without "
                 "tuning. The paper prints words: low for AdaRank, high for the others.")
            ]


def pair_errors(lab, learner):
    """Shares of wrong pairs over all folds, by pair of grades."""
    wrong, count = {}, {}
    for report in reports(lab, learner):
        errors = next(one["pair_errors"] for one in report["systems"] if one["kind"] == "learned")
        for pair, error in zip(report["grade_pairs"], errors):
            key = (pair["upper"], pair["lower"])
            wrong[key] = wrong.get(key, 0) + error * pair["pairs"]
            count[key] = count.get(key, 0) + pair["pairs"]
    return {key: wrong[key] / count[key] for key in count}, count


@step
def direct_pairs(lab, orderings):
    ada, count = pair_errors(lab, "adarank")
    boost, _ = pair_errors(lab, "rankboost")
    names = {(2, 0): "d-n", (2, 1): "d-p", (1, 0): "p-n"}
    rows = [[names[key], f"{count[key]:.0f}", f"{100 * ada[key]:.2f} %", f"{100 * boost[key]:.2f} %"]
            for key in names]
    return [Chart(charts.bars("Wrong pairs", "share of pairs", list(names.values()),
                              [("AdaRank", [ada[key] for key in names]),
                               ("RankBoost", [boost[key] for key in names])]),
                  "Errors on test queries by pair: definitely, partially, not relevant."),
            Table(["pair", "pairs", "AdaRank", "RankBoost"], rows),
            Text("The paper has AdaRank below RankBoost on d-n and d-p. Here it is "
                 + ", ".join(f"{'below' if ada[key] < boost[key] else 'above'} it on {names[key]}"
                             for key in names) +
                 ". `braid train --report` has this section for any learner.")]


def by_query(lab, learner):
    return {one["query"]: (one["unequal_pairs"], one["learned"]) for report in reports(lab, learner)
            for one in report["queries"]}


GROUP = 1000


def groups(lab):
    ada, boost = by_query(lab, "adarank"), by_query(lab, "rankboost")
    found = {}
    for query, (pairs, value) in ada.items():
        found.setdefault(int(pairs // GROUP), []).append((value, boost[query][1]))
    return dict(sorted(found.items()))


def group_name(group):
    return str(group)


PAIRS = "pairs of unequal grades, thousands"


@step
def direct_groups(lab, orderings):
    found = groups(lab)
    return [Chart(charts.bars("Queries by pairs", "queries", [group_name(g) for g in found],
                              [("queries", [float(len(v)) for v in found.values()])], x_label=PAIRS),
                  "Test queries of all folds by their number of pairs of unequal grades.")]


@step
def direct_group_map(lab, orderings):
    found = groups(lab)
    rows = []
    for group, values in found.items():
        a, b = (sum(v[i] for v in values) / len(values) for i in (0, 1))
        rows.append([group_name(group), len(values), a, b, signed(a - b)])
    few = [a - b for g, values in found.items() if g < 6 for a, b in values]
    many = [a - b for g, values in found.items() if g >= 6 for a, b in values]

    def shown(values):
        return f"{sum(values) / len(values):+.4f} over {len(values)} queries" if values else "no query"
    return [Chart(charts.bars("MAP by group", "AdaRank - RankBoost", [row[0] for row in rows],
                              [("difference of MAP", [row[2] - row[3] for row in rows])], x_label=PAIRS),
                  "AdaRank less RankBoost."),
            Table(["thousands of pairs, from", "queries", "AdaRank", "RankBoost", "difference"], rows),
            Text(f"Below 6,000 pairs, where the paper sees the gain: {shown(few)}; from there on: "
                 f"{shown(many)}.")]
