# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts as SVG, which carry their own style and need no network: lines, bars and points."""

from html import escape

COLOURS = ["#1b6ca8", "#c8553d", "#3a7d44", "#7b4fa3", "#b8860b", "#0f8b8d", "#a23b72", "#555b6e"]
STYLE = ("text{font:12px system-ui,sans-serif;fill:#333}.axis{stroke:#999}.grid{stroke:#ddd}"
         ".note{fill:#777}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#888}.grid{stroke:#444}"
         ".note{fill:#aaa}.ground{fill:#1c1d21}}")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 54, 14, 14, 42


def ticks(low, high):
    if high <= low:
        high = low + 1
    step = 10.0 ** int(f"{(high - low):e}".split("e")[1])
    while (high - low) / step < 4:
        step /= 2 if (high - low) / step * 2 >= 4 else 5
    first = int(low / step) - 1
    return [i * step for i in range(first, first + 30) if low - 1e-9 <= i * step <= high + 1e-9]


def number(value):
    return f"{value:.10g}"[:7]


class Plot:
    def __init__(self, title, x_label, y_label, x_range, y_range, rows=0):
        self.title, self.x_range, self.y_range = title, x_range, y_range
        self.height = HEIGHT + 18 * rows
        self.parts = []
        for y in ticks(*y_range):
            self.line(x_range[0], y, x_range[1], y, "grid")
            self.text(LEFT - 6, self.y(y) + 4, number(y), "end")
        self.parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}'
                          f'H{WIDTH - RIGHT}"/>')
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, x_label, "middle")
        self.parts.append(f'<text transform="translate(12 {(HEIGHT - BOTTOM + TOP) / 2:.0f}) '
                          f'rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')

    def x(self, value):
        low, high = self.x_range
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / ((high - low) or 1)

    def y(self, value):
        low, high = self.y_range
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / ((high - low) or 1)

    def shows(self, x, y):
        return self.x_range[0] <= x <= self.x_range[1] and self.y_range[0] <= y <= self.y_range[1]

    def text(self, x, y, text, anchor="start", kind=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
                          f'{f" class={kind!r}" if kind else ""}>{escape(str(text))}</text>')

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append(f'<path class="{kind}" d="M{self.x(x1):.1f} {self.y(y1):.1f}'
                          f'L{self.x(x2):.1f} {self.y(y2):.1f}"/>')

    def legend(self, place, label, colour, dash=""):
        y = HEIGHT + 12 + 18 * place
        self.parts.append(f'<path d="M{LEFT} {y - 4}h22" stroke="{colour}" stroke-width="2"{dash}/>')
        self.text(LEFT + 28, y, label)

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height + 8}" '
                f'role="img" aria-label="{escape(self.title)}"><style>{STYLE}</style>'
                f'<rect class="ground" width="{WIDTH}" height="{self.height + 8}" fill="#fff"/>'
                + "".join(self.parts) + "</svg>")


def bounds(values, least=None, most=None):
    values = [one for one in values if one is not None]
    low, high = min(values, default=0), max(values, default=1)
    space = (high - low) * 0.05 or 0.05
    return (low - space if least is None else least, high + space if most is None else most)


def dash_of(i, label=""):
    """Dashes tell a second round of colours apart, and what a paper prints from what is measured."""
    return ' stroke-dasharray="5 3"' if i >= len(COLOURS) or label.endswith(", paper") else ""


def lines(title, x_label, y_label, series, x_range=None, y_range=None, bands=()):
    """`series`: (label, xs, ys); a None in ys, or a point outside the ranges, breaks the line. `bands`:
    (label, xs, several ys), an area from the least to the most, in the colour of the line of that label."""
    xs = [x for _, line, _ in series for x in line]
    x_range = x_range or (min(xs, default=0), max(xs, default=1))
    y_range = y_range or bounds([y for _, _, line in series for y in line] +
                                [y for _, _, several in bands for line in several for y in line])
    plot = Plot(title, x_label, y_label, x_range, y_range, len(series))
    for x in ticks(*x_range):
        plot.text(plot.x(x), HEIGHT - BOTTOM + 16, number(x), "middle")
    places = {label: i for i, (label, _, _) in enumerate(series)}
    for label, band_x, several in bands:
        edge = list(zip(band_x, map(min, zip(*several))))
        edge += reversed(list(zip(band_x, map(max, zip(*several)))))
        corners = " ".join(f"{plot.x(x):.1f},{plot.y(y):.1f}" for x, y in edge)
        plot.parts.append(f'<polygon points="{corners}" fill="{COLOURS[places[label] % len(COLOURS)]}" '
                          'fill-opacity=".25"/>')
    for i, (label, line_x, line_y) in enumerate(series):
        colour, dash = COLOURS[i % len(COLOURS)], dash_of(i, label)
        path, is_open = "", False
        for x, y in zip(line_x, line_y):
            is_in = y is not None and plot.shows(x, y)
            if is_in:
                path += f"{'L' if is_open else 'M'}{plot.x(x):.1f} {plot.y(y):.1f}"
            if is_in and len(line_x) <= 15:
                plot.parts.append(f'<circle cx="{plot.x(x):.1f}" cy="{plot.y(y):.1f}" r="2.6" '
                                  f'fill="{colour}"/>')
            is_open = is_in
        plot.parts.append(f'<path d="{path}" fill="none" stroke="{colour}" '
                          f'stroke-width="1.8"{dash}/>')
        plot.legend(i, label, colour, dash)
    return plot.svg()


def bars(title, y_label, names, series, least=None, x_label=""):
    """`series`: (label, values by name)."""
    values = [v for _, line in series for v in line if v is not None]
    low = min([0] + values) if least is None else least
    high = max(values, default=1)
    space = (high - low) * 0.08 or 0.08
    plot = Plot(title, x_label, y_label, (0, len(names)), (low - space * (low < 0), high + space), len(series))
    base = plot.y(max(low, 0))
    width = 0.8 / max(len(series), 1)
    for n, name in enumerate(names):
        plot.text(plot.x(n + 0.5), HEIGHT - BOTTOM + 16, name, "middle")
        for i, (_, line) in enumerate(series):
            if line[n] is None:
                continue
            left, right = plot.x(n + 0.1 + i * width), plot.x(n + 0.1 + (i + 1) * width)
            top = plot.y(max(line[n], low))
            plot.parts.append(f'<rect x="{left:.1f}" y="{min(top, base):.1f}" '
                              f'width="{max(right - left - 1, 1):.1f}" '
                              f'height="{abs(base - top):.1f}" fill="{COLOURS[i % len(COLOURS)]}">'
                              f'<title>{escape(str(name))}: {line[n]:.4f}</title></rect>')
    for i, (label, _) in enumerate(series):
        plot.legend(i, label, COLOURS[i % len(COLOURS)])
    return plot.svg()


def points(title, groups, named=False, x_label="", y_label=""):
    """`groups`: (label, [(x, y, name)])."""
    every = [p for _, group in groups for p in group]
    plot = Plot(title, x_label, y_label, bounds([p[0] for p in every]),
                bounds([p[1] for p in every]), len(groups))
    for x in ticks(*plot.x_range):
        plot.text(plot.x(x), HEIGHT - BOTTOM + 16, number(x), "middle")
    for i, (label, group) in enumerate(groups):
        colour = COLOURS[i % len(COLOURS)]
        for x, y, name in group:
            plot.parts.append(f'<circle cx="{plot.x(x):.1f}" cy="{plot.y(y):.1f}" r="3" '
                              f'fill="{colour}" fill-opacity=".75"><title>{escape(name)}</title>'
                              '</circle>')
            if named:
                plot.text(plot.x(x) + 5, plot.y(y) + 4, name)
        plot.legend(i, label, colour)
    return plot.svg()
