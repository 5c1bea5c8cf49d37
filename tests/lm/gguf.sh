#!/bin/sh
# gguf.sh BUILD : the GGUFs that we write, run by libllama (npm), give the logits that transformers gave (tests/lm/fixtures).
build=$1
here=$(dirname "$0")
check=$build/tests/check_gguf
work=$build/libllama
leave() { # REASON : nothing to compare with
  echo "ok 1 - # SKIP GGUFs in libllama: $1"
  echo "1..1"
  exit 0
}
[ -x "$check" ] || leave "this build has no check_gguf"
[ "$(uname -m)" = x86_64 ] || leave "its package is for x86-64"
command -v npm >/dev/null 2>&1 || leave "no npm here"
mkdir -p "$work"
work=$(cd "$work" && pwd) # links want the whole path
cp "$here/llama/package.json" "$here/llama/package-lock.json" "$work/"
[ "$work/node_modules/.package-lock.json" -nt "$here/llama/package-lock.json" ] ||
  (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >log 2>&1) || leave "npm cannot fetch it: $(grep -m 1 code "$work/log")"
# Its libraries ask for one another without a version, its files have one.
libs=$work/libs
mkdir -p "$libs"
for f in "$work"/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/*.so; do
  name=$(basename "$f")
  ln -sf "$f" "$libs/$name"
  case $name in *.v*.so) ln -sf "$f" "$libs/${name%%.v*}.so" ;; esac
done
LD_LIBRARY_PATH=$libs "$check" "$libs" "$here/fixtures"
