#!/bin/sh
# train.sh PROGRAM : a tiny model learns a tiny task on the processor, from JSON lines to a folder: tokenizer, training, checkpoints, resume,
# adapters, and what goes wrong. Prints TAP.
program=$(realpath "${1:-build/warpwise}")
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
says() { grep -qE "$1" "$2" && echo 0 || echo 1; }
train() { "$program" train --device cpu "$@" >"$dir/out" 2>"$dir/err"; }

# Which of eight kernels, and a number that goes with it: the answer is all in the question.
lines() { # FIRST LAST
  awk -v a="$1" -v b="$2" 'BEGIN {
    split("saxpy gemm scan sort gather stencil reduce copy", name, " ")
    for (i = a; i < b; i++) {
      k = i * 7 % 8 + 1
      printf "{\"prompt\":\"<|number|><|number|>__global__ void %s(float *x, int n) // %d\\n<|answer|>\",", name[k], i * 13 % 10
      printf "\"completion\":\"{\\\"kernel\\\":%d,\\\"name\\\":\\\"%s\\\"}<|end|>\",\"numbers\":[%g,%s],\"features\":[%g,1,%d]}\n", k, name[k], k / 4, i % 3 ? k : "null", k / 8, i % 2
    }
  }'
}
lines 0 400 >"$dir/data.jsonl"
lines 400 440 >"$dir/valid.jsonl"

train --tokenizer "$dir/tokenizer.json" --vocab 384 --data "$dir/data.jsonl"
ok "a tokenizer from the texts" $? "$dir/err"
cp "$dir/tokenizer.json" "$dir/first.json"
train --tokenizer "$dir/tokenizer.json" --vocab 384 --data "$dir/data.jsonl"
report "the same texts, the same tokenizer" "$(cmp "$dir/tokenizer.json" "$dir/first.json" 2>&1)"

model="--lm new --tokenizer $dir/tokenizer.json --width 32 --layers 2 --heads 2 --kv-heads 1 --hidden 64 --context 64 --batch 4 --tokens 128"
fit() { train $model --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" --lr 1e-2 --number-weight 0.1 "$@"; }

fit --width 64 --heads 4 --hidden 128 --batch 8 --lr 5e-3 --number-weight 0.02 -o "$dir/model" --steps 300 --log "$dir/log.jsonl" --curve "$dir/loss.svg"
ok "a new model" $? "$dir/err"
loss=$(sed -n 's/.*"valid_token_loss":\([0-9.]*\).*/\1/p' "$dir/log.jsonl" | tail -n 1)
report "held-out answers: loss below 0.1, which guessing does not reach" "$(awk -v l="${loss:-9}" 'BEGIN { if (l >= 0.1) print "it is " l }')"
report "a line of the log a step" "$([ "$(grep -c '"lr":' "$dir/log.jsonl")" = 300 ] || echo "$(wc -l <"$dir/log.jsonl") lines")"
report "the curve is a picture" "$(grep -q '</svg>' "$dir/loss.svg" && grep -q '<circle' "$dir/loss.svg" || echo none)"
report "a folder that others load" "$(for f in config.json model.safetensors tokenizer.json training.json; do [ -s "$dir/model/$f" ] || echo "no $f"; done)"
ok "with its heads" "$(says '"numbers": *2' "$dir/model/config.json")"

# ---- pieces ----
fit -o "$dir/whole" --steps 20
ok "20 steps at once" $? "$dir/err"
fit -o "$dir/part" --steps 20 --checkpoint "$dir/state" --every 10
rm -rf "$dir/state/00000020"
fit -o "$dir/part" --steps 20 --checkpoint "$dir/state" --every 10 --resume
ok "the last 10 again, from the checkpoint" $? "$dir/err"
report "the same weights, bit for bit" "$(cmp "$dir/whole/model.safetensors" "$dir/part/model.safetensors" 2>&1)"
fit -o "$dir/part" --steps 20 --checkpoint "$dir/state"
report "checkpoints are not written over" "$([ $? = 2 ] && grep -q resume "$dir/err" || cat "$dir/err")"
fit -o "$dir/part" --steps 20 --checkpoint "$dir/state" --resume --seed 3
report "another seed is another training" "$([ $? = 3 ] && grep -q -- --seed "$dir/err" || cat "$dir/err")"

fit -o "$dir/late" --steps 100000 --checkpoint "$dir/short" --minutes 0.02
report "stops in time, and says how to go on" "$([ $? = 0 ] && grep -q resume "$dir/out" && ls "$dir/short" | grep -q 000 || cat "$dir/err")"

"$program" train --device cpu $model --data "$dir/data.jsonl" -o "$dir/left" --steps 100000 --minutes 0.3 --checkpoint "$dir/kept" >"$dir/out" 2>"$dir/interrupted" &
pid=$!
i=0
while ! grep -qs '^step 1/' "$dir/interrupted" && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill -INT $pid
wait $pid
report "an interrupt leaves a checkpoint" "$([ $? = 3 ] && ls "$dir/kept" 2>&1 | grep -q 000 || cat "$dir/interrupted")"

# ---- what goes wrong ----
fit -o "$dir/wild" --steps 4 --checkpoint "$dir/wild.state"
fit -o "$dir/wild" --steps 40 --checkpoint "$dir/wild.state" --resume --lr 1e30 --clip 0 --warmup 0
report "a loss that is not finite stops it" "$([ $? = 3 ] && grep -q 'not finite' "$dir/err" || cat "$dir/err")"
report "and the checkpoint is kept" "$([ -s "$dir/wild.state/00000004/manifest.json" ] || echo "it is not")"
{ head -n 6 "$dir/data.jsonl"; echo '{"prompt":"x"'; } >"$dir/bad.jsonl"
train $model --data "$dir/bad.jsonl" -o "$dir/none"
report "a bad line is named" "$([ $? = 3 ] && grep -q 'bad.jsonl:7:' "$dir/err" || cat "$dir/err")"
train $model --data "$dir/none.jsonl" -o "$dir/none"
report "so is a file that is not there" "$([ $? = 3 ] && grep -q none.jsonl "$dir/err" || cat "$dir/err")"
train --lm new --data "$dir/data.jsonl" -o "$dir/none"
report "a new model needs a tokenizer" "$([ $? = 2 ] && grep -q tokenizer "$dir/err" || cat "$dir/err")"
train $model --data "$dir/data.jsonl" -o "$dir/none" --width 33
report "sizes that do not fit together" "$([ $? = 2 ] && grep -q 33 "$dir/err" || cat "$dir/err")"

# ---- further ----
train --lm "$dir/model" --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" -o "$dir/adapter" --lora 4 --steps 6 --batch 4 --tokens 128
ok "adapters for a model that is there" $? "$dir/err"
report "as peft has them" "$(for f in adapter_config.json adapter_model.safetensors; do [ -s "$dir/adapter/$f" ] || echo "no $f"; done)"
train --lm "$dir/model" --data "$dir/data.jsonl" -o "$dir/merged" --lora 4 --merge --steps 6 --batch 4 --tokens 128 --save-as bf16
report "or added to it" "$([ $? = 0 ] && [ -s "$dir/merged/model.safetensors" ] && [ -s "$dir/merged/tokenizer.json" ] || cat "$dir/err")"
train --lm "$dir/model" --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" -o "$dir/further" --steps 4 --batch 4 --tokens 128 --log "$dir/further.jsonl"
first=$(sed -n '1s/.*"token_loss":\([0-9.]*\).*/\1/p' "$dir/further.jsonl")
report "trained further, it begins where it ended" "$(awk -v l="${first:-9}" 'BEGIN { if (l >= 0.5) print "it begins with a loss of " l }')"

echo "1..$n"
exit $bad
