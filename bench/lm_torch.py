#!/usr/bin/env python3
"""lm_torch.py - what bench/lm_train.sh compares with: the same Llama in plain PyTorch, trained on random tokens.

  lm_torch.py MODEL [--steps N] [--batch B] [--mode default|max-autotune-no-cudagraphs]    MODEL: 25m, 125m, 1b
  lm_torch.py attention                                                                    attention alone, fastest of PyTorch's ways

nn.Module, torch.compile, bf16 autocast over fp32 master weights, scaled_dot_product_attention, fused AdamW, gradients clipped to 1. One line of JSON.
FLOPs of a step: 6 x matrix parameters x tokens, and attention over the causal half: 6 x layers x tokens x context x width of queries.
"""
import argparse
import json
import math
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

CONTEXT = 1024
PEAK = 989e12  # of an H100 or H200, dense bf16
MODELS = {  # width, layers, heads, key heads, head size, hidden, vocabulary, batch
    "25m": (512, 6, 8, 8, 64, 1536, 8192, 32),
    "125m": (768, 12, 12, 12, 64, 2048, 32000, 32),
    "1b": (2048, 16, 32, 8, 64, 8192, 128256, 8),
}


def attend_gqa(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def attend_repeated(q, k, v):
    n = q.shape[1] // k.shape[1]
    return F.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1), is_causal=True)


def attend_same(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


class Layer(nn.Module):
    def __init__(self, width, heads, kv, size, hidden, attend):
        super().__init__()
        self.heads, self.kv, self.size, self.attend = heads, kv, size, attend
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.qkv = nn.Linear(width, (heads + 2 * kv) * size, bias=False)
        self.o = nn.Linear(heads * size, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def rotate(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def forward(self, x, cos, sin):
        B, T, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(B, T, -1, self.size).split((self.heads, self.kv, self.kv), 2)
        q, k = self.rotate(q, cos, sin).to(v.dtype), self.rotate(k, cos, sin).to(v.dtype)
        a = self.attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        x = x + self.o(a.transpose(1, 2).reshape(B, T, -1))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, width, layers, heads, kv, size, hidden, vocab, attend):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.layers = nn.ModuleList(Layer(width, heads, kv, size, hidden, attend) for _ in range(layers))
        self.norm = Norm(width)
        angle = torch.arange(CONTEXT)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)[None]
        self.register_buffer("cos", angle.cos()[:, None])
        self.register_buffer("sin", angle.sin()[:, None])
        for p in self.parameters():
            if p.dim() == 2:
                nn.init.normal_(p, std=0.02)

    def forward(self, token, target):
        x = self.embed(token)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        logits = F.linear(self.norm(x), self.embed.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]).float(), target.view(-1))


def time_ms(fn, n=20):
    for _ in range(3):
        fn()
    ms = []
    for _ in range(n):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        fn()
        b.record()
        b.synchronize()
        ms.append(a.elapsed_time(b))
    return statistics.median(ms)


def time_attention(attend, B, H, K, D):
    """Forward and backward in ms, from a packed qkv as a model has it."""
    qkv = torch.randn(B, CONTEXT, H + 2 * K, D, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    q, k, v = (x.transpose(1, 2) for x in qkv.split((H, K, K), 2))
    forward = time_ms(lambda: attend(q, k, v))
    out = attend(q, k, v)
    grad = torch.randn_like(out)
    return forward, time_ms(lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True))


def fastest_attention(B, H, K, D):
    ways = {"same heads": attend_same} if H == K else {"enable_gqa": attend_gqa, "repeated": attend_repeated}
    times = {}
    for name, way in ways.items():
        try:
            times[name] = time_attention(way, B, H, K, D)
        except RuntimeError as e:
            print(f"# {name}: {e}", file=sys.stderr)
    name = min(times, key=lambda n: sum(times[n]))
    return name, ways[name], times[name]


def attention():
    for B, H, K, D in ((16, 12, 12, 64), (32, 12, 12, 64), (8, 32, 8, 64), (8, 24, 8, 128)):
        name, _, (f, b) = fastest_attention(B, H, K, D)
        flops = 2 * B * H * CONTEXT * CONTEXT * D
        print(f"PyTorch B {B} T {CONTEXT} H {H} K {K} D {D} ({name}): forward {f:.3f} ms {flops / f / 1e9:.0f} TFLOP/s, "
              f"backward {b:.3f} ms {2.5 * flops / b / 1e9:.0f} TFLOP/s", flush=True)


def train(args):
    width, layers, heads, kv, size, hidden, vocab, batch = MODELS[args.model]
    batch = args.batch or batch
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    way, attend, _ = fastest_attention(batch, heads, kv, size)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    net = Llama(width, layers, heads, kv, size, hidden, vocab, attend).cuda()
    step_fn = torch.compile(net, mode=args.mode)
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    data = torch.randint(vocab, (8, batch, CONTEXT + 1), device="cuda")

    def step(i):
        tokens = data[i % 8]
        with torch.autocast("cuda", torch.bfloat16):
            loss = step_fn(tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss

    began = time.time()
    for i in range(5):
        loss = step(i)
    torch.cuda.synchronize()
    ready = time.time() - began
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(args.steps + 1)]
    marks[0].record()
    for i in range(args.steps):
        loss = step(i)
        marks[i + 1].record()
    torch.cuda.synchronize()
    ms = statistics.median(marks[i].elapsed_time(marks[i + 1]) for i in range(args.steps))
    tokens = batch * CONTEXT
    matrices = sum(p.numel() for p in net.parameters() if p.dim() == 2)  # the embedding once, as the head
    flops = 6 * tokens * (matrices + layers * CONTEXT * heads * size)
    print(json.dumps({"by": "torch", "version": torch.__version__, "model": args.model, "batch": batch, "context": CONTEXT,
                      "parameters": sum(p.numel() for p in net.parameters()), "attention": way, "ms": round(ms, 3),
                      "tokens_per_s": round(tokens / ms * 1e3), "mfu": round(flops / ms * 1e3 / PEAK, 4),
                      "memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2), "loss": round(loss.item(), 4),
                      "first_loss_expected": round(math.log(vocab), 2), "ready_s": round(ready, 1)}), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=[*MODELS, "attention"])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--mode", default="default")
    chosen = parser.parse_args()
    attention() if chosen.model == "attention" else train(chosen)
