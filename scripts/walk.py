#!/usr/bin/env python3
"""walk.py FILE [FUNCTION] : the way through the sources from FUNCTION (main), from a callgrind profile of the program:

  valgrind --tool=callgrind --callgrind-out-file=FILE build/warpwise predict examples/saxpy.cu -k saxpy

Prints each function that is called from another source file, once, below its first caller and in the order of the call sites; src/base/
is left out, because everything uses it. `^` marks a call back up: from a folder into one that lies above it (scripts/layers.sh)."""
import re
import sys

ORDER = "base ir report cuda gpu front trace lm measure predict query data serve api cmd main.c".split()
names, files, calls, where = {}, {}, {}, {}


def ident(table, text):  # "(12) name" defines, "(12)" refers
    number, _, name = text.partition(" ")
    if name:
        table[number] = name
    return number


def read(path):
    caller = callee = place = target = None
    line = 0
    counting = False
    for text in open(path):
        key, _, rest = text.rstrip("\n").partition("=")
        if key == "fl":
            place = ident(files, rest)
        elif key in ("fi", "fe"):
            ident(files, rest)
        elif key == "fn":
            caller, line = ident(names, rest), 0
            where.setdefault(caller, place)
        elif key in ("cfi", "cfl"):
            target = ident(files, rest)
        elif key == "cfn":
            callee = ident(names, rest)
        elif key == "calls":
            counting = True
        elif re.match(r"[-+*\d]", text):
            at = text.split()[0]
            line = line + int(at) if at[0] in "+-" else line if at == "*" else int(at)
            if counting:
                calls.setdefault(caller, []).append((line, callee))
                where.setdefault(callee, target or place)
                counting, target = False, None


def source(function):
    found = re.search(r"(^|/)(src/.*)", files.get(where.get(function), ""))
    return found.group(2) if found else None


def folder(path):
    return ORDER.index(path.split("/")[1])


def walk(function, depth, seen):
    for _, callee in sorted(calls.get(function, []), key=lambda call: call[0]):
        path = source(callee)
        if callee in seen or not path or path.startswith("src/base/"):
            continue
        seen.append(callee)
        if path == source(function):
            walk(callee, depth, seen)
            continue
        up = "^" if folder(path) > folder(source(function)) else " "
        print("%s%s%-*s %s" % ("  " * depth, up, 52 - 2 * depth, re.sub(r"['.].*", "", names[callee]), path))
        totals[up] += 1
        walk(callee, depth + 1, seen)


sys.setrecursionlimit(10000)
read(sys.argv[1])
totals = {"^": 0, " ": 0}
start = sys.argv[2] if len(sys.argv) > 2 else "main"
for function in [f for f in where if names[f] == start and source(f)]:
    print(start, source(function))
    walk(function, 0, [function])
print("%d functions called from another file, %d of them back up" % (sum(totals.values()), totals["^"]))
