#!/bin/sh
# ranks.sh BUILD : training over ranks on this machine's one GPU: a rank that sums by NCCL gives the weights of a plain run, two halves of a batch
# those of the whole, and NCCL is not asked to run two ranks on one GPU. Prints figures; ends with `N passed, N failed`. libnccl.so.2 is looked for where the
# dynamic linker finds it and in Python's nvidia.nccl. Needs BUILD/warpwise and python3.
cd "$(dirname "$0")/../.." || exit 1
program=$(realpath "${1:-build}/warpwise")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0
side= # of the files that a second rank writes
libs=$(dirname "$program")/libs # of the program, where it was built elsewhere
[ ! -d "$libs" ] || export LD_LIBRARY_PATH="$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
nccl=$(python3 -c 'import nvidia.nccl; print(list(nvidia.nccl.__path__)[0] + "/lib")' 2>/dev/null)
[ -z "$nccl" ] || export LD_LIBRARY_PATH="$nccl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

check() { # TEXT PROBLEM : the problem is '' when there is none
  if [ -z "$2" ]; then passed=$((passed + 1)) && echo "ok - $1"; else
    failed=$((failed + 1))
    echo "FAIL $1"
    printf '%s\n' "$2" | head -n 20 | sed 's/^/  /'
  fi
}

awk 'BEGIN {
  split("saxpy gemm scan sort gather stencil reduce copy", name, " ")
  for (i = 0; i < 1200; i++) {
    k = i * 7 % 8 + 1
    printf "{\"prompt\":\"<|number|><|number|>__global__ void %s(float *x, int n) // %d\\n<|answer|>\",", name[k], i * 13 % 97
    printf "\"completion\":\"{\\\"kernel\\\":%d,\\\"name\\\":\\\"%s\\\",\\\"n\\\":%d}<|end|>\",\"numbers\":[%g,%g],\"features\":[%g,1,%d]}\n", k, name[k], i % 97, k / 4, k, k / 8, i % 2
  }
}' >"$dir/data.jsonl"
"$program" train -q --tokenizer "$dir/tokenizer.json" --vocab 384 --data "$dir/data.jsonl" || exit 1

fit() { # NAME OPTION.. : 24 steps of 16 rows in all
  out=$1
  shift
  "$program" train --device cuda --deterministic --lm new --tokenizer "$dir/tokenizer.json" --width 256 --layers 4 --heads 4 --context 128 --tokens 256 \
    --data "$dir/data.jsonl" --steps 24 --lr 1e-3 --number-weight 0.1 -o "$dir/$out" "$@" >"$dir/$out$side.out" 2>"$dir/$out$side.err"
}
halves() { # NAME OPTION.. : two ranks of 8 rows each, on the same GPU
  name=$1
  shift
  (export WARPWISE_RANK=1 WARPWISE_SIZE=2 && side=.1 && fit "$name" --batch 8 --wait 60 "$@") &
  second=$!
  (export WARPWISE_RANK=0 WARPWISE_SIZE=2 && fit "$name" --batch 8 --wait 60 "$@")
  first=$?
  wait $second
  second=$?
}
# far A B MOST : the largest difference of two runs' weights; a problem where it is above MOST
far() {
  python3 - "$dir/$1/model.safetensors" "$dir/$2/model.safetensors" "$3" <<'END'
import array, struct, sys
def read(path):
    data = open(path, "rb").read()
    values = array.array("f")
    values.frombytes(data[8 + struct.unpack("<Q", data[:8])[0]:])
    return values
a, b = read(sys.argv[1]), read(sys.argv[2])
worst = max(abs(x - y) for x, y in zip(a, b)) if len(a) == len(b) else float("inf")
print(f"  {len(a)} weights of up to {max(map(abs, a)):.3g}, largest difference {worst:.3g}", file=sys.stderr)
if not worst <= float(sys.argv[3]):
    print(f"they differ by {worst:.3g}, more than {sys.argv[3]}")
END
}
speed() { sed -n "s/.*, \([0-9]*\) tokens\/s.*/$1: \1 tokens\/s/p" "$dir/$2.out" | head -n 1; }

for precision in fp32 bf16; do
  fit plain --precision $precision --batch 16
  check "$precision: a plain run" "$([ $? = 0 ] || cat "$dir/plain.err")"
  fit nccl --precision $precision --batch 16 --ranks nccl
  check "$precision: one rank by NCCL" "$([ $? = 0 ] && grep -o '1 rank by NCCL [0-9.]*' "$dir/nccl.err" >&2 || cat "$dir/nccl.err")"
  check "$precision: the same weights, bit for bit" "$(cmp "$dir/plain/model.safetensors" "$dir/nccl/model.safetensors" 2>&1)"
  speed "$precision plain" plain
  speed "$precision NCCL, one rank" nccl
done

fit whole --precision fp32 --batch 8 --accumulate 2
halves halves --precision fp32
check "two ranks on one GPU, by sockets" "$([ $first = 0 ] && [ $second = 0 ] || cat "$dir/halves.err" "$dir/halves.1.err")"
check "two ranks of 8 rows, one of two times 8 rows: weights within 2e-5" "$(far whole halves 2e-5)"
speed "fp32 two ranks of one GPU, sockets" halves
halves same --precision fp32 --ranks nccl
check "two ranks of one GPU by NCCL are refused, with the reason" "$([ $first != 0 ] && [ $second != 0 ] && grep -q 'on the same GPU' "$dir/same.err" || cat "$dir/same.err")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
