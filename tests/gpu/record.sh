#!/bin/sh
# record.sh BUILD : on a machine with a GPU: records tests/gpu/record_check.cu and checks the lines; then measures them.
# The program is BUILD/gpu/record_check, made with nvcc where it is not there yet (WW_ARCH: sm_90 by default). Speaks TAP.
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
ww=$build/warpwise
program=$build/gpu/record_check
mkdir -p "$build/gpu"
if [ ! -x "$program" ] || [ tests/gpu/record_check.cu -nt "$program" ]; then
  nvcc -w -std=c++17 -arch="${WW_ARCH:-sm_90}" -o "$program" tests/gpu/record_check.cu -lcuda || exit 1
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0
check() { # check WHAT PATTERN FILE
  n=$((n + 1))
  if grep -qE -- "$2" "$3"; then echo "ok $n - $1"; else
    echo "not ok $n - $1"
    echo "# no $2 in $3"
  fi
}
"$program" >plain.out 2>&1 || { cat plain.out; exit 1; }
"$ww" record -o r.jsonl --contents --per-kernel 16 -- "$program" >r.out 2>r.err
cat plain.out r.out r.err | sed 's/^/# /'
check "results are right under the recorder" "results right" r.out
check "a template's instance, its scalars" '"kernel":"_Z5scaleIfEvPT_S0_i","grid":\[4096,1,1\],"block":\[256,1,1\].*\{"hex":"00000040"\},\{"hex":"00001000"\}' r.jsonl
check "the other instance" '"kernel":"_Z5scaleIdEvPT_S0_i","grid":\[2048,1,1\]' r.jsonl
check "buffer size and first bytes" '"bytes":4194304,"id":"[0-9]+","fill":\{"file":"r.jsonl.d/[0-9a-f]+.zst"\},"head":"0000803f0000803f' r.jsonl
check "a pointer into the middle" '"bytes":4194304,"offset":2097152' r.jsonl
check "__constant__ memory" '"coef":\{"hex":"0000803f000000400000404000008040"\}' r.jsonl
check "a large __device__ variable" '"table":\{"buffer":\{"bytes":4096' r.jsonl
check "a struct with pointers" '"kernel":"_Z4pair4Pair".*"ptrs":\[\{"at":8,"bytes":4194304.*\{"at":24,"bytes":4096' r.jsonl
check "a pointer in a variable" '"kernel":"_Z14through_symbolv".*"where":\{"hex":"0000000000000000","ptrs":\[\{"at":0,"bytes":4096' r.jsonl
check "dynamic shared memory" '"kernel":"_Z6raggedPKiPf","grid":\[64,1,1\],"block":\[128,1,1\],"shared":512' r.jsonl
check "a launch with a config" '\{"hex":"0000a03f"\},\{"hex":"b80b0000"\}' r.jsonl
check "a CUkernel handle" '\{"hex":"0000a03f"\},\{"hex":"b90b0000"\}' r.jsonl
check "a cooperative launch" '"kernel":"_Z8togetherPi".*"cooperative":true' r.jsonl
check "managed memory" '"bytes":4096.*\{"hex":"00000040"\},\{"hex":"e9030000"\}' r.jsonl
check "pinned memory" '"bytes":8192.*\{"hex":"00000040"\},\{"hex":"ea030000"\}' r.jsonl
check "memory of a pool" '"bytes":[0-9]+.*\{"hex":"00000040"\},\{"hex":"eb030000"\}' r.jsonl
check "captured into a graph" '\{"hex":"a10f0000"\}.*"note":"captured into a CUDA graph' r.jsonl
check "graphs are mentioned" "note: the program launches CUDA graphs" r.err
check "a hundred thousand launches are one line" '"kernel":"_Z5emptyi","grid":\[1,1,1\],"block":\[32,1,1\].*"count":100000' r.jsonl
check "launches in all" '^warpwise: 101016 launches of 8 kernels' r.err
check "the code is kept" '"binary":"r.jsonl.d/[0-9a-f]+.cubin"' r.jsonl
"$ww" measure --launch r.jsonl --time-only --json >m.out 2>&1 || "$ww" measure --launch r.jsonl --json >m.out 2>&1
check "recorded lines can be measured" '"kernel":"_Z6raggedPKiPf".*"time_us"' m.out
grep -c '"error"' m.out | sed 's/^/# rows with errors: /'
grep '"error"' m.out | cut -c1-300 | sed 's/^/# /'
echo "1..$n"
