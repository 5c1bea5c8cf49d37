#!/usr/bin/env python3
"""lm_seeds.py DIR: small valid safetensors, GGUFs and config.jsons in DIR/safetensors, DIR/gguf, DIR/config, for the fuzzers to start from."""
import json, os, struct, sys

out = sys.argv[1]


def save(kind, name, data):
    os.makedirs(f"{out}/{kind}", exist_ok=True)
    with open(f"{out}/{kind}/{name}", "wb") as f:
        f.write(data if isinstance(data, bytes) else json.dumps(data, indent=1).encode())


def safetensors(tensors, meta=None):
    head, at = ({"__metadata__": meta} if meta else {}), 0
    for name, (dtype, shape, size) in tensors.items():
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(i % 251 for i in range(at))


save("safetensors", "empty", safetensors({}))
save("safetensors", "one", safetensors({"x": ("F32", [2, 3], 24)}))
save("safetensors", "some", safetensors({"a.weight": ("F16", [4, 2], 16), "b": ("BF16", [], 2), "é\"\n": ("I64", [1, 0, 2], 0), "d": ("F64", [1], 8)}, {"format": "pt"}))
odd = safetensors({"x": ("U8", [3], 3), "y": ("F32", [1], 4), "z": ("I32", [1, 1, 1, 1], 4)})
save("safetensors", "odd", odd)


def text(s):
    s = s.encode()
    return struct.pack("<Q", len(s)) + s


KINDS = {"u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f"), "bool": (7, "<?"), "u64": (10, "<Q"), "i8": (1, "<b"), "f64": (12, "<d")}


def value(kind, v):
    if kind == "text":
        return struct.pack("<I", 8) + text(v)
    if kind == "texts":
        return struct.pack("<IIQ", 9, 8, len(v)) + b"".join(text(s) for s in v)
    if kind == "nested":
        return struct.pack("<IIQ", 9, 9, len(v)) + b"".join(struct.pack("<IQ", 4, len(x)) + struct.pack(f"<{len(x)}I", *x) for x in v)
    if kind.endswith("s"):
        k, f = KINDS[kind[:-1]]
        return struct.pack("<IIQ", 9, k, len(v)) + b"".join(struct.pack(f, x) for x in v)
    k, f = KINDS[kind]
    return struct.pack("<I", k) + struct.pack(f, v)


SIZES = {0: (1, 4), 1: (1, 2), 30: (1, 2), 8: (32, 34), 12: (256, 144)}


def gguf(meta, tensors, version=3, align=32):
    head, at, data = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(meta)), 0, b""
    for key, (kind, v) in meta.items():
        head += text(key) + value(kind, v)
    for name, (shape, kind) in tensors.items():
        n = 1
        for d in shape:
            n *= d
        size = n // SIZES[kind][0] * SIZES[kind][1]
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", d) for d in reversed(shape)) + struct.pack("<IQ", kind, len(data))
        data += bytes(i % 251 for i in range(size))
        data += bytes(-len(data) % align)
    return head + bytes(-len(head) % align) + data


def model(arch, kind, extra=None, freqs=False):
    c, f, v, h, k, d = 32, 32, 8, 2, 1, 16
    meta = {"general.architecture": ("text", arch), f"{arch}.block_count": ("u32", 1), f"{arch}.embedding_length": ("u32", c), f"{arch}.feed_forward_length": ("u32", f),
            f"{arch}.attention.head_count": ("u32", h), f"{arch}.attention.head_count_kv": ("u32s", [k]), f"{arch}.context_length": ("u32", 16),
            f"{arch}.attention.layer_norm_rms_epsilon": ("f32", 1e-5), f"{arch}.rope.freq_base": ("f32", 10000.0), "tokenizer.ggml.bos_token_id": ("u32", 1),
            "tokenizer.ggml.eos_token_id": ("u32", 2)}
    meta.update(extra or {})
    t = {"token_embd.weight": ([v, c], kind), "output_norm.weight": ([c], 0)}
    b = "blk.0."
    t.update({b + "attn_q.weight": ([h * d, c], kind), b + "attn_k.weight": ([k * d, c], kind), b + "attn_v.weight": ([k * d, c], kind), b + "attn_output.weight": ([c, h * d], kind),
              b + "ffn_gate.weight": ([f, c], kind), b + "ffn_up.weight": ([f, c], kind), b + "ffn_down.weight": ([c, f], kind), b + "attn_norm.weight": ([c], 0), b + "ffn_norm.weight": ([c], 0)})
    if arch == "qwen2":
        t.update({b + "attn_q.bias": ([h * d], 0), b + "attn_k.bias": ([k * d], 0), b + "attn_v.bias": ([k * d], 0)})
    if freqs:
        t["rope_freqs.weight"] = ([d // 2], 0)
    return gguf(meta, t)


save("gguf", "empty", gguf({}, {}))
save("gguf", "kinds", gguf({"u": ("u32", 1), "i": ("i32", -1), "b": ("bool", True), "w": ("u64", 1 << 40), "t": ("text", "x"), "ts": ("texts", ["a", "", "b"]),
                            "n": ("nested", [[1, 2], []]), "r": ("f64", 0.5), "i8": ("i8s", [-1, 2]), "general.alignment": ("u32", 64)}, {"x": ([2, 256], 12), "y": ([3], 0)}, align=64))
save("gguf", "v2", gguf({}, {"x": ([1, 2, 3, 4], 1)}, version=2))
save("gguf", "llama", model("llama", 8))
save("gguf", "linear", model("llama", 1, {"llama.rope.scaling.type": ("text", "linear"), "llama.rope.scaling.factor": ("f32", 2.0), "warpwise.numbers": ("u32", 0)}))
save("gguf", "freqs", model("llama", 30, freqs=True))
save("gguf", "qwen2", model("qwen2", 8))

base = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 64, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 64, "hidden_act": "silu", "rms_norm_eps": 1e-5, "tie_word_embeddings": True, "attention_bias": False,
        "bos_token_id": 1, "eos_token_id": [2, 3], "rope_theta": 10000.0}
save("config", "plain", base)
save("config", "llama3", {**base, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}})
save("config", "linear", {**base, "rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 500000.0}})
save("config", "ours", {**base, "model_type": "qwen2", "warpwise": {"numbers": 3, "features": 5, "feature_tokens": 2}})
