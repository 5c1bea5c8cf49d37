#!/bin/sh
# optimize.sh [BUILD] [OUT] [LIST] : `warpwise optimize` by prediction over the kernels of bench/optimize.list (drawn by
# bench/optimize_pick.py). Prints a line a kernel, then the geometric mean of the predicted gains (each capped at 10x), the
# median, what was found by the launch alone and what was not improved; OUT (build/optimize) gets the patch, the JSON and the
# job of each kernel. On the machine with the GPU:
#
#   for j in build/optimize/*.job; do warpwise measure --job $j --json; done
set -e
cd "$(dirname "$0")/.."
build=${1:-build}
out=${2:-$build/optimize}
list=${3:-bench/optimize.list}
mkdir -p "$out"
while IFS=: read -r file kernel; do
  name=$(echo "$file" | tr / _)-$kernel
  [ -s "$out/$name.json" ] && continue
  rm -f "$out/$name.job"
  "$build/warpwise" optimize "$file" --kernel "$kernel" --gpu h200 --seed 20 --patch "$out/$name.patch" --propose "$out/$name.job" \
    --json >"$out/$name.part" 2>"$out/$name.err" && mv "$out/$name.part" "$out/$name.json" || echo "failed: $file:$kernel: $(head -1 "$out/$name.err")"
done <"$list"
python3 bench/optimize_sum.py "$out"/*.json
