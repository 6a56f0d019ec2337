# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/reproduce without data: its list, its mathematics and its pages."""

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from collections import Counter
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
LOADER = SourceFileLoader("reproduce", str(ROOT / "scripts" / "reproduce"))
REPRODUCE = importlib.util.module_from_spec(importlib.util.spec_from_loader("reproduce", LOADER))
LOADER.exec_module(REPRODUCE)
from papers import charts, genm, lab, ldi_enm, pages, steps, toy, tsne  # noqa: E402
from papers.summaries import SUMMARIES  # noqa: E402

# How many tables and figures each paper has; figure 2 of awelv has four parts, table B of ldi-enm five.
EXPECTED = {("ldi-enm", "table"): 12, ("ldi-enm", "figure"): 10, ("ldi-enm", "example"): 2,
            ("genm", "table"): 4, ("genm", "figure"): 5, ("sser", "table"): 3, ("sser", "figure"): 3,
            ("direct", "table"): 4, ("direct", "figure"): 16, ("awelv", "table"): 9,
            ("awelv", "figure"): 5}


class List(unittest.TestCase):
    def test_has_a_step_or_a_reason_for_each(self):
        self.assertEqual(REPRODUCE.problems(REPRODUCE.entries(), REPRODUCE.STEPS), [])

    def test_has_every_table_and_figure(self):
        found = Counter((one["paper"], one["item"].split()[0]) for one in REPRODUCE.entries())
        self.assertEqual(dict(found), EXPECTED)

    def test_wrong_lists_are_found(self):
        good = {"paper": "sser", "item": "table 9", "claims": "c", "needs": "n", "step": "s"}
        steps = {"s": None}
        self.assertEqual(REPRODUCE.problems([good], steps), [])
        for change, message in (({"step": "other"}, "no step other"), ({"reason": "x" * 20}, "either"),
                                ({"paper": "other"}, "no such paper"), ({"claims": ""}, "claims")):
            self.assertIn(message, "".join(REPRODUCE.problems([{**good, **change}], steps)))
        bare = {key: good[key] for key in ("paper", "item", "claims", "needs")}
        self.assertIn("either", REPRODUCE.problems([bare], {})[0])
        self.assertIn("twice", "".join(REPRODUCE.problems([good, good], steps)))
        self.assertIn("no table", "".join(REPRODUCE.problems([], steps)))


class Written(unittest.TestCase):
    """The pages in docs/papers, which a run wrote."""

    def sections(self, paper):
        text = (ROOT / "docs" / "papers" / f"{paper}.md").read_text()
        return dict(part.split("\n", 1) for part in text.split("\n## ")[1:])

    def test_every_table_and_figure_is_there(self):
        for paper in SUMMARIES:
            sections = self.sections(paper)
            for entry in (one for one in REPRODUCE.entries() if one["paper"] == paper):
                text = sections.get(pages.title_of(entry), "")
                self.assertGreater(len(text.strip()), 20, f"{paper}, {entry['item']}")
                self.assertNotIn("**Not made:**", text)
                self.assertNotIn("Not in this run", text)
                if "reason" in entry:
                    self.assertIn(entry["reason"], text)

    def test_every_picture_is_there_and_shown(self):
        folder = ROOT / "docs" / "papers"
        shown = {name for page in folder.glob("*.md")
                 for name in re.findall(r"\]\(([^)/]+\.svg)\)", page.read_text())}
        self.assertEqual(shown, {one.name for one in folder.glob("*.svg")})


    def test_every_page_is_of_the_same_whole_run(self):
        folder = ROOT / "docs" / "papers"
        names = [f"{paper}.md" for paper in SUMMARIES] + ["orderings.md", "README.md"]
        made = {name: re.findall("^Made by `scripts/reproduce`.*$", (folder / name).read_text(), re.M)
                for name in names}
        self.assertEqual(len({tuple(lines) for lines in made.values()}), 1, made)
        self.assertIn("a whole run", made["README.md"][0])

    def test_the_counts_of_orderings_agree(self):
        folder = ROOT / "docs" / "papers"
        every = re.compile("Orderings tested: ([0-9]+)")
        total = every.findall((folder / "orderings.md").read_text())
        self.assertEqual(every.findall((folder / "README.md").read_text()), total)
        parts = [int(every.findall((folder / f"{paper}.md").read_text())[0]) for paper in SUMMARIES]
        self.assertEqual(sum(parts), int(total[0]))


class Halves(unittest.TestCase):
    def test_each_half_is_measured_by_what_the_other_one_chose(self):
        def said(*values):
            return [{"per_query": {str(i): {"map": value} for i, value in enumerate(values)}}]
        # Queries 0 and 2 are best at 50 topics, 1 and 3 at 100.
        chosen, value = ldi_enm.chosen_by_half({50: said(.8, .1, .6, .1), 100: said(.2, .5, .2, .7)})
        self.assertEqual(chosen, [100, 50])
        self.assertAlmostEqual(value, (.2 + .1 + .2 + .1) / 4)

    def test_the_mean_of_seeds_chooses(self):
        def said(*values):
            return {"per_query": {str(i): {"map": value} for i, value in enumerate(values)}}
        chosen, value = ldi_enm.chosen_by_half({50: [said(.9, .9), said(.1, .1)], 100: [said(.6, .6)] * 2})
        self.assertEqual(chosen, [100, 100])
        self.assertAlmostEqual(value, .6)


class Toys(unittest.TestCase):
    def test_the_papers_documents_and_similarities_follow_from_its_words(self):
        documents = {name: toy.mean_vector(text) for name, text in toy.TOY.items()}
        self.assertLess(toy.worst_difference(documents, toy.PAPER_DOCUMENTS), 7e-5)
        similarities = {name: tuple(toy.cosine(vector, toy.mean_vector(query))
                                    for query in toy.TOY_QUERIES.values())
                        for name, vector in documents.items()}
        self.assertLess(toy.worst_difference(similarities, toy.PAPER_SIMILARITIES), 1.5e-4)

    def test_boosting_has_the_papers_weights(self):
        table = toy.toy_boosting(None, [])[1]
        self.assertAlmostEqual(table.rows[0][3], 1.298, places=3)
        self.assertAlmostEqual(table.rows[1][3], 1.285, places=3)
        for place, expected in zip((4, 5, 6), (.284, .431, .284)):
            self.assertAlmostEqual(table.rows[0][place], expected, places=3)

    def test_weights_of_the_first_table(self):
        rows = genm.toy_weights(None, [])[0].rows
        for row, expected in zip(rows, (5 / 6, 5 / 6, 5 / 6, 1)):
            self.assertAlmostEqual(row[4], expected)

    def test_t_sne_keeps_clusters_apart(self):
        rows = [(10.0 * (i % 2) + .01 * i, .02 * i) for i in range(30)]
        at = tsne.t_sne(rows, rounds=150, perplexity=5)
        same = [math.dist(at[i], at[j]) for i in range(30) for j in range(i) if i % 2 == j % 2]
        other = [math.dist(at[i], at[j]) for i in range(30) for j in range(i) if i % 2 != j % 2]
        self.assertLess(sum(same) / len(same), sum(other) / len(other))


class Pages(unittest.TestCase):
    def setUp(self):
        entry = {"paper": "sser", "item": "figure 1", "claims": "a < b & c", "needs": "d"}
        chart = charts.lines("A & B", "x", "y", [("<one>", [0, 1, 2], [.1, None, .3])])
        blocks = [steps.Text("`code` & **bold**"), steps.Table(["a"], [[.25], [None], ["x|y"]]),
                  steps.Chart(chart, "drawn")]
        lost = {**entry, "item": "figure 2"}
        self.papers = {"sser": [steps.Item(entry, blocks), steps.Item(lost, [], "no data"),
                                steps.Item({**lost, "item": "table 1", "reason": "we lack it"})]}
        self.orderings = [steps.Ordering("sser", "here", "a > b", "map", .02, .01),
                          steps.Ordering("sser", "here", "b > c", "map", -.02, .01),
                          steps.Ordering("sser", "here", "c > d", "map", .02, .5)]

    def test_html_is_one_file_without_network(self):
        self.papers["sser"][0].calls = {"a": 90.0, "b": 30.0}
        page = pages.html(self.papers, self.orderings, "facts", REPRODUCE.times_of(self.papers))
        for part in ("<td>sser</td><td>2</td><td>2.0</td>", "&lt;one&gt;", "a &lt; b &amp; c", "no data",
                     "<code>code</code>", "we lack it", 'class="holds"', "Holds (p &lt; .05): 1"):
            self.assertIn(part, page)
        self.assertNotIn("<script", page)
        for address in ("src=", "href=\"http", "url(", "@import"):
            self.assertNotIn(address, page)

    def test_charts_are_xml(self):
        for drawn in (charts.bars("b", "y", ["p", "q"], [("s", [.5, None])]),
                      charts.points("p", [("g", [(0, 1, "<n>")])], True),
                      charts.lines("l", "x", "y", [("empty", [], [])])):
            xml.etree.ElementTree.fromstring(drawn)

    def test_claims_stand_between_the_marks_of_a_page(self):
        self.orderings += [steps.Ordering("sser", "there", "a > b", measure, difference, .02)
                           for measure, difference in (("p@1", -.03), ("map", -.01))]
        text = "before\n" + pages.MARKS[0] + "stale\n" + pages.MARKS[1] + "after\n"
        made = pages.with_claims(text, self.orderings, "facts")
        self.assertIn("| sser | a > b | here +.0200 | there -.0300 p@1, -.0100 |  |", made)
        self.assertTrue(made.startswith("before\n") and made.endswith("after\n"))
        self.assertNotIn("stale", made)
        self.assertEqual(pages.with_claims(made, self.orderings, "facts"), made)
        with self.assertRaisesRegex(ValueError, "around the claims"):
            pages.with_claims("no marks", self.orderings, "facts")

    def test_bands_have_the_extent_of_their_lines(self):
        drawn = charts.lines("l", "x", "y", [("s", [0, 1], [.5, .5])], (0, 1), (0, 1),
                             [("s", [0, 1], [[.2, .4], [.8, .3]])])
        corners = xml.etree.ElementTree.fromstring(drawn).find(".//{*}polygon").get("points")
        heights = [float(corner.split(",")[1]) for corner in corners.split()]
        plot = charts.Plot("l", "x", "y", (0, 1), (0, 1))
        for height, y in zip(heights, (.2, .3, .4, .8)):
            self.assertAlmostEqual(height, plot.y(y), places=1)

    def test_markdown_names_its_pictures(self):
        text, pictures = pages.markdown("sser", self.papers["sser"], self.orderings, "facts")
        self.assertEqual(list(pictures), ["sser-figure-1-2.svg"])
        self.assertIn("![drawn](sser-figure-1-2.svg)", text)
        self.assertIn("x\\|y", text)
        self.assertIn("| a > b | holds | here | map | +.0200 | .0100 |", text)
        self.assertIn("reversed", text)
        self.assertIn("not shown", text)


class Calls(unittest.TestCase):
    @staticmethod
    def program_of(folder, script):
        program = Path(folder) / "braid"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        return program

    def test_are_made_once_and_again_where_something_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.program_of(folder, "echo call >> calls\necho \"$@\"\n")
            made = lab.Lab(program, folder, Path(folder) / "out")
            calls = made.path("calls")
            self.assertEqual(made.braid("a", 1), "a 1\n")
            self.assertEqual(made.braid("a", 1), "a 1\n")
            self.assertEqual(calls.read_text(), "call\n")
            self.assertEqual(len(made.processor), 1)
            again = lab.Lab(program, folder, Path(folder) / "out")
            again.braid("a", 1)
            self.assertEqual(again.processor, made.processor)
            made.braid("a", 2, out="runs/x.run")
            self.assertEqual(made.path("runs/x.run").read_text(), "a 2\n")
            made.path("runs/x.run").unlink()
            made.braid("a", 2, out="runs/x.run")
            self.assertEqual(calls.read_text().count("call"), 3)
            config = made.file("c", "one")
            made.braid("b", config)
            made.file("c", "two")
            made.braid("b", config)
            self.assertEqual(calls.read_text().count("call"), 5)
            made.path("steps", "t-sne.json").write_text('{"made": 1, "processor": 1}')
            made.forget("b")
            made.braid("a", 1)
            self.assertEqual(calls.read_text().count("call"), 5)
            made.braid("b", config)
            self.assertEqual(calls.read_text().count("call"), 6)
            program.write_text(program.read_text() + "# another\n")
            lab.Lab(program, folder, Path(folder) / "out").braid("a", 1)
            self.assertEqual(calls.read_text().count("call"), 7)

    def test_a_run_that_is_ended_ends_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            pid = Path(folder) / "pid"
            program = self.program_of(folder, f"echo $$ > {pid}.new && mv {pid}.new {pid}\nexec sleep 600\n")
            Path(folder, "med").mkdir()
            with subprocess.Popen([sys.executable, ROOT / "scripts" / "reproduce", "--braid", program, "--data",
                                   folder, "--out", folder + "/out", "--only", "table 2", "ldi-enm"],
                                  stderr=subprocess.PIPE, text=True) as run:
                while not pid.exists() and run.poll() is None:
                    time.sleep(.01)
                run.terminate()
                self.assertIn("the same call goes on from here", run.stderr.read())
            self.assertEqual(run.returncode, 130)
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read_text()), 0)

    def test_failures_say_what_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.program_of(folder, "echo because >&2\nexit 1\n")
            made = lab.Lab(program, folder, Path(folder) / "out")
            with self.assertRaisesRegex(lab.Failure, "braid a: because"):
                made.braid("a")
            with self.assertRaisesRegex(lab.Failure, "no such file"):
                made.need("med", "MED.ALL.gz")
            self.assertFalse(json.loads("[]") or list(made.path("steps").glob("a-*")))


if __name__ == "__main__":
    unittest.main()
