#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Known items: Debian's short descriptions find the packages of which only the long ones are indexed.

    known_items.py BRAID TRANSLATION FOLDER [LEARNING] [TESTING]

BRAID is the command, TRANSLATION Debian's Translation-en. Makes in FOLDER a database of the long
descriptions, whose first and last paragraphs are fields of their own, with the topic model lsa:100,
so many queries to learn from and others to test on (10,000 each), models of fixed weights (wel) and
of weights that follow from the query (awelv), and compares their reciprocal ranks by a paired test.
Packages that share a description with another are neither queries nor documents twice. What is
there already is not made again.
"""
import os
import random
import sys

from package_texts import command, descriptions

FIELDS = """index:
  fields:
    - {name: lead, prefix: XLEAD}
    - {name: middle}
    - {name: tail, prefix: XTAIL}
  stored: []
"""
# Those of weight 0 bring no candidates; all are learned.
RANKERS = """model:
  rankers:
    - {ranker: bm25}
    - {ranker: lm-dirichlet, parameters: {mu: 100}}
    - {ranker: lsa}
    - {ranker: bm25+, parameters: {b: 0.2}, weight: 0}
    - {ranker: lm-dirichlet, name: lm-long, parameters: {mu: 1000}, weight: 0}
    - {ranker: dph, weight: 0}
    - {ranker: idf, weight: 0}
    - {ranker: log-idf, weight: 0}
    - {ranker: tfidf-cosine, weight: 0}
    - {ranker: bm25, field: lead, weight: 0}
    - {ranker: idf, field: lead, weight: 0}
    - {ranker: bm25, field: tail, weight: 0}
    - {ranker: idf, field: tail, weight: 0}
    - {ranker: log-tf-share, field: tail, weight: 0}
"""
FIXED = ["-p", "weights=non-negative"]
BY_QUERY = ["--learner", "awelv", "--query-features"]
MODELS = {
    "wel": ["--learner", "wel"],
    "awelv-topics": [*BY_QUERY, "words,topics"],
    "awelv-words": [*BY_QUERY, "words"],
}


def paragraphs(text):
    """The first, the last and those between, of a description."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    fields = {"lead": parts[0], "middle": "\n\n".join(parts[1:-1]),
              "tail": parts[-1] if len(parts) > 1 else ""}
    return {name: value for name, value in fields.items() if value}


def alone(values):
    """Those that come once."""
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return {value for value, count in counts.items() if count == 1}


def write(folder, name, lines):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def prepare(translation, folder, learning, testing):
    packages = descriptions(translation)
    shorts = alone(short for short, _ in packages.values())
    longs = alone(long for _, long in packages.values())
    documents = {}
    for name, (_, long) in sorted(packages.items()):
        if len(long.split()) >= 5:
            documents.setdefault(long, name)
    import json
    write(folder, "documents.jsonl",
          (json.dumps({"id": name, **paragraphs(long)}) for long, name in documents.items()))
    items = [(name, short) for name, (short, long) in sorted(packages.items())
             if short in shorts and long in longs and long in documents and len(short.split()) >= 2]
    random.Random(1).shuffle(items)
    for part, chosen in (("learning", items[:learning]), ("testing", items[learning:][-testing:])):
        write(folder, part + ".tsv", (name + "\t" + short for name, short in chosen))
        write(folder, part + ".qrels", (f"{name} 0 {name} 1" for name, _ in chosen))
    print(f"{len(documents)} documents, {len(items)} known items", flush=True)


def main():
    braid, translation, folder = sys.argv[1:4]
    learning, testing = (int(n) for n in (sys.argv[4:] + ["10000", "10000"][len(sys.argv[4:]):]))
    path = lambda name: os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    run = command(braid, folder)

    if not os.path.exists(path("db")):
        prepare(translation, folder, learning, testing)
        write(folder, "fields.yaml", [FIELDS.rstrip()])
        run("index", "--db", path("db"), "--config", path("fields.yaml"), "--format", "jsonl",
            "--quiet", path("documents.jsonl"))
        run("adopt", "--db", path("db"), "--statistics", "--quiet")
        run("adopt", "--db", path("db"), "--topics", "lsa:100", "--quiet")
    write(folder, "rankers.yaml", [RANKERS.rstrip()])
    for name, options in MODELS.items():
        run("train", "--db", path("db"), "--queries", path("learning.tsv"), "--qrels",
            path("learning.qrels"), "--model-rankers", path("rankers.yaml"), "--pool", "100",
            "--measure", "mrr", "--no-oracle", "--quiet", "--model", path(name + ".yaml"),
            *FIXED, *options, to=name + ".txt")
        run("run", "--db", path("db"), "--queries", path("testing.tsv"), "--depth", "100", "--quiet",
            "--model", path(name + ".yaml"), "--name", name, to=name + ".run")
        print(open(path(name + ".txt"), encoding="utf-8").read(), flush=True)
        if name != "wel":
            run("eval", "--qrels", path("testing.qrels"), "--measures", "mrr,p@1", path("wel.run"),
                path(name + ".run"))


if __name__ == "__main__":
    main()
