#!/usr/bin/env python3
"""small_correction.py FILE: a learned correction with one small tree a forest, to stdout: a seed that a mutator can read through."""
import json
import sys


def tree(tokens):
    """The first tree of a forest's tokens, as far as its second level: nodes are in preorder."""
    out, need = [], 1
    for t in tokens:
        if len(out) >= 4 and not t.startswith("="):
            t = "=0.5"
        out.append(t)
        need += -1 if t.startswith("=") else 1
        if not need:
            return out
    return ["=0.1"]


def small(text):
    base, *tokens = text.split()
    return " ".join([base] + tree(tokens)) if tokens else base


c = json.load(open(sys.argv[1]))
c["metrics"] = dict(list(c["metrics"].items())[:3])
for m in c["metrics"].values():
    m["scale"] = small(m["scale"])
    if "forests" in m:
        m["forests"] = [small(f) for f in m["forests"][:2]]
json.dump(c, sys.stdout)
