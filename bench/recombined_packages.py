#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""As many package descriptions as are wanted, as JSON lines for braid index.

    bench/recombined_packages.py PACKAGES TRANSLATIONS NUMBER > documents.jsonl

The first are the real ones (files as scripts/package-lists makes them). Each further one has the title and
section of a package drawn at random, every sentence of its description with a chance of one half,
and of another's likewise: so lengths, words and which of them go together stay about as they are. The
same NUMBER gives the same documents.
"""
import json
import random
import re
import sys

from package_texts import field, paragraphs


def descriptions(packages, translations):
    sections = {field(part, "Package"): field(part, "Section") for part in paragraphs(packages)}
    for part in paragraphs(translations):
        title, _, text = field(part, "Description-en").partition("\n")
        name = field(part, "Package")
        lines = (" " if line.strip() == "." else line.strip() for line in text.split("\n"))
        yield name, title, sections.get(name, ""), "\n".join(lines)


def half(text, chance):
    sentences = re.split(r"(?<=[.!?:])\s+", text)
    return [sentence for sentence in sentences if chance.random() < 0.5]


def main():
    packages, translations, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chance = random.Random(1)
    real = list(descriptions(packages, translations))
    names = set()
    for i in range(number):
        name, title, section, text = real[i % len(real)]
        if i >= len(real):
            _, title, section, text = chance.choice(real)
            _, _, _, other = chance.choice(real)
            text = " ".join(half(text, chance) + half(other, chance))
        name = name if name not in names else f"{name}-{i}"
        names.add(name)
        print(json.dumps({"id": name, "title": title, "section": section, "text": text}))


main()
