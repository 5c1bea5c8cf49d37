#!/bin/sh
# Naive 256^3 OpenCL matmul, every work-item interpreted: `oclgrind --inst-counts` beside `warpwise trace --full`.
#
#   bench/matmul_oclgrind.sh [BUILD]        BUILD: folder with warpwise and libwarpwise.a, default build
#
# Both interpret the same launch spec with the same contents on one thread and count loads and stores. Oclgrind's time is
# the CPU time of the kernel alone (clEnqueueNDRangeKernel to clFinish), ours the interpreter's wall time as the report
# gives it ("timing": {"trace_ms": ...}), best of three; compilers are left out on both sides. On a busy machine this
# favours Oclgrind. Byte totals have to agree, else exit 1.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
spec=tests/cross/matmul256.launch
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

command -v oclgrind >/dev/null || { echo "oclgrind is not installed: apt-get install oclgrind" >&2; exit 4; }
host=$build/tests/cl_host
if [ ! -x "$host" ]; then
  host=$tmp/cl_host
  ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -o "$host" tests/cross/cl_host.c "$build/libwarpwise.a" -lOpenCL -lcjson -lm
fi

their_bytes() { sed -n "s/.*- $1 global (\([0-9]*\) bytes).*/\1/p" "$tmp/theirs"; }
our_number() { grep -o "\"$1\": *[0-9.eE+]*" "$tmp/ours" | head -n 1 | sed 's/.*: *//'; }

oclgrind --inst-counts --num-threads 1 "$host" $spec --times >"$tmp/theirs"
for i in 1 2 3; do
  "$build/warpwise" trace tests/cross/matmul256.cl --launch $spec --full --json >"$tmp/ours"
  our_number trace_ms >>"$tmp/ms"
done

theirs_ms=$(sed -n 's/^kernel_cpu_ms //p' "$tmp/theirs")
ours_ms=$(sort -n "$tmp/ms" | head -n 1)
instructions=$(awk '/^ *[0-9]+ - / { n += $1 } END { printf "%.0f", n }' "$tmp/theirs")

awk -v t="$theirs_ms" -v o="$ours_ms" -v ti="$instructions" -v oi="$(our_number thread_instructions)" \
    -v tl="$(their_bytes load)" -v ol="$(our_number global_ld_bytes)" -v ts="$(their_bytes store)" -v os="$(our_number global_st_bytes)" '
BEGIN {
  printf "%-34s %16s %16s\n", "naive matmul 256^3, one thread", "oclgrind", "warpwise"
  printf "%-34s %16.0f %16.0f\n", "interpretation, ms", t, o
  printf "%-34s %16.0f %16.0f\n", "work-item instructions", ti, oi
  printf "%-34s %16.1f %16.1f\n", "M work-item instructions a second", ti / t / 1e3, oi / o / 1e3
  printf "%-34s %16.0f %16.0f\n", "global bytes loaded", tl, ol
  printf "%-34s %16.0f %16.0f\n", "global bytes stored", ts, os
  printf "ratio of times: %.1f\n", t / o
  if (tl + 0 != ol + 0 || ts + 0 != os + 0) { print "byte totals differ"; exit 1 }
}'
