#!/usr/bin/env python3
"""fixtures.py - what PyTorch and transformers say about tiny models, as files that the tests of src/lm read.

    python3 tests/lm/fixtures.py [DIR]              writes DIR (tests/lm/fixtures), under 2.5 MB together
    python3 tests/lm/fixtures.py --check DIR...     loads each folder that Warpwise wrote (its last part names the fixture, as
                                                    written by `lm_net --write`) in transformers and compares logits

DIR/NAME/config.json + model.safetensors   a random tiny model as transformers saves it
DIR/NAME/expect.safetensors                ids and target [2, 48] (target -1: not asked), logits in fp32 and computed in bf16, loss,
                                           grad.* of every parameter in fp32; packed_* of three documents run one by one
DIR/curve.json                             losses of 200 AdamW steps in fp32 and under bf16 autocast, from weights and data that a
                                           formula gives (hash32, init_weights, batch: net_checks.c has the same)
"""
import json, math, os, shutil, sys

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
B, T = 2, 48
DOCUMENTS = (17, 20, 11)  # lengths of the packed row

LLAMA3 = {"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}
COMMON = dict(vocab_size=256, hidden_size=64, num_hidden_layers=2, max_position_embeddings=512, bos_token_id=1, eos_token_id=2)
MODELS = {
    # name: (class, configuration, type of the file). Head sizes 32, 16, 32, 16.
    "llama3": (LlamaForCausalLM, LlamaConfig(**COMMON, intermediate_size=96, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
                                             rms_norm_eps=1e-5, tie_word_embeddings=False, rope_parameters=LLAMA3), torch.bfloat16),
    "tied": (LlamaForCausalLM, LlamaConfig(**COMMON, intermediate_size=96, num_attention_heads=4, num_key_value_heads=2,
                                           rms_norm_eps=1e-5, tie_word_embeddings=True,
                                           rope_parameters={"rope_type": "default", "rope_theta": 10000.0}), torch.bfloat16),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**COMMON, intermediate_size=80, num_attention_heads=2, num_key_value_heads=1,
                                            rms_norm_eps=1e-6, tie_word_embeddings=True,
                                            rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}), torch.float16),
    "linear": (LlamaForCausalLM, LlamaConfig(**{**COMMON, "vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 1}, intermediate_size=48,
                                             num_attention_heads=2, num_key_value_heads=1, rms_norm_eps=1e-5, tie_word_embeddings=True,
                                             rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}), torch.float32),
}


def randomise(model, seed):
    """Matrices and biases normal 0.1, norms 1 +- 0.2: logits of about 1, and softmax not so sharp that bf16 itself is far off."""
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=g)
            p.copy_(1 + 0.2 * noise if "norm" in name else 0.1 * noise)


def loss_of(logits, target):
    return F.cross_entropy(logits.float().flatten(0, 1), target.flatten().long(), ignore_index=-1)


def make(folder, name, seed):
    cls, config, dtype = MODELS[name]
    config._attn_implementation = "eager"
    model = cls(config)
    model.tie_weights()
    randomise(model, seed)
    shutil.rmtree(folder, ignore_errors=True)
    model.to(dtype).save_pretrained(folder)
    if os.path.exists(f"{folder}/generation_config.json"):
        os.remove(f"{folder}/generation_config.json")

    g = torch.Generator().manual_seed(seed + 1)
    ids = torch.randint(0, config.vocab_size, (B, T), generator=g)
    target = torch.cat([ids[:, 1:], torch.full((B, 1), -1)], 1)
    target[torch.rand((B, T), generator=g) < 0.3] = -1
    expect = {"ids": ids.int(), "target": target.int()}

    # Loaded again: a cast would have rounded the angles of the rotary embedding too.
    load = lambda kind: cls.from_pretrained(folder, dtype=kind, attn_implementation="eager").to(DEVICE)
    model = load(torch.float32).train()
    logits = model(ids.to(DEVICE), use_cache=False).logits
    loss = loss_of(logits, target.to(DEVICE))
    loss.backward()
    expect["logits"] = logits.detach().cpu()
    expect["loss"] = loss.detach().cpu().reshape(1)
    for pname, p in model.named_parameters():
        expect["grad." + pname] = p.grad.cpu().contiguous()

    with torch.no_grad():
        rows, first, out, at = [], [], [], 0
        for n in DOCUMENTS:
            row = torch.randint(0, config.vocab_size, (1, n), generator=g)
            out.append(model(row.to(DEVICE), use_cache=False).logits.cpu())
            rows.append(row)
            first += [at] * n
            at += n
        if name == "llama3":
            expect["packed_ids"] = torch.cat(rows, 1).int()
            expect["packed_first"] = torch.tensor([first]).int()
            expect["packed_logits"] = torch.cat(out, 1).contiguous()
        half_logits = load(torch.bfloat16)(ids.to(DEVICE), use_cache=False).logits.cpu().to(torch.bfloat16)
    expect["logits_bf16"] = half_logits
    save_file({k: v.contiguous() for k, v in expect.items()}, f"{folder}/expect.safetensors")
    far = (half_logits.float() - expect["logits"]).norm() / expect["logits"].norm()
    print(f"{name}: loss {loss.item():.4f}, logits std {expect['logits'].std():.3f}, bf16 differs by {far:.2e} (relative norm)")


# ---- the curve: everything below is also written in C, in net_checks.c ----

CURVE = dict(vocab=256, width=128, layers=2, heads=4, kv_heads=2, head_size=32, hidden=256, rows=4, tokens=64, steps=200, warmup=20,
             lr=3e-3, lr_end=3e-4, beta1=0.9, beta2=0.95, eps=1e-8, decay=0.1, clip=1.0)


def hash32(x):
    """The finaliser of MurmurHash3, on an array of uint32."""
    x = np.asarray(x, dtype=np.uint64)
    for shift, by in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(by)) & np.uint64(0xFFFFFFFF)
    return (x ^ (x >> np.uint64(16))).astype(np.uint32)


def fnv32(text):
    h = 0x811C9DC5
    for byte in text.encode():
        h = ((h ^ byte) * 0x01000193) & 0xFFFFFFFF
    return h


def init_weights(model):
    """Matrices uniform in +-0.035 by the hash of name and place, norms 1."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1:
                p.fill_(1)
                continue
            h = hash32((np.arange(p.numel(), dtype=np.uint64) + fnv32(name)) & np.uint64(0xFFFFFFFF))
            u = (h >> 8).astype(np.float32) * np.float32(2.0 ** -23) - np.float32(1)
            p.copy_(torch.from_numpy(u * np.float32(0.035)).reshape(p.shape))


def batch(step):
    """rows x (tokens + 1): each token follows its predecessor by a rule with 3 random bits."""
    c = CURVE
    n = c["tokens"] + 1
    out = np.zeros((c["rows"], n), dtype=np.int64)
    for r in range(c["rows"]):
        h = hash32((np.arange(n, dtype=np.uint64) + (step * c["rows"] + r) * n + 0x9E3779B9) & np.uint64(0xFFFFFFFF))
        out[r, 0] = int(h[0]) & 255
        for t in range(1, n):
            out[r, t] = (5 * out[r, t - 1] + 17 + (int(h[t]) & 7)) & 255
    return torch.from_numpy(out)


def rate(step):
    """Of step 0, 1, ...: linear warm-up, then half a cosine from lr to lr_end."""
    c = CURVE
    if step < c["warmup"]:
        return c["lr"] * (step + 1) / c["warmup"]
    share = (step - c["warmup"]) / (c["steps"] - c["warmup"])
    return c["lr_end"] + 0.5 * (1 + math.cos(math.pi * share)) * (c["lr"] - c["lr_end"])


def curve(half):
    c = CURVE
    config = LlamaConfig(vocab_size=c["vocab"], hidden_size=c["width"], num_hidden_layers=c["layers"], num_attention_heads=c["heads"],
                         num_key_value_heads=c["kv_heads"], head_dim=c["head_size"], intermediate_size=c["hidden"], rms_norm_eps=1e-5,
                         max_position_embeddings=512, tie_word_embeddings=True, rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    config._attn_implementation = "sdpa"
    model = LlamaForCausalLM(config)
    init_weights(model)
    model = model.to(DEVICE).train()
    params = list(model.parameters())
    opt = torch.optim.AdamW([{"params": [p for p in params if p.dim() > 1], "weight_decay": c["decay"]},
                             {"params": [p for p in params if p.dim() == 1], "weight_decay": 0.0}],
                            lr=c["lr"], betas=(c["beta1"], c["beta2"]), eps=c["eps"])
    losses = []
    for step in range(c["steps"]):
        for group in opt.param_groups:
            group["lr"] = rate(step)
        rows = batch(step).to(DEVICE)
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=half):
            logits = model(rows[:, :-1], use_cache=False).logits
        loss = loss_of(logits, rows[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, c["clip"])
        opt.step()
        opt.zero_grad(set_to_none=True)
        losses.append(loss.item())
    print(f"curve {'bf16' if half else 'fp32'}: {losses[0]:.4f} -> {losses[-1]:.4f}")
    return losses


def check(folders):
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
    bad = 0
    for folder in folders:
        name = os.path.basename(folder.rstrip("/"))
        expect = load_file(os.path.join(here, name, "expect.safetensors"))
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").to(DEVICE)
        with torch.no_grad():
            logits = model(expect["ids"].long().to(DEVICE), use_cache=False).logits.cpu()
        far = (logits - expect["logits"]).abs().max().item()
        bad += far > 1e-4
        print(f"{'ok' if far <= 1e-4 else 'not ok'} - {name}: what Warpwise wrote gives the same logits in transformers (differs by {far:.1e})")
    print(f"{len(folders) - bad} passed, {bad} failed")
    return 1 if bad else 0


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--check":
        return check(sys.argv[2:])
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
    os.makedirs(out, exist_ok=True)
    for i, name in enumerate(MODELS):
        make(os.path.join(out, name), name, 1000 + 10 * i)
    with open(os.path.join(out, "curve.json"), "w") as f:
        json.dump({"torch": torch.__version__, "config": CURVE, "fp32": [round(x, 6) for x in curve(False)],
                   "bf16": [round(x, 6) for x in curve(True)]}, f)
        f.write("\n")
    total = sum(os.path.getsize(os.path.join(d, n)) for d, _, names in os.walk(out) for n in names)
    print(f"{out}: {total} bytes")
    return 0 if total < 2500000 else 1


if __name__ == "__main__":
    sys.exit(main())
