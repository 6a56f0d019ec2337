#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seconds an iteration of scikit-learn's NMF with the Kullback-Leibler loss (multiplicative updates).

    bench/peers/plsi_peers.py MATRIX K

MATRIX: `training` of `bench/topics export-counts`. Debian package: python3-sklearn. One thread: set
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1. The difference of 3 and 8 iterations, so that what comes
before the first and after the last doesn't count; the quickest of 3.
"""

import sys
import time
import warnings

from matrix import read_matrix
from sklearn.decomposition import NMF

FEW, MANY = 3, 8


def seconds(counts, topics, iterations):
    model = NMF(topics, init="random", solver="mu", beta_loss="kullback-leibler", tol=0,
                max_iter=iterations, random_state=1)
    start = time.perf_counter()
    model.fit(counts)
    return time.perf_counter() - start


def main():
    warnings.simplefilter("ignore")
    counts, topics = read_matrix(sys.argv[1]), int(sys.argv[2])
    few = min(seconds(counts, topics, FEW) for _ in range(3))
    many = min(seconds(counts, topics, MANY) for _ in range(3))
    print(f"sklearn NMF          {(many - few) / (MANY - FEW):.4f} s an iteration")


if __name__ == "__main__":
    main()
