# SPDX-License-Identifier: GPL-2.0-or-later
"""The matrices that `bench/topics export-weighted` and `export-counts` write."""

import numpy
import scipy.sparse


def read_matrix(path):
    with open(path, "rb") as file:
        rows, columns, entries = numpy.fromfile(file, numpy.uint64, 3).astype(int)
        begin = numpy.fromfile(file, numpy.uint64, rows + 1).astype(numpy.int64)
        indices = numpy.fromfile(file, numpy.uint32, entries).astype(numpy.int32)
        values = numpy.fromfile(file, numpy.float64, entries)
    return scipy.sparse.csr_matrix((values, indices, begin), shape=(rows, columns))
