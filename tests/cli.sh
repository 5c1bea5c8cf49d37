#!/bin/sh
# cli.sh PROGRAM : the program as users and scripts meet it: exit codes, help, errors on the right stream. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

# try TEXT EXIT_CODE STDOUT_PATTERN STDERR_PATTERN ARGS... : patterns are extended regular expressions, '' for "nothing".
try() {
  text=$1 want=$2 out=$3 err=$4
  shift 4
  n=$((n + 1))
  "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  ok=yes
  [ $code -eq "$want" ] || ok="exit code $code, want $want"
  if [ -z "$out" ]; then [ -s "$dir/out" ] && ok="stdout is not empty"; else grep -qE -- "$out" "$dir/out" || ok="stdout has no $out"; fi
  if [ -z "$err" ]; then [ -s "$dir/err" ] && ok="stderr is not empty"; else grep -qE -- "$err" "$dir/err" || ok="stderr has no $err"; fi
  if [ "$ok" = yes ]; then
    echo "ok $n - $text"
  else
    bad=1
    echo "not ok $n - $text: $ok"
    head -n 5 "$dir/out" "$dir/err" | sed 's/^/# /'
  fi
}

printf '__global__ void twice(int n, float *x) {\n  int i = threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n' >"$dir/ok.cu"
printf '__kernel void copy(__global const int *a, __global int *b, __local int *t) {\n  b[get_global_id(0)] = a[get_global_id(0)];\n}\n' >"$dir/ok.cl"
printf '__global__ void broken(int n { }\n' >"$dir/broken.cu"
printf 'a\0b' >"$dir/binary.cu"
printf 'int main(void) { return 0; }\n' >"$dir/host.cu"
: >"$dir/empty.cu"

try "no command: help on stderr" 2 '' 'usage: warpwise COMMAND'
try "--help" 0 '^  kernels ' '' --help
try "--version" 0 '^warpwise [0-9]' '' --version
try "help COMMAND" 0 'usage: warpwise kernels FILE' '' help kernels
try "COMMAND --help has examples" 0 '^examples:' '' kernels --help
try "unknown command" 2 '' "no command 'kernel'; did you mean 'kernels'" kernel
try "unknown option" 2 '' 'did you mean --json' kernels --jsn x.cu
try "no file" 2 '' 'name a source file' kernels
try "clang flags in the wrong place" 2 '' 'go behind --' kernels "$dir/ok.cu" -DN=4
try "missing file" 3 '' '^warpwise: cannot read .*none.cu' kernels "$dir/none.cu"
try "directory" 3 '' 'is a directory' kernels "$dir"
try "binary file" 3 '' 'is a binary file' kernels "$dir/binary.cu"
try "empty file" 3 '' 'is empty' kernels "$dir/empty.cu"
try "bad --lang" 2 '' 'expected cuda, opencl, hip or openmp' kernels --lang fortran "$dir/ok.cu"
try "errors as JSON" 3 '^\{"schema_version":1,"file":".*none.cu","error":\{"code":"io","message":' '' kernels --json "$dir/none.cu"
try "usage errors as JSON" 2 '"error":\{"code":"usage"' '' --json kernels --nope
try "a CUDA file" 0 'twice +1 .* yes +int n, float \*x' '' kernels "$dir/ok.cu"
try "a CUDA file as JSON" 0 '"kernels":\[\{"name":"twice","mangled":"[^"]*","file":".*ok.cu","line":1,"dialect":"cuda","args":\[\{"name":"n","type":"int","space":null,"pointer":false,"bytes":4\},\{"name":"x","type":"float \*","space":"g[a-z]*","pointer":true,"bytes":8\}\]' '' kernels --json "$dir/ok.cu"
try "an OpenCL file" 0 'copy +1 .*\(shared\)' '' kernels "$dir/ok.cl"
try "IR" 0 'ret' '' kernels --ir "$dir/ok.cu"
try "a broken kernel is listed with its reason" 0 'cannot be interpreted: .*broken.cu:1:' 'broken.cu:1:[0-9]+: error' kernels "$dir/broken.cu"
printf '__global__ void f(float *x, int n) {\n\tint i = threadIdx.x;\n  x[i] = 1 + y;\n}\n' >"$dir/caret.cu"
try "a compiler's error has line, column" 3 '' "^warpwise: .*caret.cu:3:14: f cannot be interpreted: use of undeclared identifier 'y'" predict "$dir/caret.cu"
try "and a caret" 3 '' '^       \|              \^$' trace "$dir/caret.cu"
try "in JSON col" 3 '"message":"f cannot be interpreted: use of undeclared identifier .y.","file":".*caret.cu","line":3,"col":14\}' '' explain --json "$dir/caret.cu"
try "likewise where kernels are listed" 0 'caret.cu:3:14: use of' '^     3 \|   x\[i\] = 1 \+ y;$' kernels "$dir/caret.cu"
printf '\n{"kernel":"f", "grid":[1,2}\n' >"$dir/caret.json"
try "our own errors too" 3 '' '^       \|                           \^$' predict --launch "$dir/caret.json"
printf '{"kernel":"f",\n "grid":[1],\n "blok":1}\n' >"$dir/caret.json"
try "also where a member is not known" 3 '' 'caret.json:3:2: unknown member "blok"' predict "$dir/caret.cu" --launch "$dir/caret.json"
try "and a caret there" 3 '' '^       \|  \^$' predict "$dir/caret.cu" --launch "$dir/caret.json"
printf '{"kernel":"f",\n "grid":[1],,\n "block":1}\n' >"$dir/caret.json"
try "and where JSON over several lines is none any more" 3 '' 'caret.json:3:2: not JSON: unexpected ' predict "$dir/caret.cu" --launch "$dir/caret.json"
printf '{"kernel":"f"}\n{"kernel":"f","seed":0}\n' >"$dir/caret.json"
try "in the second line of several" 3 '' 'caret.json:2:15: seed: expected at least 1' predict "$dir/caret.cu" --launch "$dir/caret.json"
try "a file without kernels" 0 'host.cu  cuda, 0 kernels' '' kernels "$dir/host.cu"
try "kernels of several files: the table says of which" 0 'saxpy\.cu:4 .*int n, float a' '' kernels examples/saxpy.cu examples/matmul.cu
try "kernels of several files as JSON: an object each" 0 '^\{"schema_version":1,"file":"examples/matmul.cu","files":\["examples/saxpy.cu","examples/matmul.cu"\],"kernels":\[\{"name":"naive"' '' kernels --json examples/saxpy.cu examples/matmul.cu
# piped FILE ARGS... : `try` with the file on standard input
piped() {
  n=$((n + 1))
  file=$1 want=$2
  shift 2
  if "$program" "$@" <"$file" 2>&1 | grep -qE -- "$want"; then echo "ok $n - $* < ${file##*/}"; else
    bad=1
    echo "not ok $n - $* < ${file##*/}: no $want"
  fi
}
piped examples/saxpy.cu 'saxpy_strided +10 .* yes' kernels -
piped "$dir/ok.cl" 'opencl, 1 kernel' kernels --lang opencl -
piped examples/saxpy.cu '^time' predict - -k saxpy --gpu h200
piped examples/saxpy.cu '"findings":' explain --json - -k saxpy_strided --gpu h200
piped examples/saxpy.cu '^same' verify - examples/saxpy.cu -k saxpy
piped "$dir/caret.cu" 'stdin.cu:3:14: f cannot' trace -
piped examples/saxpy.cu 'standard input is one source file' verify - -
printf '#include "header_here.h"\n__global__ void h(float *x) { x[threadIdx.x] = HERE; }\n' >"$dir/here.cu"
printf '#define HERE 1\n' >"$dir/header_here.h"
mkdir "$dir/spool"
n=$((n + 1))
if (cd "$dir" && TMPDIR=$dir/spool "$program" kernels - <here.cu) | grep -q ' yes ' && [ -z "$(ls "$dir/spool")" ]; then
  echo "ok $n - standard input finds headers of this folder, and leaves nothing behind"
else
  bad=1
  echo "not ok $n - standard input: no header of this folder, or something is left behind"
fi
try "the other files are listed all the same" 3 'twice' 'none.cu' kernels "$dir/none.cu" "$dir/ok.cu"

# ---- trace: what goes wrong has a message that says what to do, the documented exit code, and leaves nothing behind ----
cat >"$dir/trace.cu" <<'EOF'
__global__ void spin(volatile int *flag) {
  while (*flag == 0) {}
}
__global__ void shifted(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i + 1];
}
EOF
printf '{"kernel":"shifted","grid":2,"block":64,"args":[{"buffer":{"bytes":512,"fill":"ones"}},{"buffer":{"bytes":512}},{"value":128}]}\n' >"$dir/short.launch"
printf '{"kernel":"shifted","grid":2,"block":64,"args":[{"value":1},{"value":2},{"value":3},{"value":4}]}\n' >"$dir/many.launch"
printf '{"kernel":"shifted","grid":2,"block":64,"argz":[]}\n' >"$dir/typo.launch"
printf 'not json\n' >"$dir/text.launch"
printf 'template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }\n' >"$dir/template.cu"
printf '#include "nothere.h"\n__global__ void k(float *x) { x[threadIdx.x] = W; }\n' >"$dir/header.cu"
truncate -s 1G "$dir/huge.cu"
mkdir "$dir/tmp" "$dir/cache"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache"
# Types that only the host has must not come between an OpenMP file's device half and <math.h>: glibc 2.41 has such a line. (In a
# new cache: precompiled headers of another run are the system's.)
mkdir -p "$dir/glibc/bits"
printf '#include_next <bits/floatn.h>\ntypedef _Complex float __cfloat128 __attribute__((__mode__(__TC__)));\n' >"$dir/glibc/bits/floatn.h"
printf '#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\nvoid f(float *x, int n) {\n#pragma omp target teams loop map(x[:n])\n' >"$dir/omp.c"
printf '  for (int i = 0; i < n; i++) x[i] = sqrtf(x[i]);\n}\n' >>"$dir/omp.c"
try "OpenMP where libc has binary128 complex numbers" 0 'openmp, 1 kernel$' '' kernels "$dir/omp.c" -- -isystem "$dir/glibc"
# Processes that precompile the same headers at once: one must not make the other's stale by writing their list again.
printf '#include <stdio.h>\n#include <math.h>\n__global__ void k(float *x) { x[threadIdx.x] = sqrtf(2); }\n' >"$dir/headers.cu"
for again in 1 2 3; do "$program" kernels "$dir/headers.cu" >/dev/null 2>&1; done
touch -d 2001-02-03 "$dir/cache/warpwise/front"/pch-*.h # what was precompiled is stale now
try "headers are precompiled again" 0 'k +3 .* yes' '' kernels "$dir/headers.cu"
n=$((n + 1))
if [ -n "$(find "$dir/cache/warpwise/front" -name 'pch-*.h')" ] && [ -z "$(find "$dir/cache/warpwise/front" -name 'pch-*.h' -newermt 2001-02-04)" ]; then
  echo "ok $n - and their list stays as it is"
else
  bad=1
  echo "not ok $n - and their list stays as it is"
fi
try "trace: several kernels, none named" 2 '' 'name one with --kernel: spin, shifted' trace "$dir/trace.cu"
try "trace: no such kernel" 2 '' 'no kernel .shfted.*it has spin, shifted' trace "$dir/trace.cu" -k shfted
try "trace: too many arguments" 3 '' 'args.3.: the kernel takes 3 arguments' trace "$dir/trace.cu" --launch "$dir/many.launch"
try "trace: a misspelt member" 3 '' 'argz' trace "$dir/trace.cu" --launch "$dir/typo.launch"
try "trace: a launch that is no JSON" 3 '' 'text.launch' trace "$dir/trace.cu" --launch "$dir/text.launch"
try "trace: no such launch file" 3 '' 'none.launch' trace "$dir/trace.cu" --launch "$dir/none.launch"
try "trace: no such argument" 3 '' 'has no argument "m"; it has: x, y, n' trace "$dir/trace.cu" -k shifted --grid 2 --block 64 --arg m=3
try "trace: out of range, with its line" 3 '' 'trace.cu:7: load of 4 bytes at byte 512 of .x., which has 512 bytes' trace "$dir/trace.cu" --launch "$dir/short.launch"
try "trace: the same as JSON" 3 '"error":\{"code":"data","message":"load of 4 bytes.*"line":7' '' trace --json "$dir/trace.cu" --launch "$dir/short.launch"
try "trace: a loop that never ends" 3 '' 'trace.cu:[0-9]+: spins for ever: waits for byte 0 of .flag.' trace "$dir/trace.cu" -k spin --grid 1 --block 32 --arg 'flag=i32[1]:zeros' --full
try "predict: a loop that never ends" 3 '' 'trace.cu:[0-9]+: spins for ever: waits for .flag. to change, which this kernel does not write' predict "$dir/trace.cu" -k spin --grid 1 --block 32 --arg 'flag=i32[1]:zeros'
try "trace: a block no GPU runs" 2 '' '1 to 1024' trace "$dir/trace.cu" -k shifted --grid 1 --block 2048
printf '__global__ void wide(float *x) { x[threadIdx.x] = 1; }\nint main() {\n  float *x;\n  cudaMalloc(&x, 64);\n  wide<<<4, 2048>>>(x);\n}\n' >"$dir/wide.cu"
try "predict: where the host code launches it so" 2 '' '1 to 1024 \(launched by .*wide.cu:5\)' predict "$dir/wide.cu"
printf '__global__ void big(float *x) {\n  extern __shared__ float s[];\n  s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  x[threadIdx.x] = s[255 - threadIdx.x];\n}\n' >"$dir/big.cu"
try "predict: shared memory that no block gets" 2 '' 'a block of big takes 120000 bytes of shared memory, and NVIDIA GeForce RTX 3080 10GB gives it at most 101376: use less, or name another GPU' predict "$dir/big.cu" --grid 4 --block 256 --shared 120000 --gpu rtx3080
try "predict: another GPU that has it answers" 0 '^rtx3080: a block of big takes' '' predict "$dir/big.cu" --grid 4 --block 256 --shared 120000 --gpu h200,rtx3080
try "trace: no grid at all" 2 '' '--grid: expected 1 to' trace "$dir/trace.cu" -k shifted --grid 0
try "trace: no argument's name" 2 '' '--arg: expected name=value' trace "$dir/trace.cu" -k shifted --arg n
try "trace: a name without a value" 3 '' '"n" has no value; give one, e.g. --arg n=' trace "$dir/trace.cu" -k shifted --grid n/64
try "trace: a fraction for an integer" 3 '' 'argument 2 \(.n.\) is int and takes a whole number, not 1.5' trace "$dir/trace.cu" -k shifted --arg n=1.5
try "trace: a number too large for its argument" 3 '' 'is int of 4 bytes and cannot hold 99999999999' trace "$dir/trace.cu" -k shifted --arg n=99999999999
try "trace: a template that nobody instantiates" 3 '' "name an instance with --instantiate 'scale<...>'" trace "$dir/template.cu"
try "trace: a missing header is named" 3 '' "undeclared identifier 'W'; header.cu:1: header 'nothere.h' was not found" trace "$dir/header.cu"
try "trace: a file of no known language" 2 '' 'give --lang cuda' trace "$dir/text.launch"
try "trace: source that does not compile" 3 '' 'broken.cu:1' trace "$dir/broken.cu" --grid 1 --block 32
try "trace: a binary file" 3 '' 'is a binary file' trace "$dir/binary.cu"
try "trace: a file of 1 GB" 3 '' 'huge.cu' trace "$dir/huge.cu"
try "trace: a GPU nobody knows" 2 '' "no GPU is called 'h2000' \(did you mean h200\?\)" trace "$dir/trace.cu" -k shifted --gpu h2000
try "trace: CUDA code for an AMD GPU" 2 '' 'cuda code is read for warps of 32 lanes' trace "$dir/trace.cu" -k shifted --gpu mi250
try "trace: OpenCL code takes the GPU's lanes" 0 '"gpu":"mi250".*"warps":16,' '' trace --json "$dir/ok.cl" --grid 4 --block 256 --gpu mi250
try "trace: sizes found by running" 0 'assumed: .*x: 516 bytes, from the accesses|x: 516 bytes, from the accesses' '' trace "$dir/trace.cu" -k shifted --grid 2 --block 64 --arg n=128
here=$(dirname "$0")/..
# Every example of these pages, a line `$ warpwise ...` in a block, prints what stands below it.
for page in README.md docs/trace.md; do
  grep '^\$ warpwise ' "$here/$page" | sed 's/^\$ warpwise //' >"$dir/shown"
  while read -r shown; do
    n=$((n + 1))
    # shellcheck disable=SC2086
    (cd "$here" && "$program" $shown) >"$dir/out" 2>"$dir/err" </dev/null
    awk -v want="\$ warpwise $shown" '$0 == want { on = 1; next } /^```/ { on = 0 } on' "$here/$page" >"$dir/page"
    if cmp -s "$dir/out" "$dir/page"; then echo "ok $n - $page shows what \`$shown\` prints"; else
      bad=1
      echo "not ok $n - $page shows what \`$shown\` prints"
      diff "$dir/page" "$dir/out" | head -n 10 | sed 's/^/# /'
    fi
  done <"$dir/shown"
done
# ---- gpus ----
try "gpus: the list" 0 '^h200 +NVIDIA H200 SXM +sm_90 +132 +1980 ' '' gpus
try "gpus: the list as JSON" 0 '^\{"schema_version":1,"name":"mi300x",.*"sms":304,"lanes":64' '' gpus --json
try "gpus show" 0 '^  l2.bytes +[0-9]+ byte +[a-z]' '' gpus show h200
try "gpus show: instructions" 0 '^  ffma +[0-9.]+ +[0-9.]+$' '' gpus show h200
try "gpus show as JSON" 0 '"dram":\{"bytes":\{"value":[0-9.e+]+,"source":"' '' gpus show h200 --json
try "gpus show: a name nobody knows" 2 '' "no GPU is called 'h2000' \(did you mean h200\?\); known are a10" gpus show h2000
try "gpus show: names are the same in capitals" 0 "H200" "" gpus show H200
try "gpus show: none named" 2 '' 'name one GPU' gpus show
try "gpus: a misspelt subcommand" 2 '' "not 'shwo'" gpus shwo
sed 's/"sms": 132/"sm_s": 132/' "$(dirname "$0")/../gpus/h200.json" >"$dir/bad.json"
try "gpus show: a description that lacks a member" 3 '' 'bad.json: sms is missing' gpus show "$dir/bad.json"
sed 's/"line_bytes": /"line_bites": /' "$(dirname "$0")/../gpus/h200.json" >"$dir/bad.json"
try "gpus show: a misspelt figure" 3 '' 'l1.line_bites: no figure is called so' gpus show "$dir/bad.json"
try "gpus probe: no such device" 4 '' 'no CUDA d(river|evice)' gpus probe --device nosuchdevice
try "gpus probe: a bad threshold" 2 '' 'expected a percentage' gpus probe --verify h200 --threshold ten
try "gpus probe: an unknown description is found before the device is asked" 2 '' "no GPU is called 'h2000'" gpus probe --verify h2000
printf '{"device":"NVIDIA H200","architecture":"sm_90","date":"2026-11-20","sms":132,"lanes":32,"points":[{"name":"l2.latency","value":%s}]}' 500 >"$dir/points.json"
try "gpus probe --verify: off" 1 'l2.latency +[0-9.]+ +500 .*OFF' '' gpus probe --from "$dir/points.json" --verify h200
try "gpus probe --verify: within the threshold" 0 '^0 of 1 figures' '' gpus probe --from "$dir/points.json" --verify h200 --threshold 300%
try "gpus probe: measured over the description that fits" 0 '"latency":\{"value":500,"source":"probe 2026-11-20"\}' '' gpus probe --from "$dir/points.json" --json
try "gpus probe -o" 0 '' '1 points of NVIDIA H200' gpus probe --from "$dir/points.json" -o "$dir/probed.json"
try "gpus show: what a probe wrote" 0 'calibrated: probe of an NVIDIA H200, 2026-11-20' '' gpus show "$dir/probed.json"

n=$((n + 1))
left=$(find "$dir/tmp" -mindepth 1 | wc -l)
if [ "$left" -eq 0 ]; then echo "ok $n - nothing is left in TMPDIR"; else bad=1; echo "not ok $n - $left files are left in TMPDIR"; fi
echo "1..$n"
exit $bad
