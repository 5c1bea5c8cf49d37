#!/usr/bin/env python3
"""lines.py [--missing] LCOV READER...: lines of the reader, lines reached, percent; status 1 below 80. A reader is file, file:function,function
(these alone) or file!function,function (all but these).

A function reaches from its line to the next one's. With --missing: the lines that were not reached."""
import sys

missing = sys.argv[1] == "--missing"
lcov, *readers = sys.argv[1 + missing:]
functions, counts, name = {}, {}, None  # by file
for line in open(lcov):
    key, _, rest = line.strip().partition(":")
    if key == "SF":
        name = rest
    elif key == "FN":
        at, f = rest.split(",")[0], rest.split(",")[-1]
        functions.setdefault(name, {})[f.split(":")[-1]] = int(at)
    elif key == "DA":
        at, n = rest.split(",")[:2]
        counts.setdefault(name, {})[int(at)] = int(n)

total = reached = 0
for reader in readers:
    sign = "!" if "!" in reader else ":"
    file, _, wanted = reader.partition(sign)
    path = next((p for p in counts if p.endswith("/" + file) or p == file), None)
    if not path:
        sys.exit(f"lines.py: nothing of {file} is in the program")
    lines, starts = counts[path], sorted(functions[path].values())
    if wanted:
        keep = set()
        for f in wanted.split(","):
            if f not in functions[path]:
                sys.exit(f"lines.py: {file} has no function {f}")
            begin = functions[path][f]
            end = min((s for s in starts if s > begin), default=10**9)
            keep |= {n for n in lines if begin <= n < end}
        lines = {n: c for n, c in lines.items() if (n in keep) == (sign == ":")}
    total += len(lines)
    reached += sum(c > 0 for c in lines.values())
    if missing:
        text = open(path).read().split("\n")
        for n, c in sorted(lines.items()):
            if not c:
                print(f"{file}:{n}: {text[n - 1]}")
if not missing:
    print(f"{total:8d} {reached:8d} {100 * reached / total:6.1f}%")
    sys.exit(100 * reached < 80 * total)
