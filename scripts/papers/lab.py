# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the `braid` command, and runs nothing twice: each call leaves what it printed in the output
folder, under a name that follows from the call and the program."""

import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Failure(Exception):
    """A command that failed, or data that are missing."""


class Lab:
    def __init__(self, braid, data, out, quick=False, collections=None):
        self.program = Path(braid).resolve()
        self.data = Path(data).resolve()
        self.out = Path(out).resolve()
        self.quick = quick
        self.collections = collections or (["med", "cran"] if quick else list(Collection.TITLES))
        self.what = ""
        self.ran = self.kept = 0
        # Processor seconds of each call that this run's pages rest on, also of those kept from before.
        self.processor = {}
        if not self.program.is_file():
            raise Failure(f"{self.program}: no such program, expected the `braid` command; "
                          "scripts/test builds it")
        for folder in ("steps", "db", "runs", "reports", "files"):
            (self.out / folder).mkdir(parents=True, exist_ok=True)
        self.program_hash = hashlib.sha1(self.program.read_bytes()).hexdigest()

    def path(self, *parts):
        return self.out.joinpath(*parts)

    def file(self, name, text):
        """A file of ours for the command, written where it differs; its name for a call."""
        path = self.path("files", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return f"files/{name}"

    def braid(self, *arguments, out=None, makes=(), then=()):
        """What the command prints. `out`: a file for it instead; `makes`: what else it writes; `then`:
        arguments of a second call that reads what the first one prints."""
        arguments = [str(one) for one in arguments]
        then = [str(one) for one in then]
        inputs = [self.path(one) for one in arguments
                  if one.startswith("files/") and one not in makes]
        texts = [hashlib.sha1(one.read_bytes()).hexdigest() for one in inputs]
        key = json.dumps([arguments, then, out, texts, self.program_hash])
        name = f"{arguments[0]}-{hashlib.sha1(key.encode()).hexdigest()[:16]}.json"
        marker = self.path("steps", name)
        made = [self.path(one) for one in makes] + ([self.path(out)] if out else [])
        if marker.exists() and all(one.exists() for one in made):
            self.kept += 1
            record = json.loads(marker.read_text())
            self.processor[name] = record["processor"]
            return record["printed"]
        for one in made:
            one.parent.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        printed, processor = self._run(arguments, then, out)
        seconds = time.monotonic() - begin
        self.ran += 1
        self.processor[name] = processor
        self.say(f"{processor:6.1f} s  braid {' '.join(arguments)}"[:150])
        record = {"command": ["braid"] + arguments, "then": then, "seconds": seconds,
                  "processor": processor, "printed": printed}
        part = marker.with_suffix(".part")
        part.write_text(json.dumps(record))
        part.rename(marker)
        return printed

    def _run(self, arguments, then, out):
        """What a call prints, unless it goes into `out`, and its processor seconds, all threads."""
        before = os.times()
        with tempfile.TemporaryFile() as log:
            programs = []
            try:
                # A signal that came while a program is started would leave it out of `programs`.
                former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
                try:
                    for words in [arguments] + ([then] if then else []):
                        source = programs[0].stdout if programs else subprocess.DEVNULL
                        programs.append(subprocess.Popen(
                            [self.program] + words, cwd=self.out, stderr=log, stdin=source,
                            stdout=subprocess.PIPE,
                            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, former)))
                    if then:
                        programs[0].stdout.close()
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, former)
                with programs[-1].stdout as text:
                    printed = text.read()
                codes = [one.wait() for one in programs]
            except BaseException:  # A call that is stopped leaves no program behind.
                for one in programs:
                    one.terminate()
                    one.wait()
                raise
            log.seek(0)
            errors = log.read().decode(errors="replace")
        if any(codes):
            lines = errors.strip().split("\n")[-4:]
            raise Failure(f"braid {' '.join(arguments)}: " + " / ".join(lines))
        after = os.times()
        processor = (after.children_user - before.children_user +
                     after.children_system - before.children_system)
        if not out:
            return printed.decode(errors="replace"), processor
        part = self.path(out + ".part")
        part.write_bytes(printed)
        part.rename(self.path(out))
        return "", processor

    def forget(self, what):
        """Steps that named a file or folder which is gone: it is made again from the start."""
        for marker in self.path("steps").glob("*.json"):
            if what in json.loads(marker.read_text()).get("command", []):
                marker.unlink()

    def json(self, *arguments, **options):
        return json.loads(self.braid(*arguments, **options))

    def seconds_of(self, *arguments):
        """Processor seconds of a call, all threads; measured once."""
        marker = self.path("steps", "time-" + hashlib.sha1(
            json.dumps([arguments, self.program_hash]).encode()).hexdigest()[:16])
        if not marker.exists():
            _, seconds = self._run([str(one) for one in arguments], [], None)
            marker.write_text(repr(seconds))
            self.ran += 1
            self.say(f"timed  braid {' '.join(map(str, arguments))}"[:150])
        self.processor[marker.name] = float(marker.read_text())
        return self.processor[marker.name]

    def report(self, name, *arguments):
        """The JSON of `braid train --report` for such a call."""
        file = f"reports/{name}.json"
        self.braid("train", *arguments, "--quiet", "--report", file, makes=[file])
        return json.loads(self.path(file).read_text())

    def say(self, text):
        print(f"{self.what:<28} {text}", file=sys.stderr, flush=True)

    def need(self, *parts):
        path = self.data.joinpath(*parts)
        if not path.exists():
            raise Failure(f"{path}: no such file, expected the collections of docs/papers/README.md; "
                          "--data names their folder")
        return path


class Collection:
    """A text collection of SMART, or the four merged, as the command reads them."""

    FILES = {"med": ("MED.ALL.gz", "MED.QRY", "MED.REL"),
             "cran": ("cran.all.1400.gz", "cran.qry", "cranqrel"),
             "cisi": ("CISI.ALL.gz", "CISI.QRY", "CISI.REL"),
             "cacm": ("cacm.all.gz", "query.text", "qrels.text")}
    # The papers' numbers of topics (LSI, pLSI, LDI), and those that they tried.
    TOPICS = {"med": (100, 100, 100), "cran": (125, 150, 100), "cisi": (150, 50, 100),
              "cacm": (125, 75, 75), "mc": (500, 400, 200)}
    TRIED = {"med": (50, 75, 100, 125), "cran": (50, 75, 100, 125, 150),
             "cisi": (50, 75, 100, 125, 150), "cacm": (50, 75, 100, 125),
             "mc": (100, 150, 200, 250, 400, 500)}
    TITLES = {"med": "MED", "cran": "CRAN", "cisi": "CISI", "cacm": "CACM", "mc": "merged"}

    def __init__(self, lab, name):
        self.lab, self.name, self.title = lab, name, self.TITLES[name]
        self.parts = list(self.FILES) if name == "mc" else [name]
        self.db = f"db/{name}"
        # Cranfield's judgements name queries by their place and have an inverted scale; the others
        # read the same with these two options.
        self.queries = ["--query-ids", "sequence"]
        self.judgements = ["--grades", "all=1"]
        for part in self.parts:
            _, queries, judgements = self.FILES[part]
            self.queries += ["--queries", lab.need(part, queries)]
            self.judgements += ["--qrels", lab.need(part, judgements)]
        self.prefixes = []
        if name == "mc":
            for part in self.parts:
                self.prefixes += ["--id-prefix", part + ":"]
        # The whole collection is ranked; of the merged one the first thousand, which keeps files small.
        self.depth = "1000" if name == "mc" else "all"

    def index(self):
        if not self.lab.path(self.db).exists():
            self.lab.forget(self.db)
        for part in self.parts:
            prefix = ["--id-prefix", part + ":"] if self.name == "mc" else []
            self.lab.braid("index", "--db", self.db, "--quiet", *prefix, "--stop-words",
                           self.lab.need("stop", "smart.571"),
                           self.lab.need(part, self.FILES[part][0]), makes=[self.db])
        self.lab.braid("adopt", "--db", self.db, "--quiet", "--statistics", makes=[self.db])

    def adopt(self, key, models):
        """Learns topic models: lines of a configuration's `topics`."""
        self.index()
        config = self.lab.file(f"topics-{self.name}-{key}.yaml",
                               "topics:\n" + "".join(f"  - {{{one}}}\n" for one in models))
        self.lab.braid("adopt", "--db", self.db, "--quiet", "--config", config, makes=[self.db])

    def run(self, key, rankers):
        """A run by rankers, which are lines of a configuration's `rankers`; its file."""
        file = f"runs/{self.name}/{key}.run"
        self.lab.braid("run", "--db", self.db, *self.queries, *self.prefixes, "--model",
                       self.model(key, rankers), "--candidates", "all", "--depth", self.depth,
                       "--quiet", "--name", key, out=file)
        return file

    def model(self, key, rankers):
        return self.lab.file(f"model-{self.name}-{key}.yaml",
                             "model:\n  rankers:\n" + "".join(f"    - {{{one}}}\n" for one in rankers))

    def measured(self, ranker, topics):
        """What `braid eval --json` says of a ranker by a topic model, without keeping its run."""
        found = self.lab.json("run", "--db", self.db, *self.queries, *self.prefixes, "--model",
                              self.model(topics, [f"ranker: {ranker}, topics: {topics}"]), "--candidates",
                              "all", "--depth", self.depth, "--quiet",
                              then=["eval", *self.judgements, *self.prefixes, "--measures", "map",
                                    "--per-query", "--json", "--quiet", "-"])
        return found["runs"][0]

    def map_of(self, ranker, topics):
        return self.measured(ranker, topics)["mean"]["map"]

    def evaluate(self, files, measures="map", test="t", baseline=None):
        """`braid eval --json` of runs: {name: {mean, difference, precision}}; the first is the
        baseline."""
        found = self.lab.json("eval", *self.judgements, *self.prefixes, "--measures", measures,
                              *(["--test", test] if len(files) > 1 else []), "--json", "--quiet",
                              *(["--baseline", baseline] if baseline else []), *files)
        return {one["name"]: one for one in found["runs"]}


def read_vectors(lab, name):
    """The names and rows of `braid topics --export`."""
    data = lab.path(name + ".npy").read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    count, width = (int(x) for x in header.split("(")[1].split(")")[0].split(",")[:2])
    values = struct.unpack(f"<{count * width}f", data[10 + size:])
    rows = [values[i * width:(i + 1) * width] for i in range(count)]
    return lab.path(name + ".ids").read_text().split("\n")[:count], rows
