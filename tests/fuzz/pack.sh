#!/bin/sh
# pack.sh BUILD FUZZ_BUILD [OUT.tar.gz] : what long.sh needs, as a folder FUZZ_BUILD/carry and, where a name is given, packed into one file.
set -eu
build=$1 fuzz=$2 file=${3:-}
here=$(dirname "$0")
carry=$fuzz/carry
mkdir -p "$carry/fuzz" "$carry/dict" "$carry/gpus" "$carry/seeds"
cp -u "$fuzz/fuzz"/* "$carry/fuzz/"
cp "$here/targets.def" "$here/long.sh" "$here/options.sh" "$carry/"
cp "$here"/*.dict "$carry/dict/"
cp "$here"/../../gpus/*.json "$carry/gpus/"
# Inputs of earlier runs stay, those that were kept (keep.sh) among them; seeds are made once.
[ -e "$carry/seeds/made" ] || "$here/seeds.sh" "$build/warpwise" "$carry/seeds"
[ ! -e "$here/inputs.tar.zst" ] || zstd -qdc "$here/inputs.tar.zst" | tar x -C "$carry/seeds"
: >"$carry/seeds/made"
for t in "$carry"/out/corpus/*; do
  [ ! -d "$t" ] || find "$t" -type f -exec cp {} "$carry/seeds/$(basename "$t")/" \;
done
[ -z "$file" ] || tar -C "$carry" --exclude=./out -czf "$file" .
