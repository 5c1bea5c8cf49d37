"""check.py: do the tuned kernels compute what they say? Small launches against plain numpy.

  check.py plan CODE/ OUT.jsonl [FOLDER]   ready specs of the checks; FOLDER blind: those of blind/
  check.py compare OUT.jsonl DUMPS         DUMPS/i/argN.bin as `measure --dump` and `trace --full --dump` leave them

A check is a launch and a function of its arguments, by name, that gives pairs of what came out and what should have."""
import json
import os
import sys

import numpy as np

import specs

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "u8": np.uint8, "i32": np.int32, "u32": np.uint32, "i64": np.int64,
         "u64": np.uint64}
CHECKS = {}


def check(file, tolerance=2e-3, **sizes):
    def keep(f):
        CHECKS[f.__name__] = (file, sizes, tolerance, f)
        return f

    return keep


def load(path, kind):
    raw = open(path, "rb").read()
    if kind == "bf16":
        return (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    v = np.frombuffer(raw, NUMPY[kind])
    return v.astype(np.float64) if kind[0] == "f" else v


# ---- matrices ----


def product(a, turned=False):
    m, n, k = (a[s] for s in ("M", "N", "K"))
    x = a["A"].astype(np.float64).reshape(m, k)
    y = a["B"].astype(np.float64).reshape(n, k).T if turned else a["B"].astype(np.float64).reshape(k, n)
    return [(a["C"], (x @ y).ravel())]


def square(a):
    n = a["n"]
    return [(a["C"], (a["A"].reshape(n, n) @ a["B"].reshape(n, n)).ravel())]


def turned(a):
    return product(a, turned=True)


@check("sgemm_warp.cu", n=256)
def sgemm_warp(a):
    return square(a)


@check("sgemm_warp.cu", n=128)
def sgemm_async(a):
    return square(a)


@check("hgemm_stages.cu", M=128, N=128, K=96)
def hgemm_wmma(a):
    return product(a)


@check("hgemm_stages.cu", M=256, N=128, K=160)
def hgemm_swizzle(a):
    return turned(a)


@check("hgemm_stages.cu", M=128, N=256, K=192)
def bgemm_4stages(a):
    return turned(a)


@check("wgmma.cu", M=256, N=256, K=320)
def wgmma_async(a):
    return turned(a)


def packed(v, rows, k):
    """Rows that lie in tiles of 128 x 64 halves, swizzled by pieces of 8."""
    v = v.reshape(rows // 128, k // 64, 128, 8, 8)
    out = np.empty_like(v)
    for r in range(128):
        for p in range(8):
            out[:, :, r, p] = v[:, :, r, p ^ (r & 7)]
    return out.reshape(rows // 128, k // 64, 128, 64).transpose(0, 2, 1, 3).reshape(rows, k)


@check("wgmma.cu", M=256, N=256, K=448)
def wgmma_bulk(a):
    k = a["K"]
    return [(a["C"], (packed(a["A"], a["M"], k) @ packed(a["B"], a["N"], k).T).ravel())]


@check("wgmma.cu", M=256, N=512, K=576)
def wgmma_tma(a):
    return turned(a)


@check("bytes.cu", tolerance=0, M=128, N=64, K=192)
def igemm_dp4a(a):
    return turned(a)


@check("bytes.cu", tolerance=0, M=256, N=128, K=320)
def igemm_mma(a):
    return turned(a)


@check("bytes.cu", rows=16, cols=2048)
def gemv_int4(a):
    rows, cols = a["rows"], a["cols"]
    w = a["w"].reshape(rows, cols // 8, 1) >> (4 * np.arange(8, dtype=np.uint32)) & 15
    w = (w.astype(np.float64) - 8).reshape(rows, cols // 64, 64) * a["scale"].reshape(rows, cols // 64, 1)
    return [(a["y"], w.reshape(rows, cols) @ a["x"])]


# ---- attention ----


def attention(q, k, v, scale, mask=0):
    s = q @ k.transpose(0, 2, 1) * scale + mask
    p = np.exp(s - s.max(-1, keepdims=True))
    return p @ v / p.sum(-1, keepdims=True)


@check("flash.cu", tolerance=1e-2, n=192, heads=2)
def flash_bf16(a):
    shape = (a["heads"], a["n"], 64)
    return [(a["o"], attention(a["q"].reshape(shape), a["k"].reshape(shape), a["v"].reshape(shape), 0.125).ravel())]


@check("flash.cu", n=256, heads=2, parts=2)
def decode_paged(a):
    n, heads, parts = a["n"], a["heads"], a["parts"]
    table = a["table"].reshape(heads, n // 16)
    k, v = (a[x].reshape(-1, 16, 128)[table].reshape(heads, n, 128) for x in ("kp", "vp"))
    want = attention(a["q"].reshape(heads, 1, 128), k, v, 0.0883883)[:, 0]
    m, l = a["ml"].reshape(heads, parts, 2)[:, :, 0], a["ml"].reshape(heads, parts, 2)[:, :, 1]
    w = np.exp(m - m.max(1, keepdims=True))
    got = (a["o"].reshape(heads, parts, 128) * w[:, :, None]).sum(1) / (l * w).sum(1)[:, None]
    return [(got, want)]


# ---- grids ----


@check("grids.cu", nx=64, ny=16, nz=12)
def heat_planes(a):
    u = a["u"].reshape(a["nz"], a["ny"], a["nx"])
    p = np.pad(u, 1, mode="edge")
    near = p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1]
    return [(a["v"], (u + a["c"] * (near - 6 * u)).ravel())]


def convolution(a):
    n, h, w, c, k = (a[s] for s in "NHWCK")
    x = np.pad(a["in"].reshape(n, h, w, c), ((0, 0), (1, 1), (1, 1), (0, 0)))
    f = a["filter"].reshape(k, 3, 3, c)
    return sum(x[:, i : i + h, j : j + w] @ f[:, i, j].T for i in range(3) for j in range(3)).ravel()


@check("grids.cu", N=1, H=8, W=16, C=32, K=64)
def conv_product(a):
    return [(a["out"], convolution(a))]


# ---- lists ----


@check("lists.cu", tolerance=0, n=40 * 4096)
def scan_window(a):
    return [(a["out"], np.cumsum(a["in"], dtype=np.int32))]


@check("lists.cu", tolerance=0, n=8192)
def sort_bitonic(a):
    return [(a["out"], np.sort(a["in"].reshape(-1, 2048), axis=1).ravel())]


@check("lists.cu", tolerance=0, n=1 << 18)
def count_private(a):
    return [(a["bins"], np.bincount(a["in"], minlength=256))]


@check("lists.cu", tolerance=0, rows=8, cols=1024)
def top8(a):
    x = a["x"].reshape(a["rows"], -1)
    index = a["index"].reshape(a["rows"], 8)
    want = -np.sort(-x, axis=1)[:, :8]
    return [(a["value"], want.ravel()), (np.take_along_axis(x, index, 1), want)]


# ---- vectors ----


@check("vectors.cu", rows=4, cols=2048)
def bias_gelu(a):
    x = (a["x"].reshape(a["rows"], -1) + a["bias"]).ravel()
    return [(a["y"], 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))))]


@check("vectors.cu", rows=256)
def spmv_lanes8(a):
    s, want = a["start"], np.zeros(a["rows"])
    for r in range(a["rows"]):
        j = slice(s[r], s[r + 1])
        want[r] = a["val"][j] @ a["x"][a["col"][j]]
    return [(a["y"], want)]


@check("vectors.cu", batch=4)
def fourier512(a):
    x = a["in"].reshape(-1, 2)
    want = np.fft.fft((x[:, 0] + 1j * x[:, 1]).reshape(-1, 512))
    got = a["out"].reshape(-1, 2)
    return [(got[:, 0], want.real.ravel()), (got[:, 1], want.imag.ravel())]


# ---- the set that is scored once ----


@check("blind/matrices.cu", M=128, N=128, K=80, alpha=1.5, beta=0.0)
def sgemm_two_sets(a):
    (got, want), = product(a)
    return [(got, 1.5 * want)]


@check("blind/matrices.cu", M=128, N=64, K=192)
def bgemm_wmma(a):
    return product(a)


@check("blind/matrices.cu", tolerance=1e-2, M=128, N=256, K=192)
def bgemm_turned(a):
    return product(a)


@check("blind/matrices.cu", tolerance=1e-2, M=128, N=256, K=320)
def igemm_scaled(a):
    (got, want), = turned(a)
    return [(got, (want.reshape(a["M"], -1) * a["sa"][:, None] * a["sb"] * 1e-4).ravel())]


@check("blind/matrices.cu", M=64, N=128, K=768, slices=4)
def hgemm_slices(a):
    return turned(a)


@check("blind/hopper.cu", M=128, N=512, K=448)
def wgmma_wide(a):
    return turned(a)


@check("blind/hopper.cu", tolerance=1e-2, M=256, N=128, K=576)
def wgmma_together(a):
    return turned(a)


@check("blind/attention.cu", n=192, heads=2)
def flash_tiles(a):
    shape = (a["heads"], a["n"], 64)
    return [(a["o"], attention(a["q"].reshape(shape), a["k"].reshape(shape), a["v"].reshape(shape), 0.125).ravel())]


@check("blind/attention.cu", tolerance=2e-2, n=256, heads=2)
def flash_masked(a):
    shape = (a["heads"], a["n"], 128)
    later = np.triu(np.full((a["n"], a["n"]), -1e30), 1)
    return [(a["o"], attention(a["q"].reshape(shape), a["k"].reshape(shape), a["v"].reshape(shape), 0.08838835, later).ravel())]


@check("blind/lists.cu", tolerance=0, n=64 * 1024)
def keep_above(a):
    want = a["in"][a["in"] > 0.5]
    return [(a["kept"], [len(want)]), (a["out"][: len(want)], want)]


@check("blind/lists.cu", tolerance=0, n=64 * 2048)
def into_buckets(a):
    out = a["out"].reshape(256, a["room"])
    pairs = []
    for d in range(256):
        want = a["keys"][a["keys"] >> 24 == d]
        pairs.append((out[d, : len(want)], want))
    return pairs


@check("blind/lists.cu", tolerance=4e-3, rows=3)
def norm_residual(a):
    x = (a["x"] + a["r"]).reshape(-1, 4096)
    y = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * a["g"]
    return [(a["sum"], x.ravel()), (a["y"], y.ravel())]


@check("blind/grids.cu", nx=112, ny=72)
def heat_4steps(a):
    u = a["u"].reshape(a["ny"], a["nx"]).copy()
    for _ in range(4):
        near = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]
        v = u.copy()
        v[1:-1, 1:-1] += a["c"] * (near - 4 * u[1:-1, 1:-1])
        u = v
    return [(a["v"], u.ravel())]


@check("blind/grids.cu", N=1, H=16, W=16, C=64, K=64)
def conv_halves(a):
    return [(a["out"], convolution(a))]


@check("blind/grids.cu", n=512)
def bodies_async(a):
    p = a["p"].reshape(-1, 4)
    d = p[None, :, :3] - p[:, None, :3]
    m = p[None, :, 3] / ((d * d).sum(-1) + 1e-4) ** 1.5
    return [(a["f"].reshape(-1, 4)[:, :3], (m[:, :, None] * d).sum(1))]


# ---- running them ----


MAPS = {"wgmma_tma": (("A", "f16", "M", 128), ("B", "f16", "N", 256)), "wgmma_together": (("A", "bf16", "M", 128), ("B", "bf16", "N", 128))}


def tensor_maps(kernel, sizes, folder):
    """Operands that come by tensor maps have their contents from a file: no dump shows what a map points to."""
    args = []
    for name, kind, rows, box in MAPS.get(kernel, ()):
        count = sizes[rows] * sizes["K"]
        v = np.random.default_rng(box).random(count, np.float32)
        bits = v.astype(np.float16) if kind == "f16" else (v.view(np.uint32) >> 16).astype(np.uint16)
        bits.tofile(os.path.join(folder, f"{kernel}.{name}.bin"))
        b = {"bytes": 2 * count, "type": kind, "fill": {"file": f"{kernel}.{name}.bin"}}
        args.append({"name": name, "tensormap": {"type": kind, "dims": [sizes["K"], sizes[rows]], "box": [64, box], "swizzle": "128B", "buffer": b}})
    return args


def plan(code, out, folder="."):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(out, "w") as f:
        for kernel, (file, sizes, _, _) in CHECKS.items():
            if (os.path.dirname(file) or ".") != folder:
                continue
            launch = {"file": file, "kernel": kernel, "args": [{"name": n, "value": v} for n, v in sizes.items()]}
            launch["args"] += tensor_maps(kernel, sizes, os.path.dirname(out))
            spec = specs.expand(launch, here, code)
            specs.compile_code(spec)
            spec["binary"] = os.path.relpath(spec["binary"], os.path.dirname(out) or ".")
            spec["file"] = os.path.relpath(spec["file"], os.path.dirname(out) or ".")
            f.write(json.dumps(spec, separators=(",", ":")) + "\n")


def arguments(spec, folder, planned):
    names = specs.kernels_of(os.path.join(planned, spec["file"]))[spec["kernel"]][1]
    a = {}
    for i, (name, arg) in enumerate(zip(names, spec["args"])):
        if "tensormap" in arg:
            b = arg["tensormap"]["buffer"]
            a[name] = load(os.path.join(planned, b["fill"]["file"]), b["type"])
        elif "buffer" in arg:
            a[name] = load(os.path.join(folder, f"arg{i}.bin"), arg["buffer"]["type"])
        else:
            a[name] = arg["value"]
    return a


def compare(planned, dumps):
    bad = 0
    for i, spec in enumerate(specs.read(planned)):
        _, _, tolerance, f = CHECKS[spec["kernel"]]
        try:
            worst = 0.0
            for got, want in f(arguments(spec, os.path.join(dumps, str(i)), os.path.dirname(planned) or ".")):
                want = np.asarray(want, np.float64)
                off = np.abs(np.asarray(got, np.float64) - want)
                worst = max(worst, float(np.nanmax(off / (np.abs(want).mean() + 1e-30))) if np.isfinite(off).all() else np.inf)
            fine = worst <= tolerance
            print(f"{'ok  ' if fine else 'BAD '} {spec['kernel']:24} off by {worst:.3g} of the mean, allowed {tolerance:g}")
        except (OSError, ValueError, KeyError) as e:
            fine = False
            print(f"BAD  {spec['kernel']:24} {e}")
        bad += not fine
    print(f"{bad} of {i + 1} wrong")
    return bad != 0


if __name__ == "__main__":
    sys.exit(plan(*sys.argv[2:]) if sys.argv[1] == "plan" else compare(*sys.argv[2:]))
