#!/bin/sh
# measure.sh PROGRAM : `warpwise measure` end to end on PoCL: rows, contents, what goes wrong. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
kernels=$(cd "$(dirname "$0")/kernels" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
n=0
bad=0

check() { # TEXT COMMAND... : the command decides
  text=$1
  shift
  n=$((n + 1))
  if "$@"; then echo "ok $n - $text"; else
    bad=1
    echo "not ok $n - $text"
    head -n 5 "$dir/out" "$dir/err" | cut -c1-400 | sed 's/^/# /'
  fi
}

run() { # ARGS... : leaves $dir/out, $dir/err and $code
  "$program" measure "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}

row() { sed -n "${1}p" "$dir/out" | grep -qE -- "$2"; } # LINE PATTERN
lines() { [ "$(wc -l <"$dir/out")" -eq "$1" ]; }
said() { grep -qE -- "$1" "$dir/err"; }
is() { [ "$code" -eq "$1" ]; }

# ---- rows ----
for k in cl_local_arg cl_histogram cl_transpose cl_int cl_saxpy; do
  sed "s#\"file\": \"#&$kernels/#" "$kernels/$k.launch"
done >"$dir/five.jsonl"
run --launch "$dir/five.jsonl" --device pocl --repeats 3 --dump "$dir/dump" --json
check "five kernels, five rows" is 0
check "one line each" lines 5
for k in 1 2 3 4 5; do
  check "row $k: a time above zero, by hardware" row $k '"by":"hardware".*"time_us":\{"value":[0-9]*(\.[0-9]*)?[1-9][0-9.e-]*,"low"'
  check "row $k: three samples, on PoCL" row $k '"versions":"[^"]*PoCL[^"]*".*"samples_us":\[[0-9.]+,[0-9.]+,[0-9.]+\].*"median_us"'
done
check "a histogram in global memory accumulates" row 2 '"accumulates":true'
check "a transposition does not" row 3 '"accumulates":false'
check "local memory of an argument is counted" row 1 '"shared_bytes":\{"value":256\}'

# ---- the device sees the bytes that the trace sees, and leaves the same behind ----
i=0
for k in cl_local_arg cl_histogram cl_transpose cl_int cl_saxpy; do
  mkdir -p "$dir/trace/$i"
  "$program" trace --launch "$kernels/$k.launch" --full --dump "$dir/trace/$i" >"$dir/out" 2>"$dir/err" </dev/null
  check "$k: the device's buffers are the trace's" diff -r "$dir/trace/$i" "$dir/dump/$i"
  i=$((i + 1))
done

# ---- ready launches, measured elsewhere ----
mkdir "$dir/elsewhere"
run --launch "$dir/five.jsonl" --plan "$dir/elsewhere/ready.jsonl"
check "--plan" is 0
check "... has a line per launch" [ "$(wc -l <"$dir/elsewhere/ready.jsonl")" -eq 5 ]
mv "$dir/elsewhere" "$dir/moved"
(cd / && "$program" measure --launch "$dir/moved/ready.jsonl" --device pocl --repeats 1 --json --dump "$dir/dump2") >"$dir/out" 2>"$dir/err" </dev/null
code=$?
check "ready launches run where they were moved to" is 0
check "... with the same contents" diff -r "$dir/dump" "$dir/dump2"

portable=$kernels/../../examples/portable/histogram
run "$portable.cl" --plan "$dir/portable.jsonl"
check "a source with headers becomes one file" [ "$(ls "$dir/portable.jsonl.d" | grep -c '\.cl$')" -eq 1 ]
run --launch "$dir/portable.jsonl" --device pocl --repeats 1 --json --dump "$dir/portable"
check "... that runs by itself" row 1 '"time_us"'
for e in cl cu; do
  mkdir "$dir/portable.$e"
  "$program" trace "$portable.$e" --full --dump "$dir/portable.$e" >"$dir/out" 2>"$dir/err" </dev/null
  check "one kernel as .$e: the trace's result is the device's" cmp "$dir/portable.$e/arg2.bin" "$dir/portable/arg2.bin"
done

# ---- from a source alone, for a person ----
cat >"$dir/axpy.cl" <<'CL'
// warpwise: grid=n/64 block=64 n=1024 x=[n] y=[n]
__kernel void axpy(int n, float a, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + 1.0f;
}
CL
run "$dir/axpy.cl" --device pocl --repeats 3
check "a source with a comment" is 0
check "... as a table" grep -qE '^  time_us +[0-9.]+ us' "$dir/out"
check "... with its samples" grep -q '^  3 runs, middle half within' "$dir/out"
check "... and what was assumed" grep -q '^  assumed ' "$dir/out"
sed 's/1.0f/ONE/' "$dir/axpy.cl" >"$dir/flag.cl"
run "$dir/flag.cl" --device pocl --repeats 1 -- -DONE=1.0f
check "flags behind --" is 0
sed 's/block=64/& cache=warm/' "$dir/axpy.cl" >"$dir/warm.cl"
run "$dir/warm.cl" --device pocl --repeats 2 --json
check "the second of two launches" row 1 '"cache":"warm".*"samples_us"'

# ---- what goes wrong costs its own row ----
cat >"$dir/more.cl" <<'CL'
__kernel void endless(__global volatile int *flag) { while (*flag == 0) {} }
__kernel void wild(__global int *x, long far) { x[get_global_id(0) * far] = 1; }
__kernel void next(__global int *at, __global int *x) { x[at[0]] += 1; at[0] = at[0] * 1000000000 + 1000000000; }
__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }
CL
printf '__kernel void broken(__global int *x { }\n' >"$dir/broken.cl"
one='"kernel":"twice","grid":4,"block":64,"args":[{"buffer":{"bytes":1024,"type":"i32","fill":"index"}}]'
cat >"$dir/batch.jsonl" <<LAUNCHES
{"file":"more.cl",$one}
{"file":"broken.cl","kernel":"broken","grid":1,"block":64,"args":[{"buffer":{"bytes":256}}]}
{"file":"more.cl","kernel":"endless","grid":1,"block":1,"args":[{"buffer":{"bytes":64,"type":"i32","fill":"zeros"}}]}
{"file":"axpy.cl","kernel":"axpy","grid":16,"block":64,"args":[{"value":99999999999},{"value":2.0},{"buffer":{"bytes":4000}},{"buffer":{"bytes":4000}}]}
{"file":"axpy.cl","kernel":"axpy","grid":16,"block":64,"args":[{"value":1000},{"value":2.0},{"buffer":{"bytes":70368744177664}},{"buffer":{"bytes":4000}}]}
{"file":"more.cl","kernel":"wild","grid":4,"block":64,"args":[{"buffer":{"bytes":1024,"type":"i32"}},{"value":1000000000}]}
{"file":"more.cl","kernel":"next","grid":1,"block":1,"args":[{"buffer":{"bytes":4,"type":"i32","fill":"zeros"}},{"buffer":{"bytes":4096,"type":"i32"}}]}
this is no launch
{"file":"more.cl","kernel":"twice","grid":4,"block":100000,"args":[{"buffer":{"bytes":1024,"type":"i32"}}]}
{"file":"more.cl","kernel":"none","grid":4,"block":64,"args":[]}
{"file":"missing.cl","kernel":"none","grid":4,"block":64,"args":[]}
{"file":"more.cl",$one}
LAUNCHES
run --launch "$dir/batch.jsonl" --device pocl --repeats 2 --limit 2 --json
check "a batch with bad launches: bad input" is 3
check "... has a row for each" lines 12
check "... good ones before" row 1 '"time_us"'
check "... and behind" row 12 '"time_us"'
check "source that does not compile, with its line" row 2 '"error":\{"code":"data","message":"expected .*"line":1'
check "a kernel that never ends" row 3 '"code":"limit","message":"the kernel did not end within 2 s'
check "a number that its argument cannot hold" row 4 'argument 0 is int of 4 bytes and cannot hold 99999999999'
check "a buffer that no device has" row 5 '"code":"limit","message":"argument 2: a buffer of 70368744177664 bytes'
check "a kernel that writes far outside" row 6 '"code":"data","message":"the kernel accessed memory outside its buffers'
check "one that does so on its own output only: measured and marked" row 7 '"time_us".*"accumulates":true'
check "a line that is no launch" row 8 '"code":"parse".*"line":8'
check "a work-group that is too large" row 9 '"code":"usage","message":"a work-group of 100000'
check "no such kernel" row 10 'has no kernel .none.'
check "no such file" row 11 '"code":"io".*missing.cl'

# ---- a description calibrated on a device that none fits ----
own=$(cd "$(dirname "$0")/../gpus/calibrate" && pwd)
sed -n '1,2p;4p;7p;12p;15p;18p;23p;25p;30p' "$own/launches.jsonl" >"$dir/few.jsonl"
gpus() {
  "$program" gpus calibrate "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}
check "a calibration has 50 launches" [ "$(wc -l <"$own/launches.jsonl")" -eq 50 ]
gpus --device pocl --launch "$dir/few.jsonl" --base rtx3080 -o "$dir/mine.json" --json
check "gpus calibrate on PoCL" is 0
check "... numbers fitted, and the error before and after" row 1 '"base":"rtx3080","launches":10,.*"fitted":\{"[^}]*\},"before":\{"median":.*"after":\{"median":'
check "... five numbers at most" [ "$(sed 's/.*"fitted":{\([^}]*\)}.*/\1/' "$dir/out" | tr ',' '\n' | wc -l)" -le 5 ]
"$program" gpus show "$dir/mine.json" >"$dir/out" 2>"$dir/err"
check "... the description says so" grep -q 'calibration by 10 launches on ' "$dir/out"
check "... and which figures" grep -qE ' calibration 20' "$dir/out"
"$program" predict "$dir/axpy.cl" --gpu "$dir/mine.json" >"$dir/out" 2>"$dir/err" </dev/null
check "... predictions take it, and its grade" grep -q 'calibrated' "$dir/out"
run --launch "$dir/few.jsonl" --device pocl "$own/kernels.cl" --time-only --repeats 1 --json
mv "$dir/out" "$dir/rows.jsonl"
gpus --from "$dir/rows.jsonl" --base rtx3080
check "gpus calibrate --from rows that were measured before" grep -qE '^ +after +[0-9]' "$dir/out"
gpus --from "$dir/rows.jsonl"
check "... a device that no description fits: which is most like it?" is 2
check "... is asked" said 'no description fits .*--base NAME'
head -n 3 "$dir/rows.jsonl" >"$dir/three.jsonl"
gpus --from "$dir/three.jsonl" --base rtx3080
check "... three launches are too few" said '3 launches were measured and predicted; a calibration takes 10'
# the H200 by documents alone, and 50 launches that were measured on one
h200=$(cd "$(dirname "$0")/calibrate" && pwd)
gpus --from "$h200/h200.jsonl.zst" --base "$h200/h200-paper.json" --json
check "an H200 from paper: calibrated" is 0
check "... by 50 launches" row 1 '"launches":50,"kernels":20,"refused":0'
median() { sed "s/.*\"$1\":{\"median\":\([0-9.]*\).*/\1/" "$dir/out"; }
check "... the median error falls below half on kernels left out" awk "BEGIN { exit !($(median after) < 0.13 && $(median before) > 0.2) }"

# ---- messages and exit codes ----
run "$dir/axpy.cl" --device nosuch
check "no such device: exit 4" is 4
check "... and which there are" said "no OpenCL device is called 'nosuch'; there are: "
run "$dir/axpy.cl" --limit never
check "--limit takes seconds" is 2
run --launch "$dir/none.jsonl"
check "no such launch file" is 3
OCL_ICD_VENDORS="$dir/tmp" "$program" measure "$dir/axpy.cl" >"$dir/out" 2>"$dir/err" </dev/null
code=$?
check "no OpenCL at all: exit 4" is 4
check "... and what to install" said 'pocl-opencl-icd'
run --help
check "--help" is 0
check "... keeps the program's own options to itself" [ "$(grep -cE 'worker|--once' "$dir/out")" -eq 0 ]
left=$(find "$dir/tmp" -mindepth 1 | wc -l)
check "nothing is left in TMPDIR" [ "$left" -eq 0 ]
echo "1..$n"
exit $bad
