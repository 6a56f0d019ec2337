# SPDX-License-Identifier: GPL-2.0-or-later
"""A step makes a table or a figure: a function of the lab and the list of tested orderings, to which it
may add, that returns blocks. Pages are made of these."""

from dataclasses import dataclass, field

STEPS = {}


def step(function):
    assert function.__name__ not in STEPS, function.__name__
    STEPS[function.__name__] = function
    return function


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


def tested(made):
    """The table of orderings that a step tested."""
    return Table(["", "claim", "measure", "difference", "p", "verdict"],
                 [[one.where, one.claim, one.measure, signed(one.difference), p_text(one.p), one.verdict]
                  for one in made])
