#!/bin/sh
# import.sh WARPWISE : sources of others into a store, launches of a corpus as ready specs, leaks between splits.
warpwise=$1
passed=0
failed=0
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

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
