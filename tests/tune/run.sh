#!/bin/bash
# run.sh BUILD [KILLS] : `warpwise tune` and `measure --job` from outside, on PoCL; prints TAP.
cd "$(dirname "$0")/../.." || exit 1
warpwise=$(realpath "$1/warpwise")
kills=${2:-8} # many more: tests/optimize/kills.sh
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
cp tests/tune/*.cl tests/tune/*.cu "$dir"
cd "$dir" || exit 1

run() { # ARGUMENTS... : $out, $code
  out=$("$warpwise" "$@" 2>"$dir/err" </dev/null)
  code=$?
}
check() { # TEXT COMMAND...
  local text=$1 why=
  shift
  "$@" >/dev/null 2>&1 || why="exit code $code: $(tail -n 5 "$dir/err"; printf '%s' "$out" | head -c 1200)"
  report "$text" "$why"
}
has() { printf '%s' "$out" | grep -qE -- "$1"; }
says() { grep -qE -- "$1" "$dir/err"; }
exits() { [ "$code" = "$1" ]; }
# value PATH : of the JSON object in $out
value() { printf '%s' "$out" | python3 -c "
import json, sys
o = json.loads(sys.stdin.read())
print(eval('o' + sys.argv[1]))" "$1"; }
is() { [ "$(value "$1")" = "$2" ]; }
lines() { grep -c "^{\"$1\"" "$2"; } # KIND JOB

# ---- ranking without a device ----
run tune scale.cl --param W=1,2,4,8 --param BX=32..1024:x2 --where 'BX*W<=1024' --json
check "a space is ranked" exits 0
check "... all of its variants" is "['variants']" 18
check "... each with an interval" is "['best']['low'] < o['best']['us'] < o['best']['high']" True
check "... the best first" is "['best']['label'] == o['ranked'][0]['label']" True
check "... and how sure it is" is "['best']['sure'] <= o['best']['within_5_pct'] <= 1" True
check "... and that it does the same" is "['best']['verdict']" same
cp "$dir/err" "$dir/first"
first=$out
run tune scale.cl --param W=1,2,4,8 --param BX=32..1024:x2 --where 'BX*W<=1024' --json
check "the same again" test "$out" = "$first"
run tune product.cl --param TS=4,8,16 --json
check "a number in the text is an axis: predicted" exits 0
check "... as such" is "['parameters'][0]['kind'] + str(o['parameters'][0]['original'])" text8
run tune sums.cl --param block.x=32..512:x2 --json
check "the block's shape is an axis" is "['variants']" 5
run tune blocks.cu --kernel smooth --param BX=64..4096:x2 --param ROWS=1,16,512 --no-ptxas --json
check "blocks that are too large are refused" has '"BX=2048 ROWS=1","why":"a block of 2048 threads'
check "shared memory that is too large is refused" has '"BX=64 ROWS=512","why":"[0-9.e+]* bytes of static shared memory'
run tune blocks.cu --kernel many --param PER=1,2,4 --arg n=65536 --no-ptxas --json
check "template parameters are axes" is "['parameters'][0]['kind']" template
run tune blocks.cu --kernel smooth --no-ptxas --json
check "the source itself offers a space" is "['variants'] == 225 and sorted(p['name'] for p in o['parameters'])" "['BX', 'DEEP', 'ROWS', 'launch_bounds']"
check "... without values that change the result" has 'DEEP=2[^"]*","why":"(DEEP=2 changes the result|blocks.cu:)'
check "... and its best is verified" is "['best']['verdict']" same
run tune scale.cl --param W=1,2 --param BX=64,128 --svg space.svg --results space.json
check "a picture and Kernel Tuner's form" grep -q polyline space.svg
check "... its results" python3 -c "
import json
r = json.load(open('space.json'))['results']
assert len(r) == 4 and r[0]['invalidity'] == 'correct' and r[0]['objectives'] == ['predicted_time']"

# ---- Kernel Tuner's files ----
cat >cache.json <<'END'
{"device_name": "D", "kernel_name": "scale", "tune_params_keys": ["W", "BX"],
 "tune_params": {"W": [1, 2, 4], "BX": [64, 128]}, "objective": "time",
 "cache": {"1,64": {"W": 1, "BX": 64, "time": 0.5}, "2,64": {"W": 2, "BX": 64, "time": 0.3}, "4,64": {"W": 4, "BX": 64, "time": 0.2},
 "1,128": {"W": 1, "BX": 128, "time": 0.1}, "2,128": {"W": 2, "BX": 128, "time": "RuntimeFailedConfig"}}}
END
run tune scale.cl --kernel-tuner cache.json --json
check "a cache is a space" is "['variants']" 6
run tune scale.cl --kernel-tuner cache.json --replay --pool 4 --json
check "its times are played back" is "['failed'] == 1 and o['measurements'] <= 4" True
sed 's/0\.5/0.4/;s/0\.3/0.6/' cache.json >again.json
run tune scale.cl --kernel-tuner cache.json --kernel-tuner again.json --replay --records 2 --json
check "... two records of each predict each other" is "['variants'] == 5 and 0 < o['repeat_first_choice_median'] <= 1" True
run tune scale.cl --kernel-tuner cache.json --replay --records 2 --json
check "... and nothing is left where there is one" exits 3

# ---- what is wrong ----
run tune scale.cl --param 'W=1..'
check "values that are none" exits 2
run tune scale.cl --param W=1,2 --where 'Q<2'
check "a condition over what is no parameter" says '"Q" is no parameter'
run tune
check "no file" exits 2
run tune none.cl --param W=1
check "a file that is not there" exits 3
run tune scale.cl --param W=1,2 --param BX=64 --where 'W>5'
check "no variant is left" exits 3
run measure --job none.job
check "no job" exits 3
echo '{"candidate":0}' >bad.job
run measure --job bad.job
check "no job in a file" exits 3

# ---- a device ----
if ! "$warpwise" measure sums.cl --device pocl --time-only --repeats 1 2>&1 | grep -q opencl; then
  skip "no PoCL here"
  echo "1..$n"
  exit $bad
fi
for kernel in "scale.cl --param W=1,2,4 --param BX=64,256" "product.cl --param TS=4,8,16" "sums.cl --param block.x=32..256:x2"; do
  rm -f ./*.tune.job
  # shellcheck disable=SC2086
  run tune $kernel --measure --measurements 3 --device pocl --json
  check "tuned on a device: $kernel" exits 0
  check "... the best was measured, and is right" is "['best']['measured_us'] > 0 and o['best'].get('failed') is None" True
  check "... never slower than the original" is "['best']['measured_us'] <= 1.02 * o['original']['measured_us']" True
done

# ---- two places ----
run tune scale.cl --param W=1,2,4 --param BX=64..512:x2 --propose two.job --measurements 5 --json
check "a job is proposed" test "$(lines candidate two.job)" = 6
cp two.job moved.job
run measure --job moved.job --device pocl --json
check "and measured without the front end's help" test "$(lines result moved.job)" = 6
run measure --job moved.job --device pocl
check "... once" test "$(lines result moved.job)" = 6
run tune --resume moved.job --measurements 3 --json
check "and gone on with" is "['measured']" 6
check "... with new candidates" test "$(lines candidate moved.job)" = 9
run tune scale.cl --param W=1 --param BX=64 --propose moved.job
check "a job that is there is not overwritten" exits 2
echo '// changed' >>scale.cl
run tune --resume moved.job
check "a source that has changed is told" says 'has changed'
cp "$OLDPWD/tests/tune/scale.cl" .

# ---- cheats ----
python3 "$OLDPWD/tests/tune/cheats.py" cheats.job
run measure --job cheats.job --device pocl --gpu h200 --json
check "cheats are measured" exits 0
states=$(printf '%s\n' "$out" | python3 -c "
import json, sys
for line in sys.stdin:
    o = json.loads(line)
    if o['state'] not in o['label'].split(': ')[-1].split('|'):
        print(o['label'], 'is', o['state'], o.get('why'))")
report "every cheat gets its state" "$states"
check "what is much slower is not faster" has '"much slower: measured".*"ratio":0\.'

# ---- kills ----
strike() { # MILLISECONDS COMMAND... : started, and killed
  local ms=$1
  shift
  "$@" >/dev/null 2>&1 </dev/null &
  local pid=$!
  sleep "$(printf '0.%03d' "$ms")"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
}
space="--param W=1,2,4,8 --param BX=32..512:x2"
# shellcheck disable=SC2086
run tune scale.cl $space --propose whole.job --measurements 6
problem=
for k in $(seq 1 "$kills"); do
  ms=$((20 + (k * 137) % 700))
  # shellcheck disable=SC2086
  if [ -e killed.job ]; then strike $ms "$warpwise" tune --resume killed.job --measurements 6; else strike $ms "$warpwise" tune scale.cl $space --propose killed.job --measurements 6; fi
  if [ -e killed.job ] && ! "$warpwise" measure --job killed.job --device nonesuch 2>&1 | grep -qE 'nonesuch|no candidates'; then problem="kill $k broke the job: $("$warpwise" measure --job killed.job --device nonesuch 2>&1 | head -2)"; fi
done
[ -e killed.job ] || run tune scale.cl $space --propose killed.job --measurements 6
run tune --resume killed.job --measurements 6
check "after $kills kills it goes on" exits 0
report "... the job was intact after each" "$problem"
sorted() { grep "^{\"$1\"" "$2" | sort; }
check "... every prediction is there once, as without kills" test "$(sorted prediction killed.job)" = "$(sorted prediction whole.job)"
check "... and the same candidates" test "$(sorted candidate killed.job)" = "$(sorted candidate whole.job)"
problem=
for k in 1 2 3 4 5; do
  strike $((400 + k * 170)) "$warpwise" tune --resume killed.job --measure --measurements 8 --device pocl
done
run tune --resume killed.job --measure --measurements 8 --device pocl --json
check "killed while measuring it goes on" exits 0
check "... and no result is there twice" test -z "$(grep -o '^{"result":[0-9]*' killed.job | sort | uniq -d)"
echo "1..$n"
exit $bad
