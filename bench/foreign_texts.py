#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts for other programs to index, made of package descriptions: bench/foreign_databases.

foreign_texts.py TRANSLATION KIND PLACE FIRST COUNT
TRANSLATION is a Translation-en file of a Debian archive, unpacked; of its entries COUNT are taken,
from number FIRST on. KIND and PLACE:
  mail      a maildir: threads of five, six senders, some base64, html, attachments, other languages
  tree      a folder of text and html files, a subfolder for each initial
  packages  a file like an archive's Packages, with whole descriptions
  queries   a file with a query on each line: the first words, two to three, of a text's title
The same call makes the same texts.
"""
import email.message
import email.utils
import html
import os
import re
import sys

SENDERS = ["Ada Byron <ada@example.org>", "Bohdan Nowak <bohdan@example.org>",
           "Chiara Rossi <chiara@example.net>", "Dmitri Orlov <dmitri@example.net>",
           "Eva M\u00fcller <eva@example.com>", "Fran\u00e7ois Petit <francois@example.com>"]
GERMAN = ("Die Gr\u00f6\u00dfe der Datei \u00fcberschreitet die Grenze, die der Server gesetzt hat. "
          "Bitte die Anlage verkleinern und noch einmal schicken.\n")
RUSSIAN = ("\u041f\u0440\u043e\u0433\u0440\u0430\u043c\u043c\u0430 \u043d\u0435 "
           "\u043e\u0442\u043a\u0440\u044b\u0432\u0430\u0435\u0442 \u0444\u0430\u0439\u043b.\n")
JAPANESE = ("\u3053\u306e\u30d7\u30ed\u30b0\u30e9\u30e0\u306f\u65e5\u672c\u8a9e\u306e"
            "\u6587\u66f8\u3092\u691c\u7d22\u3057\u307e\u3059\u3002\n")


def descriptions(path, first, count):
    with open(path, encoding="utf-8") as file:
        entries = file.read().split("\n\n")
    for number, entry in enumerate(entries[first:first + count], first):
        name = re.search(r"^Package: (.*)", entry, re.M)
        text = re.search(r"^Description-en: (.*(?:\n .*)*)", entry, re.M)
        if name and text:
            title, _, body = text[1].partition("\n")
            yield number, name[1], title, re.sub(r"(?m)^ \.?", "", body) + "\n"


def write_mail(place, number, name, title, body):
    for folder in ("cur", "new", "tmp"):
        os.makedirs(f"{place}/{folder}", exist_ok=True)
    root = number - number % 5
    message = email.message.EmailMessage()
    message["From"] = SENDERS[number % len(SENDERS)]
    message["To"] = "list@example.org"
    message["Date"] = email.utils.formatdate(1_600_000_000 + 600 * number)
    if number == root:
        message["Message-ID"] = f"<root.{root}@example.org>"
        message["Subject"] = title
    else:
        message["Message-ID"] = f"<{name}.{number}@example.org>"
        message["In-Reply-To"] = message["References"] = f"<root.{root}@example.org>"
        message["Subject"] = f"Re: {name}: {title}"
    text = body + {3: GERMAN, 7: RUSSIAN, 11: JAPANESE}.get(number % 13, "")
    message.set_content(text, cte="base64" if number % 4 == 0 else "quoted-printable")
    if number % 6 == 0:
        message.add_alternative(f"<html><body><h1>{html.escape(title)}</h1>"
                                f"<p>{html.escape(body)}</p></body></html>", subtype="html")
    if number % 9 == 0:
        message.add_attachment(bytes(range(256)) * 20, maintype="application",
                               subtype="octet-stream", filename=f"{name}.bin")
    with open(f"{place}/cur/{number}.example:2,S", "wb") as file:
        file.write(bytes(message))


def write_tree(place, number, name, title, body):
    folder = f"{place}/{name[0]}"
    os.makedirs(folder, exist_ok=True)
    if number % 2 == 0:
        paragraphs = "".join(f"<p>{html.escape(text)}</p>\n" for text in body.split("\n\n"))
        content = (f"<html><head><title>{html.escape(title)}</title></head>\n"
                   f"<body><h1>{html.escape(name)}</h1>\n{paragraphs}</body></html>\n")
    else:
        content = f"{name}: {title}\n\n{body}"
    with open(f"{folder}/{name}.{'txt' if number % 2 else 'html'}", "w", encoding="utf-8") as file:
        file.write(content)


def write_package(place, number, name, title, body):
    text = "".join(f" {line or '.'}\n" for line in body.splitlines())
    with open(place, "w" if number == int(sys.argv[4]) else "a", encoding="utf-8") as file:
        file.write(f"Package: {name}\nVersion: {number}\nArchitecture: all\nSection: misc\n"
                   f"Installed-Size: 1\nSize: 1\nDescription: {title}\n{text}\n")


def write_query(place, number, name, title, body):
    words = re.findall(r"\b[a-z]{4,}\b", title.lower())
    if len(words) > 1:
        with open(place, "a", encoding="utf-8") as file:
            file.write(" ".join(words[:2 + number % 2]) + "\n")


def main():
    translation, kind, place, first, count = sys.argv[1:]
    write = {"mail": write_mail, "tree": write_tree, "packages": write_package,
             "queries": write_query}[kind]
    for description in descriptions(translation, int(first), int(count)):
        write(place, *description)


main()
