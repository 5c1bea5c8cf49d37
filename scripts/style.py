#!/usr/bin/env python3
"""style.py [FOLDER]: size and density of our C sources against their limits, for `make lint`.

Code tokens of all, tokens a line and a function in the median, lines over 100 columns, functions
with more than 8 parameters, blocks of 12 lines or more that stand in two places. What is over its
limit is a warning; with -v the places are named. Left out: headers that stand in for others' (shim)
and the page's sources."""
import collections
import glob
import re
import statistics
import sys

LIMITS = {
    "code tokens": 1300000,
    "tokens a line, median": 8.5,
    "tokens a function, median": 105,
    "lines over 100 columns": 0,
    "functions with more than 8 parameters": 0,
    "blocks of 12 lines or more written twice": 0,
}
COLUMNS = 100
PARAMETERS = 8
BLOCK = 12
TOKEN = re.compile(
    r'[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\n])*"|\'(?:\\.|[^\'\n])*\''
    r"|[-+*/%&|^!<>=]=|<<|>>|->|\+\+|--|&&|\|\||\S"
)
# A definition at the left edge: what it returns, its name, its parameters up to the brace.
FUNCTION = re.compile(r"^[A-Za-z_][\w \t*]*?\b(\w+)\(([^;{}]*)\)\s*\{", re.M)


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def function_sizes(lines):
    """Tokens of each function: from a line at the left edge with a '(' to the '}' there."""
    depth = size = 0
    open_function = False
    for line in lines:
        if line.startswith("#"):
            continue
        if depth == 0 and line[:1] not in (" ", "\t", "}") and "(" in line:
            open_function = True
            size = 0
        size += len(TOKEN.findall(line))
        depth += line.count("{") - line.count("}")
        if depth == 0 and open_function and line.startswith("}"):
            yield size
            open_function = False
        if depth == 0 and ";" in line:
            open_function = False


def parameters(text):
    """How many commas stand outside of brackets, and one more."""
    depth = 0
    n = 1
    for c in text:
        depth += (c in "([") - (c in ")]")
        n += c == "," and depth == 0
    return n


def long_lists(files):
    """Functions with too many parameters. Those of a table are left out: who stands in one (as a
    member of a struct of functions, or behind a pointer) has the parameters that it asks for. So
    are the stand-ins for other runtimes' functions."""
    everything = "\n".join(files.values())
    for path, code in files.items():
        if "/emulate/runtime/" in path or path.endswith("_interpose.c"):
            continue
        for m in FUNCTION.finditer(code):
            n = parameters(m[2])
            if n <= PARAMETERS:
                continue
            name = re.escape(m[1])
            in_table = re.search(rf"[{{,=&(]\s*{name}\s*[,}};)]|\(\*{name}\)\(", everything)
            if not in_table:
                yield f"{path}:{code.count(chr(10), 0, m.start()) + 1}: {m[1]} has {n} parameters"


def repeated_blocks(files):
    """Blocks of at least BLOCK equal lines, as pairs of places. Blank lines, includes and lines
    without a word in them (closing braces) do not count."""
    rows = {}
    windows = collections.defaultdict(list)
    for path, code in files.items():
        rows[path] = [
            (i + 1, " ".join(line.split()))
            for i, line in enumerate(code.split("\n"))
            if re.search(r"\w", line) and not line.startswith("#include")
        ]
        for k in range(len(rows[path]) - BLOCK + 1):
            windows[tuple(text for _, text in rows[path][k : k + BLOCK])].append((path, k))
    covered = set()
    for places in windows.values():
        for path, k in places[1:]:
            first, at = places[0]
            if first == path and k - at < BLOCK:
                continue
            # A window that goes on from one already seen is the same block.
            if (first, at - 1, path, k - 1) not in covered:
                yield f"{path}:{rows[path][k][0]}: as {first}:{rows[first][at][0]}"
            covered.add((first, at, path, k))


def main():
    names = sys.argv[1:]
    verbose = "-v" in names
    folder = next((n for n in names if n != "-v"), "src")
    files = {}
    tokens_of_lines, functions, wide = [], [], []
    for path in sorted(glob.glob(folder + "/**/*.[ch]", recursive=True)):
        if "/shim/" in path or "/page/" in path:
            continue
        text = open(path, errors="replace").read()
        wide += [
            f"{path}:{i + 1}: {len(line)} columns"
            for i, line in enumerate(text.split("\n"))
            if len(line) > COLUMNS
        ]
        files[path] = without_comments(text)
        lines = files[path].split("\n")
        tokens_of_lines += [len(TOKEN.findall(line)) for line in lines]
        functions += function_sizes(lines)
    many = list(long_lists(files))
    blocks = list(repeated_blocks(files))
    figures = {
        "code tokens": sum(tokens_of_lines),
        "tokens a line, median": statistics.median([n for n in tokens_of_lines if n > 1]),
        "tokens a function, median": statistics.median(functions),
        "lines over 100 columns": len(wide),
        "functions with more than 8 parameters": len(many),
        "blocks of 12 lines or more written twice": len(blocks),
    }
    for what, value in figures.items():
        over = value > LIMITS[what]
        print(f"lint: {'warning: ' if over else ''}{what}: {value:g}, limit {LIMITS[what]:g}"
              if value < 1e5 else
              f"lint: {'warning: ' if over else ''}{what}: {value:.0f}, limit {LIMITS[what]}")
    if verbose:
        print("\n".join(wide + many + blocks))


main()
