#!/bin/sh
# failures.sh BUILD [READY] : on a machine with a GPU: each kind of failure costs its own row, the others are measured. TAP.
# READY: the launches made ready elsewhere, for a machine without LLVM.
cd "$(dirname "$0")/../.." || exit 1
ww=${1:-build}/warpwise
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$ww" measure --launch "${2:-tests/gpu/failures.jsonl}" --json --quiet --limit 2 >"$out" 2>&1
code=$?
n=0
row() { # LINE WHAT PATTERN
  n=$((n + 1))
  if sed -n "$1p" "$out" | grep -qE -- "$3"; then echo "ok $n - $2"; else
    echo "not ok $n - $2"
    sed -n "$1p" "$out" | cut -c1-600 | sed 's/^/# /'
  fi
  sed -n "$1p" "$out" | grep -o '"error":.*' | sed 's/^/# /'
}
row 1 "a good kernel before them" '"time_us"'
row 2 "one that never ends" '"code":"limit".*did not end within 2 s'
row 3 "a good one between" '"time_us"'
row 4 "one that writes far outside its buffer" '"error".*outside'
row 5 "one that traps" '"error"'
row 6 "too many threads" '"error".*2048'
row 7 "too much shared memory" '"error".*shared'
row 8 "more memory than there is" '"code":"limit"'
row 9 "a good one behind them" '"time_us"'
n=$((n + 1))
if [ $code = 3 ]; then echo "ok $n - exit code"; else echo "not ok $n - exit code $code"; fi
echo "1..$n"
