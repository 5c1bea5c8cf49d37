#!/bin/sh
# evaluation.sh : the tables with and without the learned correction, into docs/evaluation.md between its two marks.
#
#   scripts/evaluation.sh build/warpwise data/h200.sqlite.zst ~/suites [rows.zst]
#
# STORE is the dataset (its test split is predicted anew, or taken from the rows that `train --correction --features` kept), SUITES the folder
# with the public suites' sources; without it (-) that table is left out.
set -e
program=$1 store=$2 suites=$3 rows=$4
cd "$(dirname "$0")/.."
if [ -z "$suites" ]; then
  echo "usage: scripts/evaluation.sh PROGRAM STORE SUITES [ROWS]" >&2
  exit 2
fi
out=$(mktemp)
trap 'rm -f "$out" "$out.new"' EXIT

{
  echo
  echo "### The dataset's test split: \`warpwise train --correction --score $(basename "$store")\`"
  echo
  echo "Families of kernels that neither training nor validation has seen."
  "$program" train --correction --score --markdown ${rows:+--features "$rows"} "$store"
  echo
  echo "### The corpus: \`warpwise evaluate data/corpus-h200.jsonl.zst --by both\`"
  echo
  echo "Most of its families are trained on: no test."
  echo
  "$program" --quiet evaluate data/corpus-h200.jsonl.zst --by both --markdown --limit 600
  if [ "$suites" != - ]; then
    echo
    echo "### The public set: \`warpwise evaluate data/public/h200.jsonl.zst --sources DIR --by both\`"
    echo
    echo "Never fitted to."
    echo
    "$program" --quiet evaluate data/public/h200.jsonl.zst --sources "$suites" --by both --markdown
  fi
  echo
} >"$out"

awk -v new="$out" '
  /^<!-- correction -->/ { print; while ((getline line < new) > 0) print line; skip = 1 }
  /^<!-- end of correction -->/ { skip = 0 }
  !skip || /^<!-- correction -->/ && !done++ { if (!/^<!-- correction -->/) print }' docs/evaluation.md >"$out.new"
cp "$out.new" docs/evaluation.md
