#!/bin/sh
# predict.sh PROGRAM : predict, explain and roofline as users meet them, and the planted cause of each kernel in tests/explain. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
kernels=tests/explain

. tests/tap.sh

# try TEXT EXIT_CODE STDOUT_PATTERN STDERR_PATTERN ARGS... : patterns are extended regular expressions, '' for "nothing".
try() {
  text=$1 want=$2 out=$3 err=$4
  shift 4
  "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  wrong=
  [ $code -eq "$want" ] || wrong="exit code $code, want $want: $(head -c 300 "$dir/err")"
  if [ -z "$out" ]; then [ -s "$dir/out" ] && wrong="stdout is not empty"; else grep -qE -- "$out" "$dir/out" || wrong="${wrong:-stdout has no $out}"; fi
  if [ -z "$err" ]; then [ -s "$dir/err" ] && wrong="${wrong:-stderr is not empty}"; else grep -qE -- "$err" "$dir/err" || wrong="${wrong:-stderr has no $err}"; fi
  report "$text" "$wrong"
}

# ---- explain: the planted cause comes first, on the first screen, with its line ----
for f in "$kernels"/*.cu; do
  rule=$(sed -n 's|^// expect: \([a-z0-9-]*\).*|\1|p' "$f")
  line=$(sed -n 's|^// expect: [a-z0-9-]* \([0-9]*\)$|\1|p' "$f")
  "$program" explain "$f" --gpu h200 --color never >"$dir/out" 2>"$dir/err"
  top=$(sed -n 's/^Change first: .*\[\([a-z0-9-]*\)\]$/\1/p' "$dir/out" | head -n 1)
  wrong=
  [ "$top" = "$rule" ] || wrong="first is '$top': $(grep -E '^Change first|x  [a-z-]+$' "$dir/out" "$dir/err" | head -n 4)"
  if [ -n "$line" ] && [ -z "$wrong" ]; then grep -qE "^Change first: line $line," "$dir/out" || wrong="not at line $line: $(grep '^Change first' "$dir/out")"; fi
  head -n 12 "$dir/out" | grep -q '^Change first' || wrong="${wrong:-not on the first screen}"
  report "explain $(basename "$f"): $rule" "$wrong"
  long=$(sed 's/[^ -~]/x/g' "$dir/out" | awk 'length > 100 { print } END { if (!NR) print "nothing was printed" }')
  report "explain $(basename "$f"): fits 100 columns" "$long"
done
# What was promised against what the model says of the changed source: within a factor of 2.5.
for f in "$kernels"/fixed/*.cu; do
  name=$(basename "$f")
  gain=$("$program" explain --by machine --json "$kernels/$name" --gpu h200 | sed -n 's/.*"findings":\[{[^}]*"gain":\([0-9.e+]*\)[,}].*/\1/p')
  real=$("$program" predict --by machine --json --diff "$kernels/$name" "$f" --gpu h200 2>"$dir/err" | sed -n 's/.*"speedup":\([0-9.e+]*\),.*/\1/p')
  report "the gain of $name, $gain, comes true: $real" "$(echo "${gain:-0} ${real:-0}" | awk '{ if (!($1 > 0 && $1 < 2.5 * $2 && $2 < 2.5 * $1)) print "gain", $1, "real", $2 }'; cat "$dir/err")"
done
try "explain: nothing to find" 0 '^(Nothing stands out|Little to gain)' '' explain "$kernels/good/axpy.cu" --gpu h200
# A tile is advised where there is none: not where loads go to shared memory (by cp.async and in bulk too) or are used again by the thread.
tile_free() { # FILE KERNEL
  report "explain: no tile for $2, which has one" "$("$program" explain "$1" -k "$2" --gpu h200 --json | grep -oE '"rule":"redundant-load"|"error".*')"
}
for k in straight ahead registers; do tile_free "$kernels/good/tiles.cu" "$k"; done
tile_free data/tuned/sgemm_warp.cu sgemm_async
tile_free data/tuned/flash.cu flash_bf16
# The rules of causes that are taken out stay silent on what is left, and on tuned code.
newer='split-access|unused-shared|warp-barrier|matrix-units|l2-residency'
silent() { # FILE [OPTION...]
  report "explain: $*: no $newer" "$("$program" explain "$@" --gpu h200 --json | grep -oE "\"rule\":\"($newer)\"|\"error\".*")"
}
for k in boxes ends pairs halves weights; do silent "$kernels/fixed/$k.cu"; done
silent data/tuned/sgemm_warp.cu -k sgemm_async
silent data/tuned/flash.cu -k flash_bf16
# How often something is loaded does not depend on how many blocks run.
for budget in 1000 500000; do
  try "explain: loads are counted for all blocks, at a budget of $budget" 0 '[Ee]ach element of keys is loaded 2048 times' '' explain "$kernels/good/scores.cu" --gpu h200 --budget $budget --color never
done
try "explain: sizes that cannot be varied are said" 0 '^Gains are for this launch alone' '' explain "$kernels/good/scores.cu" --gpu h200 --color never
try "explain: findings hold at other sizes" 0 '^Gains hold at half, twice and four times the size \(n\)\.$' '' explain "$kernels/transpose.cu" --gpu h200 --color never
try "explain --json: likewise" 0 '"held":"half, twice and four times the size \(n\)"' '' explain "$kernels/transpose.cu" --gpu h200 --json
# Messages name what the file's own language has.
try "explain: HIP's words" 0 '__shfl_down\)' '' explain "$kernels/words/hot.hip" --gpu mi300x
try "explain: OpenCL's words" 0 'sub_group_reduce_add' '' explain "$kernels/words/hot.cl" --gpu h200
try "explain: OpenMP's words" 0 'a reduction clause' '' explain "$kernels/words/hot.c" --gpu h200
report "explain: words of one language stand in words.def alone" "$(grep -nE '"[^"]*(__[a-z]+_?sync|__shfl|__syncthreads|threadIdx|__restrict)' src/predict/advice/advice*.c)"
try "explain --json" 0 '"findings":\[\{"file":"[^"]*row_sum.cu","line":9,"rule":"uncoalesced-load","message":"[^"]+","gain":[0-9.]+,"cause":"[^"]+","remedy":"[^"]+".*"lines":\[\{.*"share":0\.[0-9]+.*"machine":\{"timing"' '' explain --json "$kernels/row_sum.cu" --gpu h200
try "explain --sarif" 0 '"ruleId": "uncoalesced-load"' '' explain --sarif "$kernels/row_sum.cu" --gpu h200
report "explain --sarif: version, rules and a line" "$(for p in '"version": "2.1.0"' '"id": "bank-conflict"' '"startLine": 9' '"uri": "tests/explain/row_sum.cu"'; do grep -q -- "$p" "$dir/out" || echo "no $p"; done)"
if command -v python3 >/dev/null; then report "explain --sarif: is JSON" "$(python3 -m json.tool "$dir/out" 2>&1 >/dev/null)"; fi
try "explain: no more blocks for what goes by data" 0 '^Nothing stands out' '' explain "$kernels/other/data.cu" -k chase --gpu h200
try "explain: where data decides the addresses, the remedy is about the data" 0 '"remedy":"data decides these addresses: sort or group it' '' explain --json "$kernels/other/data.cu" -k gather --gpu h200
"$program" explain --json "$kernels/other/data.cu" -k columns --gpu h200 >"$dir/out"
report "explain: wide accesses do not help threads that go down columns" "$(grep -q '"few-blocks"' "$dir/out" || echo "no few-blocks"; grep -o narrow-access "$dir/out")"
try "explain: but where rows begin is no such data" 0 '"remedy":"let consecutive threadIdx.x read consecutive' '' explain --json "$kernels/other/data.cu" -k rows --gpu h200
"$program" explain --json "$kernels/other/data.cu" -k full_waves --gpu h200 >"$dir/out"
report "explain: a last wave that is nearly full is no tail" "$(grep -q '"findings"' "$dir/out" || echo "no answer"; grep -o '"rule":"tail"' "$dir/out")"
none() { # WHAT RULE KERNEL FILE : there is an answer, without this rule
  "$program" explain --json "$kernels/other/$4" -k "$3" --gpu h200 >"$dir/out"
  report "explain: $1" "$(grep -q '"lines"' "$dir/out" || echo "no answer"; grep -o "\"rule\":\"$2\"" "$dir/out")"
}
none "no more blocks for a recurrence with a division" few-blocks solve serial.cu
none "nor for a value that is multiplied by itself" few-blocks escape serial.cu
none "nor for a walk in shared memory" few-blocks walk serial.cu
none "nor for a value that is written down each time round" few-blocks filter serial.cu
try "explain: values that are only kept for the next turn can be cut" 0 '"rule":"few-blocks"' '' explain --json "$kernels/other/serial.cu" -k planes --gpu h200
try "explain: one lane that writes down what its warp has found is no divergence, the loop before is" 0 '"line":66,"rule":"divergence"' '' explain --json "$kernels/other/meet.cu" -k means --gpu h200
try "explain: a running sum that goes by a running maximum can be cut" 0 '"rule":"few-blocks"' '' explain --json "$kernels/other/serial.cu" -k online --gpu h200
try "explain: and so can items that are serial each" 0 '"rule":"few-blocks"' '' explain --json "$kernels/other/serial.cu" -k roots --gpu h200
none "arrivals at a barrier are not combined, what waits there needs no tile and no other lanes" '\(atomic-contention\|redundant-load\|divergence\)' rounds_of meet.cu
try "explain: what a whole warp reads belongs in constant memory" 0 '"rule":"redundant-load".*"remedy":"a warp reads one element at a time: keep w in constant memory' '' explain --json "$kernels/other/meet.cu" -k smooth --gpu h200
none "three or four lanes meet at banks that data chooses, by chance" bank-conflict lookup meet.cu
try "explain: more than those is a conflict" 0 '"rule":"bank-conflict","message":"[^"]* where three or four would do: data decides these addresses' '' explain --json "$kernels/other/meet.cu" -k lookup_rows --gpu h200
# axpy against axpy_vec4 on an H200: 14.0 and 12.9 us (data/corpus-h200.jsonl.zst)
try "explain: a gain is against the time that is shown" 0 '"rule":"narrow-access".*"gain":1\.[012][0-9]' '' explain --json corpus/elementwise/axpy.cu -k axpy --gpu h200
try "explain: what inlined functions cost, at their calls" 0 '^ +0 %.* 13 \| \(9[0-9] % in what it calls\) float a = outer' '' explain "$kernels/other/calls.cu" --gpu h200
try "explain --json: likewise" 0 '"line":8,"share":[0-9.e-]+,"instructions":[0-9.]+,"bytes":0,"inlined":0\.9' '' explain --json "$kernels/other/calls.cu" --gpu h200
try "explain --html: likewise" 0 '>  float a = outer\(x, i, n\);<small>9[0-9] % in what it calls</small>' '' explain --html - "$kernels/other/calls.cu" --gpu h200
"$program" explain "$kernels/other/many_calls.cu" --gpu h200 --color never >"$dir/out"
report "explain: a call that costs much is shown behind ten lines that cost" "$(grep -qE '\([0-9]+ % in what it calls\) *y\[i\] = all' "$dir/out" || sed -n '/Where the time/,$p' "$dir/out")"
"$program" explain --json "$kernels/other/many_calls.cu" --gpu h200 >"$dir/out"
report "explain --json: shares add up to the whole without what calls inlined" "$(python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); s=sum(l["share"] for l in r["lines"]); assert 0.7 < s < 1.0001 and max(l.get("inlined", 0) for l in r["lines"]) > 0.5, s' "$dir/out" 2>&1)"
try "explain --github" 0 '^::warning file=tests/explain/row_sum.cu,line=9,title=uncoalesced-load::row_sum: up to [0-9.]+x faster on h200\. ' '' explain --github "$kernels/row_sum.cu" --gpu h200
try "explain: two forms at once" 2 '' 'choose one of' explain --github --sarif "$kernels/row_sum.cu"

# ---- predict ----
try "predict: a page" 0 '^time +[0-9.]+ [mu]s$' '' predict "$kernels/good/axpy.cu" --gpu h200 --color never
report "predict: interval, metrics, terms" "$(for p in '^  between +[0-9.]+\.\.[0-9.]+ [mu]s$' '^dram_read_bytes +[0-9.]+ MB$' '^each alone would take' '^  DRAM bandwidth +[0-9.]+ [mu]s \( *[0-9]+ %\)$' '^roofline class +bandwidth$' '^h200: '; do grep -qE -- "$p" "$dir/out" || echo "no $p"; done)"
report "predict: fits 100 columns" "$(awk 'length > 100 { print } END { if (!NR) print "nothing was printed" }' "$dir/out")"
try "predict: several GPUs" 0 '^ +h200 +a100 +rtx3080$' '' predict "$kernels/good/axpy.cu" --gpu h200,a100,rtx3080 --color never
try "predict --json: a report with the machine's numbers" 0 '^\{"schema_version":1,"file":"tests/explain/good/axpy.cu","kernel":"axpy","gpu":"h200","grade":"probed","by":"(machine|grounded)".*"time_us":\{"value":[0-9.]+,"low":[0-9.]+,"high":[0-9.]+\}.*"machine":\{"timing":\{.*"bound_us":\{.*"traffic":\{' '' predict --json "$kernels/good/axpy.cu" --gpu h200
# Contents that nobody gave: which argument decides, how far the time moves, and the interval covers it.
try "predict: contents decide" 0 '^ +start: its contents decide addresses, trip counts and branches; with other contents the' '' predict examples/spmv.cl --gpu h200 --color never
"$program" predict --json examples/spmv.cl --gpu h200 >"$dir/out" 2>"$dir/err"
report "predict --json: the interval covers other contents" "$(sed -n 's/.*"kind":"contents_decide","argument":"start","values":\[\([0-9]*\),\([0-9]*\),7\].*"time_us":{"value":\([0-9.]*\),"low":\([0-9.]*\),"high":\([0-9.]*\)}.*/\1 \2 \3 \4 \5/p' "$dir/out" |
  awk '{ if (!($4 * 1000 <= $1 + 1 && $2 - 1 <= $5 * 1000 && $2 > 1.5 * $1 && $1 <= $3 * 1000 + 1)) print } END { if (NR != 1) print "no such assumption" }')"
"$program" predict --json examples/saxpy.cu -k saxpy --gpu h200 >"$dir/out" 2>"$dir/err"
report "predict: contents that decide nothing are not in doubt" "$(grep -o contents_decide "$dir/out")"
given='--grid 40 --block 128 --arg rows=5000 --arg start=i32[rows+1]:monotone(0,40000) --arg col=i32[40000]:uniform(0,rows) --arg val=[40000] --arg x=[rows] --arg y=[rows]'
"$program" predict --json examples/spmv.cl --gpu h200 $given >"$dir/out" 2>"$dir/err"
report "predict: given contents are not in doubt" "$(grep -o contents_decide "$dir/out"; grep -q '"time_us"' "$dir/out" || cat "$dir/out" "$dir/err")"
try "predict: assumed contents outside a buffer are taken inside" 0 '^ +x: [0-9]+ accesses lay outside it, and were taken inside it' '' predict tests/sample/inputs.cu -k squares --grid 4 --block 64 --arg n=256 --arg 'index=[n]' --arg 'x=[20]' --arg 'y=[n]' --gpu h200 --color never
try "predict: given contents outside a buffer are an error" 3 '' 'at byte 160 of .x., which has 80 bytes' predict tests/sample/inputs.cu -k squares --grid 4 --block 64 --arg n=256 --arg 'index=[n]:zeros' --arg 'x=[20]' --arg 'y=[n]' --gpu h200 --color never
try "predict: a loop that assumed contents do not end" 0 '^time ' '' predict tests/sample/inputs.cu -k root --grid 40 --block 128 --arg n=5000 --arg 'parent=[n]' --gpu h200 --color never
# What a launch touches counts, not what was allocated: a product of 1024 x 1024 in its own buffers, and in larger ones.
read_bytes() { # BYTES_OF_A_AND_B
  echo '{"file":"'"$PWD"'/data/tuned/hgemm.cu","kernel":"hgemm_mma","grid":[8,8,1],"block":[256,1,1],"args":[{"value":1024},{"value":1024},{"value":1024},{"buffer":{"bytes":'"$1"'}},{"buffer":{"bytes":'"$1"'}},{"buffer":{"bytes":4194304}}]}' >"$dir/gemm.json"
  "$program" predict --json --by machine --launch "$dir/gemm.json" --gpu h200 | sed -n 's/.*"dram_read_bytes":{"value":\([0-9]*\).*/\1/p'
}
exact=$(read_bytes 2097152)
wide=$(read_bytes 33554432)
report "predict: buffers larger than what is touched cost nothing" "$([ "${exact:-0}" -gt 4000000 ] && [ "$wide" = "$exact" ] || echo "DRAM bytes read $exact, in larger buffers $wide")"
try "predict --json: a line a GPU" 0 '"gpu":"a100"' '' predict --json "$kernels/good/axpy.cu" --gpu h200,a100
report "predict --json: two lines" "$([ "$(wc -l <"$dir/out")" -eq 2 ] || wc -l "$dir/out")"
try "predict: no GPU named is said" 0 'assumed: gpu: h200, as none was named' '' predict "$kernels/good/axpy.cu"
try "predict: CUDA code for an AMD GPU beside another" 0 '^mi300x: cuda code is read for warps of 32 lanes' '' predict "$kernels/good/axpy.cu" --gpu h200,mi300x
try "predict: CUDA code for an AMD GPU alone" 2 '' 'cuda code is read for warps of 32 lanes' predict "$kernels/good/axpy.cu" --gpu mi300x
try "predict: CUDA code for an AMD GPU of the same warp size" 2 '' 'cuda code does not run on AMD Radeon PRO W6600' predict "$kernels/good/axpy.cu" --gpu w6600
cat >"$dir/lanes.hip" <<'END'
#include <hip/hip_runtime.h>
// warpwise: grid=4096 block=256 x=f32[1<<20] y=f32[1<<20]
__global__ void axpy(const float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; y[i] += 2 * x[i]; }
// warpwise: grid=4096 block=256 x=f32[1<<20] y=f32[1<<20]
__global__ void turned(const float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; y[i] = __shfl_xor(x[i], 1); }
// 160 sums beside each other, each of which the loop changes: more than a thread has registers
// warpwise: grid=4096 block=256 x=f32[1<<20] y=f32[1<<20] n=5
__global__ void sums(const float *x, float *y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float s[160];
  #pragma unroll
  for (int k = 0; k < 160; k++) s[k] = x[(i + k) & 1048575];
  for (int j = 0; j < n; j++) {
    #pragma unroll
    for (int k = 0; k < 160; k++) s[k] = s[k] * s[(k + 7) % 160] + x[(i + 160 * j + k) & 1048575];
  }
  float all = 0;
  #pragma unroll
  for (int k = 0; k < 160; k++) all += s[k] * k;
  y[i] = all;
}
END
try "predict: HIP code for wavefronts of 64 and of 32" 0 '^active_lanes +64 +32 +32$' '' predict "$dir/lanes.hip" -k axpy --gpu mi250,w6600,w7800
try "predict: HIP code that looks across lanes, for wavefronts of 32" 2 '' 'hip code is read for warps of 64 lanes, AMD Radeon PRO W6600 has 32' predict "$dir/lanes.hip" -k turned --gpu w6600
spilled() { # MEMBER, MI250'S LEAST, MOST
  "$program" predict --json "$dir/lanes.hip" -k sums --gpu mi250 | grep -o "\"$1\":{\"value\":[0-9.]*" | sed 's/.*://' | awk -v l="$2" -v m="$3" '!($1 >= l && $1 <= m) { print "'"$1"' " $1 }'
}
report "predict: HIP code's registers are the compiler's: 128, as blocks of 1024 threads allow" "$(spilled registers 128 128)"
report "predict: what it spills goes to DRAM, each time round the loop" "$(spilled dram_write_bytes 3e7 1e10)"
try "predict --cache warm" 0 'caches warm' '' predict "$kernels/good/axpy.cu" --cache warm --arg 'n=1<<18'
try "predict --cache: a bad word" 2 '' 'expected warm or cold' predict "$kernels/good/axpy.cu" --cache hot

try "predict --dump: a stage's numbers" 0 '^  dram_read +[0-9.e+]+  bytes$' '' predict "$kernels/good/axpy.cu" --gpu h200 --dump traffic
try "predict --dump lowered" 0 '^  registers +[0-9]+  registers a thread$' '' predict "$kernels/good/axpy.cu" --gpu h200 --dump lowered
try "predict --dump time" 0 '^  bound_DRAM +[0-9.]+  us$' '' predict "$kernels/good/axpy.cu" --gpu h200 --dump time
try "predict --dump --json: an object a GPU" 0 '^\{"kernel":"axpy","gpu":"a100","stage":"chain","values":\{"warp_inst":\{"value":[0-9.]+,"unit":"instructions"\},' '' predict --json "$kernels/good/axpy.cu" --gpu h200,a100 --dump chain
try "predict --dump: an unknown stage" 2 '' 'expected lowered, traffic, chain or time' predict "$kernels/good/axpy.cu" --dump l2
try "predict --dump: of single launches" 2 '' 'single launches' predict "$kernels/good/axpy.cu" --dump time --sweep n=1K..2K

# ---- batch ----
cat >"$dir/batch.jsonl" <<END
{"file":"$PWD/$kernels/good/axpy.cu","kernel":"axpy","count":10}
{"file":"$PWD/$kernels/good/double_sum.cu","kernel":"nosuch","count":5}
{"file":"$PWD/$kernels/good/double_sum.cu","kernel":"double_sum"}
END
try "predict --batch: sums by kernel" 2 '^axpy +10 +[0-9.]+ % +[0-9.]+ [mu]s +[0-9.]+ [mu]s$' 'no kernel .nosuch' predict --batch "$dir/batch.jsonl" --gpu h200,a100
report "predict --batch: what is missing has its row, its reason, and makes the total a lower bound" "$(for p in '^all with an answer +11 +100.0 %' '^nosuch +5 +- +- +-$' '^no answer: nosuch, 5 of its 5 launches: .*has no kernel' '^5 of 16 launches \(31.2 %\) have no answer on h200 .* at least [0-9.]+ us there$'; do grep -qE -- "$p" "$dir/out" || echo "no $p"; done)"
try "predict --batch --json: an error is a line too" 2 '"kernel":"double_sum","gpu":"h200"' '^axpy +10 ' predict --json --batch "$dir/batch.jsonl" --gpu h200
report "predict --batch --json: three lines, the second an error" "$([ "$(wc -l <"$dir/out")" -eq 3 ] || wc -l "$dir/out"; sed -n 2p "$dir/out" | grep -q '"error":{"code":"usage"' || sed -n 2p "$dir/out")"

# ---- a loop of which iterations are left out keeps the ends of its parts ----
cat >"$dir/parts.c" <<'END'
void copy(const float *restrict a, float *restrict c, int n) {
#pragma omp target teams distribute parallel for thread_limit(256)
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
END
try "predict: every part of a team's share of an OpenMP loop" 0 '^dram_read_bytes +134 MB' '' predict "$dir/parts.c" --grid 3200 --block 256 --arg n=33554432 --gpu rtx3080

# ---- how sure an answer is ----
try "predict: the grade of each GPU's figures" 0 'figures of the GPU +probed +from paper$' '' predict "$kernels/good/axpy.cu" --gpu h200,a100
try "predict --json: the grade" 0 '"gpu":"a100","grade":"from paper","by":"machine"' '' predict --json "$kernels/good/axpy.cu" --gpu a100
try "predict --batch: the grades stand below the sums" 2 '^  figures of the GPU +probed +from paper$' 'no kernel .nosuch' predict --batch "$dir/batch.jsonl" --gpu h200,a100
try "predict --require-confidence: sure enough" 0 '^time ' '' predict "$kernels/good/axpy.cu" --gpu h200 --require-confidence 20x,probed
try "predict --require-confidence: an interval that is too wide" 1 '^time ' 'axpy on h200: the interval.s high / low is [0-9.]+, more than 1.01' predict "$kernels/good/axpy.cu" --gpu h200 --require-confidence 1.01
try "predict --require-confidence: figures from paper" 1 '^time ' 'axpy on a100: the GPU.s figures are from paper, less than probed' predict "$kernels/good/axpy.cu" --gpu h200,a100 --require-confidence probed
try "predict --require-confidence: with --diff" 1 'no faster' 'more than 1.01' predict --diff "$kernels/row_sum.cu" "$kernels/row_sum.cu" --gpu h200 --require-confidence 1.01
try "predict --require-confidence: neither a number nor a grade" 2 '' 'expected high / low' predict "$kernels/good/axpy.cu" --require-confidence much
cat >"$dir/name.cu" <<END
namespace an_outer_space { template <typename element> __global__ void a_kernel_with_a_long_name_indeed(element *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
template __global__ void a_kernel_with_a_long_name_indeed<double>(double *); }
END
printf '{"file":"%s","grid":[64,1,1],"block":[64,1,1],"count":7,"at":[1,7]}\n{"file":"%s","kernel":"axpy","count":2,"at":[0,1,8,1]}\n' "$dir/name.cu" "$PWD/$kernels/good/axpy.cu" >"$dir/named.jsonl"
try "predict --batch: whole names" 0 '^a_kernel_with_a_long_name_indeed<double> +7 ' '' predict --batch "$dir/named.jsonl" --gpu h200 --svg "$dir/time.svg" --html "$dir/time.html"
report "predict --batch --svg: runs in the order of the program" "$(grep -o '<title>[^<]*, [0-9]* x: ' "$dir/time.svg" | tr '\n' ' ' | grep -q 'axpy, 1 x: .*name_indeed&lt;double&gt;, 7 x: .*axpy, 1 x: ' || grep -o '<title>[^<]*' "$dir/time.svg")"
report "predict --batch --html: a page with the picture" "$(grep -q '</svg>' "$dir/time.html" && grep -q '</html>' "$dir/time.html" || echo no)"
"$program" predict --batch "$dir/batch.jsonl" --gpu h200,mi300x --svg "$dir/gap.svg" >/dev/null 2>&1
report "predict --batch --svg: no answer is hatched" "$(grep -q 'fill="url(#none)"[^>]*><title>nosuch, 5 x: no answer: ' "$dir/gap.svg" && grep -q 'no answer for any of 16 launches' "$dir/gap.svg" || cat "$dir/gap.svg")"
for j in 1 3; do "$program" predict --json -q --batch "$dir/named.jsonl" --gpu h200,a100 -j $j | sed 's/"us":[0-9.]*//' >"$dir/jobs.$j" 2>&1; done
report "predict --batch -j: the same lines in the same order" "$(cmp "$dir/jobs.1" "$dir/jobs.3" 2>&1; [ "$(wc -l <"$dir/jobs.1")" -eq 4 ] || wc -l "$dir/jobs.1")"
printf '{"file":"%s","kernel":"axpy","grid":["(n+255)/256"],"block":[256],"args":[{"name":"n","value":1000000},{"name":"x","buffer":{"count":"n","id":"%s"}},{"name":"y","buffer":{"count":"n","id":"%s"}}],"at":[%s,1]}\n' "$PWD/corpus/elementwise/axpy.cu" 1 2 0 "$PWD/corpus/elementwise/axpy.cu" 1 2 1 "$PWD/corpus/elementwise/axpy.cu" 3 4 2 >"$dir/l2.jsonl"
all_of() { sed -n 's/^all .* % *\([0-9.]*\) us.*/\1/p'; }
cold=$("$program" predict --batch "$dir/l2.jsonl" --gpu h200 2>&1 | all_of)
carried=$("$program" predict --batch "$dir/l2.jsonl" --gpu h200 --cache program 2>&1 | all_of)
warm=$("$program" predict --batch "$dir/l2.jsonl" --gpu h200 --cache warm 2>&1 | all_of)
report "predict --batch --cache program: the second of three finds what the first left" "$(echo "$cold $carried $warm" | awk '{ d = $1 - $2; e = ($1 - $3) / 3; if (!(d > 0.9 * e && d < 1.1 * e && e > 0)) print "cold " $1 ", carried " $2 ", warm " $3 }')"
for r in 0 1 2; do
  WARPWISE_RANK=$r WARPWISE_SIZE=3 "$program" predict --json --batch "$dir/named.jsonl" --gpu h200,a100 >"$dir/rank.$r" 2>"$dir/rank.err"
done
report "predict --batch in a parallel job: the last rank has all, in order" "$([ ! -s "$dir/rank.0" ] && [ ! -s "$dir/rank.1" ] || echo "a part was printed"; sed 's/"us":[0-9.]*//' "$dir/rank.2" | cmp - "$dir/jobs.1" 2>&1; [ ! -e "$dir/named.jsonl.parts" ] || ls "$dir/named.jsonl.parts")"
if command -v mpirun >/dev/null; then
  mpirun --allow-run-as-root --oversubscribe -n 2 "$program" predict --json -q --batch "$dir/named.jsonl" --gpu h200,a100 >"$dir/mpi" 2>"$dir/mpi.err"
  report "predict --batch under mpirun" "$(sed 's/"us":[0-9.]*//' "$dir/mpi" | cmp - "$dir/jobs.1" 2>&1 || cat "$dir/mpi.err")"
fi

# ---- diff ----
sed 's/a\[row \* cols + c\]/a[c * rows + row]/' "$kernels/row_sum.cu" >"$dir/row_sum.cu"
try "predict --diff: faster, and why" 0 '^row_sum on h200 \(probed\): [0-9.]+x faster$' '' predict --diff "$kernels/row_sum.cu" "$dir/row_sum.cu" --gpu h200 --fail-if-slower 5% --color never
report "predict --diff: in words" "$(grep -qE '^Faster because .* takes less; it was bound by .* now bound by' "$dir/out" || { echo "not said"; cat "$dir/out"; })"
try "predict --diff: slower fails the gate" 1 'slower by [0-9.e+]+ %, more than the 5 % allowed' '' predict --diff "$dir/row_sum.cu" "$kernels/row_sum.cu" --gpu h200 --fail-if-slower 5%
try "predict --diff: the same passes it" 0 'no faster, no slower' '' predict --diff "$kernels/row_sum.cu" "$kernels/row_sum.cu" --gpu h200 --fail-if-slower 0
try "predict --diff --json" 0 '"speedup":[0-9.]+,"old":\{"schema_version":1.*"new":\{.*"changed_us":\{' '' predict --json --diff "$kernels/row_sum.cu" "$dir/row_sum.cu" --gpu h200
try "predict --diff: one file" 2 '' '--diff takes two files' predict --diff "$kernels/row_sum.cu"
try "predict --fail-if-slower: not a percentage" 2 '' 'expected a percentage' predict --diff "$kernels/row_sum.cu" "$kernels/row_sum.cu" --fail-if-slower much

try "explain: GPUs are compared, the one without an answer too" 0 '^  a100 +[0-9.]+ [mu]s  line [0-9]+, [0-9.]+x  uncoalesced-load$' 'MI300X has 64' explain "$kernels/row_sum.cu" --gpu h200,a100,mi300x --color never
report "explain: the one without an answer says why" "$(grep -A2 '^  mi300x' "$dir/out" | grep -q 'no answer: cuda code is read for warps of 32 lanes' || tail -n 6 "$dir/out")"
try "explain: one GPU is not compared" 0 'on h200' '' explain "$kernels/row_sum.cu" --gpu h200
report "explain: one GPU, no table" "$(grep 'on each GPU' "$dir/out")"
try "predict: the term of atomics says what else it holds" 0 '^  atomics, store conflicts ' '' predict examples/saxpy.cu -k saxpy --gpu h200 --color never
try "explain: a GPU that cannot run it is named, the others answer" 0 'on h200' 'AMD Instinct MI300X has 64' explain "$kernels/good/axpy.cu" --gpu h200,mi300x

# ---- sweep ----
try "predict --sweep: a table" 0 '^ +16M +[0-9.]+ [mu]s +[0-9.]+ [mu]s\.\.' '' predict "$kernels/good/axpy.cu" --sweep n=1K..16M --gpu h200,a100 --svg "$dir/sweep.svg" --color never
report "predict --sweep: every size has its row" "$([ "$(grep -cE '^ +[0-9]+[KM] ' "$dir/out")" -eq 15 ] || { echo "not 15 rows"; cat "$dir/out"; })"
report "predict --sweep --svg" "$(for p in '</svg>' '<polygon' 'a100' '64K|256K'; do grep -qE -- "$p" "$dir/sweep.svg" || echo "no $p"; done)"
try "predict --sweep: larger takes longer" 0 '"time_us"' '' predict "$kernels/good/axpy.cu" --sweep n=1M,16M --gpu h200 --json
report "predict --sweep: 16 times the size, 4 to 40 times the time" "$(sed -n 's/.*"time_us":{"value":\([0-9.]*\).*/\1/p' "$dir/out" | awk '{ t[NR] = $1 } END { if (NR != 2 || t[2] < 4 * t[1] || t[2] > 40 * t[1]) print t[1], t[2] }')"
# Nobody gave a launch: the grid grows with the size, and what was assumed is said.
sed '/warpwise:/d' "$kernels/good/axpy.cu" >"$dir/bare.cu"
try "predict --sweep without a launch: what was assumed" 0 'grid: [0-9]+ x 1 x 1 blocks, as many as have work with what was given' '' predict "$dir/bare.cu" --sweep n=1M,64M --gpu h200 --color never
try "predict --sweep without a launch: larger takes longer" 0 '"time_us"' '' predict "$dir/bare.cu" --sweep n=1M,64M --gpu h200 --json
report "predict --sweep without a launch: 64 times the size, at least 10 times the time" "$(sed -n 's/.*"time_us":{"value":\([0-9.]*\).*/\1/p' "$dir/out" | awk '{ t[NR] = $1 } END { if (NR != 2 || t[2] < 10 * t[1]) print t[1], t[2] }')"
# A block of two axes keeps the first; the grid has as many threads as before.
cat >"$dir/plane.cu" <<'END'
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1K h=1K x=[w*h]
__global__ void plane(int w, int h, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < w && j < h) x[j * w + i] += 1.0f;
}
END
try "predict --sweep block: of two axes" 0 'block: 32 x 4 x 1 threads, the first axes as long as they were' '' predict "$dir/plane.cu" --sweep block=64,128 --gpu h200 --color never
report "predict --sweep block: the grid goes with it" "$(grep -q 'grid: 32 x 256 x 1 blocks, for as many threads as before' "$dir/out" || cat "$dir/out")"
try "predict --sweep block: the launches" 0 '"grid":\[32,512,1\],"block":\[32,2,1\]' '' predict "$dir/plane.cu" --sweep block=64,128 --gpu h200 --json
try "predict --sweep block: a grid that was given stays" 0 '"grid":\[7,1,1\],"block":\[32,2,1\]' '' predict "$dir/plane.cu" -g 7 --sweep block=64 --gpu h200 --json
try "predict --arg: K behind a number" 0 '"grid":\[2,1,1\]' '' predict "$dir/bare.cu" -a n=2K --budget 1M --gpu h200 --json
# What the program takes where it gets no arguments.
cat >"$dir/defaults.cu" <<'END'
#include <cstdlib>
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  scale<<<(n + 127) / 128, 128>>>(x, n);
}
END
try "predict: a program's defaults" 0 'grid 32768, block 128' '' predict "$dir/defaults.cu" --gpu h200 --color never
report "predict: a program's defaults are said" "$(grep -q "the program's own, as without arguments" "$dir/out" || cat "$dir/out")"
# A loop of the host that LLVM cannot vectorise, as it was told to: it says so to nobody.
cat >"$dir/simd.c" <<'EOF'
#include <stdio.h>
int main(int argc, char **argv) {
  static float x[1 << 20];
  float sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : x)
  for (int i = 0; i < 1 << 20; i++) x[i] = 2 * x[i];
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < 1 << 20; i++) {
    if (x[i] == argc) printf("%d", i);
    sum += x[i];
  }
  printf("%f %s", sum, argv[0]);
}
EOF
try "predict: nothing about loops of the host" 0 'main_l5' '' predict "$dir/simd.c" --gpu h200

# Two loops made one over n x n, of which the host code says nothing but that they are there.
cat >"$dir/jacobi.c" <<'END'
void jacobi(int n, const double *a, double *b) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
END
try "predict: an OpenMP region over n x n" 0 'n: 1024, as a usual size' '' predict "$dir/jacobi.c" --gpu h200 --color never
report "predict: no launch in the host code, none said" "$(grep 'as in the host code' "$dir/out")"
try "predict --sweep: not a range" 2 '' '--sweep: expected' predict "$kernels/good/axpy.cu" --sweep n
try "predict --sweep: no such argument" 3 '' "no argument .m." predict "$kernels/good/axpy.cu" --sweep m=1K..4K

# Several GPUs share one trace: each must be told what it would be told alone. The table's contents decide where its kernel writes; the
# OpenCL one runs in warps of 32 and of 64.
alone() { # FILE KERNEL ARGUMENT SIZES GPUS
  "$program" predict --json "$1" -k "$2" --sweep "$3=$4" --gpu "$5" >"$dir/sweep" 2>"$dir/err"
  for v in $(echo "$4" | tr , ' '); do
    for g in $(echo "$5" | tr , ' '); do "$program" predict --json "$1" -k "$2" --arg "$3=$v" --gpu "$g"; done
  done >"$dir/alone" 2>>"$dir/err"
  report "predict --sweep: $2 on $5 as if each GPU were alone" "$(cat "$dir/err"; cmp "$dir/sweep" "$dir/alone"; [ -s "$dir/alone" ] || echo nothing)"
}
alone corpus/hashing/hash.cu table_insert n 4096,65536 h200,a100,h100
alone examples/spmv.cl spmv rows 3000,50000 h200,mi300x,a10,mi250

# ---- roofline ----
try "roofline: the plot" 0 '^A axpy +h200 +predicted +0\.[0-9]+ flop/B' '' roofline "$kernels/good/axpy.cu" --gpu h200 --svg "$dir/roof.svg" --color never
report "roofline: 24 lines of 80 columns" "$([ "$(wc -l <"$dir/out")" -le 24 ] || wc -l "$dir/out"; [ "$(wc -l <"$dir/out")" -ge 20 ] || echo "too short"; head -n 20 "$dir/out" | LC_ALL=C sed 's/[\x80-\xbf]//g' | awk 'length > 80')"
report "roofline --svg" "$(for p in '</svg>' 'DRAM 4.8 TB/s' 'FP32' 'FP64' 'tensor' '>axpy<'; do grep -qF -- "$p" "$dir/roof.svg" || echo "no $p"; done)"
"$program" predict --json "$kernels/good/axpy.cu" --gpu h200 | sed 's/"by":"[a-z]*"/"by":"hardware"/' >"$dir/measured.jsonl"
try "roofline --measured" 0 '^a axpy +h200 +measured ' '' roofline "$kernels/good/axpy.cu" --gpu h200 --measured "$dir/measured.jsonl"
try "roofline: measured points alone" 0 '^a axpy +h200 +measured ' '' roofline --gpu h200 --measured "$dir/measured.jsonl"
try "roofline: a kernel without flops" 0 'brighten on h200 has no place here: no floating-point operations' '' roofline "$kernels/brighten.cu" --gpu h200
echo '{"schema_version":7}' >"$dir/measured.jsonl"
try "roofline --measured: not a report" 3 '' 'measured.jsonl:1: ?schema_version' roofline --gpu h200 --measured "$dir/measured.jsonl"

# ---- the tutorial, in an empty folder: its source is saved, its edit made, each command prints what the page shows ----
mkdir "$dir/tutorial" "$dir/steps" "$dir/bin"
ln -s "$program" "$dir/bin/warpwise"
awk -v dir="$dir/steps" '
  /^```$/ && kind { kind = ""; next }
  /^```(cuda|diff|console)$/ { kind = substr($0, 4); if (kind != "console") file = sprintf("%s/%02d.%s", dir, ++step, kind); next }
  kind == "console" && /^\$ / { file = sprintf("%s/%02d.want", dir, ++step); print substr($0, 3) > sprintf("%s/%02d.command", dir, step); printf "" > file; next }
  kind { print > file }' docs/tutorial.md
for step in "$dir"/steps/*.cuda "$dir"/steps/*.diff "$dir"/steps/*.command; do echo "$step"; done | sort >"$dir/order"
while read -r step; do
  case $step in
  *.cuda) cp "$step" "$dir/tutorial/blur.cu" ;;
  *.diff)
    cp "$dir/tutorial/blur.cu" "$dir/tutorial/old.cu"
    report "tutorial: the edit" "$(cd "$dir/tutorial" && patch -s -p0 <"$step" 2>&1)"
    ;;
  *) report "tutorial: $(cat "$step")" "$(cd "$dir/tutorial" && PATH="$dir/bin:$PATH" sh "$step" 2>&1 </dev/null | grep -v "^warpwise: warning" | diff "${step%command}want" -)" ;;
  esac
done <"$dir/order"

echo "1..$n"
exit $bad
