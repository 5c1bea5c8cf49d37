#!/usr/bin/env python3
"""policy_sum.py BEAM.jsonl POLICY.jsonl... [--svg FILE] : verified gain over the number of predictions, of searches of bench/policy_search.sh.

Gain is by prediction, of what verify found the same, geometric mean over the kernels that all searches have; those that
could not be searched are named. Kernels are told apart by set: the test families, and naive ones of bench/optimize.list.
"""
import json
import math
import os
import sys

STEPS = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]
TEST = {"finance", "image", "particles", "scan", "signal", "small", "strings"}


def family(o):
    return os.path.basename(os.path.dirname(o["file"]))


def read(path):
    out, failed = {}, []
    for line in open(path):
        try:
            o = json.loads(line)
        except ValueError:
            continue
        key = family(o) + "/" + str(o.get("kernel")) if "file" in o else "?"
        if "error" in o:
            failed.append(o["error"]["message"])
        else:
            out[key] = o
    return out, failed


def gain_after(o, n):
    """ln of the best verified gain among the first n predictions"""
    before = o["before"]["time_us"]
    best = [t["time_us"] for t in o["tried"][:n] if t["state"] == "verified" and t.get("time_us")]
    return max(0.0, math.log(before / min(best))) if best else 0.0


def curve(runs, keys):
    return [(n, math.exp(sum(gain_after(runs[k], n) for k in keys) / len(keys))) for n in STEPS]


def svg(path, curves):
    w, h, left, top = 640, 320, 56, 24
    most = max(g for c in curves.values() for _, g in c)
    x = lambda n: left + (w - left - 150) * math.log2(n) / math.log2(STEPS[-1])
    y = lambda g: top + (h - 2 * top - 20) * (1 - (g - 1) / max(most - 1, 0.01))
    color = ["#334155", "#b91c1c", "#1d4ed8", "#15803d"]
    s = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (w, h)]
    for n in STEPS[::2]:
        s.append('<text x="%.0f" y="%d" text-anchor="middle">%d</text>' % (x(n), h - 22, n))
    for k in range(5):
        g = 1 + (most - 1) * k / 4
        s.append('<text x="%d" y="%.0f" text-anchor="end">%.2f</text>' % (left - 8, y(g) + 4, g))
    s.append('<text x="%d" y="%d">predictions; verified gain, geometric mean</text>' % (left, h - 6))
    for k, (name, c) in enumerate(curves.items()):
        s.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (color[k % 4], " ".join("%.1f,%.1f" % (x(n), y(g)) for n, g in c)))
        s.append('<text x="%d" y="%.0f" fill="%s">%s</text>' % (w - 140, 40 + 18 * k, color[k % 4], name))
    open(path, "w").write("\n".join(s) + "\n</svg>\n")


def main():
    args = sys.argv[1:]
    picture = None
    if "--svg" in args:
        k = args.index("--svg")
        picture = args[k + 1]
        del args[k : k + 2]
    runs = {}
    for path in args:
        name = os.path.splitext(os.path.basename(path))[0]
        runs[name], failed = read(path)
        print("%s: %d searched, %d failed %s" % (name, len(runs[name]), len(failed), sorted(set(failed))[:3]))
    both = sorted(set.intersection(*(set(r) for r in runs.values())))
    sets = {"test families": [], "naive": []}
    for k in both:
        f = k.split("/")[0]
        # the naive list has kernels of test families as well: those count where the list of test kernels has them
        sets["test families" if f in TEST or f.startswith("gen.") else "naive"].append(k)
    for name, keys in sets.items():
        if not keys:
            continue
        print("\n| %s, %d kernels: after | %s |" % (name, len(keys), " | ".join(runs)))
        print("|---:|" + "---:|" * len(runs))
        curves = {r: curve(runs[r], keys) for r in runs}
        for k, n in enumerate(STEPS):
            print("| %d | %s |" % (n, " | ".join("%.3fx" % curves[r][k][1] for r in runs)))
        print("| all | %s |" % " | ".join("%.3fx, %.1f predictions" % (math.exp(sum(gain_after(runs[r][k], 10**6) for k in keys) / len(keys)), sum(runs[r][k]["predictions"] for k in keys) / len(keys)) for r in runs))
        print("stopped by time: " + ", ".join("%s %d" % (r, sum(runs[r][k]["stopped"] == "the time is over" for k in keys)) for r in runs))
        if picture and name == "test families":
            svg(picture, curves)


main()
