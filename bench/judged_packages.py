#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judged queries for Debian's package descriptions: debtags, and known items.

    judged_packages.py FOLDER [VOCABULARY]

FOLDER has Packages and Translation-en, as scripts/package-lists writes them. Writes into it, as JSON
lines and judgements that `braid run` and `braid eval` read,
  debtags    a query for each tag of 10 to 500 packages: the tag's title in VOCABULARY (of Debian's
             package debtags, usr/share/debtags/vocabulary), else the words of its name. The packages
             that have the tag are relevant; half of all packages have none, so a result may be
             relevant unjudged.
  known      2,000 queries for one package each: two to four words of its long description that are
             neither in its name nor in its short description. Words are drawn by occurrences times
             rarity, from those of 2 to 3,000 packages.
Each is written in full and as .learn and .test, every other query. The same every time.
"""
import json
import math
import random
import re
import sys
from collections import Counter

from package_texts import field, paragraphs

FEWEST, MOST = 10, 500  # Packages of a tag.
KNOWN_ITEMS = 2000
LEAST_WORDS = 30  # Of a long description that is searched for.
COMMON = 3000     # Packages that have a word, above which it isn't drawn.


def words(text):
    return re.findall(r"[a-z]{3,}", text.lower())


def tags_of(folder):
    """The packages of each tag, in the order of the list."""
    found = {}
    for paragraph in paragraphs(folder + "/Packages"):
        name = field(paragraph, "Package")
        for tag in re.split(r",\s*", field(paragraph, "Tag")):
            if "::" in tag:
                found.setdefault(tag.strip(), {})[name] = True
    return found


def titles(path):
    return {field(part, "Tag"): field(part, "Description").split("\n")[0]
            for part in paragraphs(path) if part.startswith("Tag: ")}


def debtags(folder, vocabulary):
    title = titles(vocabulary) if vocabulary else {}
    for tag, packages in sorted(tags_of(folder).items()):
        if FEWEST <= len(packages) <= MOST:
            yield tag, title.get(tag) or " ".join(re.split(r"\W+", tag)), list(packages)


def known_items(folder):
    packages = {}
    for paragraph in paragraphs(folder + "/Translation-en"):
        title, _, text = field(paragraph, "Description-en").partition("\n")
        packages[field(paragraph, "Package")] = (title, words(text))
    frequency = Counter(word for _, text in packages.values() for word in set(text))
    chance = random.Random(1)
    names = sorted(name for name, (_, text) in packages.items() if len(text) >= LEAST_WORDS)
    chance.shuffle(names)
    made = 0
    for name in names:
        title, text = packages[name]
        known = set(words(name + " " + title))
        counts = Counter(word for word in text
                         if word not in known and 2 <= frequency[word] <= COMMON)
        if len(counts) < 4:
            continue
        drawn = []
        for _ in range(chance.choice((2, 3, 4))):
            left = [word for word in counts if word not in drawn]
            weights = [counts[word] * math.log(len(packages) / frequency[word]) for word in left]
            drawn += chance.choices(left, weights)
        yield f"k{made}", " ".join(drawn), [name]
        made += 1
        if made == KNOWN_ITEMS:
            return


def write(path, items):
    with open(path + ".jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"_id": id, "text": text}) + "\n" for id, text, _ in items)
    with open(path + ".qrels", "w", encoding="utf-8") as file:
        file.writelines(f"{id} 0 {name} 1\n" for id, _, names in items for name in names)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = sys.argv[1]
    vocabulary = sys.argv[2] if len(sys.argv) == 3 else None
    for kind, items in (("debtags", list(debtags(folder, vocabulary))),
                        ("known", list(known_items(folder)))):
        path = f"{folder}/{kind}"
        write(path, items)
        write(path + ".learn", items[0::2])
        write(path + ".test", items[1::2])
        print(f"{path}: {len(items)} queries")


if __name__ == "__main__":
    main()
