#!/bin/sh
# cuda_helpers.sh : src/measure/cuda/helpers.cu -> src/measure/cuda/helpers.ptx. Needs nvcc; the build does not.
# With --check: whether it was made from the sources as they are; needs nothing.
#
# The PTX says an old version and target, so that old drivers take it too; ptxas checks that nothing in it is newer.
cd "$(dirname "$0")/.." || exit 1
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
from=src/measure/cuda/helpers.cu
to=src/measure/cuda/helpers.ptx
sum=$(cat "$from" src/measure/cuda/fill_core.h | cksum)
if [ "$1" = --check ]; then
  grep -qF "sources: $sum" "$to" && exit 0
  echo "$to is older than $from or fill_core.h; run scripts/cuda_helpers.sh"
  exit 1
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

"$nvcc" -ptx -arch=compute_75 -O3 -fmad=false -o "$tmp/new.ptx" "$from" || exit 1
sed -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.0/' -e 's/^\.target .*/.target sm_70/' "$tmp/new.ptx" > "$tmp/helpers.ptx"
for arch in sm_75 sm_80 sm_90; do
  "${nvcc%nvcc}ptxas" -arch=$arch -o /dev/null "$tmp/helpers.ptx" || exit 1
done
{
  echo "// helpers.cu by scripts/cuda_helpers.sh; do not edit. sources: $sum"
  sed 's/\t/  /g' "$tmp/helpers.ptx"
} > "$to"
