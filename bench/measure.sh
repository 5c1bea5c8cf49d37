#!/bin/sh
# measure.sh BUILD [READY] : launches a second, timed and with all counters, over the corpus' launches below 200 us.
#
# READY: ready launches (`warpwise measure --launch corpus/launches.jsonl --plan READY --gpu NAME`), for a machine without
# LLVM; without it they are made here. Each rate is the wall time of the whole command, start of the process included,
# over twice 512 launches.
build=${1:-build}
ww=$build/warpwise
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ready=${2:-$dir/ready.jsonl}
[ $# -gt 1 ] || "$ww" measure --launch corpus/launches.jsonl --plan "$ready" --quiet || exit 1
"$ww" measure --launch "$ready" --time-only --json --quiet >"$dir/times" || exit 1
folder=$(cd "$(dirname "$ready")" && pwd)
awk -v want=1024 '
  NR == FNR { if (match($0, /"median_us":[0-9.]+/)) small[FNR] = substr($0, RSTART + 12, RLENGTH - 12) + 0 < 200; next }
  small[FNR] { line[n++] = $0 }
  END { for (k = 0; k < want && n; k++) print line[k % n] }' "$dir/times" "$ready" |
  sed "s|\"binary\":\"|&$folder/|" >"$dir/many.jsonl"
now() { date +%s.%N; }
rate() { # LABEL OPTION
  a=$(now)
  "$ww" measure --launch "$dir/many.jsonl" --json --quiet $2 >"$dir/out" || exit 1
  b=$(now)
  bad=$(grep -c '"error"' "$dir/out")
  samples=$(grep -o '"samples_us":\[[^]]*' "$dir/out" | tr -cd ',\n' | awk '{ s += length + 1 } END { print s }')
  awk -v a="$a" -v b="$b" -v n="$(wc -l <"$dir/out")" -v s="$samples" -v what="$1" -v bad="$bad" \
    'BEGIN { printf "%-16s %d launches (%d timed runs, %d failed) in %.1f s: %.0f launches/s, %.0f timed runs/s\n", what, n, s, bad, b - a, n / (b - a), s / (b - a) }'
}
rate "time alone" --time-only
rate "all counters" ""
