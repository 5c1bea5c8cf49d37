#!/usr/bin/env python3
"""tokenizer_ids.py - what transformers makes of our texts: the reference that src/lm/tokenizer.c is held against.

  tokenizer_ids.py lines ROOT LINES          writes the texts: 10,000 lines and 60 whole files of ROOT/{corpus,docs,src}, and nasty.json
  tokenizer_ids.py ids LINES FOLDER OUT      for each FOLDER/NAME/tokenizer.json writes OUT/NAME.ids (needs transformers)

LINES is a JSON array of texts. A line of NAME.ids is `TEXT IDS`, both hexadecimal: FNV-1a of the text's UTF-8 (64 bits) and of its
ids as little-endian int32 (32 bits), with the tokens that the post-processor adds. The test finds a text by its hash, so a
line that left the tree is left out and one that moved is found. For nasty.json there is `TEXT IDS = id id ...` and, below
it, `> ` and what decoding the ids with special tokens gives, as JSON. No machine's paths, no order but that of LINES.
"""
import json
import os
import sys

LINES, FILES = 10000, 60
HERE = os.path.dirname(os.path.abspath(__file__))


def fnv(data, bits):
    h, prime, mask = (0xCBF29CE484222325, 0x100000001B3, 2**64 - 1) if bits == 64 else (0x811C9DC5, 0x01000193, 2**32 - 1)
    for b in data:
        h = (h ^ b) * prime & mask
    return h


def text_hash(text):
    return "%016x" % fnv(text.encode(), 64)


def ids_hash(ids):
    return "%08x" % fnv(b"".join(i.to_bytes(4, "little") for i in ids), 32)


def tree(root):
    """Every text file of the tree, in order."""
    for top in ("corpus", "docs", "src"):
        for where, dirs, files in os.walk(os.path.join(root, top)):
            dirs[:] = sorted(d for d in dirs if d not in ("node_modules", "lm"))
            for f in sorted(files):
                if f.rsplit(".", 1)[-1] in ("c", "h", "cu", "cuh", "cl", "hpp", "md", "def", "js"):
                    yield open(os.path.join(where, f), encoding="utf-8", newline="").read()


def lines(root, out):
    files = list(tree(root))
    seen = {line for text in files for line in text.split("\n") if line.strip()}
    chosen = sorted(seen, key=text_hash)[:LINES]
    whole = sorted((t for t in set(files) if 200 < len(t) < 20000), key=text_hash)[:FILES]
    nasty = json.load(open(os.path.join(HERE, "nasty.json"), encoding="utf-8"))
    with open(out, "w", encoding="utf-8") as f:
        json.dump(nasty + chosen + whole, f, ensure_ascii=True, indent=0)
    print(f"{len(nasty)} nasty texts, {len(chosen)} lines, {len(whole)} files")


def ids(texts, folder, out):
    import transformers

    nasty = set(json.load(open(os.path.join(HERE, "nasty.json"), encoding="utf-8")))
    texts = json.load(open(texts, encoding="utf-8"))
    os.makedirs(out, exist_ok=True)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "tokenizer.json")
        if not os.path.exists(path):
            continue
        t = transformers.PreTrainedTokenizerFast(tokenizer_file=path)
        raw = t.backend_tokenizer
        with open(os.path.join(out, name + ".ids"), "w", encoding="utf-8") as f:
            f.write(f"# {name}: transformers {transformers.__version__}\n")
            for text in texts:
                got = t(text)["input_ids"]
                if got != raw.encode(text).ids:
                    sys.exit(f"{name}: transformers and its backend differ on {text!r}")
                line = f"{text_hash(text)} {ids_hash(got)}"
                if text in nasty:
                    line += " = " + " ".join(map(str, got)) + "\n> " + json.dumps(raw.decode(got, skip_special_tokens=False))
                f.write(line + "\n")
        print(f"{name}: {len(texts)} texts")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "lines":
        lines(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 5 and sys.argv[1] == "ids":
        ids(*sys.argv[2:])
    else:
        sys.exit(__doc__)
