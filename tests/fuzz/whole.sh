#!/bin/sh
# whole.sh BUILD PROGRAM OUT COUNT SECONDS JOBS [SEED] : mutated sources of the corpus, the tests and the examples through PROGRAM, COUNT of them in each of
# JOBS processes and at most SECONDS; ends with `N runs, N findings`. OUT keeps what was found; the same SEED makes the same inputs.
set -u
build=$1 program=$2 out=$3 count=$4 seconds=$5 jobs=$6 seed=${7:-1}
files=$(find corpus tests/kernels tests/explain tests/fixes tests/front examples -type f \( -name '*.cu' -o -name '*.cl' -o -name '*.hip' -o -name '*.cpp' -o -name '*.c' \) -size -24k | sort)
logs=$(mktemp -d) || exit 2
# What a sanitizer finds must end it; leaks of a command that ends are none.
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1}
TMPDIR=$logs
export ASAN_OPTIONS UBSAN_OPTIONS TMPDIR
children=
trap 'kill $children 2>/dev/null; rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
k=0
while [ $k -lt "$jobs" ]; do
  # shellcheck disable=SC2086
  "$build/tests/fuzz_whole" "$program" "$out" $((seed + k)) "$count" "$seconds" $files >"$logs/$k" 2>&1 &
  children="$children $!"
  k=$((k + 1))
done
bad=0
for c in $children; do wait "$c" || bad=1; done
children=
grep -hv 'runs,' "$logs"/[0-9]*
cat "$logs"/[0-9]* | awk '/ runs, / {runs += $1; found += $3} END {print runs + 0 " runs, " found + 0 " findings"}'
exit $bad
