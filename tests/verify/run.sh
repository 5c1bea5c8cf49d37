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

refused() { # NAME CODE PATTERN ARGUMENTS...
  local name=$1 want=$2 pattern=$3 out code ok=0
  shift 3
  out=$("$warpwise" verify "$@" 2>&1)
  code=$?
  [ $code = "$want" ] && printf '%s' "$out" | grep -q "$pattern" && ok=1
  result $ok "$name" "exit code $code: $out"
}

pair() { # FILE[,FILE] OLD NEW VERDICT OPTIONS...
  local file=$1 old=$2 new=$3 want=$4 out code kind ok=0
  shift 4
  # shellcheck disable=SC2086
  out=$("$warpwise" verify ${file/,/ } --kernel "$old" --new-kernel "$new" --seed 11 --json "$@" 2>&1)
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
late=$(mktemp)
trap 'rm -f "$late"' EXIT
refused "no files" 2 'name two sources' --json
refused "one file and one kernel" 2 'new-kernel' sums.cu --kernel sum
refused "a file that is not there" 3 'none.cu' sums.cu none.cu --kernel sum
refused "other parameters" 2 'parameters' sums.cu --kernel sum --new-kernel dot
refused "a size that is none" 2 'no size of that name' sums.cu --kernel sum --new-kernel sum_shuffle --size m=3
refused "an original that fails everywhere" 3 "shared memory offset" sums.cu --kernel sum_small_shared --new-kernel sum --arg n=65536
refused "the same seed, the same words" 1 'seed 5' sums.cu --kernel sum --new-kernel sum_half --seed 5
refused "what was compared before the time was over is told" 3 'longer than 1 s; .*until then they were the same in [1-9][0-9]* cases, seed 5' tiles.cu --kernel matmul --new-kernel matmul_tiled --seed 5 --budget 100000000000 --seconds 1
WARPWISE_PROGRESS=lines "$warpwise" verify tiles.cu --kernel matmul --new-kernel matmul_tiled --seed 5 --budget 100000000000 --seconds 4 >/dev/null 2>"$late" &
while kill -0 $! 2>/dev/null && ! grep -q cases "$late"; do sleep 0.1; done
kill -STOP $! # a machine so busy that the time is over before it can look at the clock
sleep 6
kill -CONT $!
wait $!
result "$(grep -q 'until then they were the same in [1-9]' "$late" && echo 1)" "... also where it was not given the processor" "$(cat "$late")"
refused "shared memory that nobody gives is noted" 0 'new-shared' copies.cu --kernel turn --new-kernel turn_unsized --budget 4000000
refused "lanes without syncwarp are noted" 0 'no __syncwarp between' copies.cu --kernel turn_warps --new-kernel turn_warps_bare --budget 4000000

# At full size: a job for a device, here PoCL's, and its answer.
dir=$(mktemp -d)
trap 'rm -rf "$dir" "$late"' EXIT
mkdir "$dir/cache"
export POCL_CACHE_DIR="$dir/cache"
blur="scale.cl --kernel blur --size n=64,1000"
# shellcheck disable=SC2086
refused "a job is proposed" 0 'measure --job' $blur --new-kernel blur_local --propose "$dir/job"
refused "a job that was not measured" 2 'not.*measured yet\|nothing of' --resume "$dir/job"
# shellcheck disable=SC2086
refused "no job of kernels that differ" 1 'race' $blur --new-kernel blur_race --propose "$dir/none"
result "$([ ! -e "$dir/none" ] && echo 1)" "no file either" "$(ls "$dir")"
if "$warpwise" measure --job "$dir/job" --device pocl >"$dir/out" 2>&1; then
  refused "the same at full size" 0 'same at full size' --resume "$dir/job"
  refused "the same at full size, as JSON" 0 '"full_size":true,"same":true' --resume "$dir/job" --json
  # shellcheck disable=SC2086
  refused "another at full size alone" 1 'different at full size' $blur --new-kernel blur_small --measure --device pocl
else
  echo "# no OpenCL device: $(head -1 "$dir/out")"
fi
echo "1..$n"
exit $bad
