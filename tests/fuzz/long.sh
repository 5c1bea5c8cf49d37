#!/bin/sh
# long.sh DIR SECONDS [JOBS [TARGET...]] : fuzzes the targets for that long, at least one process each and JOBS in all, and says what came out.
#
# DIR is what pack.sh packs or run.sh fills, and all that is needed: fuzz/ (the program and its libraries), targets.def, seeds/<target>/, dict/, gpus/.
# It may be on another machine: nothing but a shell and coreutils are used. In DIR/out, for each target:
#   <target>.log     what libFuzzer said           <target>.edges  `SECONDS EDGES` whenever there were more
#   corpus/<target>/ the inputs, minimised         found/<target>-* inputs that found something
#   summary          target, executions, edges, seconds of the last new edge, seconds in all, findings
# A process that found something is started again until the time is over. Ends with `N findings`; status 1 where there are any.
set -u
dir=$1 seconds=$2 jobs=${3:-$(nproc)}
[ $# -gt 3 ] && shift 3 || shift $#
targets=${*:-$(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$dir/targets.def")}
out=$dir/out
mkdir -p "$out/found" "$out/corpus" "$out/work"
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 2
WARPWISE_DATA=$(cd "$dir" && pwd)
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16}
export TMPDIR WARPWISE_DATA ASAN_OPTIONS
# Some sandboxes forbid what the search for leaks needs.
"$dir/fuzz/fuzz" json -runs=10 >"$out/start.log" 2>&1 || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
"$dir/fuzz/fuzz" json -runs=10 >"$out/start.log" 2>&1 || { cat "$out/start.log"; exit 2; }
started=$(date +%s)
trap 'rm -rf "$TMPDIR"' EXIT
trap 'kill $children 2>/dev/null; exit 130' INT TERM
children=

# options TARGET : most bytes of an input by the table; words where there are some; mutators that know the syntax make one change at a time.
options() {
  row=$(sed -n "s/^TARGET($1, *\([a-z]*\), *\([0-9]*\),.*/\1 \2/p" "$dir/targets.def")
  dict=$dir/dict/$1.dict
  [ -f "$dict" ] || { [ "${row% *}" = json ] && dict=$dir/dict/json.dict; }
  echo "-max_len=${row#* } -len_control=0 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix=$out/found/$1-"
  [ "${row% *}" = bytes ] || echo "-mutate_depth=1"
  [ -f "$dict" ] && echo "-dict=$dict"
}

# one TARGET LOG : until the time is over.
one() {
  while left=$((seconds - $(date +%s) + started)) && [ $left -gt 0 ]; do
    # shellcheck disable=SC2046
    "$dir/fuzz/fuzz" "$1" $(options "$1") -max_total_time=$left "$out/work/$1" "$out/corpus/$1" "$dir/seeds/$1" >>"$2" 2>&1 && break
    [ "$(ls "$out/found" | grep -c "^$1-")" -lt 40 ] || break
  done
}

n=0
while [ $n -lt "$jobs" ] || [ $n -eq 0 ]; do
  for t in $targets; do
    [ $n -ge "$jobs" ] && [ -s "$out/$t.started" ] && continue
    mkdir -p "$out/work/$t" "$out/corpus/$t"
    echo started >"$out/$t.started"
    one "$t" "$out/$t.$n.log" &
    children="$children $!"
    n=$((n + 1))
  done
done
rm -f "$out"/*.started

# edges TARGET : the most that any of its processes has.
edges() { cat "$out/$1".*.log 2>/dev/null | grep -a ' cov: ' | sed 's/.* cov: \([0-9]*\).*/\1/' | sort -n | tail -n 1; }
for t in $targets; do : >"$out/$t.edges"; done
while now=$(($(date +%s) - started)) && [ $now -lt "$seconds" ]; do
  sleep $((seconds - now < 10 ? seconds - now + 1 : 10))
  for t in $targets; do
    e=$(edges "$t")
    [ "${e:-0}" = "$(tail -n 1 "$out/$t.edges" | cut -d' ' -f2)" ] || echo "$(($(date +%s) - started)) ${e:-0}" >>"$out/$t.edges"
  done
done
wait

# merge TARGET : the smallest set of inputs with all edges, in a minute at most; all of them where that does not do.
merge() {
  WW_FUZZ_TARGET=$1 "$dir/fuzz/fuzz" -merge=1 -max_total_time=60 -timeout=20 -rss_limit_mb=3000 -artifact_prefix="$TMPDIR/" "$out/corpus/$1" "$out/work/$1" "$dir/seeds/$1" \
    >"$out/$1.merge.log" 2>&1 || cp "$out/work/$1"/* "$out/corpus/$1/" 2>/dev/null
}
running=0
for t in $targets; do
  merge "$t" &
  running=$((running + 1))
  [ $((running % jobs)) -eq 0 ] && wait
done
wait
rm -rf "$out/work"

total=0
findings=0
: >"$out/summary"
for t in $targets; do
  executions=$(cat "$out/$t".*.log | sed -n 's/^stat::number_of_executed_units: *//p' | awk '{s += $1} END {print s + 0}')
  found=$(ls "$out/found" | grep -c "^$t-")
  last=$(tail -n 1 "$out/$t.edges")
  cat "$out/$t".*.log >"$out/$t.log" && rm -f "$out/$t".[0-9]*.log
  echo "$t $executions ${last#* } ${last% *} $seconds $found" >>"$out/summary"
  total=$((total + executions))
  findings=$((findings + found))
done
awk 'BEGIN {printf "%-12s %12s %7s %10s %8s %s\n", "target", "executions", "edges", "last new", "seconds", "findings"}
     {printf "%-12s %12d %7d %8d s %8d %d\n", $1, $2, $3, $4, $5, $6}' "$out/summary"
echo "$total executions, $findings findings"
[ $findings -eq 0 ]
