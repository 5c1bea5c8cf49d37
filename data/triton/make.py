"""make.py OUT FAMILY: compile and run the kernels of kernels.py where there is a GPU, compare each with PyTorch, and leave

  OUT/NAME.ptx, OUT/NAME.json   as Triton's cache has them
  OUT/NAME.cubin                what runs
  OUT/launches.jsonl            a launch spec a line, arguments in the order of the PTX's parameters

A case that fails costs its own line, and one that breaks the device its family: OUT/FAMILY.log says which and why.
Then `warpwise measure --launch OUT/launches.jsonl`."""
import json
import os
import re
import shutil
import sys
import traceback

OUT = sys.argv[1]
os.makedirs(OUT, exist_ok=True)
os.environ["TRITON_CACHE_DIR"] = os.path.join(OUT, "cache", sys.argv[2])

import torch
import torch.nn.functional as F

import kernels as K

NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int32: "i32", torch.int64: "i64"}
FP16, BF16, FP32, I8, I32, I64 = torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int32, torch.int64


def seeded(shape, kind, fill):
    """A tensor with contents of the kind that a launch spec's fill names."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    if fill == "zeros":
        return torch.zeros(shape, dtype=kind, device="cuda")
    if fill == "random" and kind.is_floating_point:
        return torch.rand(shape, device="cuda").to(kind)
    low, high = (torch.iinfo(kind).min, torch.iinfo(kind).max + 1) if fill == "random" else fill["uniform"]
    return torch.randint(low, high, shape, device="cuda").to(kind)


class Case:
    """One launch: tensors and scalars by parameter name, the shape of the grid, and what should come out."""

    def __init__(self, name, kernel, grid, tensors, scalars, meta, want, tolerance=2e-2):
        self.name, self.kernel, self.grid, self.meta, self.want, self.tolerance = name, kernel, grid, meta, want, tolerance
        self.fills = {n: t[2] if len(t) > 2 else "random" for n, t in tensors.items()}
        self.values = {n: seeded(t[0], t[1], self.fills[n]) for n, t in tensors.items()}
        self.values.update(scalars)

    def run(self):
        return self.kernel[self.grid](**self.values, **self.meta)

    def check(self):
        worst = 0.0
        for got, want in self.want(self.values):
            got, want = got.double().flatten(), want.double().flatten()
            worst = max(worst, ((got - want).abs().max() / (want.abs().mean() + 1e-30)).item())
        if not worst <= self.tolerance:
            raise ValueError(f"off by {worst:.3g} of the mean, allowed {self.tolerance:g}")
        return worst

    def arguments(self, compiled):
        """As the PTX takes them: what Triton made a constant is gone, pointers of its own follow."""
        entry = re.search(r"\.entry\s+\w+\((.*?)\)", compiled.asm["ptx"], re.S)[1]
        args = []
        for name, kind in compiled.src.signature.items():
            if kind == "constexpr":
                continue
            v = self.values[name]
            if torch.is_tensor(v):
                args.append({"name": name, "buffer": {"bytes": v.numel() * v.element_size(), "type": NAMES[v.dtype], "fill": self.fills[name]}})
            else:
                args.append({"name": name, "value": v})
        for a in args:
            del a["name"]
        left = entry.count(".param") - len(args)
        if left < 0:
            raise ValueError(f"{len(args)} arguments for {entry.count('.param')} parameters")
        return args + [{"value": 0}] * left

    def save(self, compiled):
        m = compiled.metadata
        if getattr(m, "global_scratch_size", 0):
            raise ValueError("needs global scratch memory")
        for kind in ("ptx", "cubin"):
            data = compiled.asm[kind]
            with open(f"{OUT}/{self.name}.{kind}", "wb") as f:
                f.write(data.encode() if isinstance(data, str) else data)
        write_metadata(self.name, m, compiled.asm["ptx"])
        grid = list(self.grid) + [1] * (3 - len(self.grid))
        spec = {"file": f"{self.name}.ptx", "kernel": m.name, "grid": grid, "block": [32 * m.num_warps, 1, 1], "shared": m.shared,
                "args": self.arguments(compiled), "binary": f"{self.name}.cubin"}
        with open(f"{OUT}/launches.jsonl", "a") as f:
            f.write(json.dumps(spec, separators=(",", ":")) + "\n")


def write_metadata(name, m, ptx):
    """Triton's own file where it is found, else what the metadata object holds."""
    for folder, _, files in os.walk(os.environ["TRITON_CACHE_DIR"]):
        mine = [f for f in files if f == m.name + ".ptx"]
        if mine and open(os.path.join(folder, mine[0])).read() == ptx and m.name + ".json" in files:
            shutil.copy(os.path.join(folder, m.name + ".json"), f"{OUT}/{name}.json")
            return
    with open(f"{OUT}/{name}.json", "w") as f:
        json.dump(m._asdict(), f, default=str)


# ---- the cases: rows and elements ----


def elementwise():
    for n in (1 << 20, 1 << 26):
        yield Case("vector_add", K.vector_add, (n // 1024,), {"x": (n, FP32), "y": (n, FP32), "out": (n, FP32, "zeros")}, {"n": n},
                   {"BLOCK": 1024}, lambda v: [(v["out"], v["x"] + v["y"])])
    for n in (1 << 20, 1 << 25):
        yield Case("silu_mul", K.silu_mul, (n // 2048,), {"gate": (n, BF16), "up": (n, BF16), "out": (n, BF16, "zeros")}, {"n": n},
                   {"BLOCK": 2048, "num_warps": 8}, lambda v: [(v["out"], F.silu(v["gate"].float()) * v["up"].float())])
    rows, cols = 4096, 4096

    def dropped(v):
        want = F.gelu(v["x"].float() + v["bias"].float()) / 0.9
        kept = v["out"] != 0
        return [(torch.where(kept, v["out"].float(), 0), torch.where(kept, want, 0)), (kept.float().mean(), torch.tensor(0.9, device="cuda"))]

    yield Case("bias_gelu_dropout", K.bias_gelu_dropout, (rows, cols // 1024), {"x": (rows * cols, FP16), "bias": (cols, FP16), "out": (rows * cols, FP16, "zeros")},
               {"cols": cols, "keep": 0.9, "seed": 1234}, {"BLOCK": 1024}, lambda v: dropped({**v, "x": v["x"].view(rows, cols), "out": v["out"].view(rows, cols)}))
    tokens, heads = 4096, 32

    def rotated(v):
        a, b = v["x"].view(tokens, heads, 2, 64).float().unbind(2)
        c, s = v["cosine"].view(tokens, 1, 64), v["sine"].view(tokens, 1, 64)
        return [(v["out"], torch.stack((a * c - b * s, a * s + b * c), 2))]

    yield Case("rope", K.rope, (tokens, heads), {"x": (tokens * heads * 128, BF16), "cosine": (tokens * 64, FP32), "sine": (tokens * 64, FP32),
               "out": (tokens * heads * 128, BF16, "zeros")}, {"heads": heads}, {"D": 128, "num_warps": 1}, rotated)


def rows_of_numbers():
    for rows, cols in ((4096, 2000), (16384, 4096)):
        yield Case("softmax_row", K.softmax_row, (rows,), {"x": ((rows, cols), FP32), "out": ((rows, cols), FP32, "zeros")}, {"cols": cols},
                   {"BLOCK": 4096 if cols > 2048 else 2048, "num_warps": 8}, lambda v: [(v["out"], torch.softmax(v["x"], 1))])
    rows, cols = 2048, 32768
    yield Case("softmax_online", K.softmax_online, (rows,), {"x": ((rows, cols), FP16), "out": ((rows, cols), FP16, "zeros")}, {"cols": cols},
               {"BLOCK": 4096, "num_warps": 8}, lambda v: [(v["out"], torch.softmax(v["x"].float(), 1))])
    for rows, cols in ((2048, 1024), (8192, 5120)):
        yield Case("layernorm_forward", K.layernorm_forward, (rows,),
                   {"x": ((rows, cols), FP16), "w": (cols, FP32), "b": (cols, FP32), "out": ((rows, cols), FP16, "zeros"), "mean_out": (rows, FP32, "zeros"), "rstd_out": (rows, FP32, "zeros")},
                   {"cols": cols, "eps": 1e-5}, {"BLOCK": 1024 if cols == 1024 else 8192, "num_warps": 4 if cols == 1024 else 8},
                   lambda v: [(v["out"], F.layer_norm(v["x"].float(), v["x"].shape[1:], v["w"], v["b"]))])
    rows, cols = 4096, 2048

    def backward(v):
        x, w, b = v["x"].double().requires_grad_(), v["w"].double().requires_grad_(), torch.zeros(cols, dtype=torch.float64, device="cuda", requires_grad=True)
        normal = (x - v["mean"].double()[:, None]) * v["rstd"].double()[:, None]
        gw = v["dy"].double() * w
        dx = (gw - normal * (normal * gw).mean(1, keepdim=True) - gw.mean(1, keepdim=True)) * v["rstd"].double()[:, None]
        return [(v["dx"], dx), (v["dw"], (v["dy"].double() * normal).sum(0)), (v["db"], v["dy"].double().sum(0))]

    yield Case("layernorm_backward", K.layernorm_backward, (rows,),
               {"dy": ((rows, cols), FP16), "x": ((rows, cols), FP16), "w": (cols, FP32), "mean": (rows, FP32), "rstd": (rows, FP32), "dx": ((rows, cols), FP16, "zeros"),
                "dw": (cols, FP32, "zeros"), "db": (cols, FP32, "zeros")}, {"cols": cols}, {"BLOCK": 2048, "num_warps": 8}, backward, 5e-2)
    for rows, cols in ((1024, 4096), (8192, 8192)):
        yield Case("rmsnorm", K.rmsnorm, (rows,), {"x": ((rows, cols), BF16), "w": (cols, BF16), "out": ((rows, cols), BF16, "zeros")}, {"cols": cols, "eps": 1e-6},
                   {"BLOCK": 2048, "num_warps": 4},
                   lambda v: [(v["out"], v["x"].float() * torch.rsqrt((v["x"].float() ** 2).mean(1, keepdim=True) + 1e-6) * v["w"].float())])
    rows, cols = 4096, 32000
    yield Case("cross_entropy", K.cross_entropy, (rows,), {"logits": ((rows, cols), BF16), "target": (rows, I64, {"uniform": [0, cols]}), "loss": (rows, FP32, "zeros")},
               {"cols": cols}, {"BLOCK": 8192, "num_warps": 8}, lambda v: [(v["loss"], F.cross_entropy(v["logits"].float(), v["target"], reduction="none"))])
    rows, cols = 8192, 4096
    yield Case("row_argmax", K.row_argmax, (rows,), {"x": ((rows, cols), FP32), "value": (rows, FP32, "zeros"), "index": (rows, I32, "zeros")}, {"cols": cols}, {"BLOCK": 4096},
               lambda v: [(v["value"], v["x"].max(1).values), (v["x"].gather(1, v["index"].long()[:, None]), v["x"].max(1).values)])
    rows, cols = 1024, 16384
    yield Case("row_cumsum", K.row_cumsum, (rows,), {"x": ((rows, cols), FP32), "out": ((rows, cols), FP32, "zeros")}, {"cols": cols}, {"BLOCK": 2048},
               lambda v: [(v["out"], v["x"].double().cumsum(1))])


def recurrence():
    steps, width = 2048, 8192

    def want(v):
        h, out = torch.zeros(width, dtype=torch.float64, device="cuda"), []
        for t in range(steps):
            h = v["a"][t].double() * h + v["b"][t].double()
            out.append(h)
        return [(v["out"], torch.stack(out))]

    yield Case("linear_recurrence", K.linear_recurrence, (width // 32,), {"a": ((steps, width), FP32), "b": ((steps, width), FP32), "out": ((steps, width), FP32, "zeros")},
               {"steps": steps, "width": width}, {"BLOCK": 64, "LANES": 32, "num_warps": 4}, want)


def moves():
    for n in (1 << 22, 1 << 27):
        yield Case("sum_atomic", K.sum_atomic, (528,), {"x": (n, FP32), "out": (1, FP32, "zeros")}, {"n": n}, {"BLOCK": 2048, "num_warps": 8}, lambda v: [(v["out"], v["x"].double().sum())])
    rows, cols = 16384, 4096
    yield Case("column_sums", K.column_sums, (cols // 128, 32), {"x": ((rows, cols), FP16), "out": (cols, FP32, "zeros")}, {"rows": rows, "cols": cols},
               {"ROWS": 32, "COLS": 128}, lambda v: [(v["out"], v["x"].double().sum(0))])
    n = 1 << 25
    yield Case("count_bins", K.count_bins, (n // 8192,), {"x": (n, I32, {"uniform": [0, 256]}), "bins": (256, I32, "zeros")}, {"n": n}, {"BLOCK": 8192, "BINS": 256, "num_warps": 8},
               lambda v: [(v["bins"], torch.bincount(v["x"], minlength=256))])
    tokens, words, dim = 16384, 50304, 2048
    yield Case("embedding", K.embedding, (tokens, dim // 1024),
               {"table": ((words, dim), BF16), "token": (tokens, I32, {"uniform": [0, words]}), "position": ((2048, dim), BF16), "out": ((tokens, dim), BF16, "zeros")},
               {"dim": dim, "length": 2048}, {"BLOCK": 1024},
               lambda v: [(v["out"], v["table"][v["token"].long()].float() + v["position"].float().repeat(tokens // 2048, 1))])
    for n in (2048, 8192):
        yield Case("transpose", K.transpose, (n // 64, n // 64), {"x": ((n, n), FP32), "out": ((n, n), FP32, "zeros")}, {"rows": n, "cols": n}, {"BLOCK": 64}, lambda v: [(v["out"], v["x"].t())])
    batch, length, channels = 4, 4096, 2048

    def causal(v):
        x = v["x"].float().transpose(1, 2)
        y = F.conv1d(F.pad(x, (3, 0)), v["w"].float().t()[:, None], v["bias"].float(), groups=channels)
        return [(v["out"], F.silu(y).transpose(1, 2).contiguous())]

    yield Case("conv1d_causal", K.conv1d_causal, (length // 64, channels // 64, batch),
               {"x": ((batch, length, channels), BF16), "w": ((4, channels), FP32), "bias": (channels, FP32), "out": ((batch, length, channels), BF16, "zeros")},
               {"length": length, "channels": channels}, {"BLOCK": 64, "CHANNELS": 64}, causal)


# ---- the cases: products and attention ----


def product(v):
    return [(v["c"], v["a"].float() @ v["b"].float())]


def gemm(name, kinds, size, tile, warps, stages, precision="tf32", tolerance=2e-2):
    m, n, k = size
    bm, bn, bk = tile
    return Case(name, K.matmul, (m // bm * (n // bn),), {"a": ((m, k), kinds[0]), "b": ((k, n), kinds[0]), "c": ((m, n), kinds[1], "zeros")}, {"M": m, "N": n, "K": k},
                {"BM": bm, "BN": bn, "BK": bk, "GROUP": 8, "PRECISION": precision, "num_warps": warps, "num_stages": stages}, product, tolerance)


def products():
    yield gemm("matmul_fp16", (FP16, FP16), (1024, 1024, 1024), (128, 128, 64), 8, 3)
    yield gemm("matmul_fp16", (FP16, FP16), (4096, 4096, 4096), (128, 128, 64), 8, 3)
    yield gemm("matmul_bf16_wide", (BF16, BF16), (4096, 4096, 2048), (64, 256, 64), 4, 4)
    yield gemm("matmul_bf16_big", (BF16, BF16), (8192, 8192, 4096), (128, 256, 64), 8, 3)
    yield gemm("matmul_narrow", (FP16, FP32), (32, 8192, 8192), (32, 64, 64), 4, 4)
    yield gemm("matmul_tf32", (FP32, FP32), (2048, 2048, 2048), (128, 64, 32), 4, 3, "tf32")
    yield gemm("matmul_ieee", (FP32, FP32), (2048, 2048, 2048), (64, 64, 32), 8, 3, "ieee")
    m, n, k = 4096, 4096, 4096
    yield Case("matmul_persistent", K.matmul_persistent, (132,), {"a": ((m, k), BF16), "b": ((k, n), BF16), "bias": (n, BF16), "c": ((m, n), BF16, "zeros")}, {"M": m, "N": n, "K": k},
               {"BM": 128, "BN": 128, "BK": 64, "PROGRAMS": 132, "num_warps": 8, "num_stages": 3}, lambda v: [(v["c"], torch.relu(v["a"].float() @ v["b"].float() + v["bias"].float()))])
    m, n, k = 256, 1024, 16384
    yield Case("matmul_split", K.matmul_split, (m // 64, n // 128, 8), {"a": ((m, k), FP16), "b": ((k, n), FP16), "c": ((m, n), FP32, "zeros")}, {"M": m, "N": n, "K": k},
               {"BM": 64, "BN": 128, "BK": 64, "SPLIT": 8, "num_warps": 4, "num_stages": 3}, product)
    for m in (64, 2048):
        n, k = 4096, 4096
        yield Case("matmul_int8", K.matmul_int8, (m // 64, n // 128), {"a": ((m, k), FP16), "w": ((k, n), I8), "scale": (n, FP16), "c": ((m, n), FP32, "zeros")},
                   {"M": m, "N": n, "K": k}, {"BM": 64, "BN": 128, "BK": 64, "num_warps": 4, "num_stages": 3}, lambda v: [(v["c"], v["a"].float() @ v["w"].float() * v["scale"].float())])

    def unpacked(v):
        w = (v["w"][:, None, :] >> torch.arange(0, 32, 4, device="cuda")[None, :, None].int()) & 15
        w = (w.reshape(-1, w.shape[2]).float() - 8) * v["scale"].float().repeat_interleave(128, 0)
        return [(v["c"], v["a"].float() @ w)]

    m, n, k = 16, 8192, 4096
    yield Case("matmul_int4", K.matmul_int4, (1, n // 64), {"a": ((m, k), FP16), "w": ((k // 8, n), I32), "scale": ((k // 128, n), FP16),
               "c": ((m, n), FP32, "zeros")}, {"M": m, "N": n, "K": k}, {"BM": 16, "BN": 64, "BK": 128, "GROUP": 128, "num_warps": 4, "num_stages": 3}, unpacked, 5e-2)
    m = n = k = 4096
    yield Case("matmul_bytes", K.matmul_bytes, (m // 128, n // 128), {"a": ((m, k), I8), "b": ((n, k), I8), "c": ((m, n), I32, "zeros")},
               {"M": m, "N": n, "K": k}, {"BM": 128, "BN": 128, "BK": 128, "num_warps": 8, "num_stages": 3}, lambda v: [(v["c"], v["a"].double() @ v["b"].double().t())], 1e-6)


def scores(v, scale, causal=False):
    s = v["q"].float() @ v["k"].float().transpose(1, 2) * scale
    if causal:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), -1e30)
    return s


def attention():
    def forward(v, causal):
        s = scores(v, v["scale"], causal)
        return [(v["o"], torch.softmax(s, 2) @ v["v"].float()), (v["lse"], torch.logsumexp(s, 2) * 1.44269504)]

    def tensors(heads, n, d, kind, *more):
        return {x: ((heads, n, d), kind) for x in ("q", "k", "v", *more)}

    for heads, n, d, kind, bm, bn, causal, warps in ((32, 1024, 64, BF16, 64, 64, False, 4), (16, 4096, 128, FP16, 128, 64, True, 8)):
        yield Case("attention_causal" if causal else "attention_forward", K.attention_forward, (n // bm, heads),
                   {**tensors(heads, n, d, kind), "o": ((heads, n, d), kind, "zeros"), "lse": ((heads, n), FP32, "zeros")}, {"n": n, "scale": d**-0.5},
                   {"D": d, "BM": bm, "BN": bn, "CAUSAL": causal, "num_warps": warps, "num_stages": 3}, lambda v, c=causal: forward(v, c), 5e-2)
    heads, n, d = 32, 1024, 64
    yield Case("attention_delta", K.attention_delta, (n // 64, heads), {"o": ((heads, n, d), BF16), "do": ((heads, n, d), BF16), "delta": ((heads, n), FP32, "zeros")}, {"n": n},
               {"D": d, "BM": 64}, lambda v: [(v["delta"], (v["o"].float() * v["do"].float()).sum(2))])

    # lse and delta need not come from a forward pass: the gradients' formulas hold for any.
    def gradients(v):
        p = torch.exp2(scores(v, v["scale"]) * 1.44269504 - v["lse"][:, :, None])
        return p, p * (v["do"].float() @ v["v"].float().transpose(1, 2) - v["delta"][:, :, None])

    def of_kv(v):
        p, ds = gradients(v)
        return [(v["dk"], ds.transpose(1, 2) @ v["q"].float() * v["scale"]), (v["dv"], p.transpose(1, 2) @ v["do"].float())]

    def of_q(v):
        return [(v["dq"], gradients(v)[1] @ v["k"].float() * v["scale"])]

    back = {**tensors(heads, n, d, BF16, "do"), "lse": ((heads, n), FP32), "delta": ((heads, n), FP32)}
    yield Case("attention_backward_kv", K.attention_backward_kv, (n // 64, heads), {**back, "dk": ((heads, n, d), BF16, "zeros"), "dv": ((heads, n, d), BF16, "zeros")},
               {"n": n, "scale": 0.125}, {"D": d, "BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2}, of_kv, 5e-2)
    yield Case("attention_backward_q", K.attention_backward_q, (n // 128, heads), {**back, "dq": ((heads, n, d), BF16, "zeros")}, {"n": n, "scale": 0.125},
               {"D": d, "BM": 128, "BN": 64, "num_warps": 8, "num_stages": 2}, of_q, 5e-2)
    heads, n = 256, 2048
    yield Case("attention_decode", K.attention_decode, (heads,), {"q": ((heads, d), FP16), "k": ((heads, n, d), FP16), "v": ((heads, n, d), FP16), "o": ((heads, d), FP16, "zeros")},
               {"n": n, "scale": 0.125}, {"D": d, "BN": 128, "num_warps": 4},
               lambda v: [(v["o"], (torch.softmax((v["k"].float() @ v["q"].float()[:, :, None])[:, :, 0] * 0.125, 1)[:, None] @ v["v"].float())[:, 0])])


FAMILIES = {f.__name__: f for f in (elementwise, rows_of_numbers, recurrence, moves, products, attention)}


def attempt(case, log):
    try:
        compiled = case.run()
        torch.cuda.synchronize()
        off = case.check()
        case.save(compiled)
        return f"ok   {case.name}: off by {off:.3g} of the mean"
    except Exception as e:
        traceback.print_exc(file=log)
        return f"BAD  {case.name}: {type(e).__name__}: {e}"


def main(family):
    used = {}
    with open(f"{OUT}/{family}.log", "w") as log:
        for case in FAMILIES[family]():
            used[case.name] = used.get(case.name, 0) + 1
            case.name += f"_{used[case.name]}"
            line = attempt(case, log)
            print(line, flush=True)
            print(line, file=log, flush=True)


main(sys.argv[2])
