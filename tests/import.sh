#!/bin/sh
# import.sh WARPWISE : sources of others into a store, launches of a corpus as ready specs, leaks between splits.
warpwise=$1
passed=0
failed=0
skipped=0
dir=$(mktemp -d) || exit 1
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
trap 'rm -rf "$dir"' EXIT

ok() { # ok NAME COMMAND... : succeeds
  name=$1
  shift
  if "$@" >"$dir/now" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "not ok: $name"
    cut -c1-300 "$dir/now" | sed 's/^/    /' | head -n 20
  fi
  case $1 in says | lines | sh | cmp) ;; *) mv "$dir/now" "$dir/out" ;; esac # what the next `says` looks at
}
code() { # code WANT COMMAND... : ends with that exit code
  want=$1
  shift
  "$@"
  [ $? -eq "$want" ]
}
says() { # says FILE PATTERN
  grep -q -e "$2" "$1" || { cat "$1"; false; }
}
lines() { [ "$(wc -l <"$1")" -eq "$2" ] || { echo "$(wc -l <"$1") lines in $1, not $2"; false; }; }

# ---- a corpus of two families, one kernel of which is a disguised copy ----
mkdir -p "$dir/corpus/gemm" "$dir/corpus/scan" "$dir/other"
cat >"$dir/corpus/gemm/a.cl" <<'EOF'
// warpwise: grid=n/16,n/16 block=16,16 n=64 a=f32[n*n] b=f32[n*n] c=f32[n*n]
__kernel void product(int n, __global const float *a, __global const float *b, __global float *c) {
  __local float as[16][16], bs[16][16];
  int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[j][i] = a[y * n + t + i];
    bs[j][i] = b[(t + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum += as[j][k] * bs[k][i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
// warpwise: grid=(n+255)/256 block=256 n=4096 a=2.0 x=f32[n] y=f32[n]
__kernel void axpy(int n, float a, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
EOF
cat >"$dir/corpus/launches.jsonl" <<'EOF'
{"file":"gemm/a.cl","kernel":"product","args":[{"name":"n","value":32}]}
{"file":"gemm/a.cl","kernel":"axpy","args":[{"name":"n","value":100}]}
EOF
cat >"$dir/corpus/scan/b.cl" <<'EOF'
// warpwise: grid=(n+255)/256 block=256 n=4096 x=i32[n]:uniform(0,9) y=i32[n]
__kernel void sums(int n, __global const int *x, __global int *y) {
  __local int s[256];
  int i = get_global_id(0), t = get_local_id(0);
  s[t] = i < n ? x[i] : 0;
  for (int d = 1; d < 256; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t >= d ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += v;
  }
  if (i < n) y[i] = s[t];
}
EOF

# ---- plan ----
ok "a corpus is planned" "$warpwise" dataset plan "$dir/corpus" --launches 4 --gpu h200 -o "$dir/ready.jsonl"
ok "its summary counts kernels" says "$dir/out" "launches of 3 kernels"
ok "listed and sampled launches are there" sh -c "[ \$(grep -c product '$dir/ready.jsonl') -ge 4 ]"
ok "notes name the kernel" says "$dir/ready.jsonl" '"note":"corpus/gemm/a.cl:axpy opencl number='
ok "the listed size is there" sh -c "grep axpy '$dir/ready.jsonl' | grep -q '\"hex\":\"64000000\"'"
cp "$dir/ready.jsonl" "$dir/first.jsonl"
ok "the same seed" "$warpwise" dataset plan "$dir/corpus" --launches 4 --gpu h200 -o "$dir/ready.jsonl" -j 1
ok "gives the same launches" cmp "$dir/first.jsonl" "$dir/ready.jsonl"
ok "only what is listed" "$warpwise" dataset plan "$dir/corpus" --listed --gpu h200 -o "$dir/listed.jsonl"
ok "is as many as it should be" lines "$dir/listed.jsonl" 5
ok "every ready launch is interpreted" "$warpwise" trace --launch "$dir/ready.jsonl" --json

# ---- check ----
ok "a corpus without leaks" "$warpwise" dataset check "$dir/corpus"
sed 's/product/mm/; s/\bsum\b/total/g; s/\bas\b/first/g; s/\bbs\b/second/g; s/16/8/g; s/float \*c/float *out/; s/c\[y/out[y/; s/ c=f32/ out=f32/' "$dir/corpus/gemm/a.cl" |
  sed '/axpy/,$d' >"$dir/other/copy.cl"
ok "a renamed copy elsewhere is found" code 1 "$warpwise" dataset check "$dir/corpus" --against "$dir/other"
ok "and named" says "$dir/out" 'gemm/a.cl:product .*copy.cl:mm'
cp "$dir/other/copy.cl" "$dir/corpus/scan/copy.cl"
ok "a copy in another split is found" code 1 "$warpwise" dataset check "$dir/corpus"
rm "$dir/corpus/scan/copy.cl"
mkdir "$dir/corpus/unheard"
cp "$dir/corpus/scan/b.cl" "$dir/corpus/unheard/"
ok "a family in no split is complained about" code 1 "$warpwise" dataset check "$dir/corpus"
ok "by name" says "$dir/out" 'family unheard is in no split'
rm -r "$dir/corpus/unheard"

# ---- import ----
cat >"$dir/other/more.cl" <<'EOF'
__kernel void smooth(__global const float *in, __global float *out, int n) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
__kernel void blur(__global const float *src, __global float *dst, int count) {
  int at = get_global_id(0);
  if (at > 0 && at < count - 1) dst[at] = 0.3f * src[at - 1] + 0.4f * src[at] + 0.3f * src[at + 1];
}
EOF
echo '__kernel void broken(__global float *x) { x[get_global_id(0)] = nobody_declared_this; }' >"$dir/other/broken.cl"
ok "sources are planned" "$warpwise" dataset import "$dir/other" --launches 2 --gpu h200 --plan "$dir/import.jsonl"
ok "a copy is left out" says "$dir/out" '1 of them near-duplicates'
ok "what cannot be read is counted by cause" says "$dir/out" 'use of undeclared identifier'
ok "keys are of imports" says "$dir/import.jsonl" '"note":"import/[0-9a-f]*/[^ ]*:smooth opencl'
ok "a store must be named" code 2 "$warpwise" dataset import "$dir/other"
ok "sources are measured" "$warpwise" dataset import "$dir/other" --store "$dir/s.sqlite" --device pocl --launches 1 --counters 0 --json
"$warpwise" dataset stats "$dir/s.sqlite" --json >"$dir/stats" 2>&1
ok "rows are in the store" says "$dir/stats" '"store":"s.sqlite","kernels":2,'
ok "again" "$warpwise" dataset import "$dir/other" --store "$dir/s.sqlite" --device pocl --launches 1 --counters 0 --json
ok "measures nothing twice" says "$dir/out" '"rows":0'

# A kernel that faults on the device: its first launch is tried alone, the others not at all, and those of sound kernels are measured.
cp -r "$dir/import.jsonl.d" "$dir/wild.jsonl.d"
sed 's/import\.jsonl\.d/wild.jsonl.d/g' "$dir/import.jsonl" >"$dir/wild.jsonl"
wild=$(grep -l 'void smooth' "$dir/wild.jsonl.d"/*.cl)
awk '{ print } /void smooth/ { print "  *(volatile __global int *)(1ul << 20) = 1;" }' "$wild" >"$dir/wild.cl" && mv "$dir/wild.cl" "$wild"
ok "a kernel that faults is collected" "$warpwise" dataset collect --store "$dir/wild.sqlite" --ready "$dir/wild.jsonl" --device pocl --counters 0 --json
ok "its launches have failed" says "$dir/out" '"failed":3'
"$warpwise" dataset stats "$dir/wild.sqlite" --json >"$dir/stats" 2>&1
ok "the second was not tried" says "$dir/stats" 'not tried, as another launch of the kernel failed'

# ---- what is kept for evaluation, what was read before ----
mkdir "$dir/kept.for" "$dir/keep"
cat >"$dir/kept.for/suite.cl" <<'EOF'
__kernel void product(__global const float *l, __global const float *r, __global float *to, int m) {
  int column = get_global_id(0), row = get_global_id(1);
  float total = 0;
  for (int i = 0; i < m; i++) total += l[row * m + i] * r[i * m + column];
  if (total > 0) to[row * m + column] = total; else to[row * m + column] = -total;
}
EOF
echo '__kernel void small(__global float *x) { x[get_global_id(0)] = 1; }' | tee "$dir/other/small.cl" >"$dir/kept.for/small.cl" # too small to be judged: a line or two has no other form
sed 's/product/renamed/; s/total/sum/g; s/ m)/ size)/; s/ m / size /g; s/< m;/< size;/' "$dir/kept.for/suite.cl" >"$dir/other/copied.cl"
plan() { "$warpwise" dataset import "$dir/other" --launches 2 --gpu h200 --plan "$dir/$1" --against "$dir/kept.for" --keep "$dir/keep/deep/er"; }
ok "with a suite that is for evaluation" plan against.jsonl
ok "its copy is left out, under whatever name" says "$dir/out" '1 like one that is kept for evaluation'
ok "small ones stay" says "$dir/against.jsonl" ':small opencl'
ok "no launch of the copy" sh -c '! grep -q renamed "$1"' - "$dir/against.jsonl"
ok "each file is kept" sh -c 'ls "$1" && [ "$(ls "$1" | wc -l)" = 7 ]' - "$dir/keep/deep/er"
for f in "$dir"/keep/deep/er/*; do sed 's/use of undeclared/kept from before/g' "$f" >"$dir/now" && cp "$dir/now" "$f"; done
ok "again" plan again.jsonl
ok "from what was kept" says "$dir/out" 'kept from before'
sed -i 's/again.jsonl.d/against.jsonl.d/' "$dir/again.jsonl"
ok "the same launches" cmp "$dir/against.jsonl" "$dir/again.jsonl"
ok "a folder that cannot be made" code 3 "$warpwise" dataset import "$dir/other" --gpu h200 --plan "$dir/none" --keep "$dir/again.jsonl/x"

# ---- a list of repositories ----
if command -v git >/dev/null && command -v python3 >/dev/null; then
  repo="$dir/host/some/one"
  mkdir -p "$repo/src" "$repo/include/one" "$repo/third_party"
  printf '#include "one/size.h"\n#include "made_by_cmake.h"\n__global__ void grow(float *x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= SIZE;\n}\n' >"$repo/src/grow.cu"
  echo '#define SIZE 3' >"$repo/include/one/size.h"
  cp "$repo/src/grow.cu" "$repo/third_party/copy.cu"
  printf '#include "a\000b.h"\n#include "%0300d.h"\n#include "../../../../../../../../../outside.h"\n__global__ void odd(float *x) { x[threadIdx.x] = 1; }\n' 1 >"$repo/src/odd.cu"
  ln -s /etc/passwd "$repo/src/passwd.cu"
  git -C "$repo" init -q && git -C "$repo" add . && git -C "$repo" -c user.name=n -c user.email=e@e commit -qm one
  was=$(git -C "$repo" rev-parse HEAD)
  echo '__global__ void later(float *x) { x[0] = 1; }' >"$repo/src/later.cu"
  git -C "$repo" add . && git -C "$repo" -c user.name=n -c user.email=e@e commit -qm two
  printf 'repository\tcommit\tlicence\tkernel_lines\nsome/one\t%s\tMIT\t5\n' "$was" >"$dir/list.tsv"
  mkdir -p "$dir/repos/checkouts/some+one.part/rest" # of a clone that was interrupted
  from() { WARPWISE="$warpwise" IMPORT_HOST="file://$dir/host/" python3 scripts/import.py "$dir/repos" --list "$dir/list.tsv" --clone "$@"; }
  if "$warpwise" doctor | grep -q '^ok  *\(nvcc\|libnvrtc\) '; then
    ok "repositories of a list" from -- --launches 2 --gpu h200 --plan "$dir/listed.jsonl"
    ok "kernels know repository and file" says "$dir/listed.jsonl" '"note":"import/[0-9a-f]*/some+one/src/grow.cu:grow'
  else # launches for an H200 are compiled for it
    from -- --launches 2 --gpu h200 --plan "$dir/listed.jsonl" >"$dir/out" 2>&1
    skipped=$((skipped + 2))
    echo "skipped: a list of CUDA repositories: neither nvcc nor NVRTC is here"
  fi
  ok "at their commits, without copies of others" says "$dir/out" '^some+one: 2 files'
  ok "no link is followed" sh -c '! ls -R "$1" | grep -q passwd' - "$dir/repos/selected"
  ok "a part of the list that has none" code 3 from --part 1/2 -- --gpu h200 --plan "$dir/part.jsonl"
  ok "a part that is none" code 2 from --part 1
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
