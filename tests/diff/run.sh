#!/bin/sh
# run.sh BUILD [COUNT] : generated kernels of both grammars, the interpreter against a device,
# COUNT of each grammar (32). Prints TAP.
#
# On PoCL where it is installed; on a GPU where there is one and COUNT was given (make test-diff).
# WW_DIFF_SEED: which kernels (16). What the classes mean: tests/diff/diff.h.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
build=${1:-build}
count=${2:-32}
seed=${WW_DIFF_SEED:-16}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export POCL_CACHE_DIR="$tmp/pocl" # programs that nobody will run again
mkdir "$POCL_CACHE_DIR"

# compare DEVICE GRAMMAR COUNT [OPTION...] : its sum in $tmp/sum, status as run_diff's
compare() {
  on=$1 of=$2 many=$3
  shift 3
  "$build/tests/run_diff" "$on" --grammar "$of" --seed "$seed" --count "$many" "$@" \
    >"$tmp/sum" 2>"$tmp/err"
}

for device in opencl ${2:+cuda}; do
  for grammar in 1 2; do
    compare $device $grammar "$count" --rows "$tmp/rows"
    status=$?
    if [ $status = 4 ]; then
      skip "$device: $(tail -n 1 "$tmp/err")"
      continue
    fi
    ok "$(grep ' seed ' "$tmp/sum"): $(tail -n 1 "$tmp/sum")" $status "$tmp/sum"
    grep '^ *[0-9]* [a-z-]*  ' "$tmp/sum" | sed 's/^/# /'
  done
done

# That it can fail: with one element of each result spoilt, nothing passes.
compare opencl 2 4 --spoil
status=$?
if [ $status = 4 ]; then skip "opencl: $(tail -n 1 "$tmp/err")"; else
  [ $status = 1 ] && grep -q '^0 passed, 4 failed' "$tmp/sum"
  ok "a wrong element is noticed" $? "$tmp/sum"
fi
echo "1..$n"
exit $bad
