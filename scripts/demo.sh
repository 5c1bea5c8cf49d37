#!/bin/sh
# demo.sh PROGRAM : what warpwise does, on the examples: a prediction, an explanation, a whole program.
cd "$(dirname "$0")/.." || exit 1
warpwise=${1:-build/warpwise}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

show() { # WHAT ARGS... : where launches go is shown as the plain name
  printf '\n# %s\n$ warpwise' "$1"
  shift
  for word in "$@"; do printf ' %s' "${word#"$dir"/}"; done
  printf '\n'
  "$warpwise" "$@" || exit
}

show "How long a kernel takes, on GPUs that are not here" predict examples/saxpy.cu -k saxpy --gpu h200,a100
show "What to change first, and why" explain examples/matmul.cu -k naive --gpu h200
show "A whole program: built and run without a GPU, its launches recorded ..." record --emulate examples/heat.cu -o "$dir/launches.jsonl"
show "... and added up" predict --batch "$dir/launches.jsonl" --gpu h200,a100,rtx3080
printf '\nNext: docs/tutorial.md, warpwise explain YOUR.cu, warpwise --help\n'
