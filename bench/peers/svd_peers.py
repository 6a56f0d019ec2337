#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scikit-learn's randomized TruncatedSVD and gensim's LSI on a matrix that `bench/topics export-weighted` wrote.

    bench/peers/svd_peers.py MATRIX K [RUNS]

Debian packages: python3-sklearn python3-gensim libopenblas0-pthread. One thread: set
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1. Wall clock, processor time and energy as in bench/topics/svd.cpp;
the energy is that of A V, from the vectors found, whatever the tool says of its singular values.
"""

import sys
import time

import numpy
from matrix import read_matrix


def report(name, matrix, work, runs):
    best = processor = 1e30
    for _ in range(runs):
        start, ticks = time.perf_counter(), time.process_time()
        vectors = work()
        processor = min(processor, time.process_time() - ticks)
        best = min(best, time.perf_counter() - start)
    basis, _ = numpy.linalg.qr(vectors)
    energy = ((matrix @ basis) ** 2).sum() / (matrix.data**2).sum()
    print(f"{name:<14} {best:8.3f} s {processor:8.3f} s processor  energy {energy:.6f}", flush=True)


def main():
    from gensim.models import LsiModel
    from sklearn.decomposition import TruncatedSVD

    matrix, rank = read_matrix(sys.argv[1]), int(sys.argv[2])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    single = matrix.astype(numpy.float32)
    report("sklearn", matrix, lambda: TruncatedSVD(rank, random_state=1).fit(matrix).components_.T,
           runs)
    report("sklearn f32", matrix,
           lambda: TruncatedSVD(rank, random_state=1).fit(single).components_.T.astype(float), runs)
    words = {i: str(i) for i in range(matrix.shape[1])}
    by_document = matrix.T.tocsc()
    report("gensim", matrix,
           lambda: LsiModel(by_document, num_topics=rank, id2word=words).projection.u, runs)


if __name__ == "__main__":
    main()
