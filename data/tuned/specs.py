"""specs.py LAUNCHES.jsonl CODE/ > ready.jsonl: the launches of tuned kernels as ready specs, without a front end.

A launch is the comment above the kernel and what differs from it. Parameters are read from the kernel's declaration;
CODE/ gets a cubin for each source (nvcc, sm_90a, because Hopper's own instructions need it). A line of the result needs
no source and no LLVM where it is measured. Invariant: nothing is assumed; a name without a value is an error."""
import json
import os
import re
import subprocess
import sys

TYPE_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "u8": 1, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
ARCHITECTURE = "sm_90a"
HERE = os.path.dirname(os.path.abspath(__file__))


def number(text, names):
    """The value of a launch expression; integers divide as in C."""
    text = re.sub(r"(?<!/)/(?!/)", "//", text) if "." not in text else text
    return eval(text, {"__builtins__": {}}, names)


def fill_of(words, names):
    for w in words:
        m = re.fullmatch(r"(\w+)\((.*)\)", w)
        if m:
            return {m[1]: [number(b, names) for b in m[2].split(",")]}
        if w:
            return w
    return "random"


def buffer_of(text, names):
    m = re.fullmatch(r"(\w+)\[(.*?)\]((?::[^:]*)*)", text)
    count = number(m[2], names)
    return {"buffer": {"bytes": count * TYPE_BYTES[m[1]], "type": m[1], "fill": fill_of(m[3].split(":")[1:], names)}}


def parameters(declaration):
    return [re.sub(r".*?(\w+)\s*$", r"\1", p.strip()) for p in declaration.split(",")]


def kernels_of(path):
    """{kernel: (comment's words, parameter names, written)} of a source."""
    text = open(path).read()
    found = {}
    pattern = r"// warpwise: (.*)\nextern \"C\" __global__ void\s*(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)"
    for comment, kernel, declaration in re.findall(pattern, text):
        words = dict(w.split("=", 1) for w in comment.split())
        constant = [p for p in declaration.split(",") if "const " in p]
        found[kernel] = (words, parameters(declaration), parameters(",".join(constant)) if constant else [])
    return found


def scalars(words, given):
    names = dict(given)
    left = {k: v for k, v in words.items() if k not in names and "[" not in v and k not in ("grid", "block", "shared")}
    while left:
        ready = [k for k, v in left.items() if not set(re.findall(r"[A-Za-z_]\w*", v)) - {"e"} - set(names)]
        if not ready:
            raise ValueError(f"no value for {sorted(left)}")
        for k in ready:
            names[k] = number(left.pop(k), names)
    return names


def shape(text, names):
    v = [number(x, names) for x in text.split(",")]
    return v + [1] * (3 - len(v))


def expand(launch, folder, code):
    """The ready spec of one launch."""
    path = os.path.join(folder, launch["file"])
    words, names_in_order, constant = kernels_of(path)[launch["kernel"]]
    given = {a["name"]: a["value"] for a in launch.get("args", []) if "value" in a}
    other = {a["name"]: {k: v for k, v in a.items() if k != "name"} for a in launch.get("args", []) if "value" not in a}
    names = scalars(words, given)
    args = []
    for p in names_in_order:
        if p in other:
            args.append(other[p])
        elif p in names:
            args.append({"value": names[p]})
        else:
            args.append(buffer_of(words[p], names))
            written_only = p not in constant and ":" not in words[p]
            if written_only:
                args[-1]["buffer"]["fill"] = "zeros"
    spec = {"file": path, "kernel": launch["kernel"], "grid": shape(words["grid"], names), "block": shape(words["block"], names)}
    if "shared" in words:
        spec["shared"] = number(words["shared"], names)
    spec["args"] = args
    spec["binary"] = os.path.join(code, os.path.splitext(os.path.relpath(path, HERE))[0].replace("/", "-") + ".cubin")
    return spec


def compile_code(spec):
    """The cubin that a spec names, where it is not newer than its source."""
    source, cubin = spec["file"], spec["binary"]
    headers = [os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".h")]
    if os.path.exists(cubin) and os.path.getmtime(cubin) > max(map(os.path.getmtime, [source] + headers)):
        return
    os.makedirs(os.path.dirname(cubin), exist_ok=True)
    subprocess.run(["nvcc", f"-arch={ARCHITECTURE}", "-cubin", "-lineinfo", "-w", "-o", cubin, source], check=True)


def read(path):
    return [json.loads(line) for line in open(path) if line.strip() and not line.startswith("#")]


def main(path, code):
    for launch in read(path):
        spec = expand(launch, os.path.dirname(path) or ".", code)
        compile_code(spec)
        for member in ("binary", "file"):
            spec[member] = os.path.relpath(spec[member], os.path.dirname(code) or ".")
        print(json.dumps(spec, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
