#!/usr/bin/env python3
"""tokenizer_seeds.py FOLDER - small tokenizers of each kind, for fuzz_tokenizer to start from."""
import json
import os
import struct
import sys

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
MARK = "\u2581"


def letters():
    seen = [b for b in range(256) if 32 < b < 127 or 160 < b < 173 or b > 173]
    rest = iter(range(256, 400))
    return [chr(b) if b in seen else chr(next(rest)) for b in range(256)]


def save(name, data):
    with open(os.path.join(out, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode())


def added(token, i, **flags):
    return {"id": i, "content": token, "special": True, "lstrip": False, "rstrip": False, "normalized": False, **flags}


def byte_level(pattern, **more):
    vocab = {c: k for k, c in enumerate(letters())} | {"ab": 256, "abc": 257, "\u0120a": 258, "bc": 259}
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": not pattern}
    return {
        "added_tokens": [added("<s>", 260), added("<l>", 261, lstrip=True, rstrip=True), added("é", 262, normalized=True)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]} if pattern else level,
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
                           "special_tokens": {"<s>": {"id": "<s>", "ids": [260]}}},
        "decoder": level,
        "model": {"type": "BPE", "unk_token": None, "vocab": vocab, "merges": ["b c", ["a", "b"], "\u0120 a", "ab c"], **more},
    }


def pieces(pre, norm):
    vocab = {"<unk>": 0, "<s>": 1, "<0x41>": 2, "<0x0A>": 3, MARK: 4, "a": 5, "b": 6, MARK + "a": 7, "ab": 8, "é": 9}
    return {
        "added_tokens": [added("<unk>", 0), added("<s>", 1)], "normalizer": norm, "pre_tokenizer": pre,
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "vocab": vocab, "merges": [MARK + " a", "a b"]},
    }


def gguf(meta):
    def text(s):
        return struct.pack("<Q", len(s.encode())) + s.encode()

    def value(v):
        if isinstance(v, bool):
            return struct.pack("<IB", 7, v)
        if isinstance(v, int):
            return struct.pack("<II", 4, v)
        if isinstance(v, str):
            return struct.pack("<I", 8) + text(v)
        kind = 8 if isinstance(v[0], str) else 6 if isinstance(v[0], float) else 5
        items = b"".join(text(x) if kind == 8 else struct.pack("<f" if kind == 6 else "<i", x) for x in v)
        return struct.pack("<IIQ", 9, kind, len(v)) + items

    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(meta)) + b"".join(text(k) + value(v) for k, v in meta.items())


llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
save("llama3.json", byte_level(llama3, ignore_merges=True))
save("odd.json", byte_level(r"\s?\p{L}+|[^\s]|(?<=a)b"))
save("gpt2.json", byte_level(""))
prepend = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]}
save("llama2.json", pieces(None, prepend))
save("metaspace.json", pieces({"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": True}, None))
tokens = letters() + ["ab", "\u0120ab", "<s>"]
g = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "qwen2", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": ["a b", "\u0120 ab"],
     "tokenizer.ggml.token_type": [1] * 258 + [3], "tokenizer.ggml.bos_token_id": 258, "tokenizer.ggml.add_bos_token": True}
save("gpt2.gguf", gguf(g))
spm = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)] + [MARK, "a", "b", MARK + "a", "ab"]
g = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": spm, "tokenizer.ggml.scores": [-float(k) for k in range(len(spm))],
     "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256 + [1] * 5, "tokenizer.ggml.bos_token_id": 1}
save("llama2.gguf", gguf(g))
texts = [t.replace(MARK, " ").encode() for t in spm]
save("tokenizer.bin", struct.pack("<i", 6) + b"".join(struct.pack("<fi", -k, len(t)) + t for k, t in enumerate(texts)))
