"""cheats.py JOB : a job of candidates that an optimiser could be cheated with, around the kernel of scale.cl.

Each label ends with the state that `measure --job` has to give it."""
import json
import pathlib
import sys

text = (pathlib.Path(__file__).parent / "scale.cl").read_text().replace("block=BX", "block=64")
n = 1 << 17
x = {"bytes": 4 * n, "type": "f32", "fill": "random"}
y = {"bytes": 4 * n, "type": "f32", "fill": "zeros"}
assign = "y[i + k] = 2.0f * x[i + k];"
cases = [
    ("original: measured", text, {}),
    ("a last digit: measured", text.replace("2.0f", "2.000001f"), {}),
    ("half of the work: wrong", text, {"grid": n // 128}),
    ("a constant for a result: wrong", text.replace(assign, "y[i + k] = 0.5f;"), {}),
    ("its input changed: wrong", text.replace("const ", "").replace(assign, "{ " + assign + " x[i + k] = 0; }"), {}),
    ("nothing done, stale memory kept: wrong", text.replace(assign, ";"), {}),
    ("NaN where nobody looks: wrong", text.replace(assign, assign + " if (i == n - 1) y[i] = NAN;"), {}),
    ("quicker than memory: impossible", text, {"needs": {"read_bytes": 1e15}}),
    ("does not compile: failed", text + "}", {}),
    ("outside its buffers: failed", text.replace("y[i + k] =", "y[(long)(i + k) * 100000000] ="), {}),
    ("much slower: measured", text.replace(assign, assign + " for (volatile int q = 0; q < 99; q++);"), {}),
]
with open(sys.argv[1], "w") as out:
    out.write(json.dumps({"job": 1, "tool": "tune", "settings": {}}) + "\n")
    for k, (label, source, other) in enumerate(cases):
        launch = {
            "grid": [other.get("grid", n // 64), 1, 1],
            "block": [64, 1, 1],
            "args": [{"buffer": x}, {"buffer": y}, {"hex": n.to_bytes(4, "little").hex()}],
        }
        line = {"candidate": k, "parent": 0, "label": label, "file": "scale.cl", "kernel": "scale", "text": source}
        line |= {"launch": launch, "needs": other.get("needs", {}), "verdict": "same"}
        out.write(json.dumps(line) + "\n")
