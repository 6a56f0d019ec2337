#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact names and known items over Debian's package descriptions, by the preset `packages`.

    exact_names.py BRAID FOLDER [NAMES] [ITEMS]

BRAID is the command, FOLDER has what scripts/package-lists writes (Packages, Translation-en). Makes
in FOLDER a database as `scripts/demo` does, so many names typed as they are (1,000) and so many
searches for one package by two to four words of its long description that are neither in its name
nor in its title (1,000), and compares BM25 with the preset's ranking by paired tests. What is there
already is not made again.
"""
import math
import os
import random
import re
import sys

from package_texts import command, descriptions

SEEDS = {"names": 1, "items": 2}


def words_of(text):
    return re.findall(r"[a-z]{4,}", text.lower())


def known_items(packages, wanted):
    """Of the words of a description that begin like none of its name or title: the two to four of
    most occurrences times rarity."""
    frequency = {}
    for short, long in packages.values():
        for word in set(words_of(long)):
            frequency[word] = frequency.get(word, 0) + 1
    chance = random.Random(SEEDS["items"])
    names = sorted(packages)
    chance.shuffle(names)
    queries = []
    for name in names:
        short, long = packages[name]
        taken = {word[:4] for word in re.findall(r"[a-z0-9]+", (name + " " + short).lower())}
        counts = {}
        for word in words_of(long):
            if not any(word.startswith(start) for start in taken):
                counts[word] = counts.get(word, 0) + 1
        size = chance.randint(2, 4)
        best = sorted(counts, key=lambda word: (
            -counts[word] * math.log(len(packages) / frequency[word]), word))[:size]
        if len(best) == size:
            queries.append((name, " ".join(best)))
        if len(queries) == wanted:
            break
    return queries


def main():
    braid, folder = sys.argv[1:3]
    counts = [int(n) for n in (sys.argv[3:] + ["1000", "1000"][len(sys.argv[3:]):])]
    path = lambda name: os.path.join(folder, name)
    run = command(braid, folder)

    if not os.path.exists(path("names.db")):
        run("index", "--db", path("names.db"), "--config", "packages", "--format", "debian",
            "--quiet", path("Packages"), path("Translation-en"))
    packages = descriptions(path("Translation-en"))
    names = sorted(packages)
    random.Random(SEEDS["names"]).shuffle(names)
    sets = {"names": [(name, name) for name in names[:counts[0]]],
            "items": known_items(packages, counts[1])}
    for kind, queries in sets.items():
        with open(path(kind + ".tsv"), "w", encoding="utf-8") as file:
            file.writelines(f"{name}\t{text}\n" for name, text in queries)
        with open(path(kind + ".qrels"), "w", encoding="utf-8") as file:
            file.writelines(f"{name} 0 {name} 1\n" for name, _ in queries)
        for model in ("bm25", "packages"):
            run("run", "--db", path("names.db"), "--queries", path(kind + ".tsv"), "--depth", "50",
                "--quiet", "--model", model, "--name", model, to=f"{kind}-{model}.run")
        print(f"{len(queries)} {kind}", flush=True)
        run("eval", "--qrels", path(kind + ".qrels"), "--measures", "p@1,mrr",
            path(f"{kind}-bm25.run"), path(f"{kind}-packages.run"))


if __name__ == "__main__":
    main()
