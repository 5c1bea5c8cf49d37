#!/bin/sh
# measure.sh dev|blind OUT : everything that a device is needed for, from the folder that carry.sh makes.
#
# dev: all tuned kernels checked, those that are worked with measured, kernels of other places (cases.jsonl, where it is
# there), Triton kernels compiled, checked and measured. blind: the kernels that are scored once, checked again and measured.
# No step stops the next; each has its limit in seconds. OUT gets measured report lines (tuned, cases, triton, blind .jsonl),
# triton.tgz, and log-dev.txt or log-blind.txt, which says what was right; pack.py makes tables of them. An H200 takes 40
# seconds for dev.
here=$(cd "$(dirname "$0")" && pwd)
set=${1:?usage: measure.sh dev|blind OUT}
out=${2:?usage: measure.sh dev|blind OUT}
work=$(mktemp -d)
mkdir -p "$out"
export LD_LIBRARY_PATH="$here:$LD_LIBRARY_PATH" PYTHONUNBUFFERED=1 XDG_CACHE_HOME="$work/cache"
exec > "$out/log-$set.txt" 2>&1
ww=$here/warpwise
"$ww" --version || exit 4

# check NAME: NAME.jsonl of the folder, dumped by one run each and compared.
check() {
  python3 "$here/maps.py" "$here/$1.jsonl" "$here/$1-mapped.jsonl"
  mkdir -p "$work/$1"
  timeout 100 "$ww" measure --launch "$here/$1-mapped.jsonl" --time-only --repeats 1 --dump "$work/$1" --json > "$work/lines" 2>&1
  grep '"error"' "$work/lines"
  python3 "$here/tuned/check.py" compare "$here/$1.jsonl" "$work/$1"
}

# measure NAME SECONDS
measure() {
  echo "== $1 $(date +%T)"
  python3 "$here/maps.py" "$here/$1.jsonl" "$here/$1-mapped.jsonl"
  timeout "$2" "$ww" measure --launch "$here/$1-mapped.jsonl" --json > "$out/$1.jsonl" 2> "$work/err"
  echo "exit $?, $(wc -l < "$out/$1.jsonl") lines, $(grep -c '"error"' "$out/$1.jsonl") of them errors"
  tail -n 3 "$work/err"
}

triton() {
  echo "== triton $(date +%T)"
  mkdir -p "$work/triton"
  for f in elementwise rows_of_numbers recurrence moves products attention; do
    (cd "$here/triton" && timeout 170 python3 make.py "$work/triton" $f || echo "BAD  $f ended with $?") &
  done
  wait
  echo "compiled $(date +%T)"
  timeout 80 "$ww" measure --launch "$work/triton/launches.jsonl" --json > "$out/triton.jsonl"
  echo "exit $?, $(wc -l < "$out/triton.jsonl") lines, $(grep -c '"error"' "$out/triton.jsonl") of them errors"
  rm -rf "$work/triton/cache"
  tar czf "$out/triton.tgz" -C "$work" triton
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv
if [ "$set" = blind ]; then
  check check-blind
  measure blind 200
else
  check check
  check check-blind
  measure tuned 120
  [ -s "$here/cases.jsonl" ] && measure cases 120
  triton
fi
echo "== end $(date +%T)"
rm -rf "$work"
