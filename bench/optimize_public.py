#!/usr/bin/env python3
"""optimize_public.py [SPECS] [SEED] [N] : the kernels of others that `optimize` is judged by, one a line.

Draws N (20) CUDA kernels of data/public by the seed (20): suites take turns, one kernel of each
source, those whose longest recorded launch takes at least 20 us; SHOC's level0 (programs that
only keep a unit busy) is left out. SPECS, a folder: gets the longest launch of each as a launch
spec, FILE relative to the checkouts that data/public/README.md names.
"""
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST_US = 20


def longest_launches():
    """{suite: {file: {kernel: report}}}"""
    text = subprocess.run(["zstdcat", ROOT / "data/public/h200.jsonl.zst"],
                          capture_output=True, check=True, text=True).stdout
    out = {}
    for report in map(json.loads, text.splitlines()):
        file = report["launch"].get("file")
        if report["dialect"] != "cuda" or not file or "/level0/" in file:
            continue
        kernels = out.setdefault(report["suite"], {}).setdefault(file, {})
        us = report["metrics"]["time_us"]["value"]
        known = kernels.get(report["kernel"])
        if us >= LEAST_US and (not known or us > known["metrics"]["time_us"]["value"]):
            kernels[report["kernel"]] = report
    return out


def drawn(seed, count):
    draw = random.Random(seed)
    suites = longest_launches()
    left = {}
    for suite in sorted(suites):
        files = [f for f in sorted(suites[suite]) if suites[suite][f]]
        draw.shuffle(files)
        left[suite] = [suites[suite][f][draw.choice(sorted(suites[suite][f]))] for f in files]
    while count and any(left.values()):
        for suite in sorted(left):
            if left[suite] and count:
                count -= 1
                yield left[suite].pop()


def main():
    specs = sys.argv[1] if len(sys.argv) > 1 else ""
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    for k, report in enumerate(drawn(seed, count)):
        launch = report["launch"]
        print(f"{launch['file']}:{report['kernel']}")
        if specs:
            folder = pathlib.Path(specs)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{k:02}.json").write_text(json.dumps(launch) + "\n")


main()
