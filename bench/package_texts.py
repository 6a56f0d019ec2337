# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's package descriptions and calls of the command, for the programs beside this file."""
import os
import re
import subprocess


def paragraphs(path):
    with open(path, encoding="utf-8") as lines:
        yield from (part for part in lines.read().split("\n\n") if part.strip())


def field(paragraph, name):
    found = re.search(rf"^{name}: (.*(?:\n .*)*)", paragraph, re.MULTILINE)
    return found.group(1) if found else ""


def descriptions(path):
    """By package: its short and its long description, from a Translation-en."""
    found = {}
    name, lines = "", []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("Package: "):
                name = line[9:].strip()
            elif line.startswith("Description-en: "):
                lines = [line[16:].strip()]
            elif line.startswith(" ") and lines:
                lines.append("" if line.strip() == "." else line.strip())
            elif not line.strip() and lines:
                found[name] = (lines[0], "\n".join(lines[1:]))
                lines = []
    return found


def command(braid, folder):
    """A function that runs `braid` with its arguments. With `to`, a file in `folder`, it writes the
    output there, unless the file is there already."""
    def run(*call, to=None):
        if to is None:
            subprocess.run([braid, *call], check=True)
            return
        path = os.path.join(folder, to)
        if not os.path.exists(path):
            with open(path + ".part", "w", encoding="utf-8") as out:
                subprocess.run([braid, *call], check=True, stdout=out)
            os.rename(path + ".part", path)
    return run
