#!/bin/sh
# dataset.sh PROGRAM : campaigns on PoCL end to end: plan, resume, kill, ranks, merge, pack, repeat. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
unset WARPWISE_RANK WARPWISE_SIZE OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID JOB_COMPLETION_INDEX
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
skipped() {
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

run() { # ARGS... : leaves $dir/out, $dir/err and $code
  "$program" dataset "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}
is() { [ "$code" -eq "$1" ]; }
shows() { grep -qE -- "$1" "$dir/out"; }
said() { grep -qE -- "$1" "$dir/err"; }
# Rows as lines of key, launch and time: what two stores are compared by.
rows() { "$program" dataset export "$1" -o "$2" --as csv >/dev/null 2>>"$dir/err"; }
column() { # FILE NAME... : those columns of a CSV file
  file=$1
  shift
  awk -F, -v want="$*" 'NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { line = ""; for (i = 1; i <= n; i++) line = line " " $(at[w[i]]); print line }' "$file"
}
# A seed whose first kernels have small launches: PoCL is slow.
collect() { run collect --grammar 1 --seed 2850 --launches 2 --device pocl --batch 1 --json "$@"; }

# ---- words ----
run --help
check "dataset --help lists its commands" shows '^  collect '
run collect --help
check "collect --help has examples" shows 'mpirun -n 8 warpwise dataset collect'
run collect --count 3 --device pocl
check "a campaign needs a store" said 'name the store: --store FILE'
run collect --store "$dir/x.sqlite" --device pocl
check "and something to collect" said 'nothing to collect'
run collect --count 500 --launches 8 --counters 0.2 --gpu h200 --dry-run --json
check "a plan for a GPU that is not here" shows '"gpu":"h200".*"kernels":500,"launches":4000,"with_counters":[78][0-9][0-9],"held":0,.*"device_s":[1-9]'

# A driver that aborts when it is opened, as PoCL does where it gets no thread: an error, not the end of the program.
printf '#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { abort(); }\n' >"$dir/aborts.c"
if mkdir "$dir/icd" && "${CC:-cc}" -shared -fPIC -o "$dir/aborts.so" "$dir/aborts.c" 2>"$dir/err"; then
  echo "$dir/aborts.so" >"$dir/icd/aborts.icd"
  OCL_ICD_VENDORS="$dir/icd" "$program" dataset collect --store "$dir/aborts.sqlite" --count 1 --device pocl --dialect opencl \
    >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  check "a driver that aborts is an error of the device" is 4
  check "that says so" said 'the opencl driver cannot be opened: it ended early \(signal 6\)'
else
  skipped "a driver that aborts" "no compiler here"
fi

# ---- the generator ----
run generate --grammar 3
check "a grammar that is not there" said '--grammar: there are versions 1 to 2, not .3.'
run generate --only gen.map,gen.nothing
check "a production that is not there" said "grammar 2 has no 'gen.nothing'; it has gen. map .* vote$"
run generate --grammar 1 --only ode
check "or not in that grammar" said "grammar 1 has no 'ode'; it has gen. map .* sort$"
run collect --count 3 --grammar 9 --gpu h200 --dry-run
check "nor of a campaign" said 'versions 1 to 2, not .9.'
run collect --count 3 --only nothing --gpu h200 --dry-run
check "neither productions" said "no 'nothing'; it has gen. map"
run generate --seed 9 --count 5 --grammar 1 --json
check "five kernels of grammar 1" sh -c '[ "$(grep -c "\"kernel\":\"g1_9_[0-9]*\"" "$1")" -eq 5 ]' - "$dir/out"
run generate --seed 9 --count 5 --only gen.ode,bits --json
check "five of the newest, of two productions" sh -c '[ "$(grep -cE "\"kernel\":\"g2_9_.*\"family\":\"gen.(ode|bits)\"" "$1")" -eq 5 ]' - "$dir/out"
run collect --seed 9 --count 50 --launches 2 --only tree,vote --gpu h200 --dry-run --json
check "a plan counts those asked for" shows '"kernels":50,"launches":100,'
# One kernel of every production since version 2, two launches, in both dialects: the interpreter runs them inside their buffers.
new=tree,probe,records,latency,queue,gather_shared,ode,bits,straight,double,lowbits,window,relax,triangle,interp,persist,bcast,vote
for dialect in cuda opencl; do
  for family in $(echo $new | tr , ' '); do
    "$program" dataset generate --only "$family" --launches 2 --seed 12 --dialect $dialect -q -o "$dir/$dialect" >>"$dir/out" 2>&1
    cat "$dir/$dialect/launches.jsonl" >>"$dir/$dialect/all"
  done
  "$program" predict --by machine --gpu h200 --batch "$dir/$dialect/all" --json -q >"$dir/out" 2>"$dir/err"
  check "every new production runs, $dialect" sh -c '[ "$(grep -c "\"time_us\":{\"value\"" "$1")" -eq 36 ] && ! grep -q "\"error\"" "$1"' - "$dir/out"
done

# ---- collect, resume ----
collect --store "$dir/one.sqlite" --count 3
check "three kernels, two launches each" is 0
check "the plan comes first" shows '"plan":\{.*"kernels":3,"launches":6,"with_counters":0,"held":0'
check "six rows, none failed" shows '"collected":\{.*"rows":6,"failed":0'
rows "$dir/one.sqlite" "$dir/one.csv"
collect --store "$dir/one.sqlite" --count 4
check "one kernel more: six launches are held" shows '"launches":8,.*"held":6'
check "and two are measured" shows '"rows":2,'
rows "$dir/one.sqlite" "$dir/more.csv"
column "$dir/one.csv" key number time_us >"$dir/a"
column "$dir/more.csv" key number time_us >"$dir/b"
check "what was there is as it was" sh -c 'grep -Fxf "$1" "$2" | cmp -s - "$1" && [ "$(wc -l <"$2")" -eq 8 ]' - "$dir/a" "$dir/b"
check "no folder with code is left behind" test ! -e "$dir/one.sqlite.work"

collect --store "$dir/one.sqlite" --count 1 --only mixed
check "a production alone has the same kernels under the same names" shows '"kernels":1,"launches":2,.*"held":2'

# ---- launches that come ready ----
mkdir -p "$dir/corpus/maps" "$dir/plan.d"
echo '__kernel void twice(int n, __global float *x) { int i = get_global_id(0); if (i < n) x[i] *= 2; }' >"$dir/plan.d/maps.cl"
sed 's/2;/BROKEN;/' "$dir/plan.d/maps.cl" >"$dir/plan.d/broken.cl"
for size in 64 128; do
  echo '{"file":"/elsewhere/corpus/maps/twice.cl","kernel":"twice","grid":['$size'],"block":[64],"binary":"plan.d/maps.cl","args":[{"value":'$((size * 64))'},{"buffer":{"bytes":'$((size * 256))',"type":"f32","fill":"random"}}]}'
done >"$dir/plan"
sed '2d; s/maps.cl/broken.cl/; s/"kernel":"twice"/&,"note":"corpus\/other\/broken.cl:twice opencl number=77"/' "$dir/plan" >>"$dir/plan"
collect --store "$dir/ready.sqlite" --ready "$dir/plan"
check "ready launches: two rows, one failure" shows '"rows":3,"failed":1,.*"failures":\[\{"code":"data","message":".*BROKEN.*","n":1\}\]'
rows "$dir/ready.sqlite" "$dir/ready.csv"
column "$dir/ready.csv" key family number >"$dir/a"
printf ' corpus/maps/twice.cl:twice maps 0\n corpus/maps/twice.cl:twice maps 1\n' >"$dir/b"
check "they have the corpus' names" cmp -s "$dir/a" "$dir/b"
collect --store "$dir/ready.sqlite" --ready "$dir/plan"
check "a failure is not tried again" shows '"held":3,.*'
collect --store "$dir/ready.sqlite" --ready "$dir/plan" --retry
check "unless it is asked for; a campaign that only fails, fails" sh -c '[ "$1" -eq 3 ] && grep -q "\"rows\":1,\"failed\":1" "$2"' - "$code" "$dir/out"

# ---- what goes wrong ----
printf 'this is no store, but a text that is long enough to be read as a header of one, with more behind it ....' >"$dir/text.sqlite"
collect --store "$dir/text.sqlite" --count 1
check "a file that is no store is refused" shows 'no store of warpwise'
check "and left alone" grep -q '^this is no store' "$dir/text.sqlite"
collect --store "$dir/nowhere/x.sqlite" --count 1
check "a folder that is not there" shows 'cannot write .*nowhere'
WARPWISE_RANK=3 collect --store "$dir/x.sqlite" --count 1
check "a rank without a size" shows 'set WARPWISE_SIZE'
WARPWISE_RANK=4 WARPWISE_SIZE=4 collect --store "$dir/x.sqlite" --count 1
check "a rank beyond the size" shows 'a rank lies below the size'

# ---- ranks: one of four is killed midway and resumed ----
held() { # STORE : rows that are safe in it
  "$program" dataset export "$1" -o "$dir/held.csv" --as csv >/dev/null 2>&1 && sed 1d "$dir/held.csv" | wc -l
}
campaign="--grammar 1 --seed 2850 --count 4 --launches 2 --device pocl --batch 1"
start() { # RANK
  # shellcheck disable=SC2086
  WARPWISE_RANK=$1 WARPWISE_SIZE=2 exec "$program" dataset collect --store "$dir/two.sqlite" $campaign --quiet
}
(start 0 >"$dir/out0" 2>&1 </dev/null)
(start 1 >"$dir/out1" 2>&1 </dev/null) &
victim=$!
tries=0
until [ "$(held "$dir/two.sqlite.rank1")" -ge 1 ] 2>/dev/null || [ $tries -ge 300 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
kill -9 $victim 2>/dev/null
wait $victim 2>/dev/null
held "$dir/two.sqlite.rank1" >"$dir/out"
check "a killed rank keeps what it had" test "$(cat "$dir/out")" -ge 1
rows "$dir/two.sqlite.rank1" "$dir/killed.csv"
(start 1 >"$dir/out" 2>"$dir/err" </dev/null)
check "and goes on" shows '[1-4] held already'
rows "$dir/two.sqlite.rank1" "$dir/resumed.csv"
column "$dir/killed.csv" key number time_us >"$dir/a"
column "$dir/resumed.csv" key number time_us >"$dir/b"
check "with nothing measured twice" sh -c 'grep -Fxf "$1" "$2" | cmp -s - "$1" && [ "$(wc -l <"$2")" -eq 4 ]' - "$dir/a" "$dir/b"
run merge "$dir/joined.sqlite" "$dir/two.sqlite.rank0" "$dir/two.sqlite.rank1"
rows "$dir/joined.sqlite" "$dir/joined.csv"
column "$dir/more.csv" key number grid_x block_x >"$dir/a"
column "$dir/joined.csv" key number grid_x block_x >"$dir/b"
check "both ranks together are the campaign of one" cmp -s "$dir/a" "$dir/b"
run merge "$dir/joined.sqlite" "$dir/one.sqlite" --json
check "duplicates stay out" shows '"added":0,"duplicates":8'

if command -v mpirun >/dev/null 2>&1; then
  mpirun -n 4 --oversubscribe --allow-run-as-root "$program" dataset collect --store "$dir/mpi.sqlite" $campaign --quiet \
    >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  check "mpirun -n 4" is 0
  check "each rank has its part" sh -c '[ "$(grep -c "of 4 (OMPI_COMM_WORLD_RANK), .*: 1 kernels, 2 launches" "$1")" -eq 4 ]' - "$dir/out"
  run merge "$dir/all.sqlite" "$dir"/mpi.sqlite.rank?
  rows "$dir/all.sqlite" "$dir/all.csv"
  column "$dir/all.csv" key number grid_x block_x >"$dir/b"
  check "four stores make one" cmp -s "$dir/a" "$dir/b"
else
  skipped "mpirun -n 4" "no mpirun here"
fi

# ---- pack ----
run pack "$dir/more" "$dir/more.zst"
check "packing what is not there" said 'cannot open the store'
run pack "$dir/one.sqlite" "$dir/one.sqlite.zst"
check "a packed store is small" sh -c '[ "$(wc -c <"$1")" -lt 4000 ]' - "$dir/one.sqlite.zst"
rows "$dir/one.sqlite.zst" "$dir/packed.csv"
column "$dir/packed.csv" key number >"$dir/a"
column "$dir/more.csv" key number >"$dir/b"
check "and holds the same rows" cmp -s "$dir/a" "$dir/b"
run merge "$dir/one.sqlite.zst" "$dir/one.sqlite"
check "it is not written to" said 'packed and only read'
head -c 300 "$dir/one.sqlite.zst" >"$dir/cut.sqlite.zst"
run merge "$dir/new.sqlite" "$dir/cut.sqlite.zst"
check "one that was cut short is refused" said 'cut.sqlite.zst: (ends in the middle|not a zstd file)'

# ---- a repeat campaign, a time limit, Ctrl-C ----
collect --store "$dir/repeat.sqlite" --again "$dir/one.sqlite.zst" --sample 3
check "three launches again" shows '"rows":3,"failed":0'
rows "$dir/repeat.sqlite" "$dir/repeat.csv"
column "$dir/repeat.csv" key number >"$dir/b"
check "of those that there were" sh -c '[ "$(grep -cFxf "$1" "$2")" -eq 3 ]' - "$dir/a" "$dir/b"
collect --store "$dir/late.sqlite" --count 40 --seconds 2
check "a time limit ends it in time, and well" is 0
check "with the rest to do" shows '"left":[1-9][0-9]*,"stopped":true'
# shellcheck disable=SC2086
"$program" dataset collect --store "$dir/stopped.sqlite" --grammar 1 --seed 2850 --count 40 --launches 2 --device pocl --batch 1 >"$dir/out" 2>"$dir/err" </dev/null &
victim=$!
tries=0
until [ "$(held "$dir/stopped.sqlite")" -ge 1 ] 2>/dev/null || [ $tries -ge 300 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
kill -TERM $victim
wait $victim
code=$?
check "a signal ends it" is 3
check "the same command goes on" shows 'to go; the same command goes on'
check "all rows that it counted are there" sh -c '[ "$(sed -n "s/^\([0-9]*\) rows in.*/\1/p" "$1")" -eq "$2" ]' - "$dir/out" "$(held "$dir/stopped.sqlite")"
echo "1..$n"
exit $bad
