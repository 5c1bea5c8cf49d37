#!/bin/sh
# policy_train.sh WARPWISE EPISODES OUT : a policy from episodes (docs/policy.md). Several models learn from the lessons of the training families, the
# validation families choose one of them, and it goes on with rounds of its own ways as long as those families say that it helps.
#
# MODELS: lines `name base context steps rate options...`; base is `new`, a folder or a .gguf; half as many bytes of code are shown. TIMES (64) lessons of a
# state. ROUNDS (4) of STATES (256) groups with ROUND_STEPS (30) steps, none begun after SECONDS_MOST (3600). VOCAB (1024): of a new model's tokenizer.
# DEVICE (auto) as of `train --device`.
# OUT gets policy/ (the chosen model) and, of every model and round: chosen.jsonl (its score on the validation families),
# rounds.jsonl (mean reward of a round's ways), NAME.loss.jsonl and NAME.svg.
set -e
warpwise=$1
episodes=$2
out=$3
began=$(date +%s)
models=${MODELS:-"\
mini new 512 1000 1e-3 --width 64 --layers 3 --dropout 0.1 --noise 0.1
tiny new 512 1000 1e-3 --width 128 --layers 4 --dropout 0.1 --noise 0.1
noisy new 512 1500 1e-3 --width 128 --layers 4 --dropout 0.2 --noise 0.3
short new 512 1000 1e-3 --width 192 --layers 6 --dropout 0.2 --noise 0.2
code new 1024 1000 1e-3 --width 192 --layers 6 --dropout 0.2 --noise 0.2
text models/text.gguf 1024 600 2e-4 --dropout 0.1 --noise 0.1"}
mkdir -p "$out"
echo "$models" >"$out/models.txt"

train() { # BASE DATA... -- OUT OPTIONS...
  base=$1 data=
  shift
  while [ "$1" != -- ]; do
    data="$data --data $1"
    shift
  done
  to=$2
  shift 2
  # shellcheck disable=SC2086
  "$warpwise" train --lm "$base" $data -o "$to" --batch "${BATCH:-32}" --tokens 1024 --device "${DEVICE:-auto}" --log-every 10 -q "$@"
}
lessons() { # SPLIT CONTEXT TIMES SEED FILE
  "$warpwise" dataset transcripts "$episodes" --split "$1" --context "$2" --times "$3" --seed "$4" -o "$5" -q
}
# The gain that a model brings the validation families with 1, 2, 4 and 8 predictions: the mean of its logarithms.
score() { # NAME MODEL
  "$warpwise" dataset transcripts "$episodes" --split validation --policy "$2" --score --json </dev/null >"$out/score"
  gain=$(grep -o '"gain":[0-9.e+-]*' "$out/score" | sed -n '2,5s/.*://p' | awk '{ s += log($1) } END { print s / NR }')
  echo "{\"name\":\"$1\",\"gain\":$gain,\"score\":$(cat "$out/score")}" >>"$out/chosen.jsonl"
  echo "$1: $gain, $(($(date +%s) - began)) s"
}
better() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

for context in $(echo "$models" | awk '{ print $3 }' | sort -u); do
  lessons train "$context" "${TIMES:-64}" 1 "$out/lessons.$context.jsonl"
  lessons validation "$context" 8 1 "$out/valid.$context.jsonl"
done
lessons train 1024 4 2 "$out/again.jsonl"
"$warpwise" train --tokenizer "$out/tokenizer.json" --vocab "${VOCAB:-1024}" --data "$out/again.jsonl" -q
echo "lessons: $(($(date +%s) - began)) s"
echo "$models" | {
  while read -r name base context steps rate options; do
    case $base in
    *.gguf)
      if [ ! -e "$base" ]; then
        echo "$name is left out: there is no $base"
        continue
      fi
      "$warpwise" lm convert "$base" "$out/$name.base" -q
      base=$out/$name.base
      ;;
    new) options="$options --context $context --tokenizer $out/tokenizer.json" ;;
    esac
    # shellcheck disable=SC2086
    train "$base" "$out/lessons.$context.jsonl" -- "$out/$name" --steps "${STEPS:-$steps}" --lr "$rate" --valid "$out/valid.$context.jsonl" --valid-rows 256 --patience 6 \
      --log "$out/$name.loss.jsonl" --curve "$out/$name.svg" $options &
  done
  wait
}
most=-1
while read -r name base context steps rate options; do
  [ -e "$out/$name/config.json" ] || continue
  score "$name" "$out/$name"
  if better "$gain" "$most"; then most=$gain model=$out/$name room=$context step=$(awk -v r="$rate" 'BEGIN { print r / 10 }'); fi
done <"$out/models.txt"

best=$model
round=1
while [ "$round" -le "${ROUNDS:-4}" ] && [ $(($(date +%s) - began)) -lt "${SECONDS_MOST:-3600}" ]; do
  "$warpwise" dataset transcripts "$episodes" --split train --policy "$model" --group "${GROUP:-8}" --states "${STATES:-256}" \
    --seed "$round" -o "$out/ways.jsonl" --json >>"$out/rounds.jsonl"
  lessons train "$room" 2 "$((round + 1))" "$out/again.jsonl" # beside them what it began with
  train "$model" "$out/ways.jsonl" "$out/again.jsonl" -- "$out/round$round" --steps "${ROUND_STEPS:-30}" --lr "$step" --log "$out/round$round.loss.jsonl"
  model=$out/round$round
  score "round$round" "$model"
  if better "$gain" "$most"; then most=$gain best=$model; fi
  round=$((round + 1))
done
rm -rf "$out/policy"
cp -r "$best" "$out/policy"
echo "chosen: $best, $(($(date +%s) - began)) s"
