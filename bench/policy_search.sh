#!/bin/sh
# policy_search.sh WARPWISE LAUNCHES OUT [MODEL PREDICTIONS] : `optimize --json` of each launch of a list, by beam search or by a policy.
#
# OUT gets a line a kernel. JOBS (1) at a time, SECONDS_EACH (100) for each. bench/policy_sum.py compares.
launches=$2
export model="$4" predictions="$5" warpwise="$1" limit="${SECONDS_EACH:-100}"
folder=$(cd "$(dirname "$launches")" && pwd)
k=100
while IFS= read -r line; do
  echo "$line" >"$folder/.policy-$$-$k.json" # beside the list: its files are seen from there
  echo "$folder/.policy-$$-$k.json"
  k=$((k + 1))
done <"$launches" | xargs -P "${JOBS:-1}" -n 1 sh -c '
  "$warpwise" optimize --launch "$1" --gpu h200 --seed 22 -j 1 -q --seconds "$limit" --json \
    ${model:+--policy "$model" --predictions "$predictions"} >"$1.out" 2>/dev/null' one
cat "$folder/.policy-$$-"*.out >"$3"
rm -f "$folder/.policy-$$-"*
