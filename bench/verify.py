#!/usr/bin/env python3
"""verify.py [--pairs] [--seed N] [--count N] [--jobs N] [--every K] [--out FILE] : how well
`warpwise verify` tells kernels apart.

Without --pairs: COUNT mutants of corpus kernels, their classes by turns, kernels and places
drawn by the seed; a mutant that does not compile, or compiles to the same code, is drawn
again. Each is compared with the kernel it was made from. Those in verify_equivalent.list do
what the original does, for the reason that stands there, and do not count.

With --pairs: COUNT pairs that are the same, half of them levels of one problem, half rewrites.
Levels in verify_unequal.list are not the same, for the reason that stands there.

A line of JSON a run goes to FILE; what FILE has already is not run again, so that a broken
run goes on. --every K runs each K-th alone, --only TEXT those whose name has it, --table
prints the table of FILE without running anything, --show ID the difference that was planted.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import verify_corpus
import verify_mutants
import verify_pairs

ROOT = verify_corpus.ROOT


def read_list(name):
    """{id: reason} of a list of this folder."""
    out = {}
    for line in (ROOT / "bench" / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, reason = line.split(None, 1)
            out[key] = reason
    return out


def code_of(binary, path):
    """The IR of a file without places in the source; None: it does not compile."""
    run = subprocess.run([binary, "kernels", path, "--ir"],
                         capture_output=True, text=True, check=False)
    if run.returncode or "cannot be interpreted" in run.stdout:
        return None
    code = run.stdout[run.stdout.find("\n\n"):]
    return re.sub(r" +!\d+:\d+| file \"[^\"]*\" line \d+", "", code)


def timed(command):
    """Exit code, output, seconds on the clock and of the processor."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=out)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return (child.returncode, out.read().decode(), round(wall, 2),
                round(usage.ru_utime + usage.ru_stime, 2))


class Item:
    """One comparison: two texts, the kernel's name in each, options."""

    def __init__(self, name, kind, old, new_text, new=None, options=()):
        self.id = name
        self.kind = kind
        self.old = old
        self.new = new or old
        self.new_text = new_text
        self.options = list(options)

    def write(self, folder):
        """The two files."""
        paths = []
        where = folder / self.id.replace("/", "+")
        where.mkdir(parents=True, exist_ok=True)
        for name, text in (("old", self.old.text), ("new", self.new_text)):
            path = where / (name + self.old.suffix)
            path.write_text(text)
            paths.append(str(path))
        return paths

    def code(self, binary, folder):
        """"broken": it does not compile; "same": to the code of the original; "another"."""
        old, new = self.write(folder)
        known = pathlib.Path(new).with_name("known")
        mark = hashlib.sha256((self.old.text + self.new_text).encode()).hexdigest()
        if known.exists() and known.read_text().startswith(mark):
            return known.read_text().split()[1]
        code = code_of(binary, new)
        is_same = code is not None and code == code_of(binary, old)
        answer = "broken" if code is None else "same" if is_same else "another"
        known.write_text(f"{mark} {answer}")
        return answer

    def run(self, binary, folder, seed):
        """The verdict as a line for the output."""
        old, new = self.write(folder)
        command = [binary, "verify", old, new, "--kernel", self.old.name, "--new-kernel",
                   self.new.name, "--seed", str(seed), "--seconds", "0", "--json",
                   *self.options]
        line = {"id": self.id, "class": self.kind, "family": self.old.family}
        code, text, line["seconds"], line["cpu"] = timed(command)
        verdict = json.loads(text) if text.startswith("{") else {}
        if code not in (0, 1):
            error = verdict.get("error", {}).get("message") or text
            return line | {"verdict": "unjudged", "why": error.strip()[:300]}
        if code == 0:
            return line | {"verdict": "same", "cases": verdict["cases"]}
        first = verdict["difference"]
        return line | {"verdict": "different", "kind": first["kind"],
                       "case": first.get("case"), "why": first.get("message", "")}


def draw_mutants(args):
    """COUNT mutants: classes by turns, one of each kernel before a second one of it."""
    draw = random.Random(args.seed)
    pool = verify_mutants.all_mutants(verify_corpus.kernels())
    for those in pool.values():
        draw.shuffle(those)
    uses = {}
    out = []
    while len(out) < args.count and any(pool.values()):
        for kind, those in pool.items():
            if not those or len(out) == args.count:
                continue
            least = min(uses.get(t[1].id, 0) for t in those)
            at = next(k for k, t in enumerate(those) if uses.get(t[1].id, 0) == least)
            name, kernel, edit = those.pop(at)
            item = Item(name, kind, kernel, kernel.edited([edit]))
            if item.code(args.binary, args.work) == "another":
                uses[kernel.id] = uses.get(kernel.id, 0) + 1
                out.append(item)
    return out


def draw_pairs(args):
    """Half levels, half rewrites."""
    draw = random.Random(args.seed)
    kernels = verify_corpus.kernels()
    unequal = read_list("verify_unequal.list")
    found = []
    for name, one, other in verify_pairs.levels(kernels):
        back = f"{one.file}:{other.name}:{one.name}"
        reason = unequal.get(name) or unequal.get(back) or "with :"
        if reason.startswith("with "):
            options = reason[5:reason.index(":")].split()
            found.append(Item(name, "levels", one, other.text, other, options))
    draw.shuffle(found)
    out = found[:args.count // 2]
    draw.shuffle(kernels)
    for k, kernel in enumerate(kernels * len(verify_pairs.REWRITES)):
        rewrite = verify_pairs.REWRITES[(k + k // len(kernels)) % len(verify_pairs.REWRITES)]
        made = rewrite(kernel, draw)
        name = rewrite.__name__.replace("_", "-")
        if len(out) == args.count:
            break
        if not made:
            continue
        item = Item(f"{kernel.id}:{name}", name, kernel, kernel.edited(made[0]),
                    options=made[1])
        code = item.code(args.binary, args.work)
        if code == "another" or (code == "same" and made[1]):
            out.append(item)
    return out


def read_lines(path):
    """What was run before, the last of each."""
    if not path.exists():
        return {}
    return {r["id"]: r for r in map(json.loads, path.read_text().splitlines())}


def run_all(args, items):
    """Runs what has no line yet; lines in the order in which runs end."""
    done = read_lines(args.out)
    left = [i for i in items if i.id not in done]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, args.out.open("a") as out:
        runs = [pool.submit(i.run, args.binary, args.work, args.seed) for i in left]
        for k, run in enumerate(concurrent.futures.as_completed(runs)):
            out.write(json.dumps(run.result()) + "\n")
            out.flush()
            print(f"\r{k + 1} of {len(left)}", end="", file=sys.stderr)
    print(file=sys.stderr)


def table(lines, wanted):
    """Rows by class; `wanted` is the verdict that is right."""
    rows = {}
    for r in lines:
        rows.setdefault(r["class"], []).append(r)
    print(f"{'class':14} {'runs':>5} {'right':>6} {'wrong':>6} {'unjudged':>9} {'median s':>9} "
          f"{'of CPU':>7}")
    for kind in [*sorted(rows), None]:
        those = rows[kind] if kind else lines
        right = sum(r["verdict"] == wanted for r in those)
        unjudged = sum(r["verdict"] == "unjudged" for r in those)
        seconds = [statistics.median(r[of] for r in those) for of in ("seconds", "cpu")]
        print(f"{kind or 'all':14} {len(those):5} {right:6} {len(those) - right - unjudged:6} "
              f"{unjudged:9} {seconds[0]:9.1f} {seconds[1]:7.1f}")
    print(f"right: {100 * sum(r['verdict'] == wanted for r in lines) / len(lines):.1f} %")


def report(args, items):
    """The table, then what went wrong."""
    done = read_lines(args.out)
    equivalent = {} if args.pairs else read_list("verify_equivalent.list")
    lines = [done[i.id] for i in items if i.id in done]
    spared = [r for r in lines if r["id"] in equivalent and r["verdict"] == "same"]
    counted = [r for r in lines if r not in spared]
    if not counted:
        return
    wanted = "same" if args.pairs else "different"
    table(counted, wanted)
    print(f"equivalent, not counted: {len(spared)}")
    for r in counted:
        if r["verdict"] != wanted:
            print(r["id"], r["verdict"], r.get("case", ""), r.get("why", ""))


def show(items):
    """What was planted, as a diff."""
    for i in items:
        old, new = i.old.text.splitlines(), i.new_text.splitlines()
        print(f"{i.id} {' '.join(i.options)}")
        print("\n".join(list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]))


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--pairs", action="store_true")
    parse.add_argument("--seed", type=int, default=1118)
    parse.add_argument("--count", type=int)
    parse.add_argument("--jobs", type=int, default=1)
    parse.add_argument("--every", type=int, default=1)
    parse.add_argument("--only", default="")
    parse.add_argument("--binary", default=str(ROOT / "build/warpwise"))
    parse.add_argument("--out", type=pathlib.Path)
    parse.add_argument("--table", action="store_true")
    parse.add_argument("--show", action="store_true")
    args = parse.parse_args()
    args.count = args.count or (200 if args.pairs else 300)
    name = "pairs" if args.pairs else "mutants"
    args.out = args.out or ROOT / f"build/bench/verify-{name}.jsonl"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.work = ROOT / "build/bench/verify"
    items = (draw_pairs if args.pairs else draw_mutants)(args)
    items = [i for i in items[::args.every] if args.only in i.id]
    if args.show:
        show(items)
        return
    if not args.table:
        run_all(args, items)
    report(args, items)


if __name__ == "__main__":
    main()
