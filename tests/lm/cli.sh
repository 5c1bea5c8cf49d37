#!/bin/sh
# cli.sh PROGRAM : `warpwise lm` from outside, on models of others in small (tests/lm/fixtures) and on two that are made here: one that
# learned a little, one that knows nothing, which tries a grammar hardest. Prints TAP.
program=$(realpath "${1:-build/warpwise}")
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fixtures=tests/lm/fixtures
show() { head -c 600 "$@"; echo "(all that it said)"; } # a problem, also where there is nothing
same() { [ -s "$1" ] && cmp "$1" "$2" 2>&1 || echo "they differ"; }
lm() { "$program" lm "$@" >"$dir/out" 2>"$dir/err"; }
# fails CODE PATTERN ARGUMENTS... : '' when `warpwise lm` ends with the code and says so
fails() {
  code=$1 want=$2
  shift 2
  timeout 20 "$program" lm "$@" >"$dir/out" 2>"$dir/err" </dev/null
  got=$?
  [ $got = "$code" ] || echo "exit code $got, not $code"
  grep -qE -- "$want" "$dir/err" || echo "no '$want' in: $(head -c 500 "$dir/err")"
}
have_python=
if command -v python3 >/dev/null; then have_python=1; fi
is_json() { # FILE : '' when each of its lines is JSON
  [ -s "$1" ] || echo "nothing was printed"
  [ -z "$have_python" ] || python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' "$1" 2>&1 | tail -n 1
}

# ---- a tokenizer and two models ----
awk 'BEGIN {
  split("saxpy gemm scan sort gather stencil reduce copy", name, " ")
  for (i = 0; i < 300; i++) {
    k = i * 7 % 8 + 1
    printf "{\"prompt\":\"void %s() // %d\\n<|answer|>\",", name[k], i * 13 % 10
    printf "\"completion\":\"{\\\"kernel\\\":%d,\\\"name\\\":\\\"%s\\\"}<|end|>\"}\n", k, name[k]
  }
}' >"$dir/data.jsonl"
head -n 20 "$dir/data.jsonl" >"$dir/some.jsonl"
train() { "$program" train --device cpu --data "$dir/data.jsonl" "$@" >"$dir/out" 2>"$dir/err"; }
new() { train --lm new --tokenizer "$dir/tokenizer.json" --width 32 --layers 2 --heads 2 --kv-heads 1 --hidden 64 --context 256 --tokens 96 "$@"; }
train --tokenizer "$dir/tokenizer.json" --vocab 384
ok "a tokenizer" $? "$dir/err"
new -o "$dir/model" --width 64 --heads 4 --hidden 128 --steps 160 --batch 4 --lr 1e-2
ok "a model that learned" $? "$dir/err"
new -o "$dir/random" --steps 1 --batch 1 --lr 1e-9
ok "a model that knows nothing" $? "$dir/err"
model=$dir/model
random=$dir/random
question='void scan() // 8
<|answer|>'

# ---- inspect ----
for f in linear llama3 qwen2 tied; do
  lm inspect $fixtures/$f
  report "inspect $f" "$([ -s "$dir/err" ] && cat "$dir/err"; grep -q 'parameters' "$dir/out" && grep -q 'model.layers.0.self_attn.q_proj.weight .* x ' "$dir/out" || show "$dir/out")"
  lm inspect $fixtures/$f --json
  report "inspect $f --json" "$(is_json "$dir/out"; grep -q '"architecture":"[a-z0-9]*","parameters":[1-9]' "$dir/out" || show "$dir/out")"
done
mkdir "$dir/other"
cp $fixtures/tied/model.safetensors "$dir/other/"
echo '{"model_type":"mamba"}' >"$dir/other/config.json"
lm inspect "$dir/other"
report "tensors of a model that is none of ours are listed" "$(grep -q '^no model that runs here: .*mamba' "$dir/out" && grep -q 'embed_tokens' "$dir/out" || show "$dir/out" "$dir/err")"

# ---- convert ----
for t in f32 f16 bf16 q8_0; do
  lm convert "$model" "$dir/$t.gguf" --type $t
  ok "to a .gguf, $t" $? "$dir/err"
  lm inspect "$dir/$t.gguf"
  name=$(echo $t | tr a-z A-Z)
  report "and it is $t" "$(grep -qE "attn_q.weight +$name" "$dir/out" || show "$dir/out")"
  lm generate "$dir/$t.gguf" "$question"
  report "which answers" "$(grep -qF '{"kernel":3,"name":"scan"}' "$dir/out" || show "$dir/out" "$dir/err")"
done
lm convert "$dir/f32.gguf" "$dir/back" --type f32
report "back, tensor for tensor" "$(lm inspect "$model" --json; cp "$dir/out" "$dir/first"; lm inspect "$dir/back" --json; same "$dir/out" "$dir/first"
  lm score "$dir/back" "$dir/some.jsonl" --exact; cp "$dir/out" "$dir/first"; lm score "$model" "$dir/some.jsonl" --exact; same "$dir/out" "$dir/first")"
for f in linear llama3 qwen2 tied; do
  report "$f there and back" "$(lm convert $fixtures/$f "$dir/$f.gguf" --type f32 || show "$dir/err"; lm convert "$dir/$f.gguf" "$dir/$f" --type f32 || show "$dir/err"
    lm inspect "$dir/$f" --json; sed 's/.*"tensors"//' "$dir/out" | tr '{' '\n' | sort >"$dir/first"; lm convert $fixtures/$f "$dir/$f.same" --type f32; lm inspect "$dir/$f.same" --json
    sed 's/.*"tensors"//' "$dir/out" | tr '{' '\n' | sort | cmp - "$dir/first" 2>&1; same "$dir/$f/model.safetensors" "$dir/$f.same/model.safetensors")"
done
lm convert "$dir/f32.gguf" "$dir/again.gguf" --type f32
report "a .gguf from a .gguf" "$(same "$dir/f32.gguf" "$dir/again.gguf"; [ -s "$dir/err" ] && cat "$dir/err")"
report "a folder has no q8_0" "$(fails 2 'q8_0 is for a .gguf' convert "$model" "$dir/none" --type q8_0)"
report "an unknown type" "$(fails 2 'f32, f16, bf16 or q8_0, not .q4.' convert "$model" "$dir/none.gguf" --type q4)"
report "nowhere to write" "$(fails 3 'none/x.gguf' convert "$model" "$dir/none/x.gguf")"

# ---- tokenize ----
text='int i = threadIdx.x; // naïve 🙂'
lm tokenize "$model" "$text" --ids
report "tokens, and the text again" "$(ids=$(cat "$dir/out"); lm tokenize "$model" --decode "$ids"; [ "$(cat "$dir/out")" = "$text" ] || show "$dir/out")"
printf '%s' "$text" | "$program" lm tokenize "$dir/tokenizer.json" --json - >"$dir/out"
report "from stdin, as JSON" "$(is_json "$dir/out"; grep -q '"tokens":\[[0-9, ]*\],"texts":\[' "$dir/out" || show "$dir/out")"
lm tokenize "$model" '<|end|>' --ids
report "a special token is text, unless one says otherwise" "$(wc -w <"$dir/out" | grep -qv '^1$' || show "$dir/out"; lm tokenize "$model" '<|end|>' --ids --special; [ "$(cat "$dir/out")" = 256 ] || show "$dir/out")"
report "numbers that are no tokens" "$(fails 3 'vocabulary has [0-9]+ tokens' tokenize "$model" --decode '1 9999'; fails 3 'no token' tokenize "$model" --decode '1 x')"
sed 's/"post_processor":null/"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<|end|>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],"special_tokens":{"<|end|>":{"id":"<|end|>","ids":[256],"tokens":["<|end|>"]}}}/' "$dir/tokenizer.json" >"$dir/bos.json"
cp -r "$random" "$dir/bos"
cp "$dir/bos.json" "$dir/bos/tokenizer.json"
report "a tokenizer with a BOS puts it in front, once" "$(lm tokenize "$dir/bos" 'x' --ids --special; grep -q '^256 [0-9]*$' "$dir/out" || show "$dir/out" "$dir/err"
  lm generate "$dir/bos" x -n 1 --json; grep -q '"prompt_tokens":2' "$dir/out" || show "$dir/out"; lm generate "$dir/bos" '' -n 1 --json; grep -q '"prompt_tokens":1' "$dir/out" || show "$dir/out" "$dir/err"
  echo '{"prompt":"a","completion":"bc"}' >"$dir/pair"; lm score "$dir/bos" "$dir/pair" --json; grep -q '"tokens":2' "$dir/out" || show "$dir/out")"

# ---- generate ----
lm generate "$model" "$question"
report "an answer" "$([ "$(cat "$dir/out")" = '{"kernel":3,"name":"scan"}' ] || show "$dir/out" "$dir/err")"
lm generate "$model" "$question" --json
report "as JSON" "$(is_json "$dir/out"; grep -qE '"text":"\{\\"kernel\\":3,\\"name\\":\\"scan\\"\}","finish":"stop","prompt_tokens":[0-9]+,"tokens":[0-9]+,"forced":0' "$dir/out" || show "$dir/out")"
printf '%s' "$question" | "$program" lm generate "$model" - >"$dir/out" 2>"$dir/err"
report "a prompt from stdin" "$([ "$(cat "$dir/out")" = '{"kernel":3,"name":"scan"}' ] || show "$dir/out" "$dir/err")"
for w in f32 f16 bf16 q8_0; do
  lm generate "$model" "$question" --weights $w
  report "with weights of $w" "$([ "$(cat "$dir/out")" = '{"kernel":3,"name":"scan"}' ] || show "$dir/out" "$dir/err")"
done
lm generate "$model" "$question" --exact
report "by the reference" "$([ "$(cat "$dir/out")" = '{"kernel":3,"name":"scan"}' ] || show "$dir/out" "$dir/err")"
lm generate "$model" "$question" --stop '"name' --stop ',"' --stop ''
report "--stop: the first in the text counts, and is left out" "$([ "$(cat "$dir/out")" = '{"kernel":3' ] || show "$dir/out" "$dir/err")"
lm generate "$random" x -n 50 -t 1 --seed 7 --json
sed 's/"prompt_s".*//' "$dir/out" >"$dir/first"
report "the same seed, the same text; another, another" "$(is_json "$dir/out"; lm generate "$random" x -n 50 -t 1 --seed 7 --json; sed 's/"prompt_s".*//' "$dir/out" >"$dir/again"; same "$dir/again" "$dir/first"
  lm generate "$random" x -n 50 -t 1 --seed 8 --json; sed 's/"prompt_s".*//' "$dir/out" | cmp -s - "$dir/first" && echo same)"
lm generate "$random" x -n 50 -t 1 --seed 7 --threads 1 --json
report "on one thread too" "$(sed 's/"prompt_s".*//' "$dir/out" >"$dir/again"; same "$dir/again" "$dir/first")"
lm generate "$random" x -n 9 -t 2 --top-k 1
report "--top-k 1 is the likeliest" "$(cp "$dir/out" "$dir/first"; lm generate "$random" x -n 9; same "$dir/out" "$dir/first")"
lm generate "$model" 'What is it?' --chat --system 'Be brief.' -n 4 --stats
report "a chat" "$(grep -qE '^prompt: [1-9][0-9]* tokens.*text: [0-4] tokens' "$dir/err" || show "$dir/err")"

# ---- only what a grammar allows, of a model that knows nothing ----
cat >"$dir/flat.json" <<'END'
{"type":"object","properties":{"bottleneck":{"enum":["dram","l2","fp32 \"naïve\"",null,7]},"time_us":{"type":"number"},"registers":{"type":"integer"},
 "notes":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4},"more":{"type":"object","additionalProperties":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}}
END
cat >"$dir/tree.json" <<'END'
{"$defs":{"t":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":["number","null"]},"of":{"type":"array","items":{"$ref":"#/$defs/t"},"maxItems":3},
 "fits":{"type":"boolean"},"is":{"const":{"a":[1,"x"]}}},"required":["name","of"]}},"$ref":"#/$defs/t"}
END
echo '{"type":"array","items":true,"minItems":2}' >"$dir/any.json"
seeds='1 2 3 4 5 6 7 8 9 10'
if grep -q __asan_init "$program"; then seeds='1 2 3'; fi # starting it is slow then
for s in flat tree any; do
  for most in 80 200; do
    : >"$dir/lines"
    for seed in $seeds; do "$program" lm generate "$random" x -n $most -t 1 --seed $seed --json-schema "$dir/$s.json" >>"$dir/lines" 2>>"$dir/lines"; done
    if [ -z "$have_python" ]; then skip "no python3 here"; else
      report "JSON of the schema $s in $most tokens, each time" "$(python3 tests/lm/check_json.py "$dir/$s.json" <"$dir/lines"; [ "$(sort -u "$dir/lines" | wc -l)" -ge 2 ] || echo "always the same")"
    fi
  done
done
: >"$dir/lines"
for seed in $seeds; do "$program" lm generate "$random" x -n 60 -t 1.5 --seed $seed --any-json >>"$dir/lines" 2>>"$dir/lines"; done
if [ -z "$have_python" ]; then skip "no python3 here"; else report "any object, each time" "$(python3 tests/lm/check_json.py - <"$dir/lines")"; fi
cat >"$dir/list.gbnf" <<'END'
root ::= word (", " word){1,3} "."   # two to four
word ::= [a-z]{2,5} | "é" [^a-z .]
END
: >"$dir/lines"
for seed in $seeds; do "$program" lm generate "$random" x -n 30 -t 1 --seed $seed --grammar "$dir/list.gbnf" >>"$dir/lines" 2>>"$dir/lines"; done
report "a grammar's text, each time" "$(LC_ALL=C.UTF-8 grep -vE '^([a-z]{2,5}|é[^a-z .]?)(, ([a-z]{2,5}|é[^a-z .]?)){0,3}\.?$' "$dir/lines" | grep -v '^$'; grep -q '\.$' "$dir/lines" || echo "none ended")"
report "half a character is not text" "$([ -s "$dir/lines" ] || echo "no text"; [ -z "$have_python" ] || python3 -c 'import sys; open(sys.argv[1], "rb").read().decode("utf-8")' "$dir/lines" 2>&1 | tail -n 1)"
lm generate "$model" "$question" --json-schema "$dir/flat.json" -n 100 --json
report "fixed parts are not drawn" "$(grep -qE '"forced":([2-9][0-9])' "$dir/out" || show "$dir/out" "$dir/err")"
lm generate "$random" x -t 1 -n 20 --any-json --json --seed 1
report "an end for want of room is told" "$(grep -qE '"finish":"(length|stop)"' "$dir/out" && is_json "$dir/out" || show "$dir/out")"
report "a schema that cannot fit" "$(fails 3 'room for 3 tokens' generate "$random" x -n 3 --json-schema "$dir/flat.json")"

# ---- large, deep and wild ones ----
awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"type\":\"array\",\"items\":"; printf "true"; for (i = 0; i < 60; i++) printf "}" }' >"$dir/deep.json"
report "a deep schema" "$(timeout 20 "$program" lm generate "$random" x -t 1 -n 200 --json-schema "$dir/deep.json" 2>&1 >"$dir/out" || echo "status $?"; [ -z "$have_python" ] || python3 tests/lm/check_json.py "$dir/deep.json" <"$dir/out")"
awk 'BEGIN { for (i = 0; i < 90; i++) printf "{\"type\":\"array\",\"items\":"; printf "true"; for (i = 0; i < 90; i++) printf "}" }' >"$dir/deeper.json"
report "a deeper one" "$(fails 3 'nested deeper than' generate "$random" x --json-schema "$dir/deeper.json")"
awk 'BEGIN { printf "{\"type\":\"object\",\"properties\":{"; for (i = 0; i < 4000; i++) printf "%s\"property %d\":{\"enum\":[\"a\",\"b\",%d]}", i ? "," : "", i, i; print "},\"required\":[]}" }' >"$dir/wide.json"
report "4000 properties, all of them free" "$(timeout 20 "$program" lm generate "$random" x -t 1 -n 200 --json-schema "$dir/wide.json" 2>&1 >"$dir/out" || echo "status $?"; [ -z "$have_python" ] || python3 tests/lm/check_json.py "$dir/wide.json" <"$dir/out")"
awk 'BEGIN { print "root ::= r0"; for (i = 0; i < 100000; i++) printf "r%d ::= r%d\n", i, i + 1; print "r100000 ::= \"x\"" }' >"$dir/chain.gbnf"
timeout 20 "$program" lm generate "$random" x --grammar "$dir/chain.gbnf" >"$dir/out" 2>"$dir/err"
report "a chain of 100000 rules" "$([ "$(cat "$dir/out")" = x ] || show "$dir/out" "$dir/err")"
awk 'BEGIN { printf "root ::= "; for (i = 0; i < 50; i++) printf "(\"\" | \"\" | \"a\" | \"\"){0,50} "; print "" }' >"$dir/empty.gbnf"
timeout 20 "$program" lm generate "$random" x -n 20 -t 1 --grammar "$dir/empty.gbnf" >"$dir/out" 2>"$dir/err"
report "choices of nothing" "$([ $? = 0 ] && ! grep -vE '^a*$' "$dir/out" || show "$dir/out" "$dir/err")"
awk 'BEGIN { printf "root ::= "; for (i = 0; i < 9000; i++) printf "\"a\"{10000} " }' >"$dir/huge.gbnf"
report "one that grows too large" "$(fails 3 'too large' generate "$random" x --grammar "$dir/huge.gbnf")"
report "one without an end" "$(echo 'root ::= "a" root' >"$dir/endless.gbnf"; fails 3 'has an end' generate "$random" x --grammar "$dir/endless.gbnf")"
report "a bad grammar" "$(echo 'root ::= "a" | b' >"$dir/bad.gbnf"; fails 3 'bad.gbnf: .*rule .b.' generate "$random" x --grammar "$dir/bad.gbnf"; fails 3 'cannot open' generate "$random" x --grammar "$dir/none.gbnf")"
report "a bad schema" "$(echo '{"type":"strin"}' >"$dir/bad.json"; fails 3 'bad.json: .*strin' generate "$random" x --json-schema "$dir/bad.json"; echo '{"type":' >"$dir/bad.json"; fails 3 'bad.json:2:1: not JSON' generate "$random" x --json-schema "$dir/bad.json"
  echo '{"type":"string","pattern":"a+"}' >"$dir/bad.json"; fails 3 'pattern.*take it out' generate "$random" x --json-schema "$dir/bad.json")"
report "two at a time" "$(fails 2 'one of --grammar' generate "$random" x --any-json --grammar "$dir/list.gbnf")"

# ---- score ----
lm score "$model" "$dir/some.jsonl" --json
cp "$dir/out" "$dir/fast"
lm score "$model" "$dir/some.jsonl" --json --exact
report "scores: fast and exact agree" "$(is_json "$dir/fast"; [ "$(wc -l <"$dir/fast")" = 20 ] || echo "not 20"; paste "$dir/fast" "$dir/out" | sed 's/{[^}]*"log_prob":\([^,]*\)[^}]*}/\1/g' |
  awk '{ a = $1; b = $2; d = a - b; if (d < 0) d = -d; if (!(d < 0.05 - 0.01 * b) || !(b < 0)) print "line " NR ": " $0 }')"
printf 'ab\n{"text":"ab"}\n{"prompt":"a","completion":"b"}\n{"prompt":"a","completion":"bc"}\n{"prompt":"ab","completion":"c"}\n\n{"prompt":"","completion":"ab"}\n{"text":""}\n' >"$dir/sums"
lm score "$random" "$dir/sums" --exact --json
report "a completion's score is the sum over its tokens" "$(is_json "$dir/out"; sed 's/.*"log_prob":\([^,]*\),"tokens":\([0-9]*\).*/\1 \2/' "$dir/out" |
  awk '{ p[NR] = $1; n[NR] = $2 } function near(a, b) { return a - b < 1e-4 && b - a < 1e-4 }
    END { if (NR != 7 || n[3] != 1 || n[4] != 2 || n[7] != 0) print "counts"; if (!near(p[1], p[2]) || !near(p[1], p[3]) || !near(p[6], p[1])) print "the same text, another score"; if (!near(p[4], p[3] + p[5])) print p[4] " is not " p[3] " + " p[5] }'; head -n 7 "$dir/err")"
cp "$dir/out" "$dir/first"
"$program" lm score "$random" - --exact --json <"$dir/sums" >"$dir/out" 2>"$dir/err"
report "from stdin" "$(same "$dir/out" "$dir/first")"
{ head -n 3 "$dir/data.jsonl"; echo '{"prompt":"x"}'; } >"$dir/bad.jsonl"
report "a bad line is named" "$(fails 3 'bad.jsonl:4: .*completion' score "$model" "$dir/bad.jsonl"; echo '{"text":' >>"$dir/some.jsonl"; fails 3 'some.jsonl:21' score "$model" "$dir/some.jsonl")"
{ head -n 3 "$dir/data.jsonl"; head -c 3000 "$dir/data.jsonl" | tr -d '\n{'; } >"$dir/long.jsonl"
report "so is a long one" "$(fails 3 'line 4 has [0-9]* tokens, the model reads 256' score "$model" "$dir/long.jsonl")"

# ---- what is not there, or not what it says ----
for c in 'generate x' 'inspect' 'score -' "convert $dir/x.gguf" 'tokenize x'; do
  report "no such model: $c" "$(fails 3 "none.*No such file" ${c%% *} "$dir/none" $(echo "$c" | cut -s -d ' ' -f 2))"
done
cp -r "$model" "$dir/mute"
rm "$dir/mute/tokenizer.json"
report "no tokenizer" "$(fails 3 'no tokenizer.json: put' generate "$dir/mute" x; fails 3 'no tokenizer.json: put' score "$dir/mute" "$dir/data.jsonl"; fails 3 'tokenizer.json' tokenize "$dir/mute" x
  lm convert "$dir/mute" "$dir/mute.gguf" || show "$dir/err"; fails 3 'no tokenizer in it' generate "$dir/mute.gguf" x)"
for size in 0 3 4 7 8 16 23 24 32 100 1000 5000 20000 50000 100000; do
  head -c $size "$dir/f32.gguf" >"$dir/cut.gguf"
  report "a .gguf of $size bytes" "$(fails 3 'cut short|only [0-9]* bytes|empty|lies' generate "$dir/cut.gguf" x; grep -q Sanitizer "$dir/err" && cat "$dir/err")"
done
cp -r "$model" "$dir/cut"
for size in 0 4 8 9 100 1000 3000 60000 125000; do
  head -c $size "$model/model.safetensors" >"$dir/cut/model.safetensors"
  report "a .safetensors of $size bytes" "$(fails 3 'cut short|only [0-9]* bytes|empty|lies|header' generate "$dir/cut" x)"
done
{ printf '\377\377\377\377\377\377\377\177'; tail -c +9 "$model/model.safetensors"; } >"$dir/cut/model.safetensors"
report "a header of 2^63 bytes" "$(fails 3 'header' generate "$dir/cut" x)"
sed 's/"shape":\[384,64\]/"shape":[384,99]/' "$model/model.safetensors" >"$dir/cut/model.safetensors"
report "a shape that lies" "$(fails 3 'embed_tokens|bytes' generate "$dir/cut" x)"
cp "$model/model.safetensors" "$dir/cut/"
sed 's/"hidden_size": 64/"hidden_size": 32/' "$model/config.json" >"$dir/cut/config.json"
report "a configuration of another model" "$(fails 3 'cut|tensor|head' generate "$dir/cut" x)"
sed 's/"vocab_size": 384/"vocab_size": 4000000000/' "$model/config.json" >"$dir/cut/config.json"
report "a vocabulary of 4 billion" "$(fails 3 'vocab|tensor' generate "$dir/cut" x)"
head -c 2000 "$model/tokenizer.json" >"$dir/cut/tokenizer.json"
cp "$model/config.json" "$dir/cut/"
report "half a tokenizer" "$(fails 3 'tokenizer.json' generate "$dir/cut" x)"

report "a prompt that is too long" "$(fails 3 'takes [0-9]* tokens, the model has room for 256; shorten' generate "$model" "$(head -c 2000 "$dir/data.jsonl")")"
report "no prompt" "$(fails 2 'prompt is empty' generate "$model" '')"
report "an unknown --weights" "$(fails 2 'q8_0, f16, bf16 or f32, not .q4.' generate "$model" x --weights q4)"
report "numbers that are none" "$(fails 2 'temperature takes a number' generate "$model" x -t warm; fails 2 'top-p takes' generate "$model" x --top-p 2; fails 2 'whole number' generate "$model" x --seed -1)"
report "too few, too many" "$(fails 2 'takes a model' generate; fails 2 'takes a model' score "$model"; fails 2 'takes' inspect; fails 2 'takes' convert "$model"; fails 2 'no command' nothing)"
if [ -w /dev/full ]; then
  "$program" lm generate "$model" "$question" >/dev/full 2>"$dir/err"
  report "a full disk" "$(code=$?; [ $code = 3 ] || echo "exit code $code"; grep -q 'cannot write' "$dir/err" || show "$dir/err")"
fi
{ "$program" lm generate "$random" x -t 1 -n 250; echo $? >"$dir/code"; } 2>"$dir/err" | head -c 10 >/dev/null
report "a reader that leaves" "$([ "$(cat "$dir/code")" = 141 ] || [ "$(cat "$dir/code")" = 0 ] || show "$dir/code" "$dir/err")"

# ---- Ctrl-C ----
# A model large enough to be still writing. Shells start what they put behind with Ctrl-C ignored; env gives it back.
echo 'root ::= [a-z]{7000}' >"$dir/long.gbnf"
new -o "$dir/slow" --steps 1 --batch 1 --lr 1e-9 --width 256 --heads 4 --layers 8 --hidden 1024 --context 8192
env --default-signal=INT "$program" lm generate "$dir/slow" x -t 1 -n 8000 --grammar "$dir/long.gbnf" --json >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
code=$?
report "Ctrl-C ends the text, which is printed" "$([ $code = 3 ] || echo "exit code $code"; is_json "$dir/out"; grep -q '"finish":"cancelled"' "$dir/out" || show "$dir/out")"

echo "1..$n"
exit $bad
