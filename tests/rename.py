#!/usr/bin/env python3
"""rename.py [--seed N] [--count N] [--warpwise PROGRAM] [--gpu NAME] [--show]

Does it matter what things are called, or how they are laid out? Kernels of the corpus, drawn by
the seed, families in turn, are predicted as they are and with every name of the file replaced (functions,
parameters, variables, types, macros, members), comments gone but the launch's, lines joined and
indentation lost. Both are given the same launch. No time that is predicted by default may change, and
the language model's by less than 2 % in the median.

Names that the file does not declare stay: a new text that does not compile says which they are.
"""
import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
TOKEN = re.compile(r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
                   |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<word>[A-Za-z_]\w*)
                   |(?P<include>\#[ \t]*include[^\n]*)|(?P<space>\s+)|(?P<other>.)""",
                   re.X | re.S)
KEPT = set("""alignas asm auto bool break case char class const constexpr continue default do
double else enum extern false float for goto half if inline int long namespace nullptr operator
private public register return short signed sizeof static static_assert struct switch template
this true typedef typename union unsigned using void volatile while defined define undef ifdef
ifndef endif elif pragma unroll error x y z w omp target teams distribute parallel zeros ones
index random permutation monotone skewed zipf""".split())
GIVEN = re.compile(r"__|(u?(char|short|int|long)|float|double|half)\d+$|vload|vstore|convert_|as_")

ORACLES = {"grounded": None, "text": 0.02}


def tokens(text):
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text)]


def candidates(text):
    """Names that may be the file's own, in the order in which they come."""
    words = [t for kind, t in tokens(text) if kind == "word"]
    return [w for w in dict.fromkeys(words) if w not in KEPT and not GIVEN.match(w)]


def replaced(text, names):
    """The text with other names, and with what only people read gone."""
    out = []
    for kind, t in tokens(text):
        if kind == "line" and "warpwise:" in t:
            out.append("\n" + re.sub(r"[A-Za-z_]\w*", lambda m: names.get(m[0], m[0]), t) + "\n")
        elif kind in ("line", "block"):
            out.append(" ")
        elif kind == "word":
            out.append(names.get(t, t))
        else:
            out.append(t)
    return "".join(out)


def joined(text):
    """Without indentation and empty lines; statements that went over lines are on one."""
    lines, open_line = [], ""
    for line in text.replace("\\\n", " ").split("\n"):
        line = " ".join(line.split())
        if not line:
            continue
        if line.startswith(("#", "//")):
            lines += [open_line] if open_line else []
            lines.append(line)
            open_line = ""
            continue
        open_line = (open_line + " " + line).strip()
        if line[-1] in ";{}" and len(open_line) > 60:
            lines.append(open_line)
            open_line = ""
    return "\n".join(lines + [open_line]) + "\n"


def changed(path, names):
    return joined(replaced(path.read_text(), names))


def listed(program, path):
    """Kernels of a file that can be run, and what was wrong with the rest."""
    run = subprocess.run([program, "kernels", "--json", path], capture_output=True, text=True,
                         check=False)
    kernels = [k for line in run.stdout.splitlines() for k in json.loads(line).get("kernels", [])]
    return ([k["name"] for k in kernels if k["interpretable"]],
            run.stdout + run.stderr)


def renamed(program, path, out):
    """Writes the file with other names to `out`; the names, None where that cannot be done."""
    text = path.read_text()
    names = {w: f"v{i}_" for i, w in enumerate(candidates(text))}
    wanted = len(listed(program, path)[0])
    for _ in range(60):
        out.write_text(changed(path, names))
        found, said = listed(program, out)
        unknown = set(re.findall(r"\bv\d+_", said)) - set(re.findall(r'"name": ?"(v\d+_)', said))
        back = {w for w, v in names.items() if v in unknown}
        if not back and len(found) == wanted:
            return names
        if not back:
            return None
        for w in back:
            del names[w]
    return None


def predicted(program, by, gpu, lines):
    """Time of each launch, None where there is none."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write("".join(json.dumps(line) + "\n" for line in lines))
        f.flush()
        run = subprocess.run([program, "predict", "-q", "--json", "--gpu", gpu, "--by", by,
                              "--batch", f.name],
                             capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    rows = [r for r in rows if "metrics" in r or "error" in r]
    if len(rows) != len(lines):
        sys.exit(f"rename: {len(rows)} answers to {len(lines)} launches: {run.stderr}")
    return [r.get("metrics", {}).get("time_us", {}).get("value") for r in rows]


def drawn(seed, count):
    families = {}
    for line in (CORPUS / "launches.jsonl").read_text().splitlines():
        if line.startswith("{"):
            launch = json.loads(line)
            families.setdefault(launch["file"].split("/")[0], []).append(launch)
    draw = random.Random(seed)
    order = sorted(families)
    draw.shuffle(order)
    for family in order:
        draw.shuffle(families[family])
    picked = []
    while len(picked) < count and any(families.values()):
        picked += [families[f].pop() for f in order if families[f]]
    return picked[:count]


def pairs(program, seed, count, folder):
    """The launches as they are and with other names; how many could not be made."""
    names, before, after = {}, [], []
    picked = drawn(seed, count)
    for launch in picked:
        path = CORPUS / launch["file"]
        if path not in names:
            out = pathlib.Path(folder) / (str(len(names)) + path.suffix)
            names[path] = (renamed(program, path, out), out)
        name, out = names[path]
        if not name or launch["kernel"] not in name:
            continue
        args = [{**a, "name": name.get(a["name"], a["name"])} if "name" in a else a
                for a in launch.get("args", [])]
        before.append({**launch, "file": str(path)})
        after.append({**launch, "file": str(out), "kernel": name[launch["kernel"]],
                      **({"args": args} if args else {})})
    return before, after, len(picked) - len(before)


def compared(o, by, before, after):
    """How far each pair of times is apart; how many launches are answered one way only."""
    x = predicted(o.warpwise, by, o.gpu, before)
    y = predicted(o.warpwise, by, o.gpu, after)
    apart, one_sided = [], 0
    for launch, a, b in zip(before, x, y):
        if a and b:
            apart.append(abs(b / a - 1))
        elif a or b:
            one_sided += 1
        if o.show or bool(a) != bool(b) or (a and abs(b / a - 1) > 1e-9):
            print(f"  {launch['file'].split('/corpus/')[1]}:{launch['kernel']} {a} {b}")
    return apart, one_sided


def main():
    ask = argparse.ArgumentParser(description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--count", type=int, default=100)
    ask.add_argument("--gpu", default="h200")
    ask.add_argument("--warpwise", default="build/warpwise")
    ask.add_argument("--show", action="store_true", help="every launch, not only what changed")
    o = ask.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        before, after, left = pairs(o.warpwise, o.seed, o.count, folder)
        print(f"{len(before)} launches, {left} left out: names that could not be replaced")
        for by, most in ORACLES.items():
            apart, one_sided = compared(o, by, before, after)
            median = statistics.median(apart or [1])
            good = (not one_sided and len(apart) >= 0.8 * o.count
                    and (median < most if most else not any(d > 1e-9 for d in apart)))
            print(f"{'ok' if good else 'not ok'} - by {by}: {len(apart)} answered both ways, "
                  f"{sum(d > 1e-9 for d in apart)} changed; median {100 * median:.3g} %, "
                  f"most {100 * max(apart or [1]):.3g} %; {one_sided} answered one way only")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
