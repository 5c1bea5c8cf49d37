#!/bin/sh
# demo.sh PROGRAM : what warpwise does, on the examples.
cd "$(dirname "$0")/.." || exit 1
warpwise=${1:-build/warpwise}

show() {
  printf '\n$ warpwise'
  for word in "$@"; do printf ' %s' "$word"; done
  printf '\n'
  "$warpwise" "$@" || exit
}

show kernels examples/saxpy.cu
if "$warpwise" --help | grep -q '^  trace '; then
  show trace examples/saxpy.cu --kernel saxpy
  show trace examples/saxpy.cu --kernel saxpy_strided
fi
