#!/usr/bin/env python3
"""guess.py [--seed N] [--count N] [--not-seed N] [--warpwise PROGRAM] [--keep FILE] [--only TEXT]

Launches that nobody gave, against real ones. Kernels of the corpus lose their `// warpwise:`
comments (the files have no other host code) and are traced as they are then; the guess is
compared with the launches that the corpus has for the kernel: the nearest of them counts.

threads   of the whole grid
bytes     of all buffers
moved     bytes that the threads load and store (shown, not part of the verdict)

A factor is the larger of guess/real and real/guess; a kernel's is the largest of its threads
and bytes. A guess that is refused counts as beyond 64. --seed draws --count kernels, families in
turn; --not-seed: all kernels but those that this seed draws, to work on. --keep: real
launches are read from and written to this file.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
BUDGET = "2000"
NUMBERS = ("integer", "all_threads", "row_length", "axis_threads", "rows", "covered", "turns")


def trace(program, args):
    run = subprocess.run([program, "trace", "-q", "--json", "--budget", BUDGET, *args],
                         capture_output=True, text=True)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    why = [r["error"]["message"] for r in rows if r.get("error")] + [run.stderr.strip()]
    return [r for r in rows if not r.get("error")], why[0]


def kernels(program):
    """(family, file, kernel) of the corpus, in order."""
    out = []
    for path in sorted(CORPUS.glob("*/*.c*")):
        run = subprocess.run([program, "kernels", "--json", path], capture_output=True, text=True)
        for line in run.stdout.splitlines():
            out += [(path.parent.name, f"{path.parent.name}/{path.name}", k["name"])
                    for k in json.loads(line).get("kernels", [])]
    return out


def drawn(everything, seed, count):
    families = collections.defaultdict(list)
    for k in everything:
        families[k[0]].append(k)
    draw = random.Random(seed)
    order = sorted(families)
    draw.shuffle(order)
    for family in order:
        draw.shuffle(families[family])
    picked = []
    while len(picked) < count and any(families.values()):
        for family in order:
            if families[family] and len(picked) < count:
                picked.append(families[family].pop())
    return picked


def size_of(row):
    """threads, bytes of buffers, bytes moved, of a traced launch."""
    launch = row["launch"]
    threads = 1
    for n in launch["grid"] + launch["block"]:
        threads *= n
    buffers = {}
    for k, arg in enumerate(launch["args"]):
        b = (arg or {}).get("buffer")
        if b and not b.get("local"):
            name = b.get("id", k)
            buffers[name] = max(buffers.get(name, 0), b["bytes"])
    c = row["counts"]
    moved = c["global_ld_bytes"] + c["global_st_bytes"] + c["bulk_ld_bytes"] + c["bulk_st_bytes"]
    return [threads, sum(buffers.values()), moved]


def real_of(program, kernel):
    _, file, name = kernel
    specs = [{"kernel": name, "file": file}]
    for line in (CORPUS / "launches.jsonl").read_text().splitlines():
        if not line.startswith("#") and f'"{file}"' in line:
            spec = json.loads(line)
            if spec.get("kernel") == name and len(spec) > 2:
                specs.append(spec)
    for spec in specs:
        spec["file"] = str(CORPUS / file)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write("".join(json.dumps(spec) + "\n" for spec in specs))
        f.flush()
        rows, _ = trace(program, ["--launch", f.name])
    return [size_of(r) for r in rows]


def guess_of(program, kernel, folder):
    _, file, name = kernel
    text = (CORPUS / file).read_text()
    text = re.sub(r"[ \t]*//\s*warpwise:[^\n]*", "", text)
    text = re.sub(r"/\*\s*warpwise:.*?\*/", "", text, flags=re.S)
    path = pathlib.Path(folder) / pathlib.Path(file).name
    path.write_text(text)
    rows, why = trace(program, [str(path), "-k", name])
    return (size_of(rows[0]), rows[0]) if rows else (None, why)


def factor(a, b):
    a, b = max(a, 1), max(b, 1)
    return max(a / b, b / a)


def nearest(guess, real):
    """The real launch whose threads and bytes are nearest, and its factors."""
    return min(([factor(g, r) for g, r in zip(guess, one)] for one in real),
               key=lambda f: max(f[:2]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int)
    p.add_argument("--not-seed", type=int)
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--warpwise", default=str(CORPUS.parent / "build/warpwise"))
    p.add_argument("--keep")
    p.add_argument("--only", default="")
    p.add_argument("--every", type=int, default=1)
    o = p.parse_args()
    everything = kernels(o.warpwise)
    chosen = drawn(everything, o.seed, o.count) if o.seed is not None else everything
    if o.not_seed is not None:
        left_out = set(drawn(everything, o.not_seed, o.count))
        chosen = [k for k in chosen if k not in left_out]
    chosen = [k for k in chosen if o.only in "/".join(k)][::o.every]
    keep = pathlib.Path(o.keep) if o.keep else None
    kept = json.loads(keep.read_text()) if keep and keep.exists() else {}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kernel in chosen:
            key = ":".join(kernel[1:])
            if key not in kept:
                kept[key] = real_of(o.warpwise, kernel)
            if not kept[key]:
                continue
            guess, row = guess_of(o.warpwise, kernel, folder)
            f = nearest(guess, kept[key]) if guess else [float("inf")] * 3
            rows.append((max(f[:2]), f, key, guess, row))
    if keep:
        keep.write_text(json.dumps(kept))
    rows.sort(key=lambda r: -r[0])
    for worst, f, key, guess, row in rows:
        if not guess:
            print(f"refused  {key}: {row[:150]}")
            continue
        l = row["launch"]
        print(f"{worst:9.1f}  threads {f[0]:7.1f}  bytes {f[1]:9.1f}  moved {f[2]:9.1f}  {key}  "
              f"grid {l['grid']} block {l['block']}  "
              + " ".join(f"{a['argument']}={a['values'][0]}" for a in row.get("assumptions", [])
                         if a["kind"] in NUMBERS))
    n = len(rows)
    for limit in (4, 64):
        inside = sum(r[0] <= limit for r in rows)
        moved = sum(max(r[1]) <= limit for r in rows)
        print(f"within {limit}: {inside} of {n} ({100 * inside / n:.0f} %); "
              f"bytes moved too: {moved} ({100 * moved / n:.0f} %)")


main()
