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

# Sweeps: several GPUs from one trace. Instructions where valgrind is there (they do not depend on what else the machine does), else time.
cost() { # ARGS... : of `warpwise predict`, without compiling the source
  if command -v valgrind >/dev/null; then
    valgrind --tool=callgrind --callgrind-out-file="$dir/cg" "$ww" predict "$@" --json >/dev/null 2>&1
    callgrind_annotate --inclusive=yes --threshold=100 "$dir/cg" 2>/dev/null | awk '/:ww_query_predict / && !/=>/ { gsub(",", "", $1); print $1 / 1e6; exit }'
  else
    a=$(date +%s%N)
    "$ww" predict "$@" --json >/dev/null 2>&1
    echo $((($(date +%s%N) - a) / 1000000))
  fi
}
printf '%-40s %10s %22s %10s   (millions of instructions, or ms)\n' 'sweep' 'h200' 'h200,h100,a100,rtx3080' 'apart'
sweep() { # TEXT ARGS...
  text=$1 apart=0
  shift
  one=$(cost "$@" --gpu h200)
  all=$(cost "$@" --gpu h200,h100,a100,rtx3080)
  for g in h100 a100 rtx3080; do apart=$(echo "$apart $(cost "$@" --gpu $g)" | awk '{ print $1 + $2 }'); done
  echo "$one $all $apart" | awk -v t="$text" '{ printf "%-40s %10.0f %22.0f %10.0f   1 : %.2f : %.2f\n", t, $1, $2, $1 + $3, $2 / $1, ($1 + $3) / $1 }'
}
sweep 'axpy, n = 1K, 1M, 64M' corpus/elementwise/axpy.cu -k axpy --sweep n=1K,1M,64M
sweep 'gemm_tiled16, n = 128, 1K' corpus/gemm/gemm.cu -k gemm_tiled16 --sweep n=128,1K
sweep 'spmv_csr_warp, m = 1K, 64K' corpus/sparse/spmv.cu -k spmv_csr_warp --sweep m=1K,64K
