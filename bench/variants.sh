#!/bin/sh
# variants.sh BUILD : how many variants of a kernel a second are predicted. First a space in which clang has to run for each
# (macros of bench/variants.cu), by tune and as a batch of -D flags, then one in which only the launch changes. Seconds of the processor
# (user and system, all processes) do not depend on what else the machine does: variants a second of two cores are 2 / seconds a variant.
build=${1:-build}
ww=$PWD/$build/warpwise
source=$PWD/bench/variants.cu
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$ww" predict "$source" --grid 64,64 --block 32,8 --arg w=2048 --arg h=2048 --arg 'in=f32[2056*2056+4096]' --arg 'out=f32[w*h]' --arg 'filter=f32[81]' >/dev/null 2>&1
timed() { # TEXT VARIANTS COMMAND...
  text=$1 n=$2
  shift 2
  { bash -c 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1' - "$@"; } 2>"$dir/time"
  awk -v n="$n" -v t="$text" '{ cpu = $2 + $3; printf "%-46s %4d variants  %6.1f a second of wall time, %6.1f a second of two cores (%.1f ms each)\n", t, n, n / $1, 2 * n / cpu, 1000 * cpu / n }' "$dir/time"
}
args='--arg w=2048 --arg h=2048 --arg in=f32[2056*2056+4096] --arg out=f32[w*h] --arg filter=f32[81]'
# shellcheck disable=SC2086
timed 'tune, clang for each' 81 "$ww" tune "$source" --param BX=16,32,64 --param BY=4,8,16 --param TX=1,2,4 --param TY=1,2,4 --block BX,BY \
  --grid '(w+BX*TX-1)/(BX*TX),(h+BY*TY-1)/(BY*TY)' $args --no-verify --no-ptxas --rows 3
launch() { # GRID_X GRID_Y BLOCK_X BLOCK_Y N FLAGS
  printf '{"file":"%s","grid":[%d,%d,1],"block":[%d,%d,1],"args":[{"buffer":{"count":%d}},{"buffer":{"count":%d}},{"buffer":{"count":81}},{"value":%d},{"value":%d}],"flags":[%s]}\n' \
    "$source" "$1" "$2" "$3" "$4" $((($5 + 8) * ($5 + 8) + 4096)) $(($5 * $5)) "$5" "$5" "$6"
}
for bx in 16 32 64; do for by in 4 8 16; do for tx in 1 2 4; do for ty in 1 2 4; do
  launch $(((2048 + bx * tx - 1) / (bx * tx))) $(((2048 + by * ty - 1) / (by * ty))) $bx $by 2048 "\"-DBX=$bx\",\"-DBY=$by\",\"-DTX=$tx\",\"-DTY=$ty\""
done; done; done; done >"$dir/flags.jsonl"
timed 'predict --batch, clang for each (-D)' 81 "$ww" predict --batch "$dir/flags.jsonl" --gpu h200
n=512
while [ $n -lt 2512 ]; do
  launch $(((n + 31) / 32)) $(((n + 7) / 8)) 32 8 $n ''
  n=$((n + 10))
done >"$dir/launches.jsonl"
timed 'predict --batch, only the launch changes' 200 "$ww" predict --batch "$dir/launches.jsonl" --gpu h200
timed 'predict --sweep, saxpy' 200 "$ww" predict examples/saxpy.cu -k saxpy --sweep n=1K..256M:200 --gpu h200
timed 'predict --sweep, a tiled matrix product' 100 "$ww" predict corpus/gemm/gemm.cu -k gemm_tiled16 --sweep "n=$(seq -s, 256 16 1840)" --gpu h200
timed 'one kernel, the whole command' 1 "$ww" predict examples/saxpy.cu -k saxpy --gpu h200
