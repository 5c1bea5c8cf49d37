#!/bin/sh
# finetune.sh PROGRAM : docs/fine-tuning.md from end to end, on models shaped as Llama-3.2-3B and Qwen2.5-Coder-3B with random weights: prompts of a
# store, adapters, the merged model, a server. What adapters make of a model is computed by tests/lm/finetune.py as well. Prints TAP. Needs python3.
program=$(realpath "${1:-build/warpwise}")
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if ! command -v python3 >/dev/null; then echo "ok 1 - fine-tuning # SKIP no python3"; echo 1..1; exit 0; fi
dir=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$dir"' EXIT
check="python3 tests/lm/finetune.py"
# near A B MOST : a problem where two numbers are none, or further apart
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = a - b; if (a == "" || b == "" || !(d <= most && -d <= most)) print "[" a "] and [" b "] are not within " most }'; }
# score FOLDER [OPTION] : what the program says of the text
score() { "$program" lm score "$dir/$1" "$dir/text" --json $2 2>"$dir/err" | sed -n 's/.*"log_prob":\([-0-9.]*\).*/\1/p'; }

zstd -qdc data/corpus-h200.jsonl.zst | awk 'NR % 26 == 1' >"$dir/reports.jsonl"
"$program" dataset import --store "$dir/s.sqlite" --reports "$dir/reports.jsonl" >"$dir/out" 2>&1 &&
  "$program" dataset export "$dir/s.sqlite" --as prompts --ask counters --corpus corpus -o "$dir/prompts.jsonl" >"$dir/out" 2>&1
ok "prompts of a store" $? "$dir/out"
"$program" train -q --tokenizer "$dir/words.json" --vocab 400 --data "$dir/prompts.jsonl" >"$dir/out" 2>&1
ok "a vocabulary" $? "$dir/out"
printf "int i = blockIdx.x * 256 + 12345; caf\303\251 // it's 1000 times" >"$dir/text"

for family in llama qwen; do
  $check make $family "$dir/words.json" "$dir/$family" 2>"$dir/err"
  ok "$family: a model of its shape" $? "$dir/err"
  "$program" lm tokenize "$dir/$family" --ids --special - <"$dir/text" >"$dir/ids" 2>"$dir/err"
  base=$($check score "$dir/$family" "$dir/ids" 2>&1)
  report "$family: the model written down again says the same" "$(near "$(score $family --exact)" "$base" 1e-4)"
  tune() { # OUT OPTION..
    out=$1
    shift
    "$program" train --lm "$dir/$family" --device cpu --lora 4 --data "$dir/prompts.jsonl" -o "$dir/$out" --batch 1 --tokens 768 --steps 8 --lr 1e-2 \
      --checkpoint "$dir/$family.state" "$@" >"$dir/out" 2>"$dir/err"
  }
  tune $family.adapter --log "$dir/$family.log"
  ok "$family: adapters learn" $? "$dir/err"
  report "$family: the loss falls" "$(sed -n 's/.*"token_loss":\([0-9.]*\).*/\1/p' "$dir/$family.log" | awk 'NR == 1 { first = $1 } { last = $1 } END { if (!(last < first - 0.1)) print "from " first " to " last }')"
  report "$family: the adapter is as peft writes one" "$($check adapter "$dir/$family" "$dir/$family.adapter" 2>&1)"
  tune $family.merged --resume --merge
  report "$family: merged without learning again" "$([ $? = 0 ] && grep -q 'step 8 of 8, cpu, 0 tokens/s' "$dir/out" || cat "$dir/err" "$dir/out")"
  want=$($check score "$dir/$family" "$dir/ids" "$dir/$family.adapter" 2>&1)
  report "$family: base and adapter by peft's rule" "$(near "$(score $family.merged --exact)" "$want" 1e-3)"
  report "$family: which is another model than the base" "$([ -z "$(near "$base" "$want" 0.05)" ] && echo "$base, $want")"
  report "$family: the merged folder by itself" "$(near "$($check score "$dir/$family.merged" "$dir/ids" 2>&1)" "$want" 1e-3)"
  tune $family.half --resume --merge --save-as bf16
  report "$family: in bf16" "$(near "$(score $family.half)" "$want" 1)"
  report "$family: what others read beside it" "$(for f in tokenizer.json tokenizer_config.json generation_config.json; do cmp "$dir/$family/$f" "$dir/$family.half/$f" 2>&1; done)"
  "$program" lm convert "$dir/$family.half" "$dir/$family.gguf" --type q8_0 >"$dir/out" 2>"$dir/err"
  report "$family: as a GGUF in Q8_0" "$([ $? = 0 ] && near "$(score $family.gguf)" "$want" 4 || cat "$dir/err")"
done

if ! command -v curl >/dev/null || ! "$program" --help | grep -q '^  serve '; then
  skip "no curl, or built without libmicrohttpd"
else
  "$program" serve --lm "$dir/llama.gguf" --port 0 --root "$dir" >"$dir/served" 2>&1 &
  server=$!
  i=0
  while ! grep -q 'http://' "$dir/served" && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
  url=$(grep -o 'http://[0-9.:]*' "$dir/served" | head -n 1)
  python3 -c 'import json, sys
line = json.loads(open(sys.argv[1]).readline())
print(json.dumps({"messages": line["messages"][:2], "max_tokens": 60, "temperature": 0, "response_format": {"type": "json_object"}}))' "$dir/prompts.jsonl" >"$dir/ask"
  curl -s -m 60 "$url/v1/chat/completions" -H 'Content-Type: application/json' -d @"$dir/ask" >"$dir/answer"
  report "an answer as OpenAI's clients read it, which is JSON" "$(python3 -c 'import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["object"] == "chat.completion" and isinstance(json.loads(answer["choices"][0]["message"]["content"]), dict), answer' "$dir/answer" 2>&1 | tail -n 1)"
fi

echo "1..$n"
exit $bad
