#!/bin/sh
# lm_cpu.sh [BUILD] [ROUNDS] : inference on the CPU against libllama, on stories15M as F16 and as Q8_0; rewrites bench/lm_cpu.md.
#
# Needs npm for both the model and the library. One run, rounds in turn, the best of each: on a busy machine ratios stay, figures fall. With two
# threads libllama wants two idle cores: it spins where it waits.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
rounds=${2:-20}
tests/lm/stories.sh "$build" >/dev/null || true # fetches the model
tests/lm/gguf.sh "$build" >/dev/null || true    # fetches libllama
[ -f "$build/stories/stories15M.bin" ] && [ -e "$build/libllama/libs/libllama.so" ] || { echo "lm_cpu.sh: the model or libllama could not be fetched" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -pthread -Iinclude -o "$work/lm_cpu" bench/lm_cpu.c "$build/libwarpwise.a" -lcjson -lzstd -lpcre2-8 -lutf8proc -lm -ldl
libs=$(cd "$build/libllama/libs" && pwd)
LD_LIBRARY_PATH=$libs "$work/lm_cpu" "$build/stories/stories15M.bin" "$libs" "$work" "$rounds" >"$work/table"
version=$(sed -n 's/.*"release":"\([^"]*\)".*/\1/p' "$build"/libllama/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/_nlcBuildMetadata.json)
{
  echo "# Inference on the CPU"
  echo
  echo "stories15M (15 million parameters, context 256) against libllama $version from npm, same GGUF file, same threads, one run of"
  echo "\`bench/lm_cpu.sh\`: rounds in turn, the best of $rounds each. $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores,"
  echo "load $(cut -d ' ' -f 1 /proc/loadavg) at the end. libllama runs with its defaults; of 64 prompts as one batch and one after the other"
  echo "the faster counts for it."
  echo
  cat "$work/table"
} >bench/lm_cpu.md
cat bench/lm_cpu.md
