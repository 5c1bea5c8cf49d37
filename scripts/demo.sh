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

show kernels examples/matmul.cu examples/spmv.cl examples/reduce.hip examples/stencil.c
show trace examples/matmul.cu --kernel naive
show trace examples/matmul.cu --kernel tiled
show trace examples/spmv.cl
show gpus
