#!/bin/sh
# long.sh DIR SECONDS [JOBS [TARGET...]] : fuzzes the targets, for that long in all, and says what came out. A target that is named
# several times has as many processes.
#
# DIR is what pack.sh packs or run.sh fills, and all that is needed: fuzz/ (the program and its libraries), targets.def, options.sh, seeds/<target>/, dict/, gpus/.
# It may be on another machine: nothing but a shell and coreutils are used. In DIR/out, for each target:
#   <target>.log     what libFuzzer said           <target>.edges  `SECONDS EDGES` whenever there were more
#   corpus/<target>/ the inputs, minimised         found/<target>-* inputs that found something
#   summary          target, executions, edges of what it began with, edges, seconds of the last new edge, seconds in all, findings
# Allocations remember no stack (a run of what was found, alone, shows it): a third of the time of those that allocate much.
# A process that found something is started again until the time is over. Ends with `N findings`; status 1 where there are any.
set -u
dir=$1 seconds=$2 jobs=${3:-$(nproc)}
[ $# -gt 3 ] && shift 3 || shift $#
targets=${*:-$(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$dir/targets.def")}
names=$(echo $targets | tr ' ' '\n' | awk '!seen[$0]++')
out=$dir/out
. "$dir/options.sh"
mkdir -p "$out/found" "$out/corpus" "$out/work"
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 2
WARPWISE_DATA=$(cd "$dir" && pwd)
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16:malloc_context_size=1}
export TMPDIR WARPWISE_DATA ASAN_OPTIONS
# Some sandboxes forbid what the search for leaks needs.
"$dir/fuzz/fuzz" json -runs=10 >"$out/start.log" 2>&1 || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
"$dir/fuzz/fuzz" json -runs=10 >"$out/start.log" 2>&1 || { cat "$out/start.log"; exit 2; }
started=$(date +%s)
trap 'rm -rf "$TMPDIR"' EXIT
trap 'kill $children 2>/dev/null; exit 130' INT TERM
children=

findings_of() { ls "$out/found" | grep "^$1-" | grep -cv slow-unit; }

# one TARGET LOG SECONDS : again after each finding, until the time is over.
one() {
  mkdir -p "$out/work/$1" "$out/corpus/$1"
  begin=$(date +%s)
  [ -s "$out/$1.begin" ] || echo "$begin" >"$out/$1.begin"
  while left=$(($3 - $(date +%s) + begin)) && [ $left -gt 0 ]; do
    # shellcheck disable=SC2046
    "$dir/fuzz/fuzz" "$1" $(fuzz_options "$1" "$dir/targets.def" "$dir/dict" "$out/found") -max_total_time=$left "$out/work/$1" "$out/corpus/$1" "$dir/seeds/$1" >>"$2" 2>&1 &
    running=$!
    wait $running && break
    [ "$(findings_of "$1")" -lt 40 ] || break
  done
}

# Where there are many cores all targets run at once, some of them twice; where there are few they take turns.
count=$(echo "$targets" | wc -w)
tasks=$((jobs > count ? jobs : count))
slots=$((2 * jobs >= count ? tasks : jobs))
turns=$(((tasks + slots - 1) / slots))
# slot NUMBER : its tasks, one after the other.
slot() {
  running=
  trap 'kill $running 2>/dev/null; exit' TERM
  k=0
  while [ $k -lt $tasks ]; do
    for t in $targets; do
      [ $k -lt $tasks ] && [ $((k % slots)) -eq "$1" ] && one "$t" "$out/$t.$k.log" $((seconds / turns))
      k=$((k + 1))
    done
  done
}
rm -f "$out"/*.begin "$out"/*.[0-9]*.log
n=0
while [ $n -lt $slots ]; do
  slot $n &
  children="$children $!"
  n=$((n + 1))
done

# edges TARGET : the most that any of its processes has.
edges() { cat "$out/$1".[0-9]*.log 2>/dev/null | grep -a ' cov: ' | sed 's/.* cov: \([0-9]*\).*/\1/' | sort -n | tail -n 1; }
for t in $names; do : >"$out/$t.edges"; done
while now=$(date +%s) && [ $((now - started)) -lt "$seconds" ]; do
  left=$((seconds - now + started))
  sleep $((left < 10 ? left + 1 : 10))
  for t in $names; do
    e=$(edges "$t")
    [ -z "$e" ] || [ "$e" = "$(tail -n 1 "$out/$t.edges" | cut -d' ' -f2)" ] || echo "$(($(date +%s) - $(cat "$out/$t.begin"))) $e" >>"$out/$t.edges"
  done
done
wait

# merge TARGET : the smallest set of inputs with all edges, in a minute at most; all of them where that does not do.
merge() {
  WW_FUZZ_TARGET=$1 "$dir/fuzz/fuzz" -merge=1 -max_total_time=60 -timeout=60 -rss_limit_mb=3000 -artifact_prefix="$TMPDIR/" "$out/corpus/$1" "$out/work/$1" "$dir/seeds/$1" \
    >"$out/$1.merge.log" 2>&1 || cp "$out/work/$1"/* "$out/corpus/$1/" 2>/dev/null
}
merging=0
[ "$seconds" -ge 120 ] && for t in $names; do # a short run is not worth it
  merge "$t" &
  merging=$((merging + 1))
  [ $((merging % jobs)) -eq 0 ] && wait
done
wait
rm -rf "$out/work" "$out"/*.begin

total=0
findings=0
: >"$out/summary"
for t in $names; do
  executions=$(cat "$out/$t".[0-9]*.log 2>/dev/null | sed -n 's/^stat::number_of_executed_units: *//p' | awk '{s += $1} END {print s + 0}')
  found=$(findings_of "$t")
  first=$(grep -ah 'INITED *cov: ' "$out/$t".[0-9]*.log | sed 's/.* cov: \([0-9]*\).*/\1/' | sort -n | head -n 1)
  last=$(tail -n 1 "$out/$t.edges")
  cat "$out/$t".[0-9]*.log >"$out/$t.log" && rm -f "$out/$t".[0-9]*.log
  [ -n "$last" ] || last="0 0"
  echo "$t $executions ${first:-0} ${last#* } ${last% *} $(($(echo "$targets" | tr ' ' '\n' | grep -cx "$t") * (seconds / turns))) $found" >>"$out/summary"
  total=$((total + executions))
  findings=$((findings + found))
done
awk 'BEGIN {printf "%-12s %12s %7s %7s %10s %8s %s\n", "target", "executions", "began", "edges", "last new", "seconds", "findings"}
     {printf "%-12s %12d %7d %7d %8d s %8d %d\n", $1, $2, $3, $4, $5, $6, $7}' "$out/summary"
echo "$total executions, $findings findings"
[ $findings -eq 0 ]
