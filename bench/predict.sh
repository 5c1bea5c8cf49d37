#!/bin/sh
# predict.sh BUILD : how long an answer takes. The whole command, cold process, for every 10th
# launch of the corpus, then the model alone inside one process.
build=${1:-build}
ww=$build/warpwise
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
grep -v '^#' corpus/launches.jsonl | awk 'NR % 10 == 1' >"$dir/some"
while read -r line; do
  printf '%s\n' "$line" >corpus/.one.jsonl
  a=$(date +%s%N)
  "$ww" predict --launch corpus/.one.jsonl --gpu h200 --json >/dev/null 2>&1 || echo "failed: $line" >&2
  echo $((($(date +%s%N) - a) / 1000)) >>"$dir/us"
done <"$dir/some"
rm -f corpus/.one.jsonl
sort -n "$dir/us" | awk '{ v[NR] = $1 / 1000 } END { printf "whole command, %d launches: median %.0f ms, 90 %% %.0f ms, most %.0f ms\n", NR, v[int((NR + 1) / 2)], v[int(NR * 0.9)], v[NR] }'
"$ww" evaluate data/corpus-h200.jsonl.zst --quiet --group none | sed -n 's/^machine model.*; \([0-9.]* ms a launch in the median\).*/in one process, source read before: \1/p'
