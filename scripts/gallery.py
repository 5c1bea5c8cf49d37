#!/usr/bin/env python3
"""gallery.py BUILD [NAME...] : docs/gallery/, a page for each kernel of the table below, from its prediction to a change that was verified.

All figures and pictures come from the program: `optimize` searches (kept in BUILD/gallery/NAME.json, so that pages can be made again in seconds), `explain`
shows before and after, `roofline` both. A time is called measured only where docs/optimize.md has it; everything else is predicted.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
OUT = TOP / "docs" / "gallery"

# name, source, title, what it is
KERNELS = [
    ("sum_atomic", "corpus/reduction/sum.cu", "A sum, one atomic a thread",
     "Every thread adds its element to one word. The atomics of a million threads are carried out one after the other, and memory is idle meanwhile."),
    ("histogram_global", "corpus/histogram/histogram.cu", "A histogram in global memory",
     "Every element is an atomic on one of 256 counters that all blocks share: four million of them."),
    ("nbody", "corpus/particles/nbody.cu", "Bodies that attract each other",
     "A thread goes through all bodies for its own. There are too few threads to fill the GPU, and each has a long chain of dependent operations."),
    ("gemv_turned", "corpus/gemv/vectors.cu", "A transposed matrix times a vector",
     "A thread adds up a column. Neighbouring threads read neighbouring elements, but there is one thread a column only, far fewer than the GPU holds."),
    ("transpose_naive", "corpus/transpose/transpose.cu", "A transpose",
     "Rows are read as they lie, columns written with a stride: each store of a warp touches 32 sectors for 32 elements."),
    ("gemv_q4", "corpus/lowprecision/low.cu", "A vector times weights of four bits",
     "What a language model does for every token. The weights come 16 bytes at a time, but the vector they meet is loaded a float at a time, by lanes that are 32 floats apart."),
    ("grey", "corpus/image/image.cu", "Colour to grey",
     "Three bytes in, one out, a thread a pixel. `explain` knows no single change that helps; the search finds several that do together."),
    ("gemm_naive", "corpus/gemm/gemm.cu", "A matrix product, a thread an element",
     "Every operand comes from L1 again for each use; the arithmetic units wait for it."),
    ("gemm_uncoalesced", "corpus/gemm/gemm.cu", "A matrix product with its axes swapped",
     "The same product with x along rows: neighbouring threads touch different lines in every access."),
    ("scale_columns", "tests/optimize/naive.cu", "A matrix scaled along its columns",
     "x runs along rows, which lie far apart: each access of a warp touches 16 sectors where 4 would do."),
]  # fmt: skip


def run(build, *words, cwd=None, check=True):
    p = subprocess.run([str(build / "warpwise"), *words], capture_output=True, text=True, check=False, cwd=cwd)
    if check and p.returncode not in (0, 1):
        sys.exit(f"gallery: warpwise {' '.join(words)}: {p.stderr}")
    return p.stdout


def searched(build, name, source):
    kept = build / "gallery" / f"{name}.json"
    if not kept.exists():
        print(f"{name}: searching", flush=True)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(run(build, "optimize", source, "--kernel", name, "--gpu", "h200", "--seed", "1", "--json", "--quiet", cwd=TOP))
    return json.loads(kept.read_text())


def steps(o):
    tried = {t["id"]: t for t in o["tried"]}
    chain, k = [], o["best"]
    while k:
        chain.insert(0, tried[k])
        k = tried[k]["from"]
    return chain


def measured(name):
    """predicted and measured gain, where docs/optimize.md has them."""
    m = re.search(rf"^\| `{name}`[^|]*\| ([\d.]+)x \| ([\d.]+)x \|", (TOP / "docs/optimize.md").read_text(), re.M)
    return (m[1], m[2]) if m else None


def us(q):
    def one(v):
        return f"{v / 1000:.3g} ms" if v >= 1000 else f"{v:.3g} us"

    return f"{one(q['time_us'])} ({one(q['low'])} .. {one(q['high'])})"


def pictures(build, name, suffix, before, after):
    """before.svg, after.svg: what explain prints. roofline.svg: both, unless one has no floating-point operations."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for which, text in (("before", before), ("after", after)):
            (work / which).mkdir()
            (work / which / f"{name}{suffix}").write_text(text)
            words = ["explain", f"{which}/{name}{suffix}", "--kernel", name, "--gpu", "h200"]
            printed = run(build, *words, "--color", "always", cwd=work)
            svg = subprocess.run([str(TOP / "docs/pictures/terminal.py"), "warpwise " + " ".join(words)], input=printed, capture_output=True, text=True, check=True)
            (OUT / f"{name}-{which}.svg").write_text(svg.stdout)
            (work / f"{which}{suffix}").write_text(re.sub(rf"\b{name}\b(?=\()", which, text))  # named so in the picture
        (work / "both.jsonl").write_text("".join(json.dumps({"file": f"{w}{suffix}", "kernel": w}) + "\n" for w in ("before", "after")))
        printed = run(build, "roofline", "--launch", "both.jsonl", "--gpu", "h200", "--svg", "both.svg", cwd=work, check=False)
        drawn = (work / "both.svg").exists() and "has no place here" not in printed
        if drawn:
            (OUT / f"{name}-roofline.svg").write_text((work / "both.svg").read_text())
            found.append("roofline")
        else:
            (OUT / f"{name}-roofline.svg").unlink(missing_ok=True)
    return found


def page(build, name, source, title, what):
    o = searched(build, name, source)
    if not o["improved"]:
        print(f"{name}: nothing better was found, no page", flush=True)
        return None
    found = pictures(build, name, Path(source).suffix, (TOP / source).read_text(), o["source"])
    chain, known = steps(o), measured(name)
    gain = f"{o['gain']:.3g} times as fast by prediction"
    if known:
        gain += f"; on an H200 the search predicted {known[0]} and measured {known[1]} times ([optimize.md](../optimize.md))"
    else:
        gain += "; not measured"
    text = [
        f"# {title}", "", f"`{name}` in [{source}](../../{source}), predicted for an H200.", "", what, "",
        "## Before", "", f"![What explain says of the original]({name}-before.svg)", "",
        "## The change", "", f"`warpwise optimize {source} --kernel {name} --gpu h200 --seed 1` tried {len(o['tried'])} rewrites and kept:", "",
    ]  # fmt: skip
    text += [f"{i}. `{t['rewrite']}`: {t['title'].rstrip()}: {us(t)}" for i, t in enumerate(chain, 1)]
    text += ["", f"It does the same as the original in all {chain[-1]['cases']} cases that `verify` ran.", "", "```diff", o["patch"].rstrip("\n"), "```", "", "## After", "",
             f"{us(o['before'])} became {us(o['after'])}: {gain}.", "", f"![What explain says of the result]({name}-after.svg)", ""]  # fmt: skip
    if "roofline" in found:
        text += [f"![Both under the H200's roofs]({name}-roofline.svg)", ""]
    else:
        text += ["No roofline: the original has no floating-point operations that could be placed under one.", ""]
    if o["assumes_no_overlap"]:
        text += ["The change assumes that the buffers do not overlap.", ""]
    (OUT / f"{name}.md").write_text("\n".join(text))
    return f"| [{title}]({name}.md) | {us(o['before'])} | {us(o['after'])} | {o['gain']:.3g}x | {known[1] + 'x' if known else ''} | {', '.join(dict.fromkeys('`' + t['rewrite'] + '`' for t in chain))} |"


def main():
    build, chosen = Path(sys.argv[1]).resolve(), sys.argv[2:]
    OUT.mkdir(exist_ok=True)
    rows = [page(build, *k) for k in KERNELS if not chosen or k[0] in chosen]
    if chosen:
        return
    head = [
        "# Gallery", "", "Kernels of this project, from the first prediction to a change that was verified: what was slow, what `warpwise optimize` did about it without a GPU, and why it",
        "is faster. Times are predicted for an H200, with their intervals; gains in the column \"measured\" were measured on one ([optimize.md](../optimize.md)). `scripts/gallery.py` makes these pages.", "",
        "| | before | after | predicted | measured | by |", "|---|---|---|--:|--:|---|",
    ]  # fmt: skip
    (OUT / "README.md").write_text("\n".join(head + [r for r in rows if r]) + "\n")


if __name__ == "__main__":
    main()
