#!/usr/bin/env python3
"""optimize_sum.py REPORT.json... : a table of what `warpwise optimize --json` found, and its means."""
import json
import math
import statistics
import sys

LAUNCH = {"block", "grid"}
gains, launch_only = [], 0
for path in sys.argv[1:]:
    report = json.load(open(path))
    tried = {t["id"]: t for t in report["tried"]}
    way, at = [], report["best"]
    while at:
        way.insert(0, tried[at]["rewrite"])
        at = tried[at]["from"]
    launch_only += bool(way) and set(way) <= LAUNCH
    gains.append(min(report["gain"], 10.0))
    states = [t["state"] for t in report["tried"]]
    print(f"{report['kernel']:28} {report['before']['time_us']:10.1f} us {report['after']['time_us']:10.1f} us "
          f"{report['gain']:7.2f}x  {len(states):4} tried, {states.count('different'):3} different  {' '.join(way)}")
mean = math.exp(sum(map(math.log, gains)) / len(gains))
print(f"\n{len(gains)} kernels: geometric mean {mean:.3f}x (gains capped at 10x), median {statistics.median(gains):.3f}x, "
      f"{sum(g > 1 for g in gains)} improved, {launch_only} of them by the launch alone")
