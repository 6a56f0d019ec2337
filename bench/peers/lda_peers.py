#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scikit-learn's and gensim's LDA on a corpus that `bench/topics export-counts` wrote.

    bench/peers/lda_peers.py FOLDER K ITERATIONS [TOOL...]

Debian packages: python3-sklearn python3-gensim. TOOL: sklearn (batch variational Bayes), sklearn-online,
gensim (online; ITERATIONS are passes). Priors as Braid's: alpha 10/K, eta .01. One thread: set
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1. Perplexity comes from `bench/topics lda-score`, the same evaluator
for all, never from the tool.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy
from matrix import read_matrix

TOPICS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "bench", "topics")
ETA = 0.01


def perplexity(folder, weights, alpha):
    """`weights`: a row a topic, of any scale."""
    shares = weights / weights.sum(axis=1, keepdims=True)
    with tempfile.NamedTemporaryFile() as file:
        numpy.array([shares.shape[1], shares.shape[0]], numpy.uint64).tofile(file)
        numpy.asarray(alpha, numpy.float64).tofile(file)
        numpy.ascontiguousarray(shares.T, dtype=numpy.float64).tofile(file)
        file.flush()
        return float(subprocess.check_output([TOPICS, "lda-score", folder, file.name]))


def sklearn_weights(counts, topics, iterations, method):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        topics, doc_topic_prior=10 / topics, topic_word_prior=ETA, learning_method=method,
        max_iter=iterations, evaluate_every=-1, n_jobs=1, random_state=1)
    return model.fit(counts).components_


def gensim_weights(corpus, words, topics, iterations):
    from gensim.models import LdaModel

    model = LdaModel(corpus, num_topics=topics, id2word=words, alpha=[10 / topics] * topics, eta=ETA,
                     passes=iterations, eval_every=None, random_state=1)
    return model.get_topics()


def main():
    folder, topics, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tools = sys.argv[4:] or ["sklearn", "gensim"]
    counts = read_matrix(folder + "/training")
    # gensim's own form, made before its time is taken.
    corpus = [[(int(word), int(count)) for word, count in zip(row.indices, row.data)] for row in counts]
    words = {i: str(i) for i in range(counts.shape[1])}
    work = {
        "sklearn": lambda: sklearn_weights(counts, topics, iterations, "batch"),
        "sklearn-online": lambda: sklearn_weights(counts, topics, iterations, "online"),
        "gensim": lambda: gensim_weights(corpus, words, topics, iterations),
    }
    tokens = counts.sum() * iterations
    for tool in tools:
        start, ticks = time.perf_counter(), time.process_time()
        weights = work[tool]()
        processor, seconds = time.process_time() - ticks, time.perf_counter() - start
        score = perplexity(folder, weights, [10 / topics] * topics)
        name = f"{tool}, {iterations} iterations"
        print(f"{name:<28} {seconds:8.2f} s {processor:8.2f} s processor "
              f"{tokens / seconds / 1e6:8.3f} million tokens/s  perplexity {score:.1f}", flush=True)


if __name__ == "__main__":
    main()
