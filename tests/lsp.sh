#!/bin/sh
# lsp.sh BUILD : `warpwise lsp` by scripts of messages, tests/lsp/*.txt; each is an editor's session, the hostile ones too. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
program=$build/warpwise
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
export TMPDIR="$dir" XDG_CACHE_HOME="$dir/cache"
. tests/tap.sh
if ! "$program" --help | grep -q '^  lsp '; then echo "ok 1 - lsp # SKIP built without a front end"; exit 0; fi
${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -g -o "$dir/drive" tests/lsp/drive.c -lcjson || exit 1

# ---- sources and a project ----
cp tests/explain/row_sum.cu "$dir/row.cu"
cp tests/explain/tone.cu "$dir/tone.cu"
cp tests/explain/fixed/tone.cu "$dir/fixed.cu"
cp examples/reduce.hip examples/stencil.c "$dir/"
echo '__kernel void copy(__global const float *x, __global float *y, int n) { int i = get_global_id(0); if (i < n) y[i] = x[i]; }' >"$dir/nothing.cl"
cat >"$dir/slow.cu" <<'END'
// warpwise: grid=1 block=32 p=i32[1]:zeros
__global__ void slow(volatile int *p) { for (unsigned x = 1; x; x = (x * 1664525u + 1013904223u) | 1) *p = x; }
END
mkdir "$dir/pipes"
mkfifo "$dir/pipes/pipe.cu" "$dir/pipes/pipe.bin" "$dir/pipes/.warpwise.json" "$dir/pipes/compile_commands.json"
mkdir -p "$dir/project" "$dir/built/include"
echo '{"gpu":"a100","gup":"h200","inlayHints":false,"flags":["-DN=1","-fplugin=evil.so"],"launches":{"copy":"grid=64 block=128 n=8192","bad":"grid="}}' >"$dir/project/.warpwise.json"
echo '#define FROM_HEADER 1.0f' >"$dir/built/include/scale.h"
echo '' >"$dir/built/scaled.cu"
echo "[{\"directory\":\"$dir/built\",\"file\":\"scaled.cu\",\"command\":\"nvcc -Iinclude -DSCALE=2.0f -c scaled.cu\"}]" >"$dir/built/compile_commands.json"

quoted() { # FILE : its text as a JSON string, ready for sed's right side
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' "$1" | awk 'BEGIN { printf "\"" } { printf "%s\\n", $0 } END { printf "\"" }' | sed -e 's/[\\&|]/\\&/g'
}
for s in tests/lsp/*.txt; do
  if [ "$s" = tests/lsp/measure.txt ] && ! "$program" measure "$dir/nothing.cl" --device pocl --time-only >/dev/null 2>&1; then
    n=$((n + 1))
    echo "ok $n - measure here # SKIP no PoCL here"
    continue
  fi
  sed -e "s|@ROW@|$(quoted "$dir/row.cu")|" -e "s|@SLOW@|$(quoted "$dir/slow.cu")|" -e "s|@HIP@|$(quoted "$dir/reduce.hip")|" \
    -e "s|@TONE@|$(quoted "$dir/tone.cu")|" -e "s|@FIXED@|$(quoted "$dir/fixed.cu")|" -e "s|@OMP@|$(quoted "$dir/stencil.c")|" "$s" >"$dir/script"
  out=$("$dir/drive" "$program" "$dir/script" "$dir" 2>"$dir/err")
  status=$?
  if grep -q 'Sanitizer\|runtime error' "$dir/err"; then out="$out $(cat "$dir/err")" status=1; fi
  [ $status = 0 ] && out=
  [ $status != 0 ] && [ -z "$out" ] && out="status $status: $(cat "$dir/err")"
  report "$(sed -n '1s/^# //p' "$s" | grep . || basename "$s" .txt) ($(basename "$s" .txt))" "$out"
done

# ---- what scripts cannot say ----
frame() { printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"; }
{
  frame '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
  printf 'Content-Length: 80000000\r\n\r\n'
  head -c 80000000 /dev/zero
  frame '{"jsonrpc":"2.0","id":2,"method":"shutdown"}'
  frame '{"jsonrpc":"2.0","method":"exit"}'
} >"$dir/large"
out=$(bash -c 'ulimit -v "$1"; shift; "$@"' x "$(if grep -q __asan_init "$build/libwarpwise.a"; then echo unlimited; else echo 2000000; fi)" "$program" lsp <"$dir/large" 2>&1)
status=$?
problem=
[ $status = 0 ] || problem="status $status"
case $out in *'-32600'*'"id":2,"result":null'*) ;; *) problem="$problem $out" ;; esac
report "a message of 80 MB is answered and skipped" "$problem"

problem=
"$program" lsp --settings | while IFS= read -r line; do grep -qxF -- "$line" docs/editors.md || echo "docs/editors.md lacks: $line"; done >"$dir/missing"
problem=$(cat "$dir/missing")
report "docs/editors.md has the table of settings" "$problem"
problem=
out=$("$program" lsp file.cu 2>&1 </dev/null) && problem="a file was accepted"
case $out in *'takes no files'*) ;; *) problem=$out ;; esac
report "lsp takes no files" "$problem"
echo "1..$n"
exit $bad
