#!/bin/sh
# accuracy.sh PROGRAM : predictions of 60 measured launches, spread over the families of the corpus, are no worse than they were. Prints TAP.
#
# The floors stand a little above what the program reaches; the second number of each line is that. Who makes predictions better lowers them;
# who makes them worse has to say so here.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# gate TEXT ORACLE : floors from standard input, lines of WHAT and what it is today
gate() {
  text=$1 by=$2
  set --
  while read -r floor today; do
    [ -n "$today" ] && set -- "$@" --fail-if "$floor"
  done
  "$program" evaluate data/corpus-h200.jsonl.zst --limit 60 --by "$by" --quiet "$@" >"$dir/out" 2>"$dir/err"
  status=$?
  why=
  [ $status = 0 ] || why=$(grep . "$dir/err" || echo "status $status")
  grep -q '60 launches, 60 answered' "$dir/out" || why="$why; $(head -n 1 "$dir/out")"
  report "$text" "$why"
}

gate "the corrected model: time, class, intervals" grounded <<END
coverage<100              100
time.median>4.5           4.1
time.p90>19               17.9
time.within10<77          80.0
time.rank<0.985           0.990
time.inside<94            96.7
class.balanced<94         95.0
occupancy_pct.median>2    1.7
int_ops.median>11.8       11.2
END
gate "the machine model: time, instructions, registers, memory" machine <<END
time.median>10.9          10.3
time.p90>23               21.6
time.ln>0.113             0.107
class.balanced<95         96.2
warp_instructions.median>3.1  2.9
warp_instructions.p90>19.2    18.2
warp_instructions.right<90    91.7
flops.right<98            98.3
registers.median>10.5     10.0
registers.right<93        95.0
l1_hit_pct.p90>0.9        0.83
l2_hit_pct.median>1.2     1.08
l2_bytes.median>2.3       2.1
dram_bytes.median>0.6     0.5
dram_bytes.right<95       96.7
END

# A model that is wrong is noticed: the same GPU at half its clock.
sed 's/"boost_mhz": {"value":1980,/"boost_mhz": {"value":990,/' gpus/h200.json >"$dir/slow.json"
"$program" evaluate data/corpus-h200.jsonl.zst --limit 20 --by machine --gpu "$dir/slow.json" --quiet --fail-if 'time.median>10.9' >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'missed: time.median>10.9' "$dir/err"
ok "a GPU at half its clock misses the floor" $? "$dir/err"
echo "1..$n"
exit $bad
