#!/bin/sh
# run.sh BUILD : what earlier versions wrote (tests/compat/VERSION/, made by make.sh with their own programs) is read by this one, and what a
# later version will write is refused with what to do. Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
warpwise=$(realpath "$1/warpwise")
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"

run() { # ARGUMENTS... : leaves $dir/out, $dir/err and $code
  "$warpwise" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}
reads() { # TEXT PATTERN ARGUMENTS... : ends with 0 and prints the pattern
  text=$1 pattern=$2
  shift 2
  run "$@"
  report "$text" "$([ $code = 0 ] && grep -qE -- "$pattern" "$dir/out" ||
    { echo "$* ended with $code; expected $pattern in:" && cat "$dir/err" "$dir/out"; })"
}
refuses() { # TEXT CODE PATTERN ARGUMENTS... : ends with the code and says the pattern
  text=$1 expected=$2 pattern=$3
  shift 3
  run "$@"
  report "$text" "$([ $code = "$expected" ] && grep -qE -- "$pattern" "$dir/err" ||
    { echo "$* ended with $code, not $expected with $pattern:" && cat "$dir/err" "$dir/out"; })"
}
us() { sed -n 's/.*"time_us":{"value":\([0-9.]*\).*/\1/p' "$1" | head -n 1; }

earlier() { # VERSION : in a copy of its folder
  cp -R "tests/compat/$1" "$dir/$1"
  (
    cd "$dir/$1" || exit 1
    # Jobs, launches and reports name their sources where they were made.
    refuses "$1: a job whose source is gone names it" 3 'cannot read .*/scale.cl' tune --resume tune.job
    sed -i "s#/tmp/warpwise-compat#$PWD#g" ./*.jsonl ./*.job
    reads "$1: launches" '"kernel":"step"' predict --batch launches.jsonl --gpu h200 --json
    reads "$1: a launch with its contents" 'step' trace --launch launches.jsonl
    reads "$1: a measured report" '"launches":1,"answered":1' evaluate measured.jsonl --gpu h200 --json
    reads "$1: a measured report in a roofline" 'scale' roofline scale.cl --measured measured.jsonl --json
    reads "$1: a predicted report" 'step' roofline --measured reports.jsonl scale.cl --json
    reads "$1: a packed store" '"launches":4' dataset stats store.sqlite.zst --json
    zstd -qdo store.sqlite store.sqlite.zst
    reads "$1: a store" '"launches":4' dataset stats store.sqlite --json
    reads "$1: its rows" '4 rows' dataset export store.sqlite -o rows.csv --as csv
    reads "$1: stores of then and now are merged" '4 ' dataset merge merged.sqlite store.sqlite
    reads "$1: a description of a GPU" '"gpu":"a10"' predict scale.cl --gpu ./gpu.json --json
    reads "$1: a job of tune" '"measured":' tune --resume tune.job --measurements 1 --json
    reads "$1: a job of optimize" '"measured":' optimize --resume optimize.job --json
    reads "$1: a job of verify" '"same":true' verify --resume verify.job --json
    reads "$1: a language model as GGUF" 'context 32' lm inspect model.gguf
    reads "$1: a language model's folder" '"tokens"|"text"' lm generate model 'kernel 1: ' --max 4 --json
    reads "$1: a training goes on from its checkpoint" '"?step' train --device cpu --lm new --tokenizer model/tokenizer.json \
      --width 16 --layers 1 --heads 2 --hidden 16 --context 32 --batch 2 --tokens 64 --data questions.jsonl -o again \
      --steps 4 --checkpoint state --resume
    report "$1: ... at its third step" "$(grep -q '^step 3/4' "$dir/err" && ! grep '^step 1/4' "$dir/err" || cat "$dir/err")"
    reads "$1: kept rows of a correction" '^  time_us +9 ' train --correction --features rows.zst --score -o models/correction.json.zst

    # Fitted models: a correction is asked for by its file's folder.
    for f in shim gpus; do ln -s "$(dirname "$warpwise")/$f" $f; done
    run predict scale.cl --gpu h200 --json
    us "$dir/out" >now
    WARPWISE_DATA=$PWD reads "$1: a fitted model and its correction" '"by":"grounded"' predict scale.cl --gpu h200 --json
    report "$1: ... decide the time" "$(us "$dir/out" | cmp -s - now && echo "as without them: $(cat now)")"

    # The IR that is kept goes with the version that wrote it: another one reads the source again.
    WARPWISE_IR=$PWD/ir reads "$1: kept IR beside the own" '"time_us"' predict scale.cl --gpu h200 --json
    report "$1: ... changes nothing" "$(us "$dir/out" | cmp - now 2>&1)"
    "$warpwise" --version | grep -qw "$1" && own=1 || own=2
    report "$1: ... and every version keeps its own" "$([ "$(ls ir | wc -l)" = $own ] || ls ir)"
    exit "$bad"
  ) >"$dir/tap"
  [ $? = 0 ] || bad=1
  cat "$dir/tap"
  n=$((n + $(grep -cE '^(not )?ok ' "$dir/tap")))
}

for folder in tests/compat/[0-9]*; do earlier "${folder##*/}"; done

# What comes after this version.
cd "$dir" || exit 1
zstd -qdo later.sqlite "$OLDPWD/tests/compat/0.1.0/store.sqlite.zst"
printf '\000\000\143' | dd of=later.sqlite bs=1 seek=61 conv=notrunc 2>/dev/null # user_version, big-endian, at byte 60
refuses "a store of a later version" 3 'newer warpwise.*update' dataset stats later.sqlite
sed 's/"schema_version":1/"schema_version":99/' "$OLDPWD/tests/compat/0.1.0/measured.jsonl" >later.jsonl
refuses "a report of a later version" 3 'newer warpwise.*update' evaluate later.jsonl --gpu h200
echo "1..$n"
exit $bad
