#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Clicks: weights learned from simulated ones against weights from the judgements that made them.

    clicks.py BRAID DATA FOLDER [SESSIONS [SHOWN]]

BRAID is the command, DATA the folder of the collections (med/ and cran/ with stop/), FOLDER where
databases and runs are made (what is there is not made again). Each query of one half is searched by
SESSIONS users (400), each of whom sees the first SHOWN (50) of bm25, lm-dirichlet, lsa or ldi, whichever
chance brings. Place k is looked at with 1/k; a look ends in a click with .8 on a relevant document and .1
on another. Weights are learned from

    judgements   the half's own,
    clicks       `braid train --clicks`, positions and all,
    naive        the same file without its column of positions,
    any          every clicked document taken as relevant,

and measured by the judgements of the other half; then the halves change places.
"""
import collections
import os
import random
import subprocess
import sys

RANKERS = ["bm25", "lm-dirichlet", "lsa", "ldi"]
COLLECTIONS = {
    "med": (["MED.ALL.gz"], ["MED.QRY"], "MED.REL", [], lambda w: (w[0], w[2])),
    "cran": (["cran.all.1400.gz"], ["cran.qry"], "cranqrel", ["--query-ids", "sequence"],
             lambda w: (w[0], w[1])),
}


def call(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(" ".join(words) + "\n" + done.stderr)
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Collection:
    def __init__(self, braid, data, folder, name):
        documents, queries, qrels, self.reading, columns = COLLECTIONS[name]
        self.braid, self.name = braid, name
        self.database = os.path.join(folder, name)
        self.folder = folder
        self.queries = os.path.join(data, name, queries[0])
        self.relevant = collections.defaultdict(set)
        with open(os.path.join(data, name, qrels), encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words:
                    query, document = columns(words)
                    self.relevant[query].add(document)
        if not os.path.exists(self.database):
            call(braid, "index", "--quiet", "--db", self.database, "--stop-words",
                 os.path.join(data, "stop", "smart.571"), os.path.join(data, name, documents[0]))
            call(braid, "adopt", "--quiet", "--db", self.database, "--install", "--force")

    def run(self, *more):
        """Documents by query, the best first."""
        text = call(self.braid, "run", "--quiet", "--db", self.database, "--queries", self.queries,
                    *self.reading, *more)
        found = collections.defaultdict(list)
        for line in text.splitlines():
            words = line.split()
            found[words[0].lstrip("0")].append(words[2])
        return found

    def learn(self, name, *judged):
        model = os.path.join(self.folder, f"{self.name}-{name}.yaml")
        call(self.braid, "train", "--quiet", "--no-oracle", "--db", self.database, "--queries",
             self.queries, *self.reading, *judged, "--model", model)
        return self.run("--model", model)


def simulate(collection, queries, lists, sessions, shown, rng):
    counts = collections.defaultdict(lambda: [0, 0])
    for query in queries:
        for _ in range(sessions):
            documents = lists[rng.choice(RANKERS)][query][:shown]
            for place, document in enumerate(documents, 1):
                count = counts[query, document, place]
                count[0] += 1
                appeal = 0.8 if document in collection.relevant[query] else 0.1
                if rng.random() < 1 / place and rng.random() < appeal:
                    count[1] += 1
    return counts


def average_precision(documents, relevant):
    hits, total = 0, 0.0
    for place, document in enumerate(documents, 1):
        if document in relevant:
            hits += 1
            total += hits / place
    return total / len(relevant)


def main():
    braid, data, folder = sys.argv[1:4]
    sessions = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    shown = int(sys.argv[5]) if len(sys.argv) > 5 else 50
    os.makedirs(folder, exist_ok=True)
    for name in COLLECTIONS:
        collection = Collection(braid, data, folder, name)
        lists = {one: collection.run("--model", one, "--depth", str(shown)) for one in RANKERS}
        order = sorted(collection.relevant, key=int)
        rng = random.Random(7)
        values = collections.defaultdict(list)
        for half in (0, 1):
            train, test = order[half::2], order[1 - half::2]
            counts = simulate(collection, train, lists, sessions, shown, rng)
            path = os.path.join(folder, name)
            judged = {
                "judgements": ["--qrels", write(path + ".true", "".join(
                    f"{q} 0 {d} 1\n" for q in train for d in sorted(collection.relevant[q])))],
                "clicks": ["--clicks", write(path + ".clicks", "query\tdocument\tposition\tshown\tclicks\n" + "".join(
                    f"{q}\t{d}\t{k}\t{n}\t{c}\n" for (q, d, k), (n, c) in counts.items()))],
                "naive": ["--clicks", write(path + ".naive", "query\tdocument\tshown\tclicks\n" + "".join(
                    f"{q}\t{d}\t{n}\t{c}\n" for (q, d, k), (n, c) in counts.items()))],
                "any": ["--qrels", write(path + ".any", "".join(
                    f"{q} 0 {d} {1 if any(counts[q, d, k][1] for k in range(1, shown + 1) if (q, d, k) in counts) else 0}\n"
                    for q, d in sorted({(q, d) for q, d, _ in counts})))],
            }
            for kind, files in judged.items():
                found = collection.learn(kind, *files)
                values[kind] += [average_precision(found[q], collection.relevant[q]) for q in test]
        for kind, each in values.items():
            print(f"{name} {kind:10} {sum(each) / len(each):.4f}", flush=True)


if __name__ == "__main__":
    main()
