#!/bin/sh
# test.sh BUILD : what `make test` does of fuzzing. Inputs that once found a bug run again in this build; where clang's libFuzzer is installed and this is
# no sanitizer's build, all targets are fuzzed for some 70 seconds and mutated sources go through the whole command for 25: the same inputs each time. Prints TAP.
build=$1
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
fuzz=${FUZZ_BUILD:-build-fuzz}
jobs=$(nproc 2>/dev/null || echo 1)

# Each target by itself: one that fails does not hide the others.
for t in $(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' tests/fuzz/targets.def); do
  [ -d "tests/fuzz/regress/$t" ] || continue
  WARPWISE_DATA=$build "$build/tests/fuzz_replay" "tests/fuzz/regress/$t" "$t" >"$dir/log" 2>&1
  ok "$t: $(ls "tests/fuzz/regress/$t" | wc -l) inputs that once found a bug" $? "$dir/log"
done
grep -q __asan_init "$build/libwarpwise.a" && { echo "1..$n"; exit $bad; }

program=$build/warpwise
[ -x build-asan/warpwise ] && program=build-asan/warpwise
tests/fuzz/whole.sh "$build" "$program" "$dir/whole" 60 120 "$jobs" >"$dir/log" 2>&1
ok "mutated sources through $program: $(tail -n 1 "$dir/log")" $? "$dir/log"

if [ -x "$fuzz/fuzz/fuzz" ]; then
  tests/fuzz/seeds.sh "$build/warpwise" "$dir/seeds" >"$dir/log" 2>&1
  ok "seeds for every target" $? "$dir/log"
  # the same each time: what is new is found by `make fuzz`, not by chance in a test
  tests/fuzz/quick.sh "$fuzz/fuzz/fuzz" "$dir/seeds" "$dir/out" "$jobs" >"$dir/log" 2>&1
  ok "all targets: $(tail -n 1 "$dir/log")" $? "$dir/log"
else
  skip "live fuzzing: no clang with libFuzzer (scripts/deps.sh fuzz)"
fi
echo "1..$n"
exit $bad
