#!/bin/sh
# trace.sh [BUILD] : how fast the front end and the interpreter are, on this project's own kernels.
#
# Three figures: warp instructions a second with counting on (whole grids), milliseconds of a sampled trace, milliseconds to
# parse. The interpreter's are processor time of its one thread, parsing is wall time; always the best of five runs, which
# other work on the machine disturbs least.
set -eu
cd "$(dirname "$0")/.."
ww=${1:-build}/warpwise

number() { sed -n "s/.*\"$1\": *\([0-9.eE+-]*\).*/\1/p" | head -n 1; }

# best of five: KEY ARGS...
best() {
  key=$1
  shift
  for _ in 1 2 3 4 5; do "$ww" trace "$@" --json | number "$key"; done | sort -g | head -n 1
}

printf '%-34s %14s %10s %12s\n' 'interpreter, every block, counting' 'warp instr.' 'CPU ms' 'M a second'
full() {
  name=$1
  shift
  run=$("$ww" trace "$@" --full --json | number warp_instructions_run)
  ms=$(best trace_cpu_ms "$@" --full)
  awk -v n="$name" -v r="$run" -v m="$ms" 'BEGIN { printf "%-34s %14.0f %10.1f %12.1f\n", n, r, m, r / m / 1e3 }'
}
full 'matmul naive 512' examples/matmul.cu -k naive --grid 32,32 --block 16,16 --arg n=512
full 'matmul tiled 512' examples/matmul.cu -k tiled --grid 32,32 --block 16,16 --arg n=512
full 'saxpy 2^22' examples/saxpy.cu -k saxpy --arg 'n=1<<22'
full 'saxpy stride 32, 2^20' examples/saxpy.cu -k saxpy_strided
full 'reduce 2^22, 64 lanes' examples/reduce.hip
full 'spmv 2^16 rows' examples/spmv.cl --arg 'rows=1<<16'

printf '\n%-34s %14s %10s %12s\n' 'sampled trace' 'blocks' 'CPU ms' 'inputs ms'
sampled() {
  name=$1
  shift
  blocks=$("$ww" trace "$@" --json | sed -n 's/.*"sampled":{"blocks":\([0-9]*\),"of":\([0-9]*\)}.*/\1 of \2/p')
  ms=$(best trace_cpu_ms "$@")
  in=$(best inputs_ms "$@")
  printf '%-34s %14s %10.1f %12.1f\n' "$name" "$blocks" "$ms" "$in"
}
sampled 'matmul naive 2048' examples/matmul.cu -k naive
sampled 'matmul tiled 2048' examples/matmul.cu -k tiled
sampled 'saxpy 2^20' examples/saxpy.cu -k saxpy
sampled 'saxpy stride 32' examples/saxpy.cu -k saxpy_strided
sampled 'reduce 2^22' examples/reduce.hip
sampled 'spmv 2^18 rows' examples/spmv.cl
sampled 'stencil, OpenMP' examples/stencil.c --arg w=1024 --arg h=1024 --grid 2048 --block 128

printf '\n%-34s %14s\n' 'parse and lower, caches warm' 'ms, wall'
for file in examples/saxpy.cu examples/spmv.cl examples/reduce.hip examples/stencil.c; do
  "$ww" kernels $file >/dev/null
  for _ in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$ww" kernels $file >/dev/null
    echo $(($(date +%s%N) - start))
  done | sort -n | head -n 1 | awk -v f="$file" '{ printf "%-34s %14.0f\n", f, $1 / 1e6 }'
done
