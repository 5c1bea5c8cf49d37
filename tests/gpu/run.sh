#!/bin/sh
# run.sh BUILD [prepare|device|compare]... : the CUDA triples on a real GPU, against our counts. All steps by default.
#
#   prepare  where the sources are (nvcc, clang; no GPU needed): BUILD/gpu/ gets cubins, kernel lists, our traces, programs
#   device   where the GPU is (the driver; ncu for counters): launches everything, results checked, counters to CSV.
#            Needs only BUILD/gpu/, tests/kernels/ and tests/gpu/, so these may have come from another machine.
#   compare  prints what differs; WW_MARKDOWN=FILE also writes the tables of docs/hardware-check.md
#
# WW_GPU_OUT: folder for the CSVs, BUILD/gpu/out by default. WW_ARCH: sm_90 by default.
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
[ $# -gt 0 ] && shift
gpu=$build/gpu
out=${WW_GPU_OUT:-$gpu/out}
arch=${WW_ARCH:-sm_90}

# Made anew only when the source is newer: nvcc takes a second or two each.
newer() { [ ! -s "$2" ] || [ "$1" -nt "$2" ]; }

prepare() {
  mkdir -p "$gpu/cubin" "$gpu/kernels" "$gpu/trace" || return 1
  for f in tests/kernels/*.cu tests/gpu/probes.cu; do
    name=$(basename "$f")
    cubin=$gpu/cubin/$name.cubin
    if newer "$f" "$cubin"; then nvcc -w -arch="$arch" -O3 -cubin -o "$cubin" "$f" || return 1; fi
    "$build/warpwise" kernels "$f" --json >"$gpu/kernels/$name.json" || return 1
  done
  for f in tests/kernels/*.launch; do
    grep -q '"file": *"[^"]*\.cu"' "$f" || continue
    "$build/warpwise" trace --launch "$f" --full --json >"$gpu/trace/$(basename "$f" .launch).json" || return 1
  done
}

# The metrics of a list that this device has, separated by commas.
metrics_of() {
  sed 's/#.*//; s/ //g; /^$/d' "$1" | while read -r m; do
    case $m in launch__*) echo "$m" ;; *) grep -q "^${m%%.*} " "$out/known.txt" && echo "$m" ;; esac
  done | paste -sd, -
}

# profile NAME METRICS COMMAND... : ncu's values to NAME.csv, the program's own lines to stdout.
profile() {
  name=$1
  metrics=$(metrics_of "$2")
  shift 2
  ncu --clock-control none --cache-control none --csv --print-units base --metrics "$metrics" \
    --log-file "$out/$name.csv" "$@"
}

device() {
  mkdir -p "$out" || return 1
  "$gpu/launch_triples" "$gpu"
  results=$?
  [ $results -gt 1 ] && return $results
  if ! command -v ncu >/dev/null; then
    echo "no ncu here: results were checked, counters were not"
    return $results
  fi
  ncu --query-metrics >"$out/known.txt" 2>&1
  profile triples tests/gpu/metrics.txt "$gpu/launch_triples" "$gpu" --order "$out/triples.order"
  profile probes tests/gpu/probe_metrics.txt "$gpu/probe_memory" "$gpu/cubin/probes.cu.cubin" && return $results
}

compare() {
  [ -s "$out/triples.csv" ] || { echo "no counters to compare"; return 0; }
  "$gpu/probe_memory" --list >"$out/probes.order"
  "$gpu/compare" "$gpu" "$out" ${WW_MARKDOWN:+--markdown "$WW_MARKDOWN"}
}

# Wrong results or counts let the next step run; what could not be run at all ends here.
worst=0
for step in ${*:-prepare device compare}; do
  "$step"
  status=$?
  [ $status -gt 1 ] && exit $status
  [ $status -gt $worst ] && worst=$status
done
exit $worst
