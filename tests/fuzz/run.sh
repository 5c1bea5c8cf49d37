#!/bin/sh
# run.sh BUILD FUZZ_BUILD SECONDS : makes seeds from the test kernels and small models, runs the drivers; what they find stays in FUZZ_BUILD/found.
build=$1 fuzz=$2 seconds=${3:-60}
mkdir -p "$fuzz/ir" "$fuzz/launch" "$fuzz/found"
for f in tests/kernels/*.cu tests/kernels/*.cl tests/kernels/*.hip; do
  # The functions alone: what names a symbol does not parse, and libFuzzer leaves it out.
  "$build/warpwise" kernels "$f" --ir 2>/dev/null | sed -n -e '1i module cuda warp 32\nfile "?"\nfile "?"' -e '/^fn /,$p' >"$fuzz/ir/$(basename "$f").ir"
done
cp tests/kernels/*.launch "$fuzz/launch/"
echo 'grid=(n+255)/256 block=256 n=1<<14 x=[n]:uniform(0,n*2) y=f32[n]:zeros shared=n%7' >"$fuzz/launch/comment"
echo 'grid=rows/128 block=128 rows=1<<12 start=i32[rows+1]:monotone(0,rows*16) col=[rows*16]:zipf(0,rows)' >"$fuzz/launch/rows"
python3 tests/fuzz/lm_seeds.py "$fuzz" # safetensors, gguf, config
python3 tests/fuzz/tokenizer_seeds.py "$fuzz/tokenizer"
mkdir -p "$fuzz/question"
cp tests/kernels/*.cu tests/kernels/*.cl tests/kernels/*.hip "$fuzz/question/"
mkdir -p "$fuzz/grammar"
printf 'root ::= word (", " word){1,3} "." # two to four\nword ::= [a-z]{2,5} | "\\u00e9" [^a-z .]* | (root)? "x"+\n' >"$fuzz/grammar/words.gbnf"
echo '{"$defs":{"t":{"type":"object","properties":{"n":{"type":["number","null"]},"of":{"type":"array","items":{"$ref":"#/$defs/t"},"maxItems":3},"k":{"enum":["a",7]}},"required":["n"]}},"anyOf":[{"$ref":"#/$defs/t"},{"const":"x"},true]}' >"$fuzz/grammar/tree.json"
bad=0
for d in ir launch safetensors gguf config tokenizer question grammar; do
  if "$fuzz/fuzz_$d" -max_total_time="$seconds" -mutate_depth=1 -max_len=16384 -timeout=10 -rss_limit_mb=4000 -print_final_stats=1 \
    -artifact_prefix="$fuzz/found/$d-" "$fuzz/$d" >"$fuzz/$d.log" 2>&1; then
    echo "fuzz/$d: $(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzz/$d.log") inputs, nothing found"
  else
    bad=1
    echo "fuzz/$d: found something, see $fuzz/$d.log:"
    grep -aE 'runtime error|ERROR|Test unit written' "$fuzz/$d.log" | sed 's/^/    /'
  fi
done
exit $bad
