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
# works in its first run alone; OpenCL C has no such variables, CUDA's are restored before each run, and each run's result is looked at
once = "__global int runs[1 << 17];\n" + text.replace("int i =", "if (runs[get_global_id(0)]++) return; int i =")
cases = [
    ("original: measured", text, {}),
    ("a last digit: measured", text.replace("2.0f", "2.000001f"), {}),
    ("half of the work: wrong", text, {"grid": n // 128}),
    ("a constant for a result: wrong", text.replace(assign, "y[i + k] = 0.5f;"), {}),
    ("its input changed: wrong", text.replace("const ", "").replace(assign, "{ " + assign + " x[i + k] = 0; }"), {}),
    ("nothing done, stale memory kept: wrong", text.replace(assign, ";"), {}),
    ("NaN where nobody looks: wrong", text.replace(assign, assign + " if (i == n - 1) y[i] = NAN;"), {}),
    ("quicker than memory: impossible", text, {"needs": {"read_bytes": 1e15}}),
    ("counts its runs in a variable of its own: failed|wrong", once, {}),  # newer compilers take such a variable
    ("only what was zero before: wrong", text.replace(assign, "if (x[i + k] < 0.5f) " + assign), {}),
    ("input and output exchanged: wrong", text, {"args": [1, 0, 2]}),
    ("another kernel than the text has: failed", text, {"kernel": "other"}),
    ("more local memory than there is: failed", text.replace("int i =", "__local volatile float s[1 << 28]; s[get_local_id(0) << 20] = 1; int i ="), {}),
    ("does not compile: failed", text + "}", {}),
    ("outside its buffers: failed", text.replace("y[i + k] =", "y[(long)(i + k) * 100000000] ="), {}),
    ("much slower: measured", text.replace(assign, assign + " for (volatile int q = 0; q < 99; q++);"), {}),
]
with open(sys.argv[1], "w") as out:
    out.write(json.dumps({"job": 1, "tool": "tune", "settings": {}}) + "\n")
    args = [{"buffer": x}, {"buffer": y}, {"hex": n.to_bytes(4, "little").hex()}]
    for k, (label, source, other) in enumerate(cases):
        launch = {
            "grid": [other.get("grid", n // 64), 1, 1],
            "block": [64, 1, 1],
            "args": [args[i] for i in other.get("args", [0, 1, 2])],
        }
        line = {"candidate": k, "parent": 0, "label": label, "file": "scale.cl", "text": source}
        line |= {"kernel": other.get("kernel", "scale"), "flags": other.get("flags", [])}
        line |= {"launch": launch, "needs": other.get("needs", {}), "verdict": "same"}
        out.write(json.dumps(line) + "\n")
