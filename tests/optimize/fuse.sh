#!/bin/bash
# fuse.sh BUILD : launches of recorded programs through `warpwise optimize --fuse`; prints TAP.
#
# What comes back has to be a patch that `git apply` takes, with which the program, run in the interpreter, computes what it computed.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
warpwise=$(realpath "${1:-build}/warpwise")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp tests/optimize/{chain,apart,wrapped}.cu "$dir"
cd "$dir" || exit 1
git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm apart

fuse() { # NAME PATTERN... : what was said of the pairs has each of these
  local name=$1 pattern why=
  shift
  for pattern; do
    grep -Eq -- "$pattern" said || why="no line has: $pattern
$(cat said)"
  done
  report "$name" "$why"
}

# ---- what is fused ----
"$warpwise" record --emulate -o chain.jsonl chain.cu >log 2>&1 && "$warpwise" optimize --fuse chain.jsonl --seed 7 --seconds 3600 --patch chain.patch >said 2>&1
ok "a recorded program" $? said
fuse "three launches are one" '^scale, add, clamp01 .*from launch 0 on, 3 times' 'elements of `out`, `add_out` stay in registers' 'scale_add_clamp01 is launched in their place, at 1 place of the text'
fuse "two axes, sums in place, names that meet, a namespace, an error asked for in between" '^faster, further ' 'faster_further is launched in their place'
fuse "each is predicted faster and verified" '[0-9.]+ times as fast by prediction; verified in [0-9]+ cases'
report "the host code names its namespace" "$(grep -q '^+  motion::faster_further<<<tiles, tile>>>(x, y, 0.125f, w, h, sum, 0.5f);' chain.patch || cat chain.patch)"
"$warpwise" record --emulate --execute all -o a.jsonl chain.cu -- 5000 >before 2>log
ok "the program runs" $? log
git apply chain.patch 2>why
ok "git apply takes the patch" $? why
"$warpwise" record --emulate --execute all -o b.jsonl chain.cu -- 5000 >after 2>log
report "the patched program computes the same" "$([ "$(grep -c . before)" = 4 ] && diff before after 2>&1)"
report "and launches fewer kernels" "$(grep -q 'scale_add_clamp01' b.jsonl && [ "$(grep -c . a.jsonl)" = 5 ] && [ "$(grep -c . b.jsonl)" = 2 ] || cat b.jsonl)"
# ---- what the host code does not show ----
"$warpwise" record --emulate -o w.jsonl wrapped.cu >log 2>&1 && "$warpwise" optimize --fuse w.jsonl --seed 7 --seconds 3600 --json >said 2>&1
fuse "launches of two functions: the kernel, and what is to be done" '"state":"verified","kernel":"halve_invert"' '"by_hand":"launch halve_invert in place of halve, invert' '__global__ void halve_invert\(float \*out, float \*in, int n\)'
# ---- what is not ----
"$warpwise" record --emulate -o apart.jsonl apart.cu >log 2>&1 && "$warpwise" optimize --fuse apart.jsonl --seed 7 --seconds 3600 --all --patch apart.patch >said 2>&1
fuse "nothing is fused" '^nothing is fused'
report "and there is no patch" "$(cat apart.patch)"
fuse "neighbours" '^not twice, blur: blur uses other elements of `out` than'
fuse "what others have still to read is overwritten" '^not shift, next: .* uses other elements of `in` than'
fuse "another range" '^not twice, but_first: but_first runs under other conditions'
fuse "atomics" '^not twice, count: count has atomics'
fuse "shared memory" '^not twice, sum_block: threads of sum_block work together'
fuse "another grid" '^not twice, strided: their blocks, threads'
fuse "a template" '^not twice, typed.*: typed<float> is a template'
fuse "a variable of the file" '^not twice, remember: remember writes a variable'
fuse "a copy in between" '^not but_first, but_first: cudaMemcpy stands between'
fuse "other streams" '^not next, next: next and next are launched in other streams'
fuse "another part of one buffer" '^not shift, twice: .* lie in one buffer'
fuse "an index out of a macro" '^not twice, by_macro: which elements of .* by_macro uses cannot be followed'
fuse "what the text does not show, the comparison does" '^not put_all, get_next: (another result|threads race for global memory|its result depends).* with n='
# ---- in other languages, and without a source ----
pair() { # FILE : a recording of two launches of it
  for at in 0 1; do
    echo '{"file":"'"$1"'","kernel":"k","grid":[64,1,1],"block":[64,1,1],"args":[{"buffer":{"bytes":16384,"id":"1"}},{"value":4096}],"at":['$at',1]}'
  done >pair.jsonl
  "$warpwise" optimize --fuse pair.jsonl >said 2>&1
}
echo '__kernel void k(__global float *x, int n) { if (get_global_id(0) < n) x[get_global_id(0)] += 1; }' >k.cl && pair k.cl
fuse "OpenCL" 'opencl: kernels of CUDA alone are fused'
printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n' >k.ptx && pair k.ptx
fuse "PTX" 'PTX has no source to change'
# ---- what is no recording ----
"$warpwise" optimize --fuse chain.jsonl chain.cu >said 2>&1
report "a file beside the recording" "$([ $? = 2 ] && grep -q 'takes a recording alone' said || cat said)"
sed 's/,"at":\[[^]]*\]//' chain.jsonl >plain.jsonl
"$warpwise" optimize --fuse plain.jsonl >said 2>&1
report "a recording without an order" "$([ $? != 0 ] && grep -q 'in which order' said || cat said)"
echo "1..$n"
exit $bad
