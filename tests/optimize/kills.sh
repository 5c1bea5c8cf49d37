#!/bin/bash
# kills.sh BUILD [N] : N times kill -9 at a random moment (default 2), half of them in `tune`, half in `optimize`; prints TAP. SEED= repeats a run.
#
# After each kill the job is whole (every line can be read, a line that was cut off is the last one), and the next run goes on with it; its end is that
# of a run that was left alone: the same predictions, verdicts, candidates and the same answer.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
kills=${2:-2}
cd "$(dirname "$0")/../.." || exit 1
program=$build/warpwise
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache"
cp tests/tune/scale.cl tests/optimize/kills.cl "$dir"
cd "$dir" || exit 1
seed=${SEED:-$$}
share=$(((kills + 1) / 2))
random() { # MOST : milliseconds below, as seconds
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  awk -v n=$((seed / 65536 % $1)) 'BEGIN { printf "%.3f", n / 1000 }'
}
tune_new() { "$program" tune scale.cl --param W=1,2,4,8 --param BX=32..512:x2 --no-ptxas --measurements 6 --propose "$1" --json -q; }
tune_on() { "$program" tune --resume "$1" --measurements 6 --json -q; }
optimize_new() { "$program" optimize kills.cl --seed 5 --rounds 1 --beam 2 --seconds 900 --propose "$1" --json -q; }
optimize_on() { "$program" optimize --resume "$1" --seconds 900 --json -q; }
sorted() { grep -E '^\{"(prediction|tried|judged|candidate)"' "$1" | sort; }
whole() { # JOB : what is wrong with it
  python3 -c '
import json, sys
data = open(sys.argv[1]).read()
lines = data.split("\n")
for k, line in enumerate(lines[:-1]):
    try: json.loads(line)
    except ValueError: print("line", k + 1, "of", len(lines), "is no JSON:", line[:80])' "$1"
}
for tool in tune optimize; do
  begin=$(date +%s%N)
  ${tool}_new $tool.whole >$tool.want 2>err || report "$tool without a kill" "$(cat err)"
  span=$((($(date +%s%N) - begin) / 1000000 + 20))
  problem=
  alive=0
  for k in $(seq 1 "$share"); do
    if [ -e $tool.job ]; then ${tool}_on $tool.job >out 2>&1 & else ${tool}_new $tool.job >out 2>&1 & fi
    shell=$!
    sleep "$(random $span)"
    victim=$(pgrep -P $shell -x warpwise | head -n 1)
    kill -9 "${victim:-$shell}" 2>/dev/null && alive=$((alive + 1))
    wait $shell 2>/dev/null
    [ -e $tool.job ] && problem="$problem$(whole $tool.job)"
    if grep -q '^{"searched"' $tool.job 2>/dev/null || { [ $tool = tune ] && [ "$(grep -c '^{"candidate"' $tool.job 2>/dev/null)" = 7 ]; }; then
      [ "$(sorted $tool.job)" = "$(sorted $tool.whole)" ] || problem="$problem another end after kill $k;"
      rm -f $tool.job
    fi
  done
  if [ -e $tool.job ]; then ${tool}_on $tool.job >out 2>err; else ${tool}_new $tool.job >out 2>err; fi
  report "$tool: $share kills, $alive of them at work: the job was whole after each" "$problem"
  report "... it ends as one that was left alone" "$(diff <(sorted $tool.whole) <(sorted $tool.job) | head -n 4 | cut -c1-300)"
  report "... and no answer was asked for twice" "$(grep -oE '^\{"(prediction|tried|judged)":"[^"]*"(,"seed":[0-9]*)?' $tool.job | sort | uniq -d | head -n 3)"
done
echo "1..$n"
exit $bad
