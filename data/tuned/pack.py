"""pack.py OUT DATA: what measure.sh left in OUT becomes the tables of DATA.

  tuned-h200.jsonl.zst   lines of tuned kernels: new launches are added, measured ones replaced
  cases-h200.jsonl.zst, blind-h200.jsonl.zst, triton-h200.jsonl.zst
  triton/ptx.tar.zst     triton/NAME.ptx and NAME.json, one for each code; paths of the machine that made them are taken out

A line's file is relative to DATA; lines with an error are left out and printed."""
import io
import json
import os
import re
import subprocess
import sys
import tarfile

import specs

OUT, DATA = sys.argv[1:3]
GPU = "h200"


def lines(name, launches=None):
    """Report lines of OUT. Where the launches are given, in the same order, tensor maps are put back as these have them."""
    path = os.path.join(OUT, name)
    asked = specs.read(launches) if launches else []
    for i, line in enumerate(open(path) if os.path.exists(path) else []):
        r = json.loads(line)
        if "error" in r:
            print(f"left out: {r.get('kernel')}: {r['error']['message']}")
            continue
        if launches:
            spec = specs.expand(asked[i], os.path.dirname(launches), "")
            r["launch"]["args"] = [a if "tensormap" in a else b for a, b in zip(spec["args"], r["launch"]["args"])]
        yield r


def tidy(r, family, file):
    """A report line whose launch names a source of this folder and no machine."""
    launch = {"file": file, **{k: v for k, v in r["launch"].items() if k not in ("file", "binary")}}
    if not launch.get("shared"):
        launch.pop("shared", None)
    measured = dict(r["measured"], gpu=GPU)
    rest = {k: v for k, v in r.items() if k not in ("file", "launch", "measured", "gpu", "family")}
    return {"family": family, "file": file, "gpu": GPU, **rest, "launch": launch, "measured": measured}


def key(r):
    l = r["launch"]
    return json.dumps([r["kernel"], l["grid"], l["block"], [a.get("buffer", {}).get("bytes") for a in l["args"]]])


def packed(data):
    return subprocess.run(["zstd", "--ultra", "-22", "-c"], input=data, capture_output=True, check=True).stdout


def write(name, rows):
    if rows:
        with open(os.path.join(DATA, name), "wb") as f:
            f.write(packed("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in rows).encode()))
        print(f"{name}: {len(rows)} launches")


def after(path, part):
    return path[path.index(part) :]


def plain(mangled):
    """A kernel's name as its source has it: what no host code instantiates is found by that."""
    return subprocess.run(["c++filt", "-p", mangled], capture_output=True, text=True).stdout.strip().replace("(int)", "")


def tuned():
    path = os.path.join(DATA, "tuned-h200.jsonl.zst")
    old = subprocess.run(["zstd", "-dc", path], capture_output=True, text=True).stdout.splitlines()
    rows = {key(r): r for r in map(json.loads, old)}
    for r in lines("tuned.jsonl", os.path.join(specs.HERE, "launches.jsonl")):
        rows[key(r)] = tidy(r, "tuned", "tuned/" + after(r["file"], "tuned/").split("/")[-1])
    write("tuned-h200.jsonl.zst", list(rows.values()))


def neutral_ptx(text):
    """Paths of files become the last part of them; the compilation's folder becomes dots of the same length."""
    text = re.sub(r'(\.file\s+\d+ )"[^"]*/([^"/]+)"', r'\1"\2"', text)
    at = re.search(r"// DW_AT_comp_dir\n(?:\.b8 \d+\n)*", text)
    if not at:
        return text
    start = text.rindex("\n", 0, at.start()) + 1
    block = re.sub(r"\.b8 (\d+)", lambda m: ".b8 46" if m[1] != "0" else m[0], text[start : at.end()])
    return text[:start] + block + text[at.end() :]


def neutral_json(text):
    m = json.loads(text)
    m["extern_libs"] = [[name, os.path.basename(path)] for name, path in m.get("extern_libs") or []]
    return json.dumps(m)


def triton():
    path = os.path.join(OUT, "triton.tgz")
    if not os.path.exists(path):
        return
    with tarfile.open(path) as t:
        files = {os.path.basename(m.name): t.extractfile(m).read() for m in t if m.isfile()}
    codes, rows = {}, []
    for r in lines("triton.jsonl"):
        name = os.path.basename(r["file"])[: -len(".ptx")]
        ptx = neutral_ptx(files[name + ".ptx"].decode())
        same = [n for n, (p, _) in codes.items() if p == ptx]
        if not same:
            codes[name] = (ptx, neutral_json(files[name + ".json"]))
        rows.append(tidy(r, re.sub(r"_\d+$", "", name), f"triton/{(same or [name])[0]}.ptx"))
    write("triton-h200.jsonl.zst", sorted(rows, key=lambda r: r["file"]))
    kernels = open(os.path.join(specs.HERE, "../triton/kernels.py")).read()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as t:
        for name, text in sorted([("kernels.py", kernels)] + [(n + e, c) for n, pair in codes.items() for e, c in zip((".ptx", ".json"), pair)]):
            info = tarfile.TarInfo("triton/" + name)
            info.size = len(text.encode())
            t.addfile(info, io.BytesIO(text.encode()))
    with open(os.path.join(DATA, "triton", "ptx.tar.zst"), "wb") as f:
        f.write(packed(data.getvalue()))
    print(f"triton/ptx.tar.zst: {len(codes)} codes")


tuned()
triton()
cases = [tidy(r, "cases", after(r["file"], "cases/")) for r in lines("cases.jsonl")]
for r in cases:
    r["kernel"] = r["launch"]["kernel"] = plain(r["kernel"])
write("cases-h200.jsonl.zst", cases)
write("blind-h200.jsonl.zst", [tidy(r, "blind", "tuned/blind/" + os.path.basename(r["file"])) for r in lines("blind.jsonl", os.path.join(specs.HERE, "blind/launches.jsonl"))])
