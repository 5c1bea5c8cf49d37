#!/bin/sh
# keep.sh WARPWISE CORPUS [FILE] : packs what a run of long.sh reached beyond the seeds, inputs of CORPUS/<target>/ that seeds.sh does not make itself, into FILE
# (inputs.tar.zst here), where pack.sh finds it for the next run. CORPUS is minimised by long.sh already. The same inputs give the same file, of at most
# LIMIT bytes (1,200,000): above that the largest inputs stay out.
set -eu
warpwise=$1 corpus=$2
here=$(dirname "$0")
file=${3:-$here/inputs.tar.zst}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -d "$corpus" ] || { echo "keep.sh: no $corpus: make fuzz, of two minutes at least, makes it" >&2; exit 2; }
"$here/seeds.sh" "$warpwise" "$work/seeds"
find "$work/seeds" -type f -exec sha1sum {} + | cut -d ' ' -f 1 | sort -u >"$work/known"
mkdir "$work/kept"
for t in $(sed -n 's/^TARGET(\([a-z]*\),.*/\1/p' "$here/targets.def"); do
  [ -d "$corpus/$t" ] || continue
  mkdir -p "$work/kept/$t"
  find "$corpus/$t" -type f -exec sha1sum {} + | sort | while read -r sum path; do
    grep -qx "$sum" "$work/known" || cp "$path" "$work/kept/$t/$sum"
  done
done
most=65536
while :; do
  tar -C "$work/kept" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c . | zstd -q -19 --long=27 >"$work/packed"
  size=$(wc -c <"$work/packed")
  [ "$size" -le "${LIMIT:-1200000}" ] && break
  most=$((most * 9 / 10))
  find "$work/kept" -type f -size +${most}c -delete
done
mv "$work/packed" "$file"
chmod 644 "$file"
echo "$file: $(find "$work/kept" -type f | wc -l) inputs, $size bytes"
