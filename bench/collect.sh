#!/bin/sh
# collect.sh BUILD [LOG...] : how fast a campaign goes, and what a million launches would cost on 1, 8 and 64 GPUs.
#
# LOG: what `warpwise dataset collect --json` printed; several are added up (the parts of a campaign that was resumed, one after the other).
# Without one, a campaign of COUNT (16) kernels is run here on the device that is found, its store thrown away. The rate is rows over the wall time
# of the campaigns, compiling included; ranks share nothing but the list, so n GPUs take an n-th of the time.
build=${1:-build}
[ $# -gt 0 ] && shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if [ $# -eq 0 ]; then
  "$build/warpwise" dataset collect --store "$dir/bench.sqlite" --count "${COUNT:-16}" --launches 4 --json >"$dir/log" || exit 1
  set -- "$dir/log"
fi
cat "$@" | awk '
  function number(name) { return match($0, "\"" name "\":[0-9.e+-]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : 0 }
  /"collected":/ {
    rows += number("rows"); failed += number("failed"); counters += number("with_counters")
    wall += number("elapsed_s"); device += number("device_s"); waited += number("waited_s"); runs++
    if (match($0, "\"gpu\":\"[^\"]*\"")) gpu = substr($0, RSTART + 7, RLENGTH - 8)
  }
  END {
    if (!rows || !wall) { print "collect.sh: no line of a finished campaign in the log" > "/dev/stderr"; exit 1 }
    rate = rows / wall
    printf "%s: %d launches (%d with all counters, %d failed) in %.0f s of %d run%s: %.0f a second, %.0f a GPU-hour\n", gpu, rows, counters, failed, wall, runs, runs == 1 ? "" : "s", rate, rate * 3600
    printf "the device measured for %.0f s of it and waited %.0f s for the compilers\n", device, waited
    printf "a million launches of this mix (%.0f %% with counters):", 100 * counters / rows
    for (n = 1; n <= 64; n *= 8) printf "%s %d GPU%s %.2f h", n == 1 ? "" : ",", n, n == 1 ? "" : "s", 1e6 / rate / n / 3600
    printf "; %.2f GPU-hours\n", 1e6 / rate / 3600
  }'
