#!/bin/sh
# lsp.sh [BUILD] [EDITS] : from an edit inside one kernel of ten to its new code lens, in the editor's view; and whether typing is ever blocked.
#
# A client of its own (bench/lsp.c) sends the change and asks for the lenses at once. Medians over EDITS (40); the debounce is in them. Then changes
# come every 10 ms, with a question about another document after each. Exit 1 where a median is above its floor: 150 ms without host
# headers, 300 ms with them.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
edits=${2:-40}
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -o "$dir/editor" bench/lsp.c -lcjson || exit 1

kernels() { # DIALECT : ten of them, with a number to edit in the sixth
  for k in 0 1 2 3 4 5 6 7 8 9; do
    number=0016
    [ $k = 5 ] && number=0017
    echo '// warpwise: grid=4096 block=256 n=1<<20 x=f32[n] y=f32[n]'
    if [ "$1" = cl ]; then
      printf '__kernel void k%d(int n, __global const float *x, __global float *y) {\n  int i = get_global_id(0);\n' $k
    else
      printf '__global__ void k%d(int n, const float *x, float *y) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n' $k
    fi
    printf '  float s = 0.0f;\n  if (i >= n) return;\n  for (int k = 0; k < 1%s - 10000; k++) s += x[(i + 33 * k) %% n] * 1.25f;\n  y[i] = s;\n}\n\n' "$number"
  done
}
kernels cl >"$dir/ten.cl"
kernels cu >"$dir/ten.cu"
{
  printf '#include <cstdio>\n#include <cstdlib>\n#include <cmath>\n#include <vector>\n#include <string>\n#include <iostream>\n#include <algorithm>\n\n'
  kernels cu
  printf 'int main() {\n  std::vector<float> h(1 << 20, 1.0f);\n  float *x, *y;\n  cudaMalloc(&x, 4 << 20);\n  cudaMalloc(&y, 4 << 20);\n'
  printf '  k5<<<4096, 256>>>(1 << 20, x, y);\n  std::cout << "done" << std::endl;\n  return 0;\n}\n'
} >"$dir/host.cu"

{ # the same, every launch from the host code
  printf '#include <cstdio>\n#include <cstdlib>\n#include <cmath>\n#include <vector>\n#include <string>\n#include <iostream>\n#include <algorithm>\n\n'
  kernels cu | grep -v '^// warpwise'
  printf 'int main() {\n  float *x, *y;\n  cudaMalloc(&x, 4 << 20);\n  cudaMalloc(&y, 4 << 20);\n'
  for k in 0 1 2 3 4 5 6 7 8 9; do echo "  k$k<<<4096, 256>>>(1 << 20, x, y);"; done
  printf '  std::cout << "done" << std::endl;\n  return 0;\n}\n'
} >"$dir/launches.cu"

bad=0
echo "$(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo '| file of ten kernels, one edited | floor | median | 90 % | max | of it the analysis | first lens | a change is taken in, max | another document while typing, median | max |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
row() { # TEXT FILE LANGUAGE FLOOR [lines]
  numbers=$("$dir/editor" "$build/warpwise" "$dir/$2" "$3" "$edits" 0017 ${5:+"$5"}) || { bad=1; return; }
  # shellcheck disable=SC2086
  set -- "$1" "$4" $numbers
  echo "| $1 | $2 | $4 | $5 | $6 | $7 | $8 | $9 | ${10} | ${11} |"
  [ "$4" -le "$2" ] || bad=1
}
row 'OpenCL' ten.cl opencl 150
row 'CUDA, no headers' ten.cu cuda-cpp 150
row 'CUDA, seven host headers' host.cu cuda-cpp 300
row 'the same, launches in the host code, a line added' launches.cu cuda-cpp 300 lines
exit $bad
