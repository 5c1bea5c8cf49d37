#!/bin/sh
# quick.sh PROGRAM SEEDS OUT JOBS : each target as often as targets.def says, with the same inputs in the same order each time and on each machine: what `make test`
# does. OUT gets a log for each target and what was found; says what it found last, ends with `N executions, N findings` and status 1 where there are any.
set -u
program=$1 seeds=$2 out=$3 jobs=$4
here=$(dirname "$0")
mkdir -p "$out/found" || exit 2
TMPDIR=$out WARPWISE_DATA=$here/../..
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16:malloc_context_size=1}
export TMPDIR WARPWISE_DATA ASAN_OPTIONS program seeds out here
# Addresses that are compared steer libFuzzer: the same ones each time, where the system allows it.
fixed="setarch $(uname -m) -R"
$fixed true 2>/dev/null || fixed=
export fixed
# Some sandboxes forbid what the search for leaks needs.
$fixed "$program" json -runs=10 >"$out/start" 2>&1 || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$here/targets.def" | xargs -P "$jobs" -I{} sh -c '
  . "$here/options.sh"
  find "$seeds/{}" -type f | LC_ALL=C sort | paste -sd, >"$out/{}.seeds"
  $fixed "$program" {} $(fuzz_options {} "$here/targets.def" "$here" "$out/found") -runs=$(fuzz_runs {} "$here/targets.def") -seed=1 \
    -seed_inputs=@"$out/{}.seeds" >"$out/{}.log" 2>&1 || :'
for f in "$out"/found/*; do
  [ -f "$f" ] || continue
  t=$(basename "$f" | sed 's/-.*//')
  grep -a -A 12 -m 1 -E 'ERROR|runtime error|does not hold' "$out/$t.log"
  echo "$(basename "$f"), packed:"
  gzip -9 <"$f" | base64
done
executions=$(cat "$out"/*.log | sed -n 's/^stat::number_of_executed_units: *//p' | awk '{s += $1} END {print s + 0}')
findings=$(find "$out/found" -type f | wc -l)
missing=$(grep -L '^stat::number_of_executed_units' "$out"/*.log)
[ -z "$missing" ] || { echo "did not run to its end: $missing"; findings=$((findings + 1)); }
echo "$executions executions, $findings findings"
[ "$findings" -eq 0 ]
