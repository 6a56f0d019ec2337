# SPDX-License-Identifier: GPL-2.0-or-later
"""t-SNE in full: every pair of points counts, so a few hundred points at most."""

import math
import random


def neighbour_shares(rows, perplexity):
    count = len(rows)
    distances = [[sum((x - y) ** 2 for x, y in zip(a, b)) for b in rows] for a in rows]
    shares = [[0.0] * count for _ in range(count)]
    for i in range(count):
        low, high, beta = 0.0, math.inf, 1.0
        for _ in range(40):
            line = [math.exp(-d * beta) if j != i else 0.0 for j, d in enumerate(distances[i])]
            total = sum(line) or 1e-300
            entropy = math.log(total) + beta * sum(p * d for p, d in zip(line, distances[i])) / total
            if abs(entropy - math.log(perplexity)) < 1e-4:
                break
            low, high = (beta, high) if entropy > math.log(perplexity) else (low, beta)
            beta = beta * 2 if high == math.inf else (low + high) / 2
        shares[i] = [p / total for p in line]
    return [[max((shares[i][j] + shares[j][i]) / (2 * count), 1e-12) for j in range(count)]
            for i in range(count)]


def t_sne(rows, rounds=250, perplexity=20, seed=1):
    chance = random.Random(seed)
    count = len(rows)
    shares = neighbour_shares(rows, perplexity)
    at = [[chance.gauss(0, 1e-2), chance.gauss(0, 1e-2)] for _ in rows]
    speed = [[0.0, 0.0] for _ in rows]
    for number in range(rounds):
        boost, keep = (4, .5) if number < 60 else (1, .8)
        near = [[1 / (1 + (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) for b in at] for a in at]
        total = sum(map(sum, near)) - count
        for i in range(count):
            x = y = 0.0
            here, line, share = at[i], near[i], shares[i]
            for j in range(count):
                pull = (boost * share[j] - line[j] / total) * line[j]
                x += pull * (here[0] - at[j][0])
                y += pull * (here[1] - at[j][1])
            speed[i][0] = keep * speed[i][0] - 40 * x
            speed[i][1] = keep * speed[i][1] - 40 * y
        for i in range(count):
            at[i][0] += speed[i][0]
            at[i][1] += speed[i][1]
    return at
