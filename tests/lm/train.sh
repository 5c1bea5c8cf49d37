#!/bin/sh
# train.sh PROGRAM : a tiny model learns a tiny task on the processor, from JSON lines to a folder: tokenizer, training, checkpoints, resume,
# adapters, ranks of a parallel job, and what goes wrong. Prints TAP.
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

# ---- ranks ----
# far A B MOST : a problem where a weight of two folders differs by more than MOST
far() {
  python3 - "$dir/$1/model.safetensors" "$dir/$2/model.safetensors" "$3" 2>&1 <<'END'
import array, struct, sys
def read(path):
    data = open(path, "rb").read()
    values = array.array("f")
    values.frombytes(data[8 + struct.unpack("<Q", data[:8])[0]:])
    return values
a, b = read(sys.argv[1]), read(sys.argv[2])
worst = max(abs(x - y) for x, y in zip(a, b)) if len(a) == len(b) else float("inf")
if not worst <= float(sys.argv[3]):
    print(f"weights differ by {worst:.3g}")
END
}
# losses LOG : of steps and evaluations, to the 4 digits that do not depend on the order of sums
losses() { sed -n 's/.*"step":\([0-9]*\),"\(v*a*l*i*d*_*loss\)":\([0-9.]*\).*/\1 \2 \3/p' "$1" | awk '{ printf "%s %s %.4g\n", $1, $2, $3 }'; }
# halves OPTION.. : two ranks of 2 rows by hand; their statuses in $first and $second, what they say in $dir/rank0 and rank1
halves() {
  (WARPWISE_RANK=1 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" --lr 1e-2 \
    --number-weight 0.1 "$@" >"$dir/rank1" 2>&1) &
  other=$!
  WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" --lr 1e-2 \
    --number-weight 0.1 "$@" >"$dir/rank0" 2>&1
  first=$?
  wait $other
  second=$?
}

fit -o "$dir/twice" --batch 2 --accumulate 2 --dropout 0.1 --noise 0.1 --steps 20 --log "$dir/twice.jsonl"
if command -v mpirun >/dev/null; then
  timeout 60 mpirun --allow-run-as-root --oversubscribe -n 2 "$program" train --device cpu $model --data "$dir/data.jsonl" --valid "$dir/valid.jsonl" --lr 1e-2 \
    --number-weight 0.1 --batch 2 --dropout 0.1 --noise 0.1 -o "$dir/mpi" --steps 20 --log "$dir/mpi.jsonl" >"$dir/out" 2>"$dir/err"
  ok "two ranks of mpirun" $? "$dir/err"
  report "the weights of one process that accumulates twice, within 2e-6" "$(far twice mpi 2e-6)"
  losses "$dir/twice.jsonl" >"$dir/want"
  report "and its losses" "$([ -s "$dir/want" ] || echo "no losses in $dir/twice.jsonl"; losses "$dir/mpi.jsonl" | diff - "$dir/want" 2>&1)"
  report "each line of the log once" "$([ "$(wc -l <"$dir/mpi.jsonl")" = "$(wc -l <"$dir/twice.jsonl")" ] || cat "$dir/mpi.jsonl")"
else
  skip "no mpirun here"
fi
halves -o "$dir/hand" --steps 20 --checkpoint "$dir/hand.state" --every 10
report "two ranks by hand" "$([ $first = 0 ] && [ $second = 0 ] || cat "$dir/rank0" "$dir/rank1")"
report "two halves of a batch, the whole one: weights within 5e-4" "$(far whole hand 5e-4)"
report "rank 0 alone speaks" "$(cat "$dir/rank1")"
report "nothing is left where they met" "$(ls -d "$dir/hand.parts" 2>/dev/null)"
cp -r "$dir/hand" "$dir/hand.first"
rm -rf "$dir/hand.state/00000020"
halves -o "$dir/hand" --steps 20 --checkpoint "$dir/hand.state" --every 10 --resume
report "the last 10 again, from the checkpoint: the same weights, bit for bit" "$([ $first = 0 ] && cmp "$dir/hand/model.safetensors" "$dir/hand.first/model.safetensors" 2>&1 || cat "$dir/rank0")"
rm -rf "$dir/hand.state/00000020"
fit -o "$dir/alone" --batch 2 --accumulate 2 --steps 20 --checkpoint "$dir/hand.state" --resume
report "or by one process" "$(far hand alone 2e-6)"
halves -o "$dir/other" --steps 100000 --minutes 0.03 --checkpoint "$dir/other.state"
report "out of time, all of them at the same step" "$([ $first = 0 ] && [ $second = 0 ] && grep -q 'out of time' "$dir/rank0" || cat "$dir/rank0" "$dir/rank1")"

# unlike NAME OPTIONS OF RANK 1 : what both say is refused
unlike() {
  text=$1
  shift
  (WARPWISE_RANK=1 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" -o "$dir/none" --steps 4 "$@" >/dev/null 2>"$dir/rank1") &
  other=$!
  WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" -o "$dir/none" --steps 4 >/dev/null 2>"$dir/rank0"
  first=$?
  wait $other
  second=$?
  report "ranks that differ are refused: $1" "$([ $first != 0 ] && [ $second != 0 ] && grep -q -e "$text" "$dir/rank0" && grep -q -e "$text" "$dir/rank1" || cat "$dir/rank0" "$dir/rank1")"
}
unlike "rank 1 has --seed 3" --seed 3
unlike "rank 1 has --dropout 0.2" --dropout 0.2
unlike "rank 1 reads other examples" --data "$dir/valid.jsonl"
unlike "rank 1 has another model" --layers 1

"$program" train --device cpu $model --batch 2 --data "$dir/data.jsonl" -o "$dir/none" --steps 4 --ranks nccl >"$dir/out" 2>"$dir/err"
report "the processor has no NCCL" "$([ $? = 2 ] && grep -q sockets "$dir/err" || cat "$dir/err")"
WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --data "$dir/data.jsonl" -o "$dir/none" --steps 4 --wait 1 >"$dir/out" 2>"$dir/err"
report "a rank that does not come is named" "$([ $? = 3 ] && grep -q 'not there: 1' "$dir/err" || cat "$dir/err")"
WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --data "$dir/data.jsonl" -o "$dir/none" --steps 4 --ranks none >"$dir/out" 2>"$dir/err"
ok "--ranks none trains alone" $? "$dir/err"

# Rank 1 is killed, or stopped: rank 0 says so and ends.
for how in KILL STOP; do
  WARPWISE_RANK=1 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 3 --data "$dir/data.jsonl" -o "$dir/lost" --steps 100000 >"$dir/rank1" 2>&1 &
  other=$!
  WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 3 --data "$dir/data.jsonl" -o "$dir/lost" --steps 100000 >"$dir/rank0" 2>&1 &
  pid=$!
  i=0
  while ! grep -qs '^step 1/' "$dir/rank0" && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
  kill -$how $other
  i=0
  while kill -0 $pid 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
  kill -KILL $pid 2>/dev/null
  wait $pid
  report "rank 1 gets SIG$how: rank 0 names it and ends" "$([ $? = 3 ] && grep -qE '^warpwise: rank 1 \(.*(has ended|has been silent for 3 s)' "$dir/rank0" || cat "$dir/rank0")"
  kill -KILL $other 2>/dev/null
  wait $other 2>/dev/null
done
# An interrupt of one is for all.
rm -rf "$dir/kept"
WARPWISE_RANK=1 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" -o "$dir/left" --steps 100000 --checkpoint "$dir/kept" >"$dir/rank1" 2>&1 &
other=$!
WARPWISE_RANK=0 WARPWISE_SIZE=2 "$program" train --device cpu $model --batch 2 --wait 30 --data "$dir/data.jsonl" -o "$dir/left" --steps 100000 --checkpoint "$dir/kept" >"$dir/rank0" 2>&1 &
pid=$!
i=0
while ! grep -qs '^step 1/' "$dir/rank0" && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
kill -INT $other
wait $pid
first=$?
wait $other
report "an interrupt of one rank is for all, with a checkpoint" "$([ "$first $?" = "3 3" ] && grep -q interrupted "$dir/rank0" && ls "$dir/kept" 2>&1 | grep -q 000 || cat "$dir/rank0" "$dir/rank1")"

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
