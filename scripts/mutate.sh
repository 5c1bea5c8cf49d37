#!/bin/sh
# mutate.sh BUILD [PATTERN] : puts the faults of tests/mutants.def (those whose line matches) into a copy of the sources, one by one, and runs the
# tests of the folder that tests/folders.def names, up to the first that fails. A table, then the share that was noticed; the sources here
# stay as they are. JOBS: how many compilers (2); CC: the compiler (ccache, where it is, makes going back quick).
#
# A fault is stale when its text does not stand in its file exactly once, or the result cannot be compiled: it is counted apart, and the script
# ends with status 1, so that somebody sees to it. Status 1 as well when fewer than 85 % are noticed.
build=${1:-build} only=$2 jobs=${JOBS:-2}
cd "$(dirname "$0")/.." || exit 1
compiler=${CC:-$(command -v ccache >/dev/null && echo ccache gcc || echo gcc)}
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
killed=0 survived=0 stale=0 same=0

cp -a Makefile src include tests scripts gpus models data examples corpus docs "$copy/" && cp -a "$build" "$copy/build" || exit 1
cd "$copy" || exit 1
rm -f build/shim build/gpus build/models build/tables # links to the folders that it was copied from

compile() { nice -n 10 make -s -j"$jobs" CC="$compiler" BUILD=build "$@" >log 2>&1; }

# swap FILE TEXT REPLACEMENT : 1 when the text does not stand there exactly once
swap() {
  FROM=$2 TO=$3 awk '
    BEGIN { from = ENVIRON["FROM"]; to = ENVIRON["TO"] }
    { line = $0
      if (at = index(line, from)) {
        n++
        rest = substr(line, at + length(from))
        if (index(rest, from)) n++
        line = substr(line, 1, at - 1) to rest
      }
      print line }
    END { exit n != 1 }' "$1" >mutated
}

# verdict FILE : runs the tests of its folder; prints the one that failed, nothing when none did
verdict() {
  stages=$(awk -v dir="$(dirname "$1")" '$1 == dir { $1 = ""; sub(/\|/, ""); print }' tests/folders.def)
  for each in $stages; do
    case $each in
    unit/*) target=build/tests/unit/test_${each#unit/} ;;
    kernels) target="build/warpwise build/tests/run_kernels" ;;
    *) target=build/warpwise ;;
    esac
    # shellcheck disable=SC2086
    compile $target || { echo stale && return; }
    nice -n 10 timeout 300 tests/run.sh build "$each" >log 2>&1 || { echo "$each" && return; }
  done
}

row() { printf '%-34s %-78s %s\n' "$1" "$2" "$3"; }

compile build/warpwise || { cat log >&2 && exit 1; }
why=
while read -r line; do
  case $line in
  '# equivalent: '*) why=${line#\# equivalent: } && continue ;;
  '#'* | '') continue ;;
  esac
  reason=$why why=
  echo "$line" | grep -qE -- "$only" || continue
  file=src/${line%%: *} change=${line#*: }
  from=${change%% => *} to=${change#* => }
  if [ ! -f "$file" ] || ! swap "$file" "$from" "$to"; then
    result="stale: the text does not stand there once" stale=$((stale + 1))
  else
    cp -p "$file" original
    cat mutated >"$file"
    by=$(verdict "$file")
    case $by in
    stale) result="stale: does not compile: $(grep -m 1 error log | cut -c 1-80)" stale=$((stale + 1)) ;;
    '') if [ -n "$reason" ]; then result="equivalent: $reason" same=$((same + 1)); else result=survived survived=$((survived + 1)); fi ;;
    *) result="killed by $by" killed=$((killed + 1)) ;;
    esac
    cat original >"$file"
  fi
  row "${file#src/}" "$change" "$result"
done <tests/mutants.def
all=$((killed + survived))
echo "$all faults: $killed noticed ($((all ? 100 * killed / all : 0)) %), $survived not; $same that change nothing, $stale stale"
[ "$stale" = 0 ] && [ $((100 * killed)) -ge $((85 * all)) ]
