# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of what steps made: one of HTML, and Markdown for each paper."""

import re
from html import escape

from .steps import Table, Text, cell, p_text, signed
from .summaries import SUMMARIES

VERDICTS = ("holds", "reversed", "not shown")
ORDERING_HEAD = ["paper", "claim", "verdict", "where", "measure", "difference", "p"]


def ordering_rows(orderings):
    return [[one.paper, one.claim, one.verdict, one.where, one.measure, signed(one.difference),
             p_text(one.p)] for one in orderings]


def counts_of(orderings):
    if not orderings:
        return ""
    counts = {verdict: sum(one.verdict == verdict for one in orderings) for verdict in VERDICTS}
    return (f"Orderings tested: {len(orderings)}. Holds (p < .05): {counts['holds']}; reversed "
            f"(p < .05): {counts['reversed']}; not shown either way: {counts['not shown']}.")


def claims_table(orderings):
    """A row for each claim: where it holds, is reversed, or is neither, with the differences."""
    rows = {}
    for one in orderings:
        cells = rows.setdefault((one.paper, one.claim), {verdict: {} for verdict in VERDICTS})
        shown = signed(one.difference) + (f" {one.measure}" if one.measure != "map" else "")
        cells[one.verdict].setdefault(one.where, []).append(shown)
    return Table(["paper", "claim", "holds (p < .05)", "reversed (p < .05)", "not shown"],
                 [[*name, *("; ".join(f"{where} {', '.join(every)}" for where, every in cells[verdict].items())
                            for verdict in VERDICTS)] for name, cells in rows.items()])


def title_of(entry):
    return f"{entry['item'][0].upper()}{entry['item'][1:]}: {entry['claims']}"


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def markdown_table(table):
    def row(cells):
        return "| " + " | ".join(cell(one).replace("|", "\\|") for one in cells) + " |\n"
    return row(table.head) + "|" + "---|" * len(table.head) + "\n" + "".join(map(row, table.rows))


MARKS = ("<!-- claims: written by scripts/reproduce --docs -->\n", "<!-- end of claims -->\n")


def with_claims(text, orderings, facts):
    """A page with the table of claims between its marks."""
    before, found, rest = text.partition(MARKS[0])
    _, ended, after = rest.partition(MARKS[1])
    if not (found and ended):
        raise ValueError(f"no lines '{MARKS[0].strip()}' and '{MARKS[1].strip()}' around the claims")
    return (before + MARKS[0] + f"{facts}\n\n{counts_of(orderings)}\n\n" +
            markdown_table(claims_table(orderings)) + MARKS[1] + after)


def orderings_page(orderings, facts, times):
    return (f"# The papers' own orderings\n\n{facts}\n\n{counts_of(orderings)}\n\n" +
            markdown_table(Table(ORDERING_HEAD, ordering_rows(orderings))) +
            f"\n## Time\n\n{TIMES}\n\n" + markdown_table(times))


def markdown(paper, items, orderings, facts):
    """The page of a paper, and its pictures by name."""
    pictures = {}
    own = [one for one in orderings if one.paper == paper]
    text = f"# {SUMMARIES[paper].title}\n\n"
    text += "".join(f"**{head}** {part}\n\n" for head, part in SUMMARIES[paper].parts(counts_of(own)))
    text += facts + "\n\n"
    if own:
        text += "## What it claims, tested\n\n"
        text += markdown_table(Table(ORDERING_HEAD[1:], [row[1:] for row in ordering_rows(own)])) + "\n"
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
td:first-child,th:first-child{text-align:left}.wide{min-width:48rem}.wide td,.wide th{text-align:left;white-space:normal;vertical-align:top}
.wide td:first-child{white-space:nowrap}
figure{margin:1rem 0}svg{max-width:35rem;min-width:28rem;width:100%;height:auto}.holds{color:#2a7d3a}.reversed{color:#c0392b}
.soft{color:#888}nav a{margin-right:1rem;white-space:nowrap}
code{background:#8882;padding:0 .2rem}
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


TIMES = ("Processor time of the calls behind these pages, all threads together, whether this run made them "
         "or kept them from an earlier one. A call that several papers rest on counts for the first.")


def html(papers, orderings, facts, times):
    """`papers`: {paper: items}. One page, without scripts or network."""
    out = ['<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
           'content="width=device-width,initial-scale=1"><title>Braid: five papers</title>'
           f"<style>{STYLE}</style></head><body><h1>Five papers, their tables and figures beside "
           "ours</h1>\n<nav>"]
    places = [*(["orderings"] if orderings else []), *papers, "time"]
    out.append(" ".join(f'<a href="#{place}">{place}</a>' for place in places))
    out.append(f"</nav><p>{html_text(facts)}</p>\n")
    if orderings:
        out.append("<h2 id=\"orderings\">The papers' own orderings</h2>"
                   f"<p>{html_text(counts_of(orderings))}</p>")
        out.append(html_table(claims_table(orderings), "wide"))
        out.append("<details><summary>Each by itself, with p</summary>" +
                   html_table(Table(ORDERING_HEAD, ordering_rows(orderings)), "wide") + "</details>\n")
    for paper, items in papers.items():
        out.append(f'<h2 id="{paper}">{escape(SUMMARIES[paper].title)}</h2>\n')
        own = counts_of([one for one in orderings if one.paper == paper])
        out += [f"<p><b>{head}</b> {html_text(part)}</p>\n" for head, part in SUMMARIES[paper].parts(own)]
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
                    out.append(f'<figure><div class="scroll" tabindex="0">{block.svg}</div>'
                               f'<figcaption class="soft">{html_text(block.title)}</figcaption></figure>\n')
            if "reason" in item.entry:
                out.append(f'<p class="soft">{html_text(item.entry["reason"])}</p>\n')
    out.append(f"<h2 id=\"time\">Time</h2><p>{html_text(TIMES)}</p>{html_table(times)}")
    return "".join(out) + "</body></html>\n"
