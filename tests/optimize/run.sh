#!/bin/bash
# run.sh BUILD : naive kernels through `warpwise optimize`; prints TAP.
#
# What comes back has to be predicted faster, to be a patch that `git apply` takes, and to be the same kernel by a run of `verify` of its own.
cd "$(dirname "$0")" || exit 1
warpwise=$(realpath "../../${1:-build}/warpwise" 2>/dev/null || realpath "$1/warpwise")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
short=$PWD/../compat/0.1.0/model # 32 tokens of context
cp naive.cu naive.cl program.cu cheats.cu "$dir"
cd "$dir" || exit 1
git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm naive
n=0
bad=0

result() { # OK NAME WHY
  n=$((n + 1))
  if [ "$1" = 1 ]; then
    echo "ok $n - $2"
  else
    echo "not ok $n - $2"
    echo "$3" | head -c 900 | sed 's/^/# /'
    echo
    bad=1
  fi
}
refused() { # NAME CODE PATTERN ARGUMENTS...
  local name=$1 want=$2 pattern=$3 out code ok=0
  shift 3
  out=$("$warpwise" optimize "$@" 2>&1)
  code=$?
  [ $code = "$want" ] && printf '%s' "$out" | grep -q "$pattern" && ok=1
  result $ok "$name" "exit code $code: $out"
}

faster() { # FILE KERNEL LEAST REWRITE OPTIONS... : a gain of at least LEAST in which the rewrite has a part
  local file=$1 kernel=$2 least=$3 rewrite=$4 ok=0 why # $out stays, for what is looked at besides
  shift 4
  out=$("$warpwise" optimize "$file" --kernel "$kernel" --seed 7 --seconds 600 --rounds ${rounds:-1} --beam 1 --patch k.patch --json "$@" 2>&1)
  why=$(printf '%s' "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
tried = {t["id"]: t for t in r["tried"]}
way, at = [], r["best"]
while at:
    way.append(tried[at]["rewrite"])
    at = tried[at]["from"]
if r["gain"] < float(sys.argv[1]): print("gain", r["gain"], way)
elif not set(sys.argv[2].split()) & set(way): print("by", way)
elif any(tried[t]["state"] != "verified" for t in tried if t == r["best"]): print("not verified")' "$least" "$rewrite" 2>&1)
  [ -z "$why" ] && ok=1
  result $ok "$file: $kernel: $rewrite, at least $least times as fast" "$why $out"
  [ $ok = 1 ] || return
  cp "$file" old-"$file"
  git apply k.patch 2>why && ok=1 || ok=0
  result $ok "$file: $kernel: git apply takes the patch" "$(cat why k.patch)"
  why=$("$warpwise" verify old-"$file" "$file" --kernel "$kernel" --new-kernel "$kernel" --no-overlap --seed 99 2>&1) && ok=1 || ok=0
  result $ok "$file: $kernel: the same kernel by another seed" "$why"
  git checkout -q "$file"
}

faster naive.cu scale_columns 1.5 "swap block" --page k.html --propose k.job
result "$(grep -q 'Before and after' k.html && grep -q 'scale_columns, after' k.html && grep -q '<svg' k.html && grep -q 'What was tried' k.html && grep -q 'class="best"' k.html && grep -q 'class="add"' k.html && echo 1)" "a page" "$(head -c 300 k.html)"
result "$([ "$(grep -c '"candidate"' k.job)" -ge 2 ] && echo 1)" "a job for another machine" "$(head -c 300 k.job)"
faster naive.cu sum 3 "atomic-warp atomic-sum"
faster naive.cu column_sums 1.1 "accumulate restrict row"
faster naive.cu waves 2 floats --gpu rtx3080
faster naive.cu waves 1.5 "block jam stride"
faster naive.cu all_pairs 2 "share row"
faster naive.cu counts 3 atomic-table
faster naive.cu row_products 5 row
faster naive.cu greys 1.3 vector
faster naive.cu row_sums 1.2 "vector-loop row"
faster naive.cu transpose 2 turn
faster naive.cu eightfold 2 axes
faster naive.cu series 1.5 accumulators
faster naive.cu product 1.3 constant
faster naive.cu gemm 1.4 tile-ahead
faster naive.cl scale_columns 1.5 swap
faster naive.cl row_products 5 row
faster naive.cl product 1.2 tile
faster program.cu double_all 1.3 "block stride jam"
result "$(printf '%s' "$out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["source"])' | grep -Eq 'double_all<<<\(\(1 << 20\) \+ [0-9]+\) / [0-9]+, [0-9]+>>>|double_all<<<dim3\(' && echo 1)" "the launch follows the kernel" "$out"
result "$(printf '%s' "$out" | grep -q '"launched":"[^"]* threads, at 1 place of the text"' && echo 1)" "... and the answer says so" "$out"
out=$("$warpwise" optimize naive.cu --kernel waves --seed 7 --rounds 1 --beam 1 2>&1)
result "$(printf '%s' "$out" | grep -q 'launched as .* instead of .* by hand, as no <<<>>> of this file' && echo 1)" "a launch that stands elsewhere is to be changed by hand" "$out"
out=$("$warpwise" optimize naive.cu --kernel neighbours --seed 7 --all 2>&1)
result "$(printf '%s' "$out" | grep -q 'nothing better was found' && echo 1)" "what cannot be changed stays" "$out"
out=$("$warpwise" optimize naive.cu --kernel column_sums --may-overlap --seed 7 --rounds 1 --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"rewrite":"accumulate"' || echo 1)" "buffers that may overlap: no register for an element" "$out"
"$warpwise" optimize naive.cl --kernel scale_columns --seed 7 --rounds 1 --beam 1 --propose cl.job >out 2>&1
if "$warpwise" measure --job cl.job >measured 2>&1; then # an OpenCL device, PoCL say
  out=$("$warpwise" optimize --resume cl.job --patch cl.patch 2>&1)
  ok=0
  if grep -q ' faster ' measured; then # by its measurement: then it is handed back, else nothing is
    printf '%s' "$out" | grep -q 'measured: faster' && git apply cl.patch && ok=1
  else
    printf '%s' "$out" | grep -q 'nothing better was found' && [ ! -s cl.patch ] && ok=1
  fi
  result $ok "a job goes to a device and comes back" "$(cat measured) $out"
fi
# ---- cheats: each of them is told from the kernel that it pretends to be ----
out=$("$warpwise" verify cheats.cu --kernel scale --new-kernel same --seed 3 2>&1)
result "$(printf '%s' "$out" | grep -q '^same' && echo 1)" "an honest kernel is the same" "$out"
for cheat in $(grep -o '^__global__ void [a-z_]*' cheats.cu | awk '{ print $3 }' | grep -vx 'scale\|same'); do
  out=$("$warpwise" verify cheats.cu --kernel scale --new-kernel $cheat --seed 3 2>&1)
  result "$(printf '%s' "$out" | grep -q '^different' && echo 1)" "a cheat is caught: $cheat" "$out"
done
# ---- a policy: what it learns from, and a search that it leads (the text model is none: its choices are poor, but allowed) ----
model=$(dirname "$warpwise")/models/text.gguf
echo '{"file":"naive.cu","kernel":"scale_columns"}' >one.jsonl
out=$("$warpwise" dataset episodes one.jsonl --depth 1 --seconds 300 -o episodes.jsonl --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"kernels":1,"states":1,"failed":0' && grep -q '"state":"verified"' episodes.jsonl && echo 1)" "a kernel's rewrites, all tried" "$out"
out=$("$warpwise" dataset episodes one.jsonl -o episodes.jsonl --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"kernels":0' && [ "$(wc -l <episodes.jsonl)" = 1 ] && echo 1)" "what is there is not tried again" "$out"
out=$("$warpwise" dataset transcripts episodes.jsonl --times 9 -o lessons.jsonl 2>&1)
result "$([ "$(grep -c '"name.*"completion":"[a-z].*}}<|end|>","weight":1,' lessons.jsonl)" = 9 ] && [ "$(wc -l <lessons.jsonl)" = 9 ] && echo 1)" "lessons" "$out"
out=$("$warpwise" dataset transcripts episodes.jsonl --policy "$model" --score --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"states":1,.*{"by":"model","predictions":0,"best":[01],.*{"by":"chance","predictions":8,"best":' && echo 1)" "a policy is scored" "$out"
out=$("$warpwise" dataset transcripts episodes.jsonl --policy "$model" --group 3 -o ways.jsonl --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"states":1,"ways":3,"with_tools":' && grep -q '"weight":' ways.jsonl && echo 1)" "its own ways" "$out"
out=$("$warpwise" optimize naive.cu --kernel scale_columns --seed 7 --rounds 1 --policy "$model" --predictions 2 --json 2>&1)
result "$(printf '%s' "$out" | grep -q '"predictions":[012],' && echo 1)" "a policy asks for no more predictions than it may" "$out"
refused "a policy that is no model" 3 'naive.cu' naive.cu --kernel scale_columns --policy naive.cu
refused "a policy without room for a question" 3 'is no policy' naive.cu --kernel scale_columns --policy "$short"
refused "a policy and a device" 2 'leave --measure out' naive.cu --kernel scale_columns --policy "$model" --measure
out=$("$warpwise" dataset transcripts lessons.jsonl -o x.jsonl 2>&1)
result "$(printf '%s' "$out" | grep -q 'lessons.jsonl:1: .*not a state' && echo 1)" "lessons are no episodes" "$out"
refused "a job without measurements" 2 'measured yet' --resume k.job
refused "a job that is there" 2 'k.job' naive.cu --kernel scale_columns --rounds 1 --propose k.job
refused "no file" 2 'name a source' --json
refused "a kernel that is not there" 2 'no kernel' naive.cu --kernel none
refused "several kernels" 2 'several kernels' naive.cu
echo "1..$n"
exit $bad
