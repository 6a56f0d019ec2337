# SPDX-License-Identifier: GPL-2.0-or-later
"""What each paper claims, what we find and where it fails: our reading of the tables, without figures."""

from dataclasses import dataclass


@dataclass
class Summary:
    title: str
    claims: str
    finds: str
    fails: str

    def parts(self, counts):
        """(heading, text) of a page's first lines; `counts` says how many orderings hold."""
        return [("It claims.", self.claims), ("We find.", f"{self.finds} {counts}".strip()),
                ("Where it fails, and why.", self.fails)]


SUMMARIES = {
    "ldi-enm": Summary(
        "Indexing by latent Dirichlet allocation and an ensemble model (Wang, Lee, Choi 2016)",
        "Documents indexed by the mean of their words' topics (LDI) are ranked better than by TF-IDF, LSI, pLSI "
        "and LBDM; equal weights of four rankers (UniEnM) are better still, and weights learned by boosting "
        "(EnM) best, on MED, CRAN, CISI, CACM and the four merged.",
        "The ensembles' claims hold: equal weights gain over LDI everywhere, and learned weights over equal "
        "ones on all but CACM. LDI is above pLSI on three of five, and shown above LSI on none. pLSI is above the "
        "paper's at its K on all five, also where other queries choose its beta (table 5).",
        "LDI's place above TFIDF and LSI rests on weak forms of the other rankers: ours, with stems and the "
        "usual weights, are far above the paper's (table 7), while one chain of a topic model is noise in good "
        "part. Its five seeds differ by as much as the paper's rankers do, and five chains together are better "
        "than any one. pLSI stands and falls with its beta, which the paper chose by the test queries "
        "(table 5)."),
    "genm": Summary(
        "Generalized ensemble model for document ranking (Wang, Choi, Liu 2017)",
        "Gradient ascent on a smooth form of MAP finds better weights than boosting does: in a batch "
        "(gEnM.BAT), one query at a time (gEnM.ON), and from rankings alone, without judgements (UnsEnM); "
        "mostly significantly so, in MAP, P@1 and P@5.",
        "gEnM.BAT and gEnM.ON gain a hundredth of MAP over EnM where queries are many (CRAN and merged), a part "
        "of what the paper prints, and no precision at 1 or 5 that a test shows. UnsEnM, which needs no "
        "judgements, stays within a hundredth of EnM.",
        "On MED, from two halves of fifteen queries, no learner of weights is above EnM in any measure that a "
        "test would notice; the paper's gains in P@1 there are of two queries. Its UnsEnM was started from "
        "where the true MAP was best, which a method without judgements can't know; from the weights as they "
        "are it stays near them. The toy's printed values don't follow from its scores, and theorem 4 (every "
        "step improves) is false."),
    "sser": Summary(
        "Semi-supervised ensemble ranking (Hoi, Jin 2008)",
        "An ensemble whose weights also follow from the similarity of rankers' scores on documents without "
        "judgements (SSER) is the best of seven learners on OHSUMED, above all at ranks 1 and 2, with a best "
        "weight of similarity at gamma .5; it learns in seconds, RankSVM in hours.",
        "The seven learners are about equal, and SSER equals SER: gamma moves MAP in the third digit at most. "
        "The claim of speed is gone: SER and RankSVM both learn in hundredths of a second, and SSER is slower than "
        "either (table 3).",
        "The learners differ by less than 106 queries can tell, so most orderings can be neither confirmed nor "
        "refuted. The claim of speed is one about solvers of 2008: a RankSVM that sums over sorted scores needs "
        "no pairs, and no learner here needs more than seconds."),
    "direct": Summary(
        "Direct optimization of evaluation measures (Xu, Li, Liu, Peng, Lu, Ma)",
        "Learners that optimise the measure itself, through bounds of type one (AdaRank) or two (SVM-map, "
        "PermuRank), are better than RankSVM and RankBoost, on OHSUMED significantly in NDCG@1, and equal among "
        "themselves; AdaRank gains on pairs with a definitely relevant document, and on queries of few pairs.",
        "The bounds behave as drawn if F is SVM-map's, and the learners' MAP is near the paper's. That direct "
        "optimisation is better is not shown on OHSUMED.",
        "At 106 queries the differences are within chance, also in NDCG@1, where the paper finds significance "
        "with LETOR 2.0's features. The bounds behave as drawn only with the score F of SVM-map, over pairs of "
        "unequal grades; with the paper's own F, over all pairs, type two is never the tighter one. Theorem 4's "
        "lower bound says little after the first round. WSJ and AP, its large collections, are not among our "
        "data."),
    "awelv": Summary(
        "Generalized ambiguity decomposition for ranking ensemble learning (Liu, Du, Wu)",
        "An ensemble loss is the mean loss of its rankers less their diversity. So a learner with a list loss, "
        "a reward for diversity and weights that follow from each query (aWELv) is above nine ensembles in "
        "merging ranked lists, and above every list; weights by query give most of it (+.04 NDCG@5).",
        "aWELv is far above fusion without judgements and above every list, as the paper has it, and level with "
        "ConvexDS and bagged regression. Diversity gains nothing that a test shows, and weights by query gain "
        "nothing on these data.",
        "The large gain, by weights that follow from each query, is **not reproduced**: the data lack the "
        "queries' words, and statistics of their lists don't replace them. Table 6 has what it takes for such "
        "weights to pay. AEM, the paper's second, is below plain weights here. In recommendation nothing can be "
        "measured: the recommenders' scores are not among our data."),
}
