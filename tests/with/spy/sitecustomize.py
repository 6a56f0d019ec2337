# SPDX-License-Identifier: GPL-2.0-or-later
# What spy.cpp is, for a program in Python: Python loads Xapian where no preloaded library sees it.
import os

import xapian

_get_mset = xapian.Enquire.get_mset


def get_mset(enquire, first, count, *rest):
    found = _get_mset(enquire, first, count, *rest)
    with open(os.environ["BRAID_SPY"], "a") as spy:
        docids = "".join(" %d" % hit.docid for hit in found)
        spy.write("%s %d %d%s\n" % (enquire.get_query().serialise().hex(), first, count, docids))
    return found


xapian.Enquire.get_mset = get_mset
