#!/bin/bash
# run.sh BUILD : the pairs of pairs.def through `warpwise verify`; prints TAP.
#
# A pair that is the same has to be found so by exit code 0, one that is not by exit code 1 and one of the kinds that its line names. Each runs
# with a fixed seed, so that a failure is seen again.
cd "$(dirname "$0")" || exit 1
warpwise=$(realpath "../../${1:-build}/warpwise" 2>/dev/null || realpath "$1/warpwise")
n=0
bad=0

result() { # OK NAME WHY
  n=$((n + 1))
  if [ "$1" = 1 ]; then
    echo "ok $n - $2"
  else
    echo "not ok $n - $2"
    echo "$3" | head -c 600 | sed 's/^/# /'
    echo
    bad=1
  fi
}

pair() { # FILE OLD NEW VERDICT OPTIONS...
  local file=$1 old=$2 new=$3 want=$4 out code kind ok=0
  shift 4
  out=$("$warpwise" verify "$file" --kernel "$old" --new-kernel "$new" --seed 11 --json "$@" 2>&1)
  code=$?
  kind=$(printf '%s' "$out" | sed -n 's/.*"difference":{"kind":"\([a-z_]*\)".*/\1/p')
  if [ "$want" = same ]; then
    [ $code = 0 ] && ok=1
  else
    [ $code = 1 ] && case "|$want|" in *"|$kind|"*) ok=1 ;; esac
  fi
  result $ok "$file: $old and $new${*:+ $*}: $want" "exit code $code, ${kind:-no difference}: $out"
}

while read -r line; do
  case $line in '' | '#'*) continue ;; esac
  # shellcheck disable=SC2086
  pair $line
done <pairs.def
echo "1..$n"
exit $bad
