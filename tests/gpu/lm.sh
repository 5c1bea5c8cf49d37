#!/bin/sh
# lm.sh BUILD : the language model engine on this machine's GPU: every op and the attention against the CPU's, nets against PyTorch's fixtures, and, where
# transformers is installed, what we write loaded there. Ends with `N passed, N failed`. BUILD/gpu/lm_* must be built (make test-gpu does).
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
passed=0
failed=0

# add OUTPUT : its last "N passed, N failed"
add() {
  line=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$1" | tail -n 1 | sed 's/^# //')
  p=${line%% passed*}
  f=${line#*, }
  f=${f%% failed*}
  if [ -z "$line" ]; then p=0 f=1; fi
  passed=$((passed + p))
  failed=$((failed + f))
  [ "$f" = 0 ] || grep -E '^(not ok|FAIL)' "$1"
}

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
"$build/gpu/lm_ops" --no-times >"$out/ops" 2>&1
add "$out/ops"
"$build/gpu/lm_net" --write "$out" >"$out/net" 2>&1
add "$out/net"
if python3 -c 'import torch, transformers' 2>/dev/null; then
  python3 tests/lm/fixtures.py --check "$out/llama3" "$out/tied" "$out/qwen2" "$out/linear" >"$out/check" 2>&1
  add "$out/check"
else
  echo "no transformers here: what was written was not loaded there"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
