# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python module on databases that python3-xapian and the braid command made."""

import os
import subprocess
import tempfile
import threading
import unittest

import xapian

import braid

TEXTS = [
    "a small editor for plain text files",
    "an editor of sound files with many effects",
    "a chess game against the computer or a friend",
    "another chess program with opening books",
    "a viewer of pictures and photographs",
    "draws diagrams from plain text files",
]


def make_database(path):
    """Documents whose data is their text, with the words stemmed and 'XT' terms as kinds."""
    database = xapian.WritableDatabase(path, xapian.DB_CREATE_OR_OPEN)
    generator = xapian.TermGenerator()
    generator.set_stemmer(xapian.Stem("en"))
    for number in range(60):
        text = TEXTS[number % len(TEXTS)]
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(text + f" number{number}")
        document.set_data(text)
        document.add_boolean_term("Qd%d" % number)
        document.add_boolean_term("XT%d" % (number % 2))
        database.add_document(document)
    database.commit()
    database.close()


def run(*arguments):
    subprocess.run([os.environ["BRAID_PROGRAM"], *arguments], check=True, capture_output=True)


class ModuleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "db")
        make_database(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class SearcherTest(ModuleTest):
    def test_a_path_is_ranked_by_bm25_where_the_database_has_no_model(self):
        result = braid.Searcher(self.path).search("chess computer", count=5)
        self.assertEqual(len(result), 5)
        self.assertGreaterEqual(result.matches, 5)
        self.assertEqual([hit.rank for hit in result], [1, 2, 3, 4, 5])
        self.assertEqual(result.hits[0].data, TEXTS[2].encode())

        scores = [hit.score for hit in result]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_a_database_of_xapian_serves_and_is_not_reopened(self):
        database = xapian.Database(self.path)
        searcher = braid.Searcher(database, "words")
        before = database.get_revision() if hasattr(database, "get_revision") else None
        hits = searcher.search("editor", explain=True).hits
        self.assertGreater(len(hits), 2)
        parts = sum(ranker.contribution for ranker in hits[0].rankers)
        self.assertAlmostEqual(parts, hits[0].score, delta=1e-9 * parts)
        if before is not None:
            self.assertEqual(database.get_revision(), before)

    def test_queries_and_filters_of_xapian_and_in_text(self):
        searcher = braid.Searcher(self.path)
        query = xapian.Query("Zchess")
        everything = {hit.docid for hit in searcher.search(query=query, count=60)}
        self.assertEqual(len(everything), 20)
        half = xapian.Query("XT1")
        kept = {hit.docid for hit in searcher.search(query=query, filter=half, count=60)}
        self.assertEqual(kept, {docid for docid in everything if docid % 2 == 0})
        self.assertEqual(len(searcher.search("chess", filter="computer", count=60)), 10)
        self.assertEqual(len(searcher.search("chess", filter=["computer", "books"])), 0)

    def test_pages_follow_each_other(self):
        searcher = braid.Searcher(self.path)
        whole = [hit.docid for hit in searcher.search("text files", count=20)]
        pages = [hit.docid for first in (0, 7, 14)
                 for hit in searcher.search("text files", first=first, count=7)]
        self.assertEqual(pages[:20], whole)

    def test_topics_that_the_command_adopted(self):
        path = os.path.join(self.folder.name, "topics")
        make_database(path)
        run("adopt", "--quiet", "--db", path, "--topics", "lsa:4")
        model = os.path.join(self.folder.name, "model.yaml")
        with open(model, "w", encoding="utf-8") as file:
            file.write("model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: lsa, weight: 5}\n")
        searcher = braid.Searcher(path, model)
        hits = searcher.search("chess", explain=True, candidates="all", count=60).hits
        self.assertGreaterEqual(len(hits), 20)
        self.assertGreater(hits[0].rankers[1].contribution, 0)
        self.assertEqual([ranker.label for ranker in hits[0].rankers], ["bm25", "lsa"])

    def test_threads_search_at_once(self):
        counts = []

        def work():
            searcher = braid.Searcher(self.path)
            for _ in range(50):
                counts.append(len(searcher.search("editor files")))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [10] * 200)

    def test_a_posting_source_written_in_python_may_stand_in_the_query(self):
        class Even(xapian.PostingSource):
            def init(self, database):
                self.last = database.get_lastdocid()
                self.at = 0
                self.set_maxweight(1.0)

            def get_termfreq_min(self):
                return 0

            def get_termfreq_est(self):
                return self.last // 2

            def get_termfreq_max(self):
                return self.last

            def get_weight(self):
                return 1.0

            def __next__(self, least):
                self.at += 2

            def at_end(self):
                return self.at > self.last

            def get_docid(self):
                return self.at

            # Xapian 2 calls `init` by this name.
            def reset(self, database, _):
                self.init(database)

        source = Even()
        query = xapian.Query(xapian.Query.OP_FILTER, xapian.Query("Zchess"), xapian.Query(source))
        docids = [hit.docid for hit in braid.Searcher(self.path).search(query=query, count=60)]
        self.assertEqual(len(docids), 10)
        self.assertTrue(all(docid % 2 == 0 for docid in docids))


class ApplyTest(ModuleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = os.path.join(cls.folder.name, "topics.yaml")
        with open(cls.model, "w", encoding="utf-8") as file:
            file.write("model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: lsa, weight: 5}\n")
        cls.adopted = os.path.join(cls.folder.name, "adopted")
        make_database(cls.adopted)
        run("adopt", "--quiet", "--db", cls.adopted, "--topics", "lsa:4", "--install",
            "--force", "--config", cls.model)
        cls.query = xapian.Query(xapian.Query.OP_OR, ["Zchess", "Zcomput"])

    def matches(self, enquire, **arguments):
        return [(match.docid, match.weight) for match in enquire.get_mset(0, 60, 60, **arguments)]

    def test_the_installed_model_ranks_as_searcher_does(self):
        enquire = xapian.Enquire(xapian.Database(self.adopted))
        ranked = braid.apply(enquire, self.query)
        self.assertEqual(ranked.why_not_fused, "")
        self.assertTrue(ranked.path)
        found = self.matches(enquire)
        expected = braid.Searcher(self.adopted).search(
            query=self.query, count=60, candidates="words")
        self.assertEqual(len(found), len(expected))
        for (docid, weight), hit in zip(found, expected):
            self.assertEqual(docid, hit.docid)
            self.assertAlmostEqual(weight, hit.score, delta=1e-12 * weight)

    def test_deciders_and_a_later_plain_query(self):
        class Odd(xapian.MatchDecider):
            def __call__(self, document):
                return document.get_docid() % 2 == 1

        enquire = xapian.Enquire(xapian.Database(self.adopted))
        enquire.set_query(self.query)
        plain = self.matches(enquire)
        braid.apply(enquire, self.query)
        self.assertEqual({docid for docid, _ in self.matches(enquire)},
                         {docid for docid, _ in plain})
        odd = enquire.get_mset(0, 60, 60, None, Odd())
        self.assertEqual({match.docid for match in odd},
                         {docid for docid, _ in plain if docid % 2 == 1})
        enquire.set_query(self.query)
        self.assertEqual(self.matches(enquire), plain)

    def test_a_calibrated_model_gives_probabilities(self):
        calibrated = os.path.join(self.folder.name, "calibrated.yaml")
        with open(calibrated, "w", encoding="utf-8") as file:
            file.write("model:\n  rankers: [{ranker: bm25}]\n"
                       "  calibration: {scores: [0.05, 0.9], probabilities: [0.1, 0.8]}\n")
        database = xapian.Database(self.adopted)
        enquire = xapian.Enquire(database)
        ranked = braid.Ranking(database, calibrated).apply(enquire, self.query)
        hits = braid.Searcher(self.adopted, calibrated).search(query=self.query, count=60).hits
        self.assertGreater(len(hits), 10)
        for (_, score), hit in zip(self.matches(enquire), hits):
            self.assertAlmostEqual(ranked.probability(score), hit.probability, 12)
        least = ranked.least_score(0.3)
        self.assertAlmostEqual(ranked.probability(least), 0.3, 12)
        self.assertEqual(ranked.least_score(0.95), float("inf"))
        few = braid.Searcher(self.adopted, calibrated).search(query=self.query, count=60,
                                                               min_probability=0.3)
        self.assertEqual(len(few.hits), sum(hit.score >= least for hit in hits))
        plain = braid.apply(enquire, self.query, "words")
        self.assertIsNone(plain.probability(1))
        self.assertIsNone(plain.least_score(0.5))

    def test_spies_and_deciders_in_python_while_other_threads_search(self):
        class Scores(xapian.MatchSpy):
            def __init__(self):
                super().__init__()
                self.seen = []

            def __call__(self, document, weight):
                self.seen.append(weight)

        class Half(xapian.MatchDecider):
            def __init__(self):
                super().__init__()
                self.asked = 0

            def __call__(self, document):
                self.asked += 1
                return self.asked % 2 == 1

        going = threading.Event()
        counts = []

        def search():
            searcher = braid.Searcher(self.adopted)
            query = xapian.Query(xapian.Query.OP_OR, ["Zchess", "Zcomput"])
            while not going.is_set():
                counts.append(len(searcher.search(query=query, filter=xapian.Query("XT1"),
                                                  count=60)))

        threads = [threading.Thread(target=search) for _ in range(2)]
        for thread in threads:
            thread.start()
        enquire = xapian.Enquire(xapian.Database(self.adopted))
        braid.apply(enquire, self.query)
        everything = [weight for _, weight in self.matches(enquire)]
        for _ in range(100):
            spy, decider = Scores(), Half()
            enquire.clear_matchspies()
            enquire.add_matchspy(spy)
            braid.apply(enquire, self.query)
            found = enquire.get_mset(0, 60, 60, None, decider)
            self.assertEqual(decider.asked, len(everything))
            self.assertEqual(len(found), (len(everything) + 1) // 2)
            self.assertEqual(sorted(spy.seen), sorted(match.weight for match in found))
        going.set()
        for thread in threads:
            thread.join()
        self.assertEqual(set(counts), {10})

    def test_a_preset_or_file_and_a_kept_ranking(self):
        enquire = xapian.Enquire(xapian.Database(self.adopted))
        by_file = [braid.apply(enquire, self.query, self.model) and self.matches(enquire)
                   for _ in range(3)]
        self.assertEqual(by_file[0], by_file[2])
        braid.apply(enquire, self.query, "words")
        self.assertNotEqual(by_file[0], self.matches(enquire))
        ranking = braid.Ranking(xapian.Database(self.adopted), self.model, candidates="all")
        other = xapian.Enquire(xapian.Database(self.adopted))
        ranking.apply(other, self.query)
        self.assertGreaterEqual(len(self.matches(other)), len(by_file[0]))

    def test_a_database_that_changed_asks_for_another_apply(self):
        path = os.path.join(self.folder.name, "changing")
        make_database(path)
        database = xapian.Database(path)
        enquire = xapian.Enquire(database)
        braid.apply(enquire, self.query, "words")
        before = len(self.matches(enquire))
        make_database(path)
        database.reopen()
        with self.assertRaises(xapian.InvalidOperationError):
            enquire.get_mset(0, 10)
        braid.apply(enquire, self.query, "words")
        self.assertEqual(len(enquire.get_mset(0, 120, 120)), 2 * before)

    def test_what_is_wrong_is_said(self):
        enquire = xapian.Enquire(xapian.Database(self.path))
        with self.assertRaisesRegex(braid.ModelMismatch, "braid adopt"):
            braid.apply(enquire, self.query)
        with self.assertRaisesRegex(TypeError, "expected a xapian.Query"):
            braid.apply(enquire, "chess")
        with self.assertRaisesRegex(TypeError, "expected a xapian.Enquire"):
            braid.apply(self.path, self.query)
        del enquire.braid_database
        with self.assertRaisesRegex(ValueError, "database="):
            braid.apply(enquire, self.query, "words")
        braid.apply(enquire, self.query, "words", database=xapian.Database(self.path))


class ErrorTest(ModuleTest):
    def check(self, error, text, work):
        with self.assertRaises(error) as raised:
            work()
        self.assertIn(text, str(raised.exception))

    def test_errors_are_exceptions_with_a_common_root(self):
        self.assertTrue(issubclass(braid.ModelMismatch, braid.Error))
        self.check(braid.Error, "no such file", lambda: braid.Searcher("/nowhere/at/all"))
        self.check(braid.UnknownComponent, "known: standard",
                   lambda: braid.Searcher(self.path, "no such model"))
        self.check(braid.ModelMismatch, "braid adopt",
                   lambda: braid.Searcher(self.path, "standard").search("chess"))
        self.check(braid.InvalidArgument, "words, all or hybrid",
                   lambda: braid.Searcher(self.path).search("chess", candidates="some"))

    def test_wrong_types(self):
        self.check(TypeError, "expected a xapian.Query",
                   lambda: braid.Searcher(self.path).search(query="chess"))
        self.check(TypeError, "xapian.Database", lambda: braid.Searcher(7))

    def test_errors_of_xapian_are_those_of_its_module(self):
        database = xapian.Database(self.path)
        searcher = braid.Searcher(database)
        database.close()
        with self.assertRaises((xapian.Error, braid.Error)):
            searcher.search("chess")


if __name__ == "__main__":
    unittest.main()
