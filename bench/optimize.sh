#!/bin/sh
# optimize.sh BUILD OUT [propose] [measure] [sum] : `warpwise optimize` over fixed sets of kernels, in two places.
#
# propose: a search for each kernel of bench/optimize.list (drawn by optimize_pick.py) and, where SUITES names a folder
#          with the checkouts and specs that optimize_public.py speaks of, for those of bench/optimize_public.list. OUT gets
#          the patch, the report and the job of each. JOBS (1) searches at a time, SECONDS_EACH (60) for each.
# measure: on the machine with the GPU: every job that has no result yet.
# sum:     a line a kernel, then means: by prediction, what that measured, and the best that was measured.
set -e
cd "$(dirname "$0")/.."
export build="$(realpath "${1:-build}")"
mkdir -p "${2:-$1/optimize}"
export out="$(realpath "${2:-$1/optimize}")"
export limit=${SECONDS_EACH:-60}
shift 2

# NAME FOLDER FILE OPTIONS... : one search, unless its report is there
search='
  name=$1
  cd "$2" || exit 1
  shift 2
  [ -s "$out/$name.json" ] && exit 0
  rm -f "$out/$name.job"
  began=$(date +%s)
  if "$build/warpwise" optimize "$@" --gpu h200 --seed 20 --seconds "$limit" --patch "$out/$name.patch" --propose "$out/$name.job" --json >"$out/$name.part" 2>"$out/$name.err"; then
    mv "$out/$name.part" "$out/$name.json"
    echo "$name: $(($(date +%s) - began)) s"
  else
    echo "failed: $name: $(head -n 1 "$out/$name.err")"
  fi'

searches() {
  while IFS=: read -r file kernel; do
    echo "$(echo "${file#corpus/}" | tr / _)-$kernel . $file --kernel $kernel"
  done <bench/optimize.list
  if [ -n "$SUITES" ]; then
    k=0
    while IFS=: read -r file kernel; do
      spec=$(printf '%02d' $k)
      echo "public-$spec $SUITES $file --launch $spec.json"
      k=$((k + 1))
    done <bench/optimize_public.list
  fi
}

for step in "${@:-sum}"; do
  case $step in
  propose) searches | xargs -P "${JOBS:-1}" -L 1 sh -c "$search" search ;;
  measure)
    for job in "$out"/*.job; do
      case $job in */public-*) cd "${SUITES:-.}" ;; esac # their headers are found from there
      grep -q '"result"' "$job" || "$build/warpwise" measure --job "$job" --quiet >"$job.log" 2>&1 || echo "failed: $job: $(tail -n 1 "$job.log")"
    done
    ;;
  sum) python3 bench/optimize_sum.py "$out" ;;
  *) echo "optimize.sh: unknown step '$step'" >&2 && exit 2 ;;
  esac
done
