#!/bin/sh
# run.sh BUILD FUZZ_BUILD SECONDS [JOBS] : fuzzes all targets for that long with long.sh, then mutated sources through the whole command (of
# BUILD, or of build-asan where that is built) for as long again, at most ten minutes. What is found stays in FUZZ_BUILD/carry/out and FUZZ_BUILD/whole.
build=$1 fuzz=$2 seconds=$3 jobs=${4:-$(nproc)}
here=$(dirname "$0")
"$here/pack.sh" "$build" "$fuzz" || exit 1
bad=0
"$here/long.sh" "$fuzz/carry" "$seconds" "$jobs" || bad=1
program=$build/warpwise
[ -x build-asan/warpwise ] && program=build-asan/warpwise
[ "$seconds" -gt 600 ] && seconds=600
"$here/whole.sh" "$build" "$program" "$fuzz/whole" 1000000 "$seconds" "$jobs" "$(date +%s)" || bad=1
exit $bad
