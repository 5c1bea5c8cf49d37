#!/usr/bin/env python3
"""optimize_sum.py FOLDER : what bench/optimize.sh found there, a line a kernel, and the means.

`predicted` is the gain that the report promises, `it measured` what that candidate did on the
device, `best` the best that was measured, right and surely faster. What was not improved, or
has no result, counts as 1. Gains are capped at 10.
"""
import json
import math
import pathlib
import re
import statistics
import sys

LAUNCH = {"block", "grid"}
CAP = 10.0
SURE = 0.01
SPLIT = pathlib.Path(__file__).resolve().parent.parent / "src/data/split.def"
TEST = set(re.findall(r"FAMILY\((\w+), TEST\)", SPLIT.read_text()))


def way_of(report):
    """The rewrites behind the answer, in order."""
    tried = {t["id"]: t for t in report["tried"]}
    way, at = [], report["best"]
    while at:
        way.insert(0, tried[at]["rewrite"])
        at = tried[at]["from"]
    return way


def measured(path, report):
    """(gain of what the report chose, best gain, states) by the job; gains None: no result."""
    if not path.exists():
        return None, None, []
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    found = {l["candidate"]: l for l in lines if "candidate" in l}
    results = {l["result"]: l for l in lines if "result" in l}
    if not results:
        return None, None, []
    chosen = min((k for k in found if k), default=0,
                 key=lambda k: abs(found[k]["predicted"]["us"] - report["after"]["time_us"]))
    ratio = 1.0
    if report["best"] and chosen in results:
        ratio = results[chosen].get("ratio", 1.0)
    sure = [r["ratio"] for r in results.values()
            if r["state"] == "measured" and r["ratio"] > 1 and r["p"] < SURE]
    return ratio, max(sure, default=1.0), [r["state"] for k, r in results.items() if k]


def mean(gains):
    gains = [min(g, CAP) for g in gains]
    return math.exp(sum(map(math.log, gains)) / len(gains)) if gains else float("nan")


def line(title, rows):
    if not rows:
        return
    text = f"{title:12} {len(rows):3} kernels: by prediction {mean([r[1] for r in rows]):.3f}x"
    done = [r for r in rows if r[2] is not None]
    if done:
        chosen = [r[2] for r in done]
        best = [r[3] for r in done]
        text += (f", that measured {mean(chosen):.3f}x ({sum(c < 0.97 for c in chosen)} slower), "
                 f"best measured {mean(best):.3f}x, median {statistics.median(best):.3f}x "
                 f"({len(done)} with results)")
    print(text)


def main():
    rows = []
    folder = pathlib.Path(sys.argv[1])
    print(f"{'kernel':34} {'before':>12} {'predicted':>9} {'measured':>9} {'best':>9}  rewrites")
    for path in sorted(folder.glob("*.json")):
        report = json.loads(path.read_text())
        way = way_of(report)
        ratio, best, states = measured(path.with_suffix(".job"), report)
        kind = "public" if path.name.startswith("public-") else path.name.split("_")[0]
        rows.append((kind, report["gain"], ratio, best, set(way) <= LAUNCH and bool(way)))
        bad = [s for s in states if s != "measured"]
        show = ["-" if g is None else f"{g:.2f}x" for g in (report["gain"], ratio, best)]
        print(f"{report['kernel'][:34]:34} {report['before']['time_us']:9.1f} us "
              f"{show[0]:>9} {show[1]:>9} {show[2]:>9}  {' '.join(way)} {' '.join(bad)}")
    print()
    corpus = [r for r in rows if r[0] != "public"]
    line("corpus", corpus)
    line("  test split", [r for r in corpus if r[0] in TEST])
    line("  launch only", [r for r in corpus if r[4]])
    line("public", [r for r in rows if r[0] == "public"])


main()
