#!/bin/sh
# bench.sh BUILD : runs every bench/*.sh with the build folder as its argument.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
found=no
for b in bench/*.sh; do
  [ -f "$b" ] || continue
  found=yes
  echo "== $(basename "$b" .sh)"
  sh "$b" "$build"
done
[ $found = yes ] || echo "bench: nothing in bench/ yet"
