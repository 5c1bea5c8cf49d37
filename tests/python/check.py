"""Every function of the package, from the folder above examples/: prints ok and not ok lines for tests/python.sh."""

import array
import sys
import threading
import traceback

import warpwise

failed = 0


def check(text, body):
    global failed
    try:
        problem = None if body() else "it does not hold"
    except Exception:
        problem = traceback.format_exc()
    print(("ok " if problem is None else "not ok ") + text)
    if problem:
        failed = 1
        print("\n".join("# " + line for line in problem.splitlines()))


def raises(kind, part, **question):
    try:
        warpwise.predict(**question)
    except kind as e:
        return part in str(e) and e.code
    return False


SAXPY = "examples/saxpy.cu"
SCALE = "kernel void scale(global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] *= 2.0f; }\n"
GATHER = "kernel void gather(global const int *at, global const float *x, global float *y) { int i = get_global_id(0); y[i] = x[at[i]]; }\n"


def intervals():
    h200, a100 = warpwise.predict(SAXPY, kernel="saxpy", gpu=["h200", "a100"], args={"n": 1 << 24})
    return (h200.gpu, a100.gpu) == ("h200", "a100") and h200.time_us.low < h200.time_us.value < h200.time_us.high < a100.time_us.value


def sizes():
    small, large = (warpwise.predict(SAXPY, kernel="saxpy", args={"n": n})[0] for n in (1 << 20, 1 << 26))
    return large.time_us.value > 10 * small.time_us.value and large.launch["grid"][0] == 1 << 18


def everything():
    r = warpwise.explain(SAXPY, kernel="saxpy_strided")[0]
    return (r.findings[0].rule == "uncoalesced-load" and r.findings[0].gain > 1.5 and r.findings[0].line == 12
            and r.lines[0].line == 12 and r.lines[0].share > 0.5 and r.roofline == "bandwidth" and r.assumed
            and r.json["schema_version"] == 1 and r.metrics["dram_read_bytes"].value > 1e6)  # fmt: skip


def contents():
    """Indices all the same, or far apart: contents decide."""
    n = 1 << 16
    question = {"text": GATHER, "grid": n // 256, "block": 256}
    near, far = array.array("i", [0] * n), array.array("i", [i * 4099 % n for i in range(n)])
    sectors = [
        warpwise.predict("gather.cl", args={"at": at, "x": f"f32[{n}]", "y": f"f32[{n}]"}, **question)[0].metrics["ld_sectors_per_request"].value
        for at in (near, far)
    ]
    return sectors[1] > 3 * sectors[0]


def swept():
    s = warpwise.sweep(SAXPY, "n=64K..16M:3", kernel="saxpy", gpu=["h200", "a100"])
    times = s.column("time_us", "h200")
    return len(s.reports) == 6 and s.values[0] == 65536 and s.values[-1] == 1 << 24 and times == sorted(times) and "</svg>" in s.picture.svg


def verified():
    text = open(SAXPY).read()
    same = warpwise.verify(SAXPY, "new.cu", new_text=text.replace("a * x[i] + y[i];", "y[i] + a * x[i];", 1), kernel="saxpy", seed=1)
    other = warpwise.verify(SAXPY, "new.cu", new_text=text.replace("i < n", "i < n - 1"), kernel="saxpy", seed=1)
    return same and same.cases > 10 and not other and other.difference["buffer"] == "y"


def tuned():
    t = warpwise.tune(SAXPY, {"BX": [32, 256]}, kernel="saxpy", block="BX", grid="(n+BX-1)/BX", verify=False)
    return t.best.values["BX"] == 256 and len(t.ranked) == 2 and t.best.time_us.value < t.ranked[1].time_us.value and 0 <= t.sure <= 1


def threads():
    """Answers of many threads at a time are those of one."""
    question = {"kernel": "saxpy", "gpu": "h200"}
    alone = [warpwise.predict(SAXPY, args={"n": n}, **question)[0].time_us for n in (1 << 18, 1 << 20)] * 4
    together = [None] * 8

    def ask(i):
        together[i] = warpwise.predict(SAXPY, args={"n": 1 << (18 + 2 * (i % 2))}, **question)[0].time_us

    running = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for t in running:
        t.start()
    for t in running:
        t.join()
    return together == alone


def skipped():
    text = SCALE + "kernel void bad(global float *x) { x[0] = ; }\n"
    return [r.kernel for r in warpwise.predict("two.cl", text=text, errors="skip")] == ["scale"]


def numbers():
    try:
        import numpy
    except ImportError:
        return True  # what follows is the same code with another buffer
    return warpwise.predict("s.cl", text=SCALE, args={"x": numpy.ones(1024, "f4"), "n": numpy.int32(1024)})[0].launch["args"][1]["value"] == 1024


check("the library answers, not the program", lambda: warpwise._engine() is not None)
check("versions agree", lambda: warpwise.version() == warpwise._find.build_info()["version"])
check("GPUs", lambda: {"h200", "a100", "mi300x"} <= {g["name"] for g in warpwise.gpus()})
check("times with intervals, on two GPUs", intervals)
check("arguments change the launch", sizes)
check("an explanation has everything of the report", everything)
check("a text that is no file", lambda: warpwise.predict("s.cl", text=SCALE)[0].kernel == "scale")
check("an array's contents decide", contents)
check("numpy's arrays and scalars, where it is", numbers)
check("a sweep with its curve", swept)
check("verify tells the same from another", verified)
check("tune finds the better block", tuned)
check("a roofline", lambda: warpwise.roofline(SAXPY, kernel="saxpy", gpu="h200")._repr_svg_().lstrip().startswith("<svg"))
check("a launch spec as a dict", lambda: warpwise.predict(SAXPY, launch={"kernel": "saxpy", "grid": [64, 1, 1], "block": [128, 1, 1], "args": [{"name": "n", "value": 8192}]})[0].launch["block"][0] == 128)
check("threads ask at the same time", threads)
check("no such file", lambda: raises(warpwise.InputError, "nonesuch.cu", source="nonesuch.cu"))
check("no such GPU", lambda: raises(warpwise.UsageError, "known are", source=SAXPY, gpu="nonesuch"))
check("no such kernel", lambda: raises(warpwise.UsageError, "saxpy_strided", source=SAXPY, kernel="nonesuch"))
check("a source that is wrong", lambda: raises(warpwise.InputError, "expected expression", source="x.cu", text="__global__ void k(int *a) { a[0] = ; }"))
check("an argument of no known kind", lambda: raises(warpwise.UsageError, "argument n", source=SAXPY, args={"n": [1, 2]}))
check("kernels that cannot be predicted can be left out", skipped)
check("type checkers know every option", lambda: set(warpwise.Options.__annotations__) == set(warpwise.Question.__dataclass_fields__) - {"source"})
check("doctor", lambda: "clang" in warpwise.doctor())
sys.exit(failed)
