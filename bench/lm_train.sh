#!/bin/sh
# lm_train.sh BUILD [MODEL]... : training speed against PyTorch on this machine's GPU, both in one run, one after the other; prints the table of
# bench/lm_train.md. Models: 25m 125m 1b lora3b (the last without PyTorch). ROUNDS=2 goes over each twice and takes the faster of each.
# LM_BENCH: the program, BUILD/gpu/lm_bench by default. LM_LOG: a file that gets all lines of JSON.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 25m 125m 1b lora3b
ours=${LM_BENCH:-$build/gpu/lm_bench}
log=${LM_LOG:-$(mktemp)}
: >"$log"
for model in "$@"; do
  round=0
  while [ "$round" -lt "${ROUNDS:-1}" ]; do
    "$ours" "$model" | tee -a "$log"
    [ "$model" = lora3b ] || python3 bench/lm_torch.py "$model" ${TORCH_MODE:+--mode "$TORCH_MODE"} | tee -a "$log"
    round=$((round + 1))
  done
done
python3 - "$log" <<'END'
import json, sys
best = {}
for line in open(sys.argv[1]):
    if line.startswith("{"):
        r = json.loads(line)
        key = r["model"], r["by"]
        if key not in best or r["ms"] < best[key]["ms"]:
            best[key] = r
print("| model | parameters | batch x context | | ms a step | tokens/s | MFU | memory, GiB | against PyTorch |")
print("|---|---|---|---|---|---|---|---|---|")
for (model, by), r in best.items():
    torch = best.get((model, "torch"))
    against = f"{torch['ms'] / r['ms']:.2f}x" if by == "warpwise" and torch else ""
    name = "Warpwise" if by == "warpwise" else "PyTorch " + r["version"].split("+")[0]
    print(f"| {model} | {r['parameters'] / 1e6:.1f} M | {r['batch']} x {r['context']} | {name} | {r['ms']:.2f} | {r['tokens_per_s']:.0f} "
          f"| {100 * r['mfu']:.1f} % | {r['memory_gib']:.1f} | {against} |")
END
