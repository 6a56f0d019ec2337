# SPDX-License-Identifier: GPL-2.0-or-later
"""What a step finds, as blocks, and the pages made of them: one of HTML, and Markdown for each paper."""

import re
from dataclasses import dataclass, field
from html import escape

TITLES = {
    "ldi-enm": "Indexing by latent Dirichlet allocation and an ensemble model (Wang, Lee, Choi 2016)",
    "genm": "Generalized ensemble model for document ranking (Wang, Choi, Liu 2017)",
    "sser": "Semi-supervised ensemble ranking (Hoi, Jin 2008)",
    "direct": "Direct optimization of evaluation measures (Xu, Li, Liu, Peng, Lu, Ma)",
    "awelv": "Ranking ensembles with diversity and weights by query (Liu, Du, Wu)",
}

# Where a paper's claims fail here, and why: our reading of the tables below, not a measurement.
WHY = {
    "ldi-enm":
        "The ensembles' claims are the robust ones: equal weights gain over LDI, and learned weights "
        "over equal ones. Those of LDI over TFIDF and LSI rest on weak forms of the other rankers: "
        "ours, with stems and the usual weights, are far above the paper's (table 7), while one chain "
        "of a topic model is noise in good part. Its five seeds differ by as much as the paper's "
        "rankers do, and five chains together are better than any one. pLSI stands and falls with its "
        "beta, which the paper chose by the test queries (table 5).",
    "genm":
        "A better search for weights gains a hundredth of MAP beyond EnM where queries are many (CRAN and "
        "merged), a part of what the paper prints, and no precision at 1 or 5 that a test shows. "
        "On MED, from two halves of fifteen queries, no learner of weights is above "
        "EnM in any measure that a test would notice; the paper's gains in P@1 there are of two "
        "queries. Its UnsEnM was started from where the true MAP was best, which a method without "
        "judgements can't know; from the weights as they are it stays near them. The toy's printed "
        "values don't follow from its scores, and theorem 4 (every step improves) is false.",
    "sser":
        "The learners differ by less than 106 queries can tell, so most orderings can be neither "
        "confirmed nor refuted. The weight of similar scores (gamma) moves MAP in the third digit at "
        "most. The claim of speed is one about solvers of 2008: a RankSVM that sums over sorted scores "
        "needs no pairs, and no learner here needs more than seconds.",
    "direct":
        "Direct optimisation is not shown to be better on OHSUMED: at 106 queries the differences are "
        "within chance, also in NDCG@1, where the paper finds significance with LETOR 2.0's features. "
        "The bounds behave as drawn only with the score F of SVM-map, over pairs of unequal grades; "
        "with the paper's own F, over all pairs, type two is never the tighter one. Theorem 4's lower "
        "bound says little after the first round.",
    "awelv":
        "Learning from judgements is far above fusion without them, as the paper has it, and its list "
        "loss is among the best. Diversity gains nothing that a test shows. The large gain, by weights "
        "that follow from each query, is **not reproduced**: the data lack the queries' words, and "
        "statistics of their lists don't replace them. AEM, the paper's second, is below plain "
        "weights here.",
}


@dataclass
class Text:
    text: str


@dataclass
class Table:
    head: list
    rows: list


@dataclass
class Chart:
    svg: str
    title: str


@dataclass
class Ordering:
    """An ordering that a paper claims, and what queries say: `difference` of the first over the
    second, its p value, and so whether it holds."""
    paper: str
    where: str
    claim: str
    measure: str
    difference: float
    p: float

    @property
    def verdict(self):
        if self.p >= 0.05:
            return "not shown"
        return "holds" if self.difference > 0 else "reversed"


@dataclass
class Item:
    entry: dict
    blocks: list = field(default_factory=list)
    failure: str = ""
    calls: dict = field(default_factory=dict)  # Processor seconds of those that no earlier item made.


def cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.4f}"
    return str(value)


def p_text(p):
    return "<.0001" if p < 0.0001 else f"{p:.4f}".replace("0.", ".", 1)


def signed(value):
    return f"{value:+.4f}".replace("0.", ".", 1)


ORDERING_HEAD = ["paper", "claim", "verdict", "where", "measure", "difference", "p"]


def ordering_rows(orderings):
    return [[one.paper, one.claim, one.verdict, one.where, one.measure, signed(one.difference),
             p_text(one.p)] for one in orderings]


def counts_of(orderings):
    counts = {verdict: sum(one.verdict == verdict for one in orderings)
              for verdict in ("holds", "reversed", "not shown")}
    return (f"Orderings tested: {len(orderings)}. Holds (p < .05): {counts['holds']}; reversed "
            f"(p < .05): {counts['reversed']}; not shown either way: {counts['not shown']}.")


def title_of(entry):
    return f"{entry['item'][0].upper()}{entry['item'][1:]}: {entry['claims']}"


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def markdown_table(table):
    def row(cells):
        return "| " + " | ".join(cell(one).replace("|", "\\|") for one in cells) + " |\n"
    return row(table.head) + "|" + "---|" * len(table.head) + "\n" + "".join(map(row, table.rows))


def markdown(paper, items, orderings, facts):
    """The page of a paper, and its pictures by name."""
    pictures = {}
    text = f"# {TITLES[paper]}\n\n{facts}\n\n"
    own = [one for one in orderings if one.paper == paper]
    if own:
        text += "## What it claims, tested\n\n" + counts_of(own) + "\n\n"
        text += markdown_table(Table(ORDERING_HEAD[1:], [row[1:] for row in ordering_rows(own)]))
        text += f"\n**Where it fails, and why.** {WHY[paper]}\n\n"
    for item in items:
        text += f"## {title_of(item.entry)}\n\n"
        if item.failure:
            text += f"**Not made:** {item.failure}\n\n"
        for number, block in enumerate(item.blocks):
            if isinstance(block, Text):
                text += block.text + "\n\n"
            elif isinstance(block, Table):
                text += markdown_table(block) + "\n"
            else:
                name = f"{paper}-{slug(item.entry['item'])}-{number}.svg"
                pictures[name] = block.svg + "\n"
                text += f"![{block.title}]({name})\n\n"
        if "reason" in item.entry:
            text += item.entry["reason"] + "\n\n"
    return text.rstrip() + "\n", pictures


STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem}
h1{font-size:1.5rem}h2{margin-top:2.5rem;border-top:2px solid #8884;padding-top:1rem}
h3{margin:2rem 0 .4rem;font-size:1.05rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}
td,th{padding:.2rem .6rem;border-bottom:1px solid #8884;text-align:right;white-space:nowrap}
td:first-child,th:first-child{text-align:left}.wide td,.wide th{text-align:left;white-space:normal}
svg{max-width:35rem;width:100%;height:auto}.holds{color:#2a7d3a}.reversed{color:#c0392b}
.soft{color:#888}nav a{margin-right:1rem}code{background:#8882;padding:0 .2rem}
"""


def html_text(text):
    text = escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)


def html_table(table, kind=""):
    def row(cells, tag):
        def one(value):
            shown = cell(value)
            mark = f' class="{shown}"' if shown in ("holds", "reversed") else ""
            return f"<{tag}{mark}>{html_text(shown)}</{tag}>"
        return "<tr>" + "".join(map(one, cells)) + "</tr>\n"
    return (f'<div class="scroll" tabindex="0"><table class="{kind}"><thead>{row(table.head, "th")}'
            f'</thead><tbody>{"".join(row(cells, "td") for cells in table.rows)}</tbody></table>'
            "</div>\n")


TIMES = ("Processor time of the calls behind these pages, all threads together, whether this run made them or "
         "kept them from an earlier one. A call that several papers rest on counts for the first.")


def html(papers, orderings, facts, times):
    """`papers`: {paper: items}. One page, without scripts or network."""
    out = ['<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
           'content="width=device-width,initial-scale=1"><title>Braid: five papers</title>'
           f"<style>{STYLE}</style></head><body><h1>Five papers, their tables and figures beside "
           "ours</h1>\n<nav>"]
    out += [f'<a href="#{place}">{place}</a>' for place in (*(["orderings"] if orderings else []), *papers,
                                                             "time")]
    out.append(f"</nav><p>{html_text(facts)}</p>\n")
    if orderings:
        out.append(f"<h2 id=\"orderings\">The papers' own orderings</h2><p>{html_text(counts_of(orderings))}</p>")
        out.append(html_table(Table(ORDERING_HEAD, ordering_rows(orderings)), "wide"))
    for paper, items in papers.items():
        out.append(f'<h2 id="{paper}">{escape(TITLES[paper])}</h2>\n')
        out.append(f"<p><b>Where it fails, and why.</b> {html_text(WHY[paper])}</p>\n")
        places = [f"{paper}-{slug(item.entry['item'])}" for item in items]
        out.append("<nav>" + " ".join(f'<a href="#{place}">{escape(item.entry["item"])}</a>'
                                      for place, item in zip(places, items)) + "</nav>\n")
        for place, item in zip(places, items):
            out.append(f'<h3 id="{place}">{html_text(title_of(item.entry))}</h3>\n')
            if item.failure:
                out.append(f"<p><b>Not made:</b> {html_text(item.failure)}</p>")
            for block in item.blocks:
                if isinstance(block, Text):
                    out.append(f"<p>{html_text(block.text)}</p>\n")
                elif isinstance(block, Table):
                    out.append(html_table(block))
                else:
                    out.append(f"<figure>{block.svg}<figcaption class=\"soft\">"
                               f"{html_text(block.title)}</figcaption></figure>\n")
            if "reason" in item.entry:
                out.append(f'<p class="soft">{html_text(item.entry["reason"])}</p>\n')
    out.append(f"<h2 id=\"time\">Time</h2><p>{html_text(TIMES)}</p>{html_table(times)}")
    return "".join(out) + "</body></html>\n"
