#!/bin/sh
# soak.sh SECONDS [BUILD] [RATE] : lsp and serve under load, RATE requests a second each; ends with tables of memory and descriptors,
# and with 1 when they are not flat. See soak.c.
seconds=${1:-120}
build=${2:-build}
rate=${3:-3}
cd "$(dirname "$0")/.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache" TMPDIR="$dir"
${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -Wall -Wextra -o "$dir/soak" tests/soak.c -lpthread || exit 1
cp examples/saxpy.cu "$dir/"
cd "$dir" && "$dir/soak" "$build/warpwise" "$seconds" "$rate"
