#!/bin/sh
# train.sh PROGRAM : learning a correction from generated and written kernels, keeping its rows, and predicting with it. Prints TAP.
program=$(realpath "${1:-build/warpwise}")
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
failed=0

check() { # NAME CONDITION...
  name=$1
  shift
  n=$((n + 1))
  if "$@" >/dev/null 2>&1; then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    echo "# $*"
    failed=1
  fi
}
says() { grep -qE "$1" "$2"; }

# 72 launches of generated kernels that all take 9 ms, as an export has them: much longer than they would. One is of another GPU.
k=0
for family in gen.map gen.chain gen.gather gen.grid2 gen.branchy gen.table gen.vector gen.dp; do
  for i in 0 1 2 3 4 5 6 7 8; do
    printf '{"schema_version":1,"key":"g1/7/%d","origin":"generated","version":1,"seed":7,"index":%d,"family":"%s","dialect":"cuda","number":%d,"kernel":"g1_7_%d","gpu":"h200","by":"hardware","metrics":{"time_us":{"value":9000},"registers":{"value":40}}}\n' $k $k $family $i $k
    k=$((k + 1))
  done
done >"$dir/made.jsonl"
sed -n 1p "$dir/made.jsonl" | sed 's/"h200"/"a100"/' >>"$dir/made.jsonl"
mkdir "$dir/data" # the corpus' table names files relative to itself; five times as long as measured, so that there is something to learn
zstd -qdc data/corpus-h200.jsonl.zst | awk 'NR % 12 == 1 {
  if (match($0, /"time_us":{"value":[0-9.]+/)) {
    v = substr($0, RSTART + 19, RLENGTH - 19)
    $0 = substr($0, 1, RSTART + 18) 5 * v substr($0, RSTART + RLENGTH)
  }
  print
}' | sed 's#"\.\./corpus/#"corpus/#g' >"$dir/written.jsonl"
written=$(wc -l <"$dir/written.jsonl")

train() { "$program" train --correction --jobs 2 "$@" >"$dir/out" 2>"$dir/err"; }

train "$dir/made.jsonl" "$dir/written.jsonl" --corpus corpus --features "$dir/rows.zst" -o "$dir/one.json.zst" --rows 200 --each 1
check "learns from made and written kernels" test $? = 0
check "every launch of the GPU was predicted" says "^$((72 + written)) launches predicted .* 0 could not" "$dir/err"
check "the time is corrected" says 'time_us +corrected' "$dir/out"
check "registers have intervals or a correction" says 'registers +(corrected|stays)' "$dir/out"
cp "$dir/out" "$dir/first"
train --features "$dir/rows.zst" -o "$dir/two.json.zst"
check "from the kept rows the same model comes out" cmp "$dir/one.json.zst" "$dir/two.json.zst"
train --features "$dir/rows.zst" --score -o "$dir/two.json.zst" --markdown
check "scores are of the test split alone" says '^\| test, generated \| 9 \|' "$dir/out"
train "$dir/none.jsonl"
check "a file that is not there is an error" test $? -ne 0
train
check "no data is an error of use" test $? = 2
echo broken | zstd -q >"$dir/broken.zst"
LC_ALL=C; export LC_ALL
zstd -qdc "$dir/rows.zst" | sed '1s/"kernels":\[[^]]*\]/"kernels":[]/' | zstd -q >"$dir/short.zst"
train --features "$dir/short.zst"
check "kept rows of kernels that are not there are refused" says 'short.zst is damaged' "$dir/err"
train --features "$dir/broken.zst"
check "rows that are none are an error" test $? = 3

# ---- predicting with it ----
for f in shim gpus; do ln -s "$(dirname "$program")/$f" "$dir/data/$f"; done
mkdir "$dir/data/models"
cp models/machine.json "$dir/data/models/"
cp "$dir/one.json.zst" "$dir/data/models/correction.json.zst"
export WARPWISE_DATA="$dir/data"
axpy=tests/explain/good/axpy.cu
us() { sed 's/.*"time_us":{"value":\([0-9.]*\).*/\1/'; }
"$program" predict --json $axpy --gpu h200 >"$dir/grounded"
"$program" predict --json $axpy --gpu h200 --by machine >"$dir/machine"
"$program" predict --json $axpy --gpu a100 >"$dir/other"
"$program" predict --json $axpy --gpu h200 --cache warm >"$dir/warm"
check "the correction is the default" says '"by":"grounded"' "$dir/grounded"
check "it changes the time" test "$(us <"$dir/grounded")" != "$(us <"$dir/machine")"
check "--by machine is the machine model" says '"by":"machine"' "$dir/machine"
check "its time stands in the corrected report too" grep -q "\"machine\":{\"timing\":{\"us\":$(us <"$dir/machine")" "$dir/grounded"
check "on a GPU that was not measured it keeps still" says '"by":"machine"' "$dir/other"
check "with warm caches too" says '"by":"machine"' "$dir/warm"
"$program" predict $axpy --gpu h200 --by guess >/dev/null 2>"$dir/err"
check "--by knows its words" test $? = 2
"$program" evaluate "$dir/written.jsonl" --sources . --by both --limit 4 >"$dir/out" 2>"$dir/err"
check "evaluate sets both side by side" says 'time_us: mean error +[0-9.]+ % +[0-9.]+ % +4' "$dir/out"

echo "1..$n"
exit $failed
