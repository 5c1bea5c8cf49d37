#!/bin/sh
# policy_train.sh WARPWISE EPISODES OUT : a policy from episodes (docs/policy.md): lessons, then rounds of its own ways.
#
# BASE (models/text.gguf) is trained further; BASE=new trains a small one with the tokenizer TOKENIZER. STEPS (1500)
# on lessons, ROUNDS (8) of STATES (256) groups with ROUND_STEPS (30) steps each. DEVICE (auto) as of `train --device`.
# OUT gets lessons/ and policy/ (models), sft.jsonl and sft.svg (loss), rounds.jsonl (reward of each round's ways).
set -e
warpwise=$1
episodes=$2
out=$3
base=${BASE:-models/text.gguf}
mkdir -p "$out"
case $base in *.gguf)
  "$warpwise" lm convert "$base" "$out/base" -q
  base=$out/base
  ;;
esac
train() { # LM DATA OUT STEPS RATE MORE...
  lm=$1 data=$2 to=$3 steps=$4 rate=$5
  shift 5
  "$warpwise" train --lm "$lm" --data "$data" -o "$to" --steps "$steps" --lr "$rate" --batch "${BATCH:-32}" --tokens 1024 \
    --device "${DEVICE:-auto}" --log-every 10 -q "$@"
}

# Families of the training split that choose between models: nothing is learned from them.
held='"family":"(linalg|hashing|stencil|gen\.nest|gen\.strided|gen\.rowwise|gen\.tilemul)"'
grep -E "$held" "$episodes" >"$out/held.jsonl"
grep -vE "$held" "$episodes" >"$out/learned.jsonl"
episodes=$out/learned.jsonl
"$warpwise" dataset transcripts "$episodes" --split train --times "${TIMES:-16}" -o "$out/lessons.jsonl"
"$warpwise" dataset transcripts "$out/held.jsonl" --split train --times 4 -o "$out/valid.jsonl"
if [ "$base" = new ]; then
  train new "$out/lessons.jsonl" "$out/lessons" "${STEPS:-3000}" 1e-3 --tokenizer "$TOKENIZER" --width 128 --layers 4 --heads 2 \
    --hidden 352 --dropout 0.1 --valid "$out/valid.jsonl" --log "$out/sft.jsonl" --curve "$out/sft.svg" --patience 6
else
  train "$base" "$out/lessons.jsonl" "$out/lessons" "${STEPS:-1500}" 3e-4 --dropout 0.1 --valid "$out/valid.jsonl" \
    --log "$out/sft.jsonl" --curve "$out/sft.svg" --patience 6
fi

model=$out/lessons
round=1
while [ "$round" -le "${ROUNDS:-8}" ]; do
  "$warpwise" dataset transcripts "$episodes" --split train --policy "$model" --group "${GROUP:-8}" --states "${STATES:-256}" \
    --seed "$round" -o "$out/ways.jsonl" --json >>"$out/rounds.jsonl"
  train "$model" "$out/ways.jsonl" "$out/round$((round % 2))" "${ROUND_STEPS:-30}" 3e-5 --log "$out/grpo$round.jsonl"
  model=$out/round$((round % 2))
  round=$((round + 1))
done
"$warpwise" dataset transcripts "$episodes" --split train --policy "$model" --group "${GROUP:-8}" --states "${STATES:-256}" \
  --seed "$round" -o "$out/ways.jsonl" --json >>"$out/rounds.jsonl"
rm -rf "$out/policy"
cp -r "$model" "$out/policy"
for m in lessons policy; do
  printf '%s ' "$m" >>"$out/valid.txt"
  "$warpwise" dataset transcripts "$out/held.jsonl" --split train --policy "$out/$m" --score --json >>"$out/valid.txt"
done
