#!/bin/sh
# seeds.sh WARPWISE OUT : small valid inputs for each fuzz target in OUT/<target>, from what is in the tree: test kernels, their launches and reports,
# descriptions of GPUs, models. Inputs that once found a bug are among them.
set -u
warpwise=$1 out=$2
here=$(dirname "$0")
# What the program writes names the files that it read: the same names in each checkout.
warpwise=$(realpath "$warpwise")
mkdir -p "$out" && out=$(realpath "$out") || exit 1
cd "$here/../.." || exit 1
here=tests/fuzz top=.
targets=$(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$here/targets.def")
for t in $targets; do
  mkdir -p "$out/$t"
  [ -d "$here/regress/$t" ] && cp "$here/regress/$t"/* "$out/$t/"
  [ -d "$here/seeds/$t" ] && cp "$here/seeds/$t"/* "$out/$t/"
done
kernels=$(ls "$top"/tests/kernels/*.cu "$top"/tests/kernels/*.cl "$top"/tests/kernels/*.hip)

# The functions alone: what names a symbol does not parse.
for f in $kernels; do
  "$warpwise" kernels "$f" --ir 2>/dev/null | sed -n -e '1i module cuda warp 32\nfile "?"\nfile "?"' -e '/^fn /,$p' >"$out/ir/$(basename "$f").ir"
done
cp "$top"/tests/kernels/*.launch "$out/launch/"
# Of nvcc 13.0, made of the test kernels; of Triton; by hand.
zstd -dc "$top/tests/ptx/seeds.tar.zst" | tar x -C "$out/ptx"
zstd -dc "$top/data/triton/ptx.tar.zst" | tar x -C "$out/ptx" --strip-components=1 --wildcards '*.ptx'
cp "$top"/tests/ptx/*.ptx "$out/ptx/"
find "$out/ptx" -size +12k -exec rm {} \;
for t in question scan fixes comment; do
  # shellcheck disable=SC2086
  find $kernels "$top"/examples "$top"/tests/explain "$top"/tests/fixes "$top"/corpus -type f \( -name '*.cu' -o -name '*.cl' -o -name '*.hip' -o -name '*.c*' \) \
    -size -4096c -exec cp {} "$out/$t/" \;
done
cp "$top"/gpus/*.json "$out/gpu/"
# The newest texts that the readers of reports get are those this program writes.
for k in saxpy matmul spmv; do
  for f in "$top"/examples/$k.*; do
    "$warpwise" explain "$f" --json --gpu h200,a100 2>/dev/null | head -n 2 >"$out/page/$k.jsonl"
    "$warpwise" predict "$f" --json --gpu h200 2>/dev/null | head -n 1 >"$out/report/$k.json"
  done
done
# Rows as an export has them, and as they were measured.
"$warpwise" dataset export -q --failed --origin corpus -o - 2>/dev/null | head -n 400 | awk 'NR % 40 == 1' | split -l 2 - "$out/rows/export_"
"$warpwise" dataset export -q --failed --origin generated -o - 2>/dev/null | head -n 400 | awk 'NR % 80 == 1' | split -l 1 - "$out/rows/generated_"
zstd -dc "$top/data/corpus-h200.jsonl.zst" 2>/dev/null | head -n 60 | awk 'NR % 20 == 1' | split -l 1 - "$out/rows/measured_"
zstd -dc "$top/models/correction.json.zst" >"$out/correction.json" && python3 "$here/small_correction.py" "$out/correction.json" >"$out/correction/small.json"
rm -f "$out/correction.json"
# Packed files: with and without their size, several frames, more than may be, an empty one.
echo 'a text a text a text' >"$out/text"
zstd -qc "$out/text" >"$out/packed/sized"
zstd -qc <"$out/text" >"$out/packed/stream"
zstd -qc --no-check "$out/text" >"$out/packed/unchecked"
cat "$out/packed/sized" "$out/packed/stream" >"$out/packed/frames"
head -c 100000 /dev/zero | zstd -qc >"$out/packed/large"
: | zstd -qc >"$out/packed/nothing"
rm "$out/text"
cp "$top/models/machine.json" "$out/params/"
cp "$top/models/text.json" "$out/side/"
for t in gpu report config; do cp "$out/$t"/* "$out/json/" 2>/dev/null; done
find "$out/json" -size +4k -exec rm {} \;
python3 "$here/lm_seeds.py" "$out"
python3 "$here/tokenizer_seeds.py" "$out/tokenizer"
python3 "$here/binary_seeds.py" "$out"
