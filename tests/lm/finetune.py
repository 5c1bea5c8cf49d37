#!/usr/bin/env python3
"""finetune.py - models of the shapes that are fine-tuned, in small, and what an adapter makes of them, by arithmetic of its own.

    finetune.py make llama|qwen TOKENIZER.json DIR       a folder as it is published: configuration, two shards of random bf16 weights with
                                                         their index, and a tokenizer of that family's form with the vocabulary given
    finetune.py score DIR IDS [ADAPTER]                  sum of the natural logarithms of the probabilities of IDS (a file of numbers; the
                                                         first is not scored), with peft's adapter added
    finetune.py adapter DIR ADAPTER                      what of the adapter's files is not as peft writes them; nothing: all is

Forward pass and adapter are written down from the papers and peft's documentation, in double precision, without packages, and know nothing of Warpwise's code."""
import json
import math
import os
import random
import struct
import sys

TARGETS = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}

# Llama-3.2-3B-Instruct and Qwen2.5-Coder-3B-Instruct but for their sizes; Llama's scaling begins within the texts of the test.
LLAMA = dict(architectures=["LlamaForCausalLM"], attention_bias=False, attention_dropout=0.0, bos_token_id=0, eos_token_id=[1, 8, 9], head_dim=16,
             hidden_act="silu", hidden_size=96, initializer_range=0.02, intermediate_size=256, max_position_embeddings=131072, mlp_bias=False,
             model_type="llama", num_attention_heads=6, num_hidden_layers=2, num_key_value_heads=2, pretraining_tp=1, rms_norm_eps=1e-05,
             rope_scaling=dict(factor=32.0, high_freq_factor=4.0, low_freq_factor=1.0, original_max_position_embeddings=64, rope_type="llama3"),
             rope_theta=500000.0, tie_word_embeddings=True, torch_dtype="bfloat16", transformers_version="4.45.0.dev0", use_cache=True)
QWEN = dict(architectures=["Qwen2ForCausalLM"], attention_dropout=0.0, bos_token_id=0, eos_token_id=2, hidden_act="silu", hidden_size=64,
            initializer_range=0.02, intermediate_size=352, max_position_embeddings=32768, max_window_layers=2, model_type="qwen2",
            num_attention_heads=4, num_hidden_layers=2, num_key_value_heads=1, rms_norm_eps=1e-06, rope_theta=1000000.0, sliding_window=32768,
            tie_word_embeddings=True, torch_dtype="bfloat16", transformers_version="4.44.0", use_cache=True, use_sliding_window=False)
SPECIAL = {"llama": ["<|begin_of_text|>", "<|end_of_text|>"] + [f"<|reserved_special_token_{i}|>" for i in range(4)]
                    + ["<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>"],
           "qwen": ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"]}
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


# ---- files ----

def bf16(x):
    """The bits of the nearest bf16."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def write_shard(path, tensors):
    header, blob = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, values) in tensors.items():
        data = struct.pack("<%dH" % len(values), *map(bf16, values))
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + blob)
    return len(blob)


def read_tensors(path):
    """{name: (shape, flat values)}"""
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, t in json.loads(data[8:8 + n]).items():
        if name == "__metadata__":
            continue
        raw = data[8 + n + t["data_offsets"][0]:8 + n + t["data_offsets"][1]]
        if t["dtype"] == "BF16":
            bits = struct.unpack("<%dH" % (len(raw) // 2), raw)
            values = struct.unpack("<%df" % len(bits), b"".join(struct.pack("<I", b << 16) for b in bits))
        else:
            values = struct.unpack("<%df" % (len(raw) // 4), raw)
        out[name] = t["shape"], values
    return out


def read_model(folder):
    index = os.path.join(folder, "model.safetensors.index.json")
    names = sorted(set(json.load(open(index))["weight_map"].values())) if os.path.exists(index) else ["model.safetensors"]
    tensors = {}
    for name in names:
        tensors.update(read_tensors(os.path.join(folder, name)))
    return json.load(open(os.path.join(folder, "config.json"))), tensors


# ---- make ----

def tokenizer_of(family, given):
    t = json.load(open(given))
    special = SPECIAL[family]
    ours = {x["content"] for x in t["added_tokens"]}
    pieces = [w for w, _ in sorted(t["model"]["vocab"].items(), key=lambda p: p[1]) if w not in ours]
    # special tokens lie in front here, behind the others where they are published: ids are the file's, nobody may assume them
    t["model"]["vocab"] = {w: len(special) + i for i, w in enumerate(pieces)}
    t["model"]["ignore_merges"] = family == "llama"
    t["added_tokens"] = [dict(id=i, content=s, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
                         for i, s in enumerate(special)]
    level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
    digits = r"\p{N}{1,3}" if family == "llama" else r"\p{N}"
    t["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = WORDS % digits
    t["normalizer"] = None if family == "llama" else {"type": "NFC"}
    begin, first = {"SpecialToken": {"id": special[0], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
    second = [{"SpecialToken": {"id": special[0], "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}]
    template = dict(type="TemplateProcessing", single=[begin, first], pair=[begin, first] + second,
                    special_tokens={special[0]: dict(id=special[0], ids=[0], tokens=[special[0]])})
    t["post_processor"] = {"type": "Sequence", "processors": [level, template]} if family == "llama" else level
    return t, len(special) + len(pieces)


def shapes_of(c):
    w, h, size = c["hidden_size"], c["intermediate_size"], head_size(c)
    q, kv = c["num_attention_heads"] * size, c["num_key_value_heads"] * size
    yield "model.embed_tokens.weight", [c["vocab_size"], w]
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, rows, cols in (("self_attn.q_proj", q, w), ("self_attn.k_proj", kv, w), ("self_attn.v_proj", kv, w), ("self_attn.o_proj", w, q),
                                 ("mlp.gate_proj", h, w), ("mlp.up_proj", h, w), ("mlp.down_proj", w, h)):
            yield at + name + ".weight", [rows, cols]
            if c["model_type"] == "qwen2" and name[10:] in ("q_proj", "k_proj", "v_proj"):
                yield at + name + ".bias", [rows]
        yield at + "input_layernorm.weight", [w]
        yield at + "post_attention_layernorm.weight", [w]
    yield "model.norm.weight", [w]


def make(family, tokenizer, folder):
    os.makedirs(folder, exist_ok=True)
    t, entries = tokenizer_of(family, tokenizer)
    c = dict(LLAMA if family == "llama" else QWEN)
    c["vocab_size"] = entries + (0 if family == "llama" else 27)  # Qwen's embedding has room for more than its tokenizer has
    draw = random.Random(family)
    tensors = {}
    for name, shape in shapes_of(c):
        spread = lambda: 1 + draw.gauss(0, 0.2) if "norm" in name else draw.gauss(0, 0.12)
        tensors[name] = shape, [spread() for _ in range(math.prod(shape))]
    names, total, index = list(tensors), 0, {}
    for k, part in enumerate((names[:9], names[9:])):
        file = "model-%05d-of-00002.safetensors" % (k + 1)
        total += write_shard(os.path.join(folder, file), {n: tensors[n] for n in part})
        index.update(dict.fromkeys(part, file))
    for name, value in (("config.json", c), ("tokenizer.json", t),
                        ("model.safetensors.index.json", dict(metadata=dict(total_size=total), weight_map=index)),
                        ("generation_config.json", dict(bos_token_id=0, do_sample=True, eos_token_id=c["eos_token_id"], temperature=0.6)),
                        ("tokenizer_config.json", dict(tokenizer_class="PreTrainedTokenizerFast", chat_template="{{ messages }}",
                                                       eos_token=SPECIAL[family][9 if family == "llama" else 2]))):
        with open(os.path.join(folder, name), "w") as f:
            json.dump(value, f, indent=2)


# ---- the model, written down again ----

def head_size(c):
    return c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]


def product(weight, x, bias=None):
    (rows, cols), w = weight
    out = [math.fsum(a * b for a, b in zip(w[r * cols:(r + 1) * cols], x)) for r in range(rows)]
    return [o + b for o, b in zip(out, bias[1])] if bias else out


def norm(weight, x, eps):
    scale = 1 / math.sqrt(math.fsum(v * v for v in x) / len(x) + eps)
    return [v * scale * w for v, w in zip(x, weight[1])]


def frequencies(c):
    """Of each pair of a head's values; Llama 3's scaling of the slow ones."""
    size, s = head_size(c), c.get("rope_scaling")
    out = [c["rope_theta"] ** (-2 * i / size) for i in range(size // 2)]
    if not s or s["rope_type"] != "llama3":
        return out
    low, high = (s["original_max_position_embeddings"] / s[k] for k in ("low_freq_factor", "high_freq_factor"))
    for i, f in enumerate(out):
        wave = 2 * math.pi / f
        smooth = (s["original_max_position_embeddings"] / wave - s["low_freq_factor"]) / (s["high_freq_factor"] - s["low_freq_factor"])
        out[i] = f / s["factor"] if wave > low else f if wave < high else (1 - smooth) * f / s["factor"] + smooth * f
    return out


def turned(x, place, freq):
    """Rotary embedding of one head; pairs lie half a head apart."""
    half = len(freq)
    out = list(x)
    for i, f in enumerate(freq):
        co, si = math.cos(place * f), math.sin(place * f)
        out[i], out[i + half] = x[i] * co - x[i + half] * si, x[i + half] * co + x[i] * si
    return out


def attention(c, q, keys, values):
    size, share = head_size(c), c["num_attention_heads"] // c["num_key_value_heads"]
    out = []
    for h in range(c["num_attention_heads"]):
        at = h // share * size
        mine = q[h * size:(h + 1) * size]
        scores = [sum(a * b for a, b in zip(mine, k[at:at + size])) / math.sqrt(size) for k in keys]
        most = max(scores)
        weights = [math.exp(s - most) for s in scores]
        total = math.fsum(weights)
        out += [sum(w * v[at + i] for w, v in zip(weights, values)) / total for i in range(size)]
    return out


def logarithms(c, w, ids):
    """Of each next id's probability."""
    size, eps, freq = head_size(c), c["rms_norm_eps"], frequencies(c)
    cache = [([], []) for _ in range(c["num_hidden_layers"])]
    embed = w["model.embed_tokens.weight"]
    width = c["hidden_size"]
    turn = lambda x, place: [v for h in range(0, len(x), size) for v in turned(x[h:h + size], place, freq)]
    for place, (token, following) in enumerate(zip(ids, ids[1:])):
        x = list(embed[1][token * width:(token + 1) * width])
        for i, (keys, values) in enumerate(cache):
            get = lambda name: w.get(f"model.layers.{i}.{name}")
            into = norm(get("input_layernorm.weight"), x, eps)
            q, k, v = (product(get(f"self_attn.{n}_proj.weight"), into, get(f"self_attn.{n}_proj.bias")) for n in "qkv")
            keys.append(turn(k, place))
            values.append(v)
            x = [a + b for a, b in zip(x, product(get("self_attn.o_proj.weight"), attention(c, turn(q, place), keys, values)))]
            into = norm(get("post_attention_layernorm.weight"), x, eps)
            gate, up = (product(get(f"mlp.{n}_proj.weight"), into) for n in ("gate", "up"))
            x = [a + b for a, b in zip(x, product(get("mlp.down_proj.weight"), [u * g / (1 + math.exp(-g)) for g, u in zip(gate, up)]))]
        logits = product(w.get("lm_head.weight", embed), norm(w["model.norm.weight"], x, eps))
        most = max(logits)
        yield logits[following] - most - math.log(math.fsum(math.exp(v - most) for v in logits))


def adapted(w, folder):
    """W + alpha / r B A, by the names that peft gives."""
    c = json.load(open(os.path.join(folder, "adapter_config.json")))
    halves = read_tensors(os.path.join(folder, "adapter_model.safetensors"))
    out = dict(w)
    for name, (shape, a) in halves.items():
        if not name.endswith(".lora_A.weight"):
            continue
        module = name[len("base_model.model."):-len(".lora_A.weight")] + ".weight"
        (rows, r), b = halves[name.replace("lora_A", "lora_B")]
        (_, cols), base = w[module]
        scale = c["lora_alpha"] / c["r"]
        out[module] = [rows, cols], [base[i * cols + k] + scale * sum(b[i * r + j] * a[j * cols + k] for j in range(r))
                                     for i in range(rows) for k in range(cols)]
    return out


def check_adapter(base, folder):
    config, w = read_model(base)
    c = json.load(open(os.path.join(folder, "adapter_config.json")))
    halves = read_tensors(os.path.join(folder, "adapter_model.safetensors"))
    for key, want in (("peft_type", "LORA"), ("task_type", "CAUSAL_LM"), ("bias", "none"), ("fan_in_fan_out", False)):
        if c.get(key) != want:
            print(f"{key} is {c.get(key)}")
    if set(c["target_modules"]) != TARGETS or c["r"] < 1 or not c["base_model_name_or_path"]:
        print("adapter_config.json names other targets, no rank or no base")
    want = {}
    for name, (shape, _) in w.items():
        if name.split(".")[-2] in TARGETS and name.endswith(".weight"):
            module = "base_model.model." + name[:-len(".weight")]
            want[module + ".lora_A.weight"], want[module + ".lora_B.weight"] = [c["r"], shape[1]], [shape[0], c["r"]]
    for name in sorted(want.keys() | halves.keys()):
        if want.get(name) != halves.get(name, (None,))[0]:
            print(f"{name}: {halves.get(name, (None,))[0]}, not {want.get(name)}")
    if not any(any(v) for n, (_, v) in halves.items() if "lora_B" in n):
        print("it adds nothing")


def main():
    do, *rest = sys.argv[1:]
    if do == "make":
        make(*rest)
    elif do == "adapter":
        check_adapter(*rest)
    else:
        c, w = read_model(rest[0])
        ids = [int(x) for x in open(rest[1]).read().split()]
        print(math.fsum(logarithms(c, adapted(w, rest[2]) if rest[2:] else w, ids)))


main()
