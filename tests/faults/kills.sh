#!/bin/sh
# kills.sh BUILD [N] : N times kill -9 at a random moment (default 8), in turns over merge, train, record and collect; then INT, TERM and
# HUP, and a second signal. Prints TAP.
#
# After a kill nothing is lost but what was in flight: the store is sound and has all earlier rows as they were, the same command
# goes on from there, and its end is that of a run that was left alone: the same rows, the same weights bit for bit. SEED= repeats a run.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
kills=${2:-8}
cd "$(dirname "$0")/../.." || exit 1
program=$build/warpwise
. tests/tap.sh
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
victim=
trap 'kill -9 $victim 2>/dev/null; rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
unset WARPWISE_RANK WARPWISE_SIZE OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID JOB_COMPLETION_INDEX
${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -Wall -o "$dir/store" tests/faults/store.c -lsqlite3 && ${CC:-cc} -o "$dir/fore" tests/faults/fore.c || exit 1
seed=${SEED:-$$}
ms() { # MOST : a random number of milliseconds below, as seconds
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  echo "$((seed / 65536 % $1))" | awk '{ printf "%.3f", $1 / 1000 }'
}
now() { date +%s%N | cut -c1-13; }
killed=0
alive_when_killed=0

# strike MOST COMMAND... : starts it and kills it within MOST milliseconds; its own children end by themselves
strike() {
  most=$1
  shift
  "$@" >"$dir/out" 2>"$dir/err" </dev/null &
  victim=$!
  sleep "$(ms "$most")"
  kill -9 $victim 2>/dev/null && alive_when_killed=$((alive_when_killed + 1))
  wait $victim 2>/dev/null
  killed=$((killed + 1))
}
# took COMMAND... : milliseconds of an undisturbed run, in $span
took() {
  begin=$(now)
  "$@" >"$dir/out" 2>"$dir/err" </dev/null || { report "$1 $2 $3 without a kill" "$(cat "$dir/err")"; return 1; }
  span=$(($(now) - begin + 20))
}
table() { "$program" dataset export "$1" -o "$2" --as csv -q >/dev/null 2>>"$dir/err"; }
share=$(((kills + 3) / 4))

# ---- merge ----
zstd -qdc data/corpus-h200.jsonl.zst >"$dir/all.jsonl"
head -n 8 "$dir/all.jsonl" >"$dir/few.jsonl"
"$program" dataset import --store "$dir/base.sqlite" --reports "$dir/few.jsonl" >/dev/null 2>&1
"$program" dataset import --store "$dir/more.sqlite" --reports "$dir/all.jsonl" >/dev/null 2>&1
cp "$dir/base.sqlite" "$dir/want.sqlite"
took "$program" dataset merge "$dir/want.sqlite" "$dir/more.sqlite" || exit 1
table "$dir/want.sqlite" "$dir/want.csv"
table "$dir/base.sqlite" "$dir/base.csv"
merge_span=$span
problem=
k=0
while [ $k -lt "$share" ]; do
  rm -f "$dir"/into.sqlite*
  cp "$dir/base.sqlite" "$dir/into.sqlite"
  strike "$merge_span" "$program" dataset merge "$dir/into.sqlite" "$dir/more.sqlite"
  problem="$problem$("$dir/store" "$dir/into.sqlite" 8 2>&1)"
  table "$dir/into.sqlite" "$dir/after.csv"
  problem="$problem$(grep -vxFf "$dir/after.csv" "$dir/base.csv" | sed 's/^/lost: /' | head -n 2)"
  "$program" dataset merge "$dir/into.sqlite" "$dir/more.sqlite" >/dev/null 2>"$dir/err" || problem="$problem cannot go on: $(cat "$dir/err")"
  table "$dir/into.sqlite" "$dir/after.csv"
  problem="$problem$(cmp "$dir/want.csv" "$dir/after.csv" 2>&1)"
  k=$((k + 1))
done
report "merge: $share kills, nothing lost, the same end" "$problem"

# ---- train ----
awk 'BEGIN { for (i = 0; i < 200; i++) printf "{\"prompt\":\"void k%d() // %d\\n<|answer|>\",\"completion\":\"{\\\"kernel\\\":%d}<|end|>\"}\n", i % 8, i, i % 8 }' >"$dir/data.jsonl"
"$program" train --device cpu --tokenizer "$dir/tokenizer.json" --vocab 300 --data "$dir/data.jsonl" -q >/dev/null 2>&1
fit() { # OUT STATE ARGS... : in place of this shell, which is what is killed
  o=$1 s=$2
  shift 2
  exec "$program" train --device cpu --lm new --tokenizer "$dir/tokenizer.json" --width 32 --layers 1 --heads 2 --hidden 32 --context 64 --tokens 64 --batch 2 --steps 60 \
    --every 2 --data "$dir/data.jsonl" -o "$o" --checkpoint "$s" -q "$@"
}
fit_again() { fit "$dir/trained" "$dir/state" --resume; }
fit_whole() { (fit "$dir/whole" "$dir/whole.state"); }
took fit_whole || exit 1
train_span=$span
problem=
k=0
steps=0
while [ $k -lt "$share" ]; do
  # In turns: from the beginning, and on from where the last one was killed.
  if [ $((k % 5)) = 0 ]; then rm -rf "$dir/state" "$dir/trained"; steps=0; fi
  strike "$train_span" fit_again
  got=$(ls "$dir/state" 2>/dev/null | grep -E '^[0-9]{8}$' | sort | tail -n 1)
  got=$(echo "${got:-0}" | sed 's/^0*//')
  [ "${got:-0}" -ge "$steps" ] || problem="$problem checkpoint $steps was there, now it is ${got:-0};"
  steps=${got:-0}
  if [ $((k % 5)) = 4 ] || [ $k = $((share - 1)) ]; then
    (fit_again) >/dev/null 2>"$dir/err" || problem="$problem cannot go on: $(cat "$dir/err");"
    problem="$problem$(cmp "$dir/whole/model.safetensors" "$dir/trained/model.safetensors" 2>&1)"
    left=$(find "$dir/state" -name writing)
    [ -z "$left" ] || problem="$problem left by kills and never taken away: $left;"
  fi
  k=$((k + 1))
done
report "train: $share kills, no checkpoint lost, the same weights bit for bit" "$problem"

# ---- record ----
emulate() { exec "$program" record --emulate tests/emulate/saxpy.cu -o "$dir/launches.jsonl" -q; }
emulate_whole() { (emulate); }
if grep -q __asan_init "$build/libwarpwise.a"; then skip "record: programs are not linked with a sanitised library"; elif took emulate_whole; then
  cp "$dir/launches.jsonl" "$dir/whole.jsonl"
  record_span=$span
  problem=
  k=0
  while [ $k -lt "$share" ]; do
    sed 's/"count":[0-9]*/"count":7/' "$dir/whole.jsonl" >"$dir/launches.jsonl"
    cp "$dir/launches.jsonl" "$dir/old.jsonl"
    strike "$record_span" emulate
    cmp -s "$dir/launches.jsonl" "$dir/old.jsonl" || cmp -s "$dir/launches.jsonl" "$dir/whole.jsonl" ||
      problem="$problem neither the old recording nor the whole new one: $(head -c 200 "$dir/launches.jsonl" 2>&1);"
    k=$((k + 1))
  done
  (emulate) >/dev/null 2>&1
  report "record: $share kills, the old recording or the new one" "$problem$(cmp "$dir/launches.jsonl" "$dir/whole.jsonl" 2>&1)"
fi
rm -rf "$dir"/tmp/*

# ---- collect ----
collect() { exec "$program" dataset collect --store "$1" --grammar 1 --seed 2850 --launches 2 --count "$2" --device pocl --batch 1 -j 1 -q; }
collect_whole() { (collect "$dir/c-want.sqlite" 8); }
echo '__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }' >"$dir/k.cl"
if ! "$program" measure "$dir/k.cl" --device pocl --time-only >/dev/null 2>&1; then skip "collect: no PoCL here"; elif took collect_whole; then
  names() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["key"], $at["number"], $at["grid_x"], $at["block_x"] }' "$1"; }
  table "$dir/c-want.sqlite" "$dir/want.csv"
  names "$dir/want.csv" >"$dir/want"
  collect_span=$span
  problem=
  k=0
  : >"$dir/held.csv"
  while [ $k -lt "$share" ]; do
    strike "$collect_span" collect "$dir/c.sqlite" 8
    if [ -e "$dir/c.sqlite" ]; then
      problem="$problem$("$dir/store" "$dir/c.sqlite" 0 2>&1)"
      table "$dir/c.sqlite" "$dir/now.csv" || : >"$dir/now.csv" # killed before there was a table
      problem="$problem$(grep -vxFf "$dir/now.csv" "$dir/held.csv" | sed 's/^/lost: /' | head -n 2)"
      cp "$dir/now.csv" "$dir/held.csv"
    fi
    if [ $((k % 6)) = 5 ] || [ $k = $((share - 1)) ]; then
      (collect "$dir/c.sqlite" 8) >/dev/null 2>"$dir/err" || problem="$problem cannot go on: $(cat "$dir/err");"
      table "$dir/c.sqlite" "$dir/now.csv"
      problem="$problem$(grep -vxFf "$dir/now.csv" "$dir/held.csv" | sed 's/^/measured twice: /' | head -n 2)"
      names "$dir/now.csv" | cmp - "$dir/want" >/dev/null 2>&1 || problem="$problem other rows than a campaign that was left alone;"
      rm -f "$dir"/c.sqlite*
      : >"$dir/held.csv"
    fi
    k=$((k + 1))
  done
  report "collect: $share kills, no row lost or measured twice" "$problem"
fi
echo "# $killed kills, $alive_when_killed of them before the command's own end"

# ---- signals that can be caught: nothing is left ----
rest() { find "$dir/here" "$dir/tmp" -name '*.part' -o -name '*.[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9]' -o -path "$dir/tmp/*" | sort | head -n 5; }
# until_there PATTERN : waits for a file, at most ten seconds
until_there() {
  i=0
  while [ $i -lt 500 ]; do
    # shellcheck disable=SC2086
    for f in $1; do [ -e "$f" ] && return 0; done
    sleep 0.02
    i=$((i + 1))
  done
  return 1
}
mkdir "$dir/here"
for sig in INT TERM HUP; do
  for what in "export:$dir/here/x.jsonl.part:dataset export -o $dir/here/x.jsonl" "record:$dir/tmp/warpwise-*:record --emulate tests/emulate/saxpy.cu -o $dir/here/l.jsonl" \
    "doctor:$dir/tmp/warpwise-*:doctor"; do
    case $what in record*) grep -q __asan_init "$build/libwarpwise.a" && continue ;; esac
    rm -rf "$dir"/here/* "$dir"/tmp/*
    name=${what%%:*} rest=${what#*:}
    # shellcheck disable=SC2086
    "$dir/fore" "$program" ${rest#*:} >"$dir/out" 2>"$dir/err" </dev/null &
    victim=$!
    until_there "${rest%%:*}" && there=yes || there=no
    kill -$sig $victim 2>/dev/null
    wait $victim 2>/dev/null
    code=$?
    p=$(rest)
    [ $there = yes ] || p="$p no temporary file was ever seen"
    [ $code -gt 128 ] || p="$p it ended by itself with $code"
    report "$name: nothing is left after $sig" "$p"
  done
done

# ---- a second one ends it at once ----
# twice NAME READY COMMAND... : TERM, and another half a second later; READY is what it says once it is at work
twice() {
  name=$1 ready=$2
  shift 2
  : >"$dir/out"
  : >"$dir/err"
  "$@" >"$dir/out" 2>"$dir/err" </dev/null &
  victim=$!
  i=0
  while ! grep -q "$ready" "$dir/err" && [ $i -lt 500 ]; do sleep 0.02; i=$((i + 1)); done
  sleep 1
  kill -TERM $victim
  sleep 0.3
  begin=$(now)
  kill -TERM $victim 2>/dev/null
  wait $victim
  code=$?
  span=$(($(now) - begin))
  report "$name: a second TERM ends it at once" "$([ $span -lt 3000 ] || echo "after $span ms, with code $code"; grep -q "$ready" "$dir/err" || cat "$dir/err")"
}
# Steps that take seconds: the first TERM waits for the end of one and a checkpoint.
twice train "values learn" "$program" train --device cpu --lm new --tokenizer "$dir/tokenizer.json" --width 512 --layers 6 --heads 8 --context 64 --tokens 512 --batch 16 --steps 50 \
  --data "$dir/data.jsonl" -o "$dir/slow" --checkpoint "$dir/slow.state"
report "train: no half checkpoint after it" "$(ls -d "$dir/slow.state/writing" 2>/dev/null)"
echo "1..$n"
exit $bad
