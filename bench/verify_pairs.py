"""verify_pairs.py - pairs of kernels that are the same, for bench/verify.py.

Two kinds: levels of one problem (kernels of one file with the same parameters, types and
names), and rewrites that keep what a kernel does. A rewrite returns (edits, options of verify)
or None where it does not apply.
"""
import itertools
import re

from verify_corpus import closing
from verify_mutants import sites


def plain_loops(kernel):
    """(begin, init, condition, step, body begin, end) of loops without jumps or a pragma."""
    for m in sites(kernel, r"\bfor \("):
        close = closing(kernel.masked, m.end() - 1, "()")
        parts = kernel.text[m.end():close].split(";")
        before = kernel.text[:m.start()].rstrip().split("\n")[-1]
        at = close + 1
        while kernel.text[at] in " \n":
            at += 1
        if kernel.masked[at] == "{":
            end = closing(kernel.masked, at) + 1
        else:
            end = kernel.masked.find(";", at) + 1
        body = kernel.masked[at:end]
        if len(parts) != 3 or "#pragma" in before or not parts[0].strip() or \
                re.search(r"\b(for|while|if|do|break|continue|return|goto)\b", body) or \
                re.search(r"\b__shared__|__local\b|asm", kernel.text[at:end]):
            continue
        yield m.start(), parts[0], parts[1], parts[2], at, end


def pick(draw, found):
    """One of several places, None of none."""
    found = list(found)
    return draw.choice(found) if found else None


def peeled(kernel, draw):
    """The first round of a loop stands before it."""
    loop = pick(draw, plain_loops(kernel))
    if not loop:
        return None
    begin, init, condition, advance, at, end = loop
    body = kernel.text[at:end]
    new = f"{{ {init}; if ({condition}) {{ {body} {advance}; }} for (; {condition}; {advance}) {body} }}"
    return [(begin, end, new)], []


def as_while(kernel, draw):
    """for as while."""
    loop = pick(draw, plain_loops(kernel))
    if not loop:
        return None
    begin, init, condition, advance, at, end = loop
    new = f"{{ {init}; while ({condition}) {{ {kernel.text[at:end]} {advance}; }} }}"
    return [(begin, end, new)], []


def unrolled(kernel, draw):
    """A pragma before each loop that has none."""
    number = draw.choice(["1", "2", "4"])
    edits = [(loop[0], loop[0], f"\n#pragma unroll {number}\n") for loop in plain_loops(kernel)]
    return (edits, []) if edits else None


def renamed(kernel, draw):
    """Every parameter and the variables of plain declarations have another name."""
    del draw
    names = [n for _, n in kernel.params]
    for m in sites(kernel, r"\b(?:int|float|double|unsigned) (\w+)(?= = )"):
        names.append(m[1])
    edits = []
    for name in sorted(set(names)):
        pattern = rf"(?<![.\w])(?<!->){name}\b(?!\s*\()"
        for m in re.finditer(pattern, kernel.masked[kernel.head:kernel.close]):
            edits.append((kernel.head + m.start(), kernel.head + m.end(), f"{name}_0"))
    grid = kernel.launch.get("grid")
    block = kernel.launch.get("block")
    keep = []
    if grid and re.search(r"[a-z]", grid):
        keep = ["--new-grid", re.sub(r"\b([A-Za-z_]\w*)\b", r"\1_0", grid)]
    if block and re.search(r"[a-z]", block):
        return None
    return edits, keep


def restricted(kernel, draw):
    """All pointers are __restrict__; they do not overlap."""
    del draw
    word = "__restrict__" if kernel.suffix == ".cu" else "restrict"
    head = kernel.masked[kernel.head:kernel.open]
    if word in head:
        return None
    at = head.index("(", head.index(kernel.name))
    edits = [(kernel.head + m.end(1), kernel.head + m.end(1), f" {word} ")
             for m in re.finditer(r"(\*)\s*\w+\s*(?=[,)])", head) if m.start() > at]
    return (edits, ["--no-overlap"]) if edits else None


def guarded(kernel, draw):
    """if (i < n) { ... } for if (i >= n) return."""
    del draw
    if re.search(r"__sync|barrier|__shfl|__ballot|asm", kernel.text[kernel.open:kernel.close]):
        return None
    m = re.search(r"\n  if \(([^;{}\n]*)\) return;", kernel.masked[kernel.open:kernel.close])
    if not m:
        return None
    begin = kernel.open + m.start()
    return [(begin, kernel.open + m.end(), f"\n  if (!({m[1]})) {{"),
            (kernel.close, kernel.close, "}\n")], []


def commuted(kernel, draw):
    """x * y as y * x."""
    found = [m for m in sites(kernel, r"(?<=[(=+\[] )(\w+) \* (\w+)(?= ?[;,)+\]])")
             if not re.match(r"\d*(float|int|size_t)", m[1])]
    if not found:
        return None
    m = draw.choice(found)
    return [(m.start(), m.end(), f"{m[2]} * {m[1]}")], []


def wider_index(kernel, draw):
    """long long for the int that a global index is kept in."""
    del draw
    m = next(iter(sites(kernel, r"\bint (?=\w+ = (?:blockIdx\.x \* blockDim\.x|get_global_id)"
                                r"[^,;]*;)")), None)
    if not m or kernel.suffix == ".cl":
        return None
    name = re.match(r"\w+", kernel.masked[m.end():])[0]
    if re.search(rf"\b(min|max)\([^;]*\b{name}\b", kernel.body):
        return None
    return [(m.start(), m.end(), "long long ")], []


def other_block(kernel, draw):
    """The same threads in blocks of another size."""
    del draw
    grid, block = kernel.launch.get("grid", ""), kernel.launch.get("block", "")
    m = re.fullmatch(r"\((\w+)\+(\d+)\)/(\d+)", grid)
    if not m or m[3] != block or not re.search(r"blockIdx\.x \* blockDim\.x|get_global_id",
                                               kernel.body):
        return None
    if re.search(rf"__shared__|__local|__sh|__sync|__ballot|% {block}|\* {block}|gridDim|"
                 r"threadIdx\.x [^;]*threadIdx|asm|__launch_bounds__|get_local|get_group|sub_group",
                 kernel.text[kernel.head:kernel.close]):
        return None
    size = 64 if int(block) > 64 else 192
    return [(kernel.close, kernel.close, " ")], [
        "--new-block", str(size), "--new-grid", f"({m[1]}+{size - 1})/{size}"]


REWRITES = (peeled, as_while, unrolled, renamed, restricted, guarded, commuted, wider_index,
            other_block)


def levels(kernels):
    """(id, one, other): each level with each other one, both ways."""
    problems = {}
    for k in kernels:
        problems.setdefault((k.file, tuple(k.params)), []).append(k)
    for (file, _), those in problems.items():
        for one, other in itertools.permutations(those, 2):
            yield f"{file}:{one.name}:{other.name}", one, other
