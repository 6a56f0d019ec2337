# SPDX-License-Identifier: GPL-2.0-or-later
# What spy.cpp is, for a program in Python: Python loads Xapian where no preloaded library sees it.
import os

import xapian

_get_mset = xapian.Enquire.get_mset
_set_query = xapian.Enquire.set_query


def set_query(enquire, *rest):
    call = os.environ.pop("BRAID_SPY_DO", None)
    if call and os.system("unset LD_PRELOAD; " + call) != 0:
        os.abort()
    return _set_query(enquire, *rest)


def get_mset(enquire, first, count, *rest):
    found = _get_mset(enquire, first, count, *rest)
    with open(os.environ["BRAID_SPY"], "a") as spy:
        docids = "".join(" %d" % hit.docid for hit in found)
        spy.write("%s %d %d%s\n" % (enquire.get_query().serialise().hex(), first, count, docids))
    return found


xapian.Enquire.get_mset = get_mset
xapian.Enquire.set_query = set_query
