#!/usr/bin/env python3
"""optimize_pick.py [SEED] [N] : the kernels that bench/optimize.sh works on, one a line.

Kernels of a corpus file that take the same parameters are levels of one problem; the first of
them is the naive one. Families take turns, in an order and with kernels drawn by the seed,
until there are N: one of each family, then problems with several levels, then the others.
"""
import pathlib
import random
import re
import sys

KERNEL = re.compile(r"// warpwise:[^\n]*\n(?:[^\n]*\n){0,3}?[^\n]*__global__[^\n(]*?"
                    r"(?:__launch_bounds__\([^)]*\)\s*)?\bvoid\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)")


def naive(path):
    """(several levels, name of the first) of each problem of a file."""
    levels = {}
    for m in KERNEL.finditer(path.read_text()):
        types = tuple(re.sub(r"\w+\s*$", "", p).replace("__restrict__", "").replace(" ", "")
                      for p in m[2].split(","))
        levels.setdefault(types, []).append(m[1])
    for names in levels.values():
        yield len(names) > 1, names[0]


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    corpus = pathlib.Path(__file__).resolve().parent.parent / "corpus"
    families = ({}, {})  # problems with one level, with several
    for path in sorted(corpus.glob("*/*.cu")):
        for several, name in naive(path):
            families[several].setdefault(path.parent.name, []).append(
                f"corpus/{path.parent.name}/{path.name}:{name}")
    draw = random.Random(seed)
    order = sorted(set(families[0]) | set(families[1]))
    draw.shuffle(order)
    for family in order:
        for several in (0, 1):
            draw.shuffle(families[several].setdefault(family, []))
    picked = [(families[1][f] or families[0][f]).pop() for f in order]
    for several in (1, 0):
        while len(picked) < count and any(families[several].values()):
            for family in order:
                if families[several][family] and len(picked) < count:
                    picked.append(families[several][family].pop())
    print("\n".join(sorted(picked)))


main()
