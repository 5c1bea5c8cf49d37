#!/bin/sh
# ptx.sh BUILD : PTX as users meet it: files of nvcc and of Triton, and, where nvcc is installed, the CUDA triples of tests/kernels through it. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
program=$build/warpwise
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
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

# ---- a file of nvcc ----
matmul="tests/ptx/matmul.ptx -k naive --gpu h200"
try "kernels: names of the parameters from the source" 0 'naive +4 +0 +0 +yes +const float \*a, const float \*b, float \*c, int n' '' kernels tests/ptx/matmul.ptx
try "kernels --ir" 0 'lea i64 %b.1' '' kernels tests/ptx/matmul.ptx --ir
# shellcheck disable=SC2086
try "predict" 0 '^time +[0-9.]+ [mu]s$' '' predict $matmul --grid 128,128 --block 16,16 --arg n=2048 --color never
# shellcheck disable=SC2086
try "explain: a line of the source" 0 '^Change first: line 7, .*redundant-load' '' explain $matmul --grid 128,128 --block 16,16 --arg n=2048 --color never
report "explain: the line itself, and its file" "$(grep -q '7 | for (int k = 0' "$dir/out" || echo 'no line'; head -n 1 "$dir/out" | grep -q 'examples/matmul.cu:4' || head -n 1 "$dir/out")"
"$program" trace tests/ptx/matmul.ptx -k naive --grid 2,2 --block 16,16 --arg n=32 --full --dump "$dir/a" >"$dir/log" 2>&1
"$program" trace examples/matmul.cu -k naive --grid 2,2 --block 16,16 --arg n=32 --full --dump "$dir/b" >>"$dir/log" 2>&1
report "trace --full: the same results as from the source" "$(diff -r "$dir/a" "$dir/b" 2>&1; ls "$dir/a" >/dev/null 2>&1 || cat "$dir/log")"
# shellcheck disable=SC2086
time_of() { "$program" predict "$1" -k naive --gpu h200 --by machine --grid 128,128 --block 16,16 --arg n=2048 --json | sed -n 's/.*"time_us":{"value":\([0-9.]*\).*/\1/p'; }
report "predict: the time that the source has, within 15 %" "$(echo "$(time_of tests/ptx/matmul.ptx) $(time_of examples/matmul.cu)" | awk '{ if (!($1 > 0 && $1 < 1.15 * $2 && $2 < 1.15 * $1)) print }')"

# ---- without lines: of the PTX itself ----
grep -vE '\.(loc|file)' tests/ptx/matmul.ptx >"$dir/bare.ptx"
try "explain without .loc: lines of the PTX" 0 '[0-9]+ \| (ld\.global|fma)' '' explain "$dir/bare.ptx" -k naive --gpu h200 --grid 128,128 --block 16,16 --arg arg3=2048 --color never
try "parameters without a source" 0 'const float \*arg0, const float \*arg1, float \*arg2, int arg3' '' kernels "$dir/bare.ptx"

# ---- Triton's cache ----
mkdir "$dir/cache"
cp tests/ptx/vector_add.ptx tests/ptx/vector_add.json tests/ptx/kernels.py "$dir/cache/"
try "a folder of Triton's cache" 0 'vector_add +[0-9]+ .* const float \*x, const float \*y, float \*out, int n' '' kernels "$dir/cache"
try "its metadata gives block and shared memory" 0 '"block":\[128,1,1\].*"assumed":\["block and shared memory: as vector_add.json has them"' '' predict "$dir/cache" --gpu h200 --grid 1024 --arg n=1048576 --json
try "explain: a line of Python" 0 '7 \| tl.store' '' explain "$dir/cache" --gpu h200 --grid 1024 --arg n=1048576 --color never

# ---- PTX inside compiled code ----
for kind in zstd lz4 plain; do
  try "a fat binary, $kind" 0 'scale +2 .* yes +const float \*x, float \*y, int n' '' kernels tests/ptx/scale_$kind.fatbin
done
try "explain: a line of the source" 0 '5 \| y\[i\] = 2 \* x\[i\] \+ 1;' '' explain tests/ptx/scale_zstd.fatbin --gpu h200 --color never
try "its launch comment" 0 '^grid 4096, block 256' '' predict tests/ptx/scale_zstd.fatbin --gpu h200 --color never
printf '{"kernel":"scale","grid":[64],"block":[128],"binary":"%s"}\n' "$PWD/tests/ptx/scale_lz4.fatbin" >"$dir/recorded.jsonl"
try "a recorded launch that has code alone" 0 '^grid 64, block 128' '' predict --launch "$dir/recorded.jsonl" --gpu h200 --color never
head -c 300 tests/ptx/scale_zstd.fatbin >"$dir/cut.fatbin"
try "a fat binary that is not whole" 3 '' 'cut.fatbin: .*damaged, or not whole' kernels "$dir/cut.fatbin"
try "a program without PTX" 3 '' 'there is no PTX in it' kernels "$program"

# ---- a texture: the buffer in its place is a square of elements ----
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry turn(.param .u64 image, .param .u64 out)\n{\n.reg .b32 %%r<9>;\n.reg .f32 %%f<9>;\n.reg .b64 %%d<9>;
ld.param.u64 %%d1, [image];\nld.param.u64 %%d2, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%tid.y;\ncvt.rn.f32.u32 %%f1, %%r1;\ncvt.rn.f32.u32 %%f2, %%r2;\nadd.f32 %%f3, %%f2, 0f3F000000;
tex.2d.v4.f32.f32 {%%f4, %%f5, %%f6, %%f7}, [%%d1, {%%f3, %%f1}];\nmad.lo.s32 %%r3, %%r2, 16, %%r1;\nmul.wide.u32 %%d4, %%r3, 4;\nadd.s64 %%d5, %%d2, %%d4;\nst.global.f32 [%%d5], %%f4;\nret;\n}\n' >"$dir/turn.ptx"
echo '{"file":"turn.ptx","kernel":"turn","grid":[1],"block":[16,16],"args":[{"buffer":{"bytes":1024,"type":"f32","fill":"index"}},{"buffer":{"bytes":1024,"type":"f32","fill":"zeros"}}]}' >"$dir/turn.launch"
"$program" trace --launch "$dir/turn.launch" --full --dump "$dir/turned" >"$dir/log" 2>&1
report "tex.2d: rows and columns exchanged" "$(od -An -v -w4 -tf4 "$dir/turned/arg1.bin" | awk '{ i = NR - 1; if ($1 + 0 != i % 16 * 16 + int(i / 16)) exit bad = 1 } END { if (bad || NR != 256) print "row " i }' || cat "$dir/log")"

# ---- a gather: the second components of the four elements around (x + 1, y + 1), at the edges those that there are ----
sed 's/tex.2d.v4.f32.f32 .*/add.f32 %f1, %f1, 0f3F800000;\nadd.f32 %f3, %f2, 0f3F800000;\ntld4.g.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f3}];/; s/, 16, %r1/, 8, %r1/; s/mul.wide.u32 %d4, %r3, 4/mul.wide.u32 %d4, %r3, 16/
s/st.global.f32 \[%d5\], %f4/st.global.v4.f32 [%d5], {%f4, %f5, %f6, %f7}/' "$dir/turn.ptx" >"$dir/gather.ptx"
echo '{"file":"gather.ptx","kernel":"turn","grid":[1],"block":[8,8],"args":[{"buffer":{"bytes":512,"type":"f32","fill":"index"}},{"buffer":{"bytes":1024,"type":"f32","fill":"zeros"}}]}' >"$dir/gather.launch"
"$program" trace --launch "$dir/gather.launch" --full --dump "$dir/gathered" >"$dir/log" 2>&1
report "tld4: the four around" "$(od -An -v -w4 -tf4 "$dir/gathered/arg1.bin" | awk '
  function at(x, y) { x = x > 7 ? 7 : x; y = y > 7 ? 7 : y; return (y * 8 + x) * 2 + 1 }
  { i = NR - 1; k = i % 4; t = int(i / 4); x = t % 8; y = int(t / 8); want = at(x + (k == 1 || k == 2), y + (k < 2)); if ($1 + 0 != want) { print "element " i ": " $1 ", not " want; exit } }
  END { if (NR != 256) print "elements: " NR }' || cat "$dir/log")"

# ---- the stack: arrays whose size the code computes; what is given back is there again ----
cat >"$dir/stack.ptx" <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.visible .entry stack(.param .u64 out, .param .u32 more)
{
.reg .pred %p<4>;
.reg .b32 %r<12>;
.reg .b64 %d<16>;
ld.param.u64 %d1, [out];
ld.param.u32 %r9, [more];
cvta.to.global.u64 %d2, %d1;
mov.u32 %r1, %tid.x;
mad.lo.s32 %r2, %r1, 4, 4;
add.s32 %r2, %r2, %r9;
cvt.u64.u32 %d3, %r2;
stacksave.u64 %d4;
alloca.u64 %d5, %d3, 16;
alloca.u64 %d6, 16;
mov.u32 %r3, 0;
FILL:
mul.wide.u32 %d7, %r3, 4;
add.s64 %d8, %d5, %d7;
mul.lo.s32 %r4, %r3, %r1;
st.local.u32 [%d8], %r4;
add.s32 %r3, %r3, 1;
setp.le.u32 %p1, %r3, %r1;
@%p1 bra FILL;
mov.u32 %r5, 7000;
st.local.u32 [%d6], %r5;
mov.u32 %r3, 0;
mov.u32 %r6, 0;
SUM:
mul.wide.u32 %d7, %r3, 4;
add.s64 %d8, %d5, %d7;
ld.local.u32 %r4, [%d8];
add.s32 %r6, %r6, %r4;
add.s32 %r3, %r3, 1;
setp.le.u32 %p1, %r3, %r1;
@%p1 bra SUM;
ld.local.u32 %r5, [%d6];
add.s32 %r6, %r6, %r5;
stackrestore.u64 %d4;
alloca.u64 %d9, 4, 4;
setp.eq.u64 %p2, %d9, %d5;
@%p2 add.s32 %r6, %r6, 100000;
mul.wide.u32 %d7, %r1, 4;
add.s64 %d8, %d2, %d7;
st.global.u32 [%d8], %r6;
ret;
}
EOF
echo '{"file":"stack.ptx","kernel":"stack","grid":[1],"block":[32],"args":[{"buffer":{"bytes":128,"type":"i32","fill":"zeros"}},{"value":0}]}' >"$dir/stack.launch"
"$program" trace --launch "$dir/stack.launch" --full --dump "$dir/stacked" >"$dir/log" 2>&1
report "alloca, stacksave, stackrestore" "$(od -An -v -w4 -td4 "$dir/stacked/arg0.bin" | awk '{ t = NR - 1; if ($1 != 107000 + t * t * (t + 1) / 2) { print "thread " t ": " $1; exit } } END { if (NR != 32) print "threads: " NR }' || cat "$dir/log")"
sed 's/"value":0/"value":1000/' "$dir/stack.launch" >"$dir/deep.launch"
try "alloca of more than a thread's stack" 3 '' 'address 0' trace --launch "$dir/deep.launch" --full

# ---- forms of instructions, which ptxas takes for sm_90a: which are refused is in tests/ptx/refused.txt, how many in docs/ptx.md ----
if ! command -v zstd >/dev/null 2>&1; then
  skip "forms of instructions: there is no zstd"
else
  zstd -dcq tests/ptx/forms.zst | awk 'BEGIN { print ".version 9.0\n.target sm_90a\n.address_size 64" }
    { printf ".entry k%d() {\n.reg .pred %%p<64>; .reg .b16 %%h<99>; .reg .b32 %%r<300>; .reg .b64 %%d<64>; .reg .f32 %%f<300>; .reg .f64 %%g<99>; .reg .b128 %%q<8>;\n{ %s }\nret; }\n", NR, $0 }' >"$dir/forms.ptx"
  "$program" kernels "$dir/forms.ptx" >"$dir/out" 2>"$dir/err"
  all=$(grep -c '^  k[0-9]' "$dir/out")
  sed -n 's/.*cannot be interpreted: PTX: //p' "$dir/out" >"$dir/refused"
  cut -f 1 tests/ptx/refused.txt >"$dir/patterns"
  report "what is refused is known to be" "$(grep -vEf "$dir/patterns" "$dir/refused" | head -n 3)"
  report "what is known to be refused is" "$(while IFS= read -r p; do grep -qE -- "$p" "$dir/refused" || echo "$p"; done <"$dir/patterns")"
  said="of $all forms of instructions $((all - $(wc -l <"$dir/refused"))) are read"
  report "$said, as docs/ptx.md says" "$([ "$all" -gt 10000 ] && tr '\n' ' ' <docs/ptx.md | grep -qiF "$said" || echo 'docs/ptx.md says something else')"
fi

# ---- what is not read ----
printf '.version 8.7\n.target sm_100a\n.address_size 64\n.entry good() { ret; }\n.entry bad() { tcgen05.wait::ld.sync.aligned; ret; }\n' >"$dir/new.ptx"
try "an unknown instruction refuses its kernel alone, by name" 0 'cannot be interpreted: PTX: tcgen05\.wait::ld' '' kernels "$dir/new.ptx"
report "the other kernel runs" "$(grep -qE 'good .* yes' "$dir/out" || cat "$dir/out")"
printf '.version 8.0\n.target sm_90\nnonsense\n' >"$dir/bad.ptx"
try "no PTX: the line" 3 '' "bad.ptx:3: .*'nonsense'" kernels "$dir/bad.ptx"
try "several files" 2 '' 'one file at a time' predict tests/ptx/matmul.ptx tests/ptx/vector_add.ptx --grid 1

# ---- --via nvcc, with one that gives the PTX of a file ----
mkdir -p "$dir/fake/bin" "$dir/broken/bin"
cat >"$dir/fake/bin/nvcc" <<EOF
#!/bin/sh
case \$1 in --version) echo "release 13.0, V13.0.88" && exit ;; esac
while [ "\$1" != -o ]; do shift; done
while IFS= read -r line; do printf '%s\\n' "\$line"; done <"$PWD/tests/ptx/matmul.ptx" >"\$2"
EOF
printf '#!/bin/sh\nexit 1\n' >"$dir/broken/bin/nvcc"
chmod +x "$dir/fake/bin/nvcc" "$dir/broken/bin/nvcc"
usual=$PATH
PATH=$dir/fake/bin:$usual
export PATH
try "kernels --via nvcc: its PTX, names of the source" 0 'naive .* yes +const float \*a, const float \*b, float \*c, int n' '' kernels --via nvcc examples/matmul.cu
try "predict --via nvcc: the launch of the host code" 0 '^assumed: +launch: as in the host code, matmul.cu' '' predict --via nvcc examples/matmul.cu -k naive --gpu h200 --color never
try "explain --via nvcc: a line of the source" 0 '^Change first: line 7, ' '' explain --via nvcc examples/matmul.cu -k naive --gpu h200 --color never
try "--via: another word" 2 '' 'expected clang or nvcc' kernels --via gcc examples/matmul.cu
printf '#include <cub/cub.cuh>\n__global__ void own(float *x) { *x = 1; }\n' >"$dir/library.cu"
try "a kernel that only a library makes: nvcc is asked by itself" 0 '^time ' '' predict "$dir/library.cu" -k naive --grid 128,128 --block 16,16 --gpu h200 --color never
try "but not with --via clang" 2 '' 'has no kernel' predict --via clang "$dir/library.cu" -k naive --grid 128,128 --block 16,16 --gpu h200
PATH=/usr/bin:/bin
CUDA_HOME=$dir/broken try "--via nvcc where there is none" 4 '' 'there is no nvcc: install the CUDA toolkit' kernels --via nvcc examples/matmul.cu
PATH=$usual

# ---- through nvcc ----
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
if [ -z "$nvcc" ]; then
  skip "the CUDA triples through nvcc: it is not installed"
elif [ ! -x "$build/tests/run_kernels" ]; then
  report "the CUDA triples through nvcc" "there is no $build/tests/run_kernels"
else
  "$build/tests/run_kernels" "$program" --nvcc "$nvcc" >"$dir/out" 2>&1
  ok "the CUDA triples through nvcc: $(tail -n 1 "$dir/out")" $? "$dir/out"
fi
if [ -z "$nvcc" ]; then
  skip "kernels of cub and thrust through nvcc: it is not installed"
else
  cat >"$dir/sort.cu" <<'EOF'
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
void sum(float *a, float *b, int n, void *t, size_t s) { cub::DeviceReduce::Sum(t, s, a, b, n); }
void sort(thrust::device_vector<int> &v) { thrust::sort(v.begin(), v.end()); }
EOF
  "$program" kernels --via nvcc "$dir/sort.cu" --json >"$dir/out" 2>"$dir/err"
  report "kernels that cub and thrust instantiate, all to be run" "$(grep -q DeviceReduceKernel "$dir/out" && grep -q DeviceRadixSortOnesweepKernel "$dir/out" && ! grep -q '"interpretable":false' "$dir/out" || cat "$dir/out" "$dir/err")"
  cat >"$dir/steps.cu" <<'EOF'
#include <cooperative_groups.h>
__global__ void steps(volatile int *a, volatile int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int s = 0; s < n; s++) {
    volatile int *from = s & 1 ? b : a, *to = s & 1 ? a : b;
    to[i] = from[i] + from[(i + 33) % all];
    cooperative_groups::this_grid().sync();
  }
}
EOF
  echo '{"file":"steps.cu","kernel":"steps","grid":[6],"block":[64],"args":[{"buffer":{"bytes":1536,"type":"i32","fill":"index"}},{"buffer":{"bytes":1536,"type":"i32","fill":"zeros"}},{"value":5}]}' >"$dir/steps.launch"
  for via in clang nvcc; do "$program" trace --seconds 0 --via $via --launch "$dir/steps.launch" --full --dump "$dir/steps.$via" >"$dir/log" 2>&1; done
  report "a barrier of the whole grid: the same results by both ways" "$(diff -r -x grid_workspace.bin "$dir/steps.clang" "$dir/steps.nvcc" 2>&1; ls "$dir/steps.nvcc" >/dev/null 2>&1 || cat "$dir/log")"
  cat >"$dir/tile.cu" <<'EOF'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void tile(int *x) {
  __shared__ cg::block_tile_memory<128> memory;
  auto big = cg::tiled_partition<64>(cg::this_thread_block(memory));
  x[threadIdx.x] = cg::reduce(big, x[threadIdx.x], cg::plus<int>()) * 100 + big.shfl(threadIdx.x, 40);
}
EOF
  echo '{"file":"tile.cu","kernel":"tile","grid":[1],"block":[128],"args":[{"buffer":{"bytes":512,"type":"i32","fill":"index"}}]}' >"$dir/tile.launch"
  "$program" trace --via nvcc --launch "$dir/tile.launch" --full --dump "$dir/tile.out" >"$dir/log" 2>&1
  report "a tile of two warps" "$(od -An -v -w4 -td4 "$dir/tile.out/arg0.bin" | awk '{ t = int((NR - 1) / 64); if ($1 != (2016 + 4096 * t) * 100 + 40 + 64 * t) { print NR ": " $1; exit } } END { if (NR != 128) print "elements: " NR }' || cat "$dir/log")"
  printf '\357\273\277#ifdef __CUDACC__\n#endif\n__global__ void marked(float *x) { *x = 1; }\n' >"$dir/mark.cu"
  try "a source that begins with UTF-8's mark" 0 'marked +3 ' '' kernels --via nvcc "$dir/mark.cu"
  try "one of them, without --via" 0 '^time ' '' predict "$dir/sort.cu" -k DeviceRadixSortHistogramKernel --grid 100 --gpu h200 --color never
fi
echo "1..$n"
exit $bad
