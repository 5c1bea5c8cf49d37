#!/bin/sh
# coverage.sh FUZZ_BUILD [CLANG] : runs all inputs (seeds and what fuzzing found, FUZZ_BUILD/carry) through the program with clang's counters in
# FUZZ_BUILD/coverage and shows, for each target, how many lines of its reader they reach. With 80 as the least: status 1 where one has fewer.
set -u
fuzz=$1 clang=${2:-clang}
version=$(basename "$clang" | sed -n 's/^clang//p')
here=$(dirname "$0")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
program=$fuzz/coverage/fuzz/replay
bad=0
printf '%-12s %7s %8s %8s %7s\n' target inputs lines reached percent
for t in ${TARGETS:-$(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$here/targets.def")}; do
  mkdir "$work/$t"
  for d in "$fuzz/carry/seeds/$t" "$fuzz/carry/out/corpus/$t" "$here/regress/$t"; do [ -d "$d" ] && cp "$d"/* "$work/$t/" 2>/dev/null; done
  LLVM_PROFILE_FILE=$work/raw TMPDIR=$work WARPWISE_DATA=$fuzz/carry "$program" "$work/$t" "$t" >"$work/log" 2>&1 || { tail -n 3 "$work/log"; bad=1; }
  "llvm-profdata$version" merge -o "$work/profile" "$work/raw" || exit 2
  "llvm-cov$version" export -format=lcov -instr-profile="$work/profile" "$program" >"$work/lcov" 2>/dev/null || exit 2
  reader=$(sed -n "s/^TARGET($t,.*\"\(.*\)\")/\1/p" "$here/targets.def")
  python3 "$here/lines.py" "$work/lcov" $reader >"$work/lines" || bad=1
  printf '%-12s %7d %s\n' "$t" "$(ls "$work/$t" | wc -l)" "$(cat "$work/lines")"
  [ "${SHOW:-}" != "$t" ] || python3 "$here/lines.py" --missing "$work/lcov" $reader
done
exit $bad
