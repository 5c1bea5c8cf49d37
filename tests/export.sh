#!/bin/sh
# export.sh BUILD : exports and statistics of a store as a user meets them, and its tables as DuckDB and hyparquet read them. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
program=$build/warpwise
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0
cd "$dir" || exit 1

result() { # TEXT OK?
  n=$((n + 1))
  if [ "$2" = yes ]; then echo "ok $n - $1"; else
    bad=1
    echo "not ok $n - $1: $2"
    head -c 2000 "$dir/out" "$dir/err" | sed 's/^/# /'
  fi
}

skip() {
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

# try TEXT EXIT_CODE STDOUT_PATTERN STDERR_PATTERN ARGS... : patterns are extended regular expressions, '' for "nothing".
try() {
  text=$1 want=$2 out=$3 err=$4
  shift 4
  "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  ok=yes
  [ $code -eq "$want" ] || ok="exit code $code, want $want"
  if [ -z "$out" ]; then [ -s "$dir/out" ] && ok="stdout is not empty"; else grep -qE -- "$out" "$dir/out" || ok="stdout has no $out"; fi
  if [ -z "$err" ]; then [ -s "$dir/err" ] && ok="stderr is not empty"; else grep -qE -- "$err" "$dir/err" || ok="stderr has no $err"; fi
  result "$text" "$ok"
}

# ---- measured reports of the corpus, into a store and out again ----
reports=$root/data/corpus-h200.jsonl.zst
try "reports into a store" 0 '260' '' dataset import --store a.sqlite --reports "$reports"
try "where it goes must be said" 2 '' 'say where the rows go' dataset export a.sqlite
try "an unknown form" 2 '' 'expected jsonl, csv, parquet, prompts or questions' dataset export a.sqlite --as xml -o x
try "an unknown split" 2 '' 'expected train, validation or test' dataset export a.sqlite --split best -o x
try "a folder that is not there" 3 '' 'cannot write none/rows.csv' dataset export a.sqlite --as csv -o none/rows.csv
try "JSON lines" 0 '^260 rows$' '' dataset export a.sqlite --corpus "$root/corpus" -o a.jsonl
try "packed" 0 '"rows":260' '' dataset export a.sqlite --corpus "$root/corpus" -o a.jsonl.zst --json
zstd -dcq a.jsonl.zst 2>/dev/null | cmp -s - a.jsonl && ok=yes || ok="they differ"
if command -v zstd >/dev/null 2>&1; then result "packed and plain are the same" "$ok"; fi
try "and back into another store" 0 '260' '' dataset import --store b.sqlite --reports a.jsonl
try "which gives the same lines" 0 '' '' dataset export b.sqlite --corpus "$root/corpus" -o b.jsonl --quiet
cmp -s a.jsonl b.jsonl && ok=yes || ok="they differ"
result "byte for byte" "$ok"
try "what evaluate reads" 0 '"launches":5,"answered":5' '' evaluate a.jsonl --limit 5 --json
for split in train validation test; do "$program" dataset export a.sqlite --split $split -o $split.jsonl --quiet; done
[ "$(cat train.jsonl validation.jsonl test.jsonl | wc -l)" -eq 260 ] && [ -s test.jsonl ] && ok=yes || ok="not every row is in one split"
result "three splits make the whole" "$ok"
try "prompts for counters" 0 '260 rows' '' dataset export a.sqlite --as prompts --corpus "$root/corpus" -o p.jsonl
grep -c '^{"messages":\[{"role":"system",.*{"role":"assistant","content":"{\\"time_us\\":' p.jsonl >"$dir/out"
[ "$(cat "$dir/out")" -eq 260 ] && ok=yes || ok="not every line is a question with its answer"
result "each a question and an answer" "$ok"

# ---- splits at random ----
for split in train validation test; do "$program" dataset export a.sqlite --random --split $split -o random.$split.jsonl --quiet; done
[ "$(cat random.*.jsonl | wc -l)" -eq 260 ] && ok=yes || ok="not every row is in one split"
result "at random, three splits make the whole too" "$ok"
for f in train test; do grep -o '"key":"[^"]*"' random.$f.jsonl | sort -u >keys.$f; done
[ -n "$(comm -12 keys.train keys.test)" ] && ok=yes || ok="no kernel is on both sides"
result "launches of a kernel are on all sides" "$ok"

# ---- questions with evidence, and a model that takes it ----
zstd -dcq "$reports" | awk 'NR % 6 == 1' >few.jsonl # 44
"$program" dataset import --store few.sqlite --reports few.jsonl >/dev/null
try "what the machine model says is kept" 0 'time_us' '44 launches predicted' train --correction few.sqlite --corpus "$root/corpus" --features rows.zst -o c.json.zst
lines() { # TEXT FORM: its lines by what they were told
  "$program" dataset export few.sqlite --as questions --corpus "$root/corpus" --evidence rows.zst -o q.jsonl --quiet $2
  sed 's/.*"form":"\([a-z]*\)".*/\1/; /^{/s/.*/source/' q.jsonl | sort | uniq -c | tr -s ' \n' ' ' >"$dir/out"
  grep -qx "$3" "$dir/out" && ok=yes || ok="not $3"
  result "$1" "$ok"
}
lines "all of them compiled" "--form compiled" ' 44 compiled '
grep -c '"completion":"[^"]*\\"time_us.*<|why|>' q.jsonl >"$dir/out"
[ "$(cat "$dir/out")" = 0 ] && ok=yes || ok="explained without a trace"
result "which explains nothing" "$ok"
lines "mixed" "" ' [1-9]* *[0-9]* compiled 44 source 44 traced '
python3 - q.jsonl <<'END' >"$dir/out" 2>&1 && ok=yes || ok="bases are wrong"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
source = {q["id"]: q for q in lines if "form" not in q}
for q in lines:
    if "form" not in q:
        assert not any(q["features"][64:]) and "told" not in q["prompt"], q["id"]
        continue
    assert q["prompt"].count("\ntold {") == 1 and ("<|why|>limited by " in q["completion"]) == (q["form"] == "traced"), q["id"]
    for x, base, alone in zip(q["numbers"], q["base"], source[q["id"]]["numbers"]):
        assert (x is None) == (alone is None) and (x is None or abs(x + base - alone) < 2e-4), q["id"]
END
result "numbers are what the base lacks" "$ok"
head -c 3000 rows.zst >cut.zst
try "rows that are cut short" 3 '' 'cut.zst' dataset export few.sqlite --as questions --corpus "$root/corpus" --evidence cut.zst -o none.jsonl
try "a form needs evidence" 2 '' 'needs --evidence' dataset export few.sqlite --as questions --form traced -o none.jsonl
try "evidence is for questions" 2 '' 'belong to --as questions' dataset export few.sqlite --as prompts --evidence rows.zst -o none.jsonl
"$program" train -q --tokenizer t.json --vocab 400 --data q.jsonl
try "a model learns from them" 0 'step 3 of 3' '' train -q --device cpu --lm new --tokenizer t.json --width 32 --layers 1 --heads 2 --context 2048 --tokens 2048 --data q.jsonl -o m --steps 3 --batch 1
saxpy="$root/examples/saxpy.cu -k saxpy --by text --model m"
try "and is asked with evidence" 0 '"kind":"model_traced".*"text":{"time_us":.*"why":"' '' predict $saxpy --evidence traced --json
try "with what a compiler knows" 0 'registers and memory that the code takes' '' predict $saxpy --evidence compiled
try "evaluated so" 0 '"answered":3' '' evaluate few.jsonl --sources "$root/data" --limit 3 --by text --model m --evidence traced --json
echo '__global__ void k(float *x) { no code' >bad.cu
try "what no compiler takes is asked about as text" 0 'knows the text alone: k cannot be interpreted' '' predict bad.cu -k k --grid 4 --block 32 --by text --model m --evidence traced
try "the shipped model takes none" 3 '' 'leave out --evidence' predict "$root/examples/saxpy.cu" -k saxpy --by text --evidence traced

# ---- statistics ----
try "stats as JSON" 0 '"kernels":80,"launches":260,"with_counters":260,"failed":0,.*"by_split":.*"by_family":\[.*"histograms":\[' '' dataset stats a.sqlite --json
try "stats for people, with coverage" 0 'Coverage of rodinia, shoc, polybench' '' dataset stats a.sqlite --compare "$root/data/public/h200.jsonl.zst" --svg svg --html page.html
[ "$(ls svg | wc -l)" -eq 14 ] && grep -q '899 launches, [0-9.]* % covered' svg/time.svg && grep -q '</html>' page.html && ok=yes || ok="pictures are missing"
result "a picture a quantity, and a page" "$ok"
try "a store repeats itself" 0 '260 launches on both occasions; 260 agree \(100.0 %' '' dataset stats a.sqlite --against b.sqlite

# ---- generated kernels, measured here ----
if "$program" dataset collect --store g.sqlite --grammar 1 --seed 5 --count 2 --launches 2 --counters 0 --device pocl >"$dir/out" 2>"$dir/err"; then
  try "sources and launches are made again" 0 '^4 rows, 2 new sources in src$' '' dataset export g.sqlite -o g.jsonl --sources src
  try "and can be predicted" 0 '"launches":4,"answered":4' '' evaluate g.jsonl --gpu h200 --json
  try "prompts in two styles" 0 '^8 rows$' '' dataset export g.sqlite --as prompts --ask time --raw --style 0,1 -o gp.jsonl
else
  skip "generated kernels" "nothing to measure on: $(tail -n 1 "$dir/err")"
fi

# ---- other readers ----
for form in parquet csv; do
  try "$form" 0 '^260 rows$' '' dataset export a.sqlite --as $form --with launch,source --corpus "$root/corpus" -o a.$form
done
clients=$build/clients
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  skip "DuckDB and hyparquet" "no node or npm here"
else
  mkdir -p "$clients"
  cp "$root"/tests/clients/*.json "$root"/tests/clients/*.mjs "$clients/"
  if [ ! -d "$clients/node_modules/hyparquet-compressors" ] && ! (cd "$clients" && npm install --no-audit --no-fund --ignore-scripts >"$dir/out" 2>"$dir/err"); then
    skip "DuckDB and hyparquet" "npm cannot fetch them: $(grep -m 1 'code' "$dir/err")"
  else
    node "$clients/tables.mjs" a.parquet a.csv a.jsonl >tables 2>"$dir/err" || bad=1
    grep -q '^ok ' tables || { bad=1; echo "not ok - tables.mjs: $(head -n 3 "$dir/err")"; }
    sed 's/ - / - tables: /' tables
  fi
fi
exit $bad
