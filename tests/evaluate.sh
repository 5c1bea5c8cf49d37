#!/bin/sh
# evaluate.sh PROGRAM : `warpwise evaluate` as a user meets it, on a few launches made here. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

result() { # TEXT OK?
  n=$((n + 1))
  if [ "$2" = yes ]; then echo "ok $n - $1"; else
    bad=1
    echo "not ok $n - $1: $2"
    head -c 2000 "$dir/out" "$dir/err" | sed 's/^/# /'
  fi
}

# try TEXT EXIT_CODE STDOUT_PATTERN STDERR_PATTERN ARGS... : patterns are extended regular expressions, '' for "nothing".
try() {
  text=$1 want=$2 out=$3 err=$4
  shift 4
  "$program" evaluate "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  ok=yes
  [ $code -eq "$want" ] || ok="exit code $code, want $want"
  if [ -z "$out" ]; then [ -s "$dir/out" ] && ok="stdout is not empty"; else grep -qE -- "$out" "$dir/out" || ok="stdout has no $out"; fi
  if [ -z "$err" ]; then [ -s "$dir/err" ] && ok="stderr is not empty"; else grep -qE -- "$err" "$dir/err" || ok="stderr has no $err"; fi
  result "$text" "$ok"
}

# Sources in one folder, the data in another: file and -I are relative to --sources, contents to the data's folder.
mkdir -p "$dir/src/inc" "$dir/data/contents"
printf '#define FACTOR 2\n' >"$dir/src/inc/factor.h"
cat >"$dir/src/k.cu" <<'CUDA'
#include "factor.h"
__global__ void twice(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= FACTOR;
}
__global__ void loop(const int *n, int *x) {
  int sum = 0;
  for (int i = 0; i < *n; i++) sum += x[i];
  x[threadIdx.x] = sum;
}
CUDA
printf '\003\0\0\0' >"$dir/data/contents/n.bin"
flags='"flags":["-Iinc"]'
row() { # FAMILY KERNEL LAUNCH METRICS
  printf '{"family":"%s","schema_version":1,"file":"k.cu","kernel":"%s","gpu":"h200","by":"hardware","launch":{"file":"k.cu","kernel":"%s",%s,%s},"assumed":[],"metrics":{%s}}\n' "$1" "$2" "$2" "$3" "$flags" "$4"
}
twice='"grid":[4,1,1],"block":[256,1,1],"args":[{"value":1024},{"buffer":{"bytes":4096}}]'
loop='"grid":[1,1,1],"block":[32,1,1],"args":[{"buffer":{"bytes":4,"fill":{"file":"contents/n.bin"}}},{"buffer":{"bytes":4096}}]'
data=$dir/data/measured.jsonl
{
  row first twice "$twice" '"time_us":{"value":2.5},"flops_fp32":{"value":1024},"dram_read_bytes":{"value":2e6},"dram_write_bytes":{"value":0}'
  row second loop "$loop" '"time_us":{"value":20},"flops_fp32":{"value":0},"dram_read_bytes":{"value":4000},"dram_write_bytes":{"value":0}'
  row second absent "$twice" '"time_us":{"value":30}'
  echo '{"schema_version":1,"kernel":"refused","error":{"code":"device","message":"refused"}}'
} >"$data"

try "no data" 2 '' 'name a file of measured reports'
try "a missing file" 3 '' 'none.jsonl' "$dir/none.jsonl"
echo '{"schema_version":1' >"$dir/broken.jsonl"
try "a broken row is named" 3 '' 'broken.jsonl:1' "$dir/broken.jsonl"
try "thresholds are read before anything runs" 2 '' "'time.avg>3' is not of the form" "$data" --fail-if 'time.avg>3'
try "an unknown metric" 2 '' "no metric 'tim_us'" "$data" --metric tim_us
try "an unknown grouping" 2 '' 'expected suite, family' "$data" --group colour

try "by trace: one kernel is not there, one row is not measured" 0 '"launches":3,"answered":2,"unmeasured":1' '' "$data" --sources "$dir/src" --by trace --json --out "$dir/predicted.jsonl"
grep -q '"flops":{"n":2,"answered":2,"zeros":1,"left_out":0,"errors_in":"fractions","median":0,' "$dir/out" && ok=yes || ok="FLOPs of the trace are not exact"
result "FLOPs are right, one true zero" "$ok"
grep -q '"unanswered":\[{"why":"usage: [^"]*has no kernel' "$dir/out" && ok=yes || ok="no reason"
result "the reason is counted" "$ok"
[ "$(wc -l <"$dir/predicted.jsonl")" -eq 3 ] && grep -q '"error"' "$dir/predicted.jsonl" && ok=yes || ok="not one line a launch"
result "--out has a line per launch, the error too" "$ok"
sed 's/"by":"[^"]*",//; s/"median_ms":[^,]*,//' "$dir/out" >"$dir/first"
try "the same scores from the file" 0 '"answered":2' '' "$data" --by "$dir/predicted.jsonl" --json
sed 's/"by":"[^"]*",//; s/"median_ms":[^,]*,//' "$dir/out" >"$dir/again"
cmp -s "$dir/first" "$dir/again" && ok=yes || ok="they differ"
result "and they are identical" "$ok"
rm "$dir/data/contents/n.bin"
try "contents lie beside the data" 0 '"answered":1' '' "$data" --sources "$dir/src" --by trace --json
try "without --sources, files are looked for beside the data" 0 '"answered":0' '' "$data" --by trace --json

# Somebody's predictions: 3 us for 2.5, nothing, 15 us for 30. Errors 20, 100 and 50 %.
said() { printf '{"schema_version":1,"kernel":"%s","by":"machine","metrics":{"time_us":{"value":%s,"low":%s,"high":%s}}}\n' "$@"; }
{
  said twice 3 2 4
  echo '{"schema_version":1,"kernel":"loop","error":{"code":"unsupported","message":"no"}}'
  said absent 15 10 20
} >"$dir/said.jsonl"
try "median 50 %, coverage 2 of 3" 0 '^  time_us  +3 +2 +0 +50.0 % +56.7 % +100 % ' '' "$data" --by "$dir/said.jsonl"
try "as markdown" 0 '^\| time\\_us \| 3 \| 2 \| 0 \| 50.0 % \| 56.7 % \|' '' "$data" --by "$dir/said.jsonl" --markdown
try "half of the intervals hold the truth" 0 '"intervals":2,"inside":0.5' '' "$data" --by "$dir/said.jsonl" --json
try "a threshold that is missed" 1 'time' 'missed: time.median>40 \(it is 50\)' "$data" --by "$dir/said.jsonl" --fail-if 'time.median>40' --fail-if 'coverage<60'
try "one that is kept" 0 'time' '' "$data" --by "$dir/said.jsonl" --fail-if 'time.median>=50.1'
try "a number that nobody gives is missed" 1 'time' 'missed: flops.right<90 \(it is 0\)|no launch gives' "$data" --by "$dir/said.jsonl" --fail-if 'flops.right<90'
try "by group" 0 '^  second +2 +1 +75.0 %' '' "$data" --by "$dir/said.jsonl" --group family
try "one launch of the data" 0 ': 1 launches' '' "$data" --by trace --sources "$dir/src" --limit 1
head -n 2 "$dir/said.jsonl" >"$dir/short.jsonl"
try "too few predictions" 3 '' 'short.jsonl has 2 reports for 3 measured launches' "$data" --by "$dir/short.jsonl"
sed 's/"kernel":"twice"/"kernel":"other"/' "$dir/said.jsonl" >"$dir/other.jsonl"
try "predictions of something else" 3 '' 'other.jsonl:1: this report is about other' "$data" --by "$dir/other.jsonl"
sed 's/"kernel":"twice"/"kernel":"_ZN3lib5twiceILi4EEEvPf"/' "$dir/said.jsonl" >"$dir/mangled.jsonl"
try "mangled names are the same kernel" 0 ' 2 answered' '' "$data" --by "$dir/mangled.jsonl"
try "a page" 0 'time' '' "$data" --by "$dir/said.jsonl" --html "$dir/page.html"
grep -q '<svg' "$dir/page.html" && grep -q '<circle' "$dir/page.html" && grep -q '&lt;&lt;&lt;4, 256&gt;&gt;&gt;' "$dir/page.html" &&
  ! grep -qE 'https?:|src=|<script' "$dir/page.html" && ok=yes || ok="not a page that stands alone"
result "the page has its plot and needs nothing else" "$ok"
# A table of somebody else: the first row twice, a program without a recording, an instance by its type, an OpenMP region whose line has moved.
head='"Kernel Name","dpAI","spAI","intAI","Block Size","Grid Size","xtime","targetName","kernelName"'
cat >"$dir/table.csv" <<CSV
$head
"twice(int, float *)","0.0","40.0","1.0","(256, 1, 1)","(4, 1, 1)","2000.0","p-cuda","twice"
"twice(int, float *)","0.0","40.0","1.0","(256, 1, 1)","(4, 1, 1)","2100.0","p-cuda","twice"
"void sum<float>(T1 *, ""x"")","0.0","1.0","1.0","(32, 1, 1)","(1, 1, 1)","2000.0","p-cuda","sum"
"twice(int, float *)","0.0","1.0","1.0","(256, 1, 1)","(5, 1, 1)","2000.0","p-cuda","twice"
"__omp_offloading_1_2_main_l9","0.6","0.0","1.0","(256, 1, 1)","(4, 1, 1)","2000.0","p-omp","__omp_offloading_1_2_main_l9"
"k(int)","0.0","0.0","1.0","(256, 1, 1)","(4, 1, 1)","2000.0","q-cuda","k"
CSV
mkdir "$dir/recordings"
spec() { printf '{"file":"k.cu","kernel":"%s","grid":[%s,1,1],"block":[%s,1,1]}\n' "$@"; }
{ spec _Z5twicei 4 256; spec _Z3sumIdEvPT_ 1 32; spec _Z3sumIfEvPT_ 1 32; } >"$dir/recordings/p-cuda.jsonl"
spec __omp_offloading_fe_3_main_l12 7 32 >"$dir/recordings/p-omp.jsonl"
class() { printf '{"schema_version":1,"kernel":"%s","by":"machine","metrics":{},"roofline":{"class":"%s"}}\n' "$@"; }
none='{"schema_version":1,"error":{"code":"data","message":"none"}}'
{ class twice compute; class sum compute; echo "$none"; class __omp_offloading_fe_3_main_l12 compute; echo "$none"; } >"$dir/classes.jsonl"
try "a table needs recordings" 2 '' 'needs --recordings' --csv "$dir/table.csv"
try "classes: 3 of 5, one wrong" 0 '"classes":\{"n":5,"answered":3,"accuracy":0.66.*"balanced":0.5,.*"matrix":\[\[0,1\],\[0,2\]\]' '' --csv "$dir/table.csv" --recordings "$dir/recordings" --by "$dir/classes.jsonl" --json
try "a table's launches come from recordings" 0 '"why":"data: the program has no recording","launches":1' '' --csv "$dir/table.csv" --recordings "$dir/recordings" --by trace --json --out "$dir/csv.jsonl"
grep -q 'the recorded launches of the kernel have other shapes' "$dir/csv.jsonl" && [ "$(wc -l <"$dir/csv.jsonl")" -eq 5 ] && ok=yes || ok="not matched as it should"
result "rows and recordings are matched by kernel and shape" "$ok"

# ---- Nsight Compute's tables ----
cat >"$dir/two.cu" <<'CUDA'
// warpwise: grid=(n+255)/256 block=256 n=1<<20 a=2.0 x=[n] y=[n]
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
CUDA
cat >"$dir/raw.csv" <<'CSV'
==PROF== Connected to process 4711 (/tmp/saxpy)
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum","launch__registers_per_thread","smsp__cycles_elapsed.avg.per_second","smsp__inst_executed.sum"
"","","","","","","","","","","","Mbyte","us","register/thread","Ghz","inst"
"0","4711","saxpy","node1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","8.39","6.40","16","1.71","491,520"
"1","4711","saxpy","node1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","8.39","0.0065","16","1.71","491,520"
CSV
sed -i 's/"0.0065"/"6,500"/; 3s/"us"/"nsecond"/; 4s/"6.40"/"6,400"/' "$dir/raw.csv"
try "ncu --page raw: units, and names with parameters" 0 '^  time_us +6.40 us +[0-9.]+ us ' '' --ncu "$dir/raw.csv" "$dir/two.cu" --gpu h200
grep -qE '^  dram_read_bytes +8.39 MB ' "$dir/out" && grep -qE '^  warp_instructions +492 k ' "$dir/out" && grep -qE '^  sm_clock_mhz +1710 MHz ' "$dir/out" && ok=yes || ok="a metric is missing or in another unit"
result "ncu --page raw: every metric that we know" "$ok"
cat >"$dir/details.csv" <<'CSV'
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","1","s","h","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Memory Throughput","%","44.0","","",""
"0","1","s","h","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","us","6.40","","",""
"0","1","s","h","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","Memory Workload Analysis","Memory Throughput","Tbyte/s","1.48","","",""
"0","1","s","h","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","Launch Statistics","Dynamic Shared Memory Per Block","Kbyte/block","2.05","","",""
"1","1","s","h","void other<float>(float *)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ms","1.5","","",""
CSV
try "ncu --page details: names of sections" 0 '^  time_us +6.40 us ' '' --ncu "$dir/details.csv" "$dir/two.cu" --gpu h200
grep -qE '^  dram_gbps +1480 GB/s ' "$dir/out" && grep -qE '^  shared_bytes +2050 B ' "$dir/out" && grep -qE '^  no answer: .*no kernel .other' "$dir/out" && ok=yes || ok="a metric or the unanswered launch is missing"
result "ncu --page details: units, and what has no answer" "$ok"
buffer='{"buffer":{"bytes":4194304}}'
printf '{"file":"%s","kernel":"_Z5saxpyifPKfPf","grid":[4096,1,1],"block":[256,1,1],"args":[{"value":%s},{"value":2.5},'"$buffer,$buffer"'],"at":[%s,1]}\n' "$dir/two.cu" 1000000 1 "$dir/two.cu" 4096 0 >"$dir/two.jsonl"
try "ncu: launches of a recording, in the program's order" 0 . '' --ncu "$dir/raw.csv" "$dir/two.jsonl" --gpu h200 --out "$dir/matched.jsonl"
[ "$(sed -n 's/.*"args":\[{"value":\([0-9]*\)}.*/\1/p' "$dir/matched.jsonl" | tr '\n' ' ')" = "4096 1000000 " ] && ok=yes || ok="$(cat "$dir/matched.jsonl")"
result "ncu: the first row is the launch that ran first" "$ok"
try "ncu: a GPU has to be named" 2 '' 'give it with --gpu' --ncu "$dir/raw.csv" "$dir/two.cu"
try "ncu: no table" 3 '' 'gave no table' --ncu "$dir/two.cu" "$dir/two.cu" --gpu h200

# ---- ranks of a parallel job ----
"$program" evaluate --ncu "$dir/raw.csv" "$dir/two.jsonl" --gpu h200 --json 2>&1 | sed 's/"\(ms\|seconds\|total_s\|median_ms\)":[0-9.]*//g' >"$dir/alone"
for r in 0 1 2; do WARPWISE_RANK=$r WARPWISE_SIZE=3 "$program" evaluate -q --ncu "$dir/raw.csv" "$dir/two.jsonl" --gpu h200 --json 2>&1 | sed 's/"\(ms\|seconds\|total_s\|median_ms\)":[0-9.]*//g' >"$dir/rank.$r"; done
[ ! -s "$dir/rank.0" ] && [ ! -s "$dir/rank.1" ] && cmp -s "$dir/rank.2" "$dir/alone" && [ ! -e "$dir/raw.csv.parts" ] && ok=yes || ok="$(diff "$dir/rank.2" "$dir/alone" | head -c 600)"
result "evaluate in a parallel job: the last rank scores all" "$ok"
echo "dpAI" >"$dir/bad.csv"
try "a table without the columns" 3 '' 'no column "Kernel Name"' --csv "$dir/bad.csv" --recordings "$dir/recordings"
echo "1..$n"
exit $bad
