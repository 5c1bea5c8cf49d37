#!/bin/sh
# serve.sh [BUILD] [SECONDS] : how fast a running server answers after an edit, and what eight clients at a time make of it.
#
# A file of ten kernels is edited inside one of them and asked about again, each time with a number nobody had before: clang runs, one kernel
# is predicted. Medians over SECONDS (10) each: alone, from the request to its answer; the server's own figures: reading without clang, clang,
# prediction. CPU is processor time a request, which does not depend on what else the machine does. Then eight clients for 6 times as long, each
# about one edit a second as people type, and as fast as they can. Exit 1 where an answer was an error, memory grew, or p99 of the eight who
# type is above three times the time of one who is alone.
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
seconds=${2:-10}
dir=$(mktemp -d) || exit 1
trap 'kill $server 2>/dev/null; rm -rf "$dir"' EXIT
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -pthread -o "$dir/client" bench/serve.c || exit 1

kernels() { # DIALECT : ten of them, an edit in the sixth
  for k in 0 1 2 3 4 5 6 7 8 9; do
    number=$k.25f
    [ $k = 5 ] && number=@EDIT@
    if [ "$1" = cl ]; then
      printf '__kernel void k%d(int n, __global const float *x, __global float *y) {\n  int i = get_global_id(0);\n' $k
    else
      printf 'extern "C" __global__ void k%d(int n, const float *x, float *y) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n' $k
    fi
    printf '  float s = 0.0f;\n  if (i >= n) return;\n  for (int k = 0; k <= %d; k++) s += x[(i + 33 * k) %% n] * %s;\n  y[i] = s;\n}\n\n' $((k + 8)) "$number"
  done
}
kernels cu >"$dir/plain.cu"
kernels cl >"$dir/plain.cl"
{
  printf '#include <cstdio>\n#include <cstdlib>\n#include <cmath>\n#include <vector>\n#include <string>\n#include <iostream>\n#include <algorithm>\n#include <chrono>\n\n'
  kernels cu
  printf 'int main() {\n  std::vector<float> h(1 << 20, 1.0f);\n  float *x, *y;\n  cudaMalloc(&x, 4 << 20);\n  cudaMalloc(&y, 4 << 20);\n'
  printf '  cudaMemcpy(x, h.data(), 4 << 20, cudaMemcpyHostToDevice);\n  k5<<<4096, 256>>>(1 << 20, x, y);\n'
  printf '  std::cout << "done" << std::endl;\n  return 0;\n}\n'
} >"$dir/host.cu"
launch='"launch":{"grid":[4096],"block":[256],"args":[{"value":1048576},{"buffer":{"bytes":4194304,"type":"f32","fill":"random"}},{"buffer":{"bytes":4194304,"type":"f32","fill":"zeros"}}]}'

"$build/warpwise" serve --port 0 --root "$dir" >"$dir/url" 2>"$dir/err" &
server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$dir/url" ] && break; sleep 0.2; done
port=$(sed 's/.*:\([0-9]*\).*/\1/' "$dir/url")

ticks() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / hz, ($14 + $15) * 1000 / hz }' /proc/$server/stat; }
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' /proc/$server/status; }

bad=0
echo "$(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
printf '%-34s %6s %7s %7s %7s %9s %7s %9s %9s %9s\n' 'ms' asked p50 p90 p99 reading clang predict 'CPU own' 'CPU clang'
row() { # TEXT SOURCE NAME SECONDS CLIENTS PAUSE LAUNCH : sets p50, p99, rest
  before=$(ticks)
  numbers=$("$dir/client" "$port" "$dir/$2" "$3" k5 "$4" "$5" "$6" "$7") || bad=1
  set -- "$1" $numbers $before $(ticks)
  p50=$4 p99=$6 n=$2
  printf '%-34s %6d %7.0f %7.0f %7.0f %9.1f %7.0f %9.1f %9.1f %9.1f\n' "$1" "$2" "$4" "$5" "$6" \
    "$(echo "$7 $8" | awk '{ print $1 - $2 }')" "$8" "$9" "$(echo "${10} ${12} $n" | awk '{ print ($2 - $1) / $3 }')" "$(echo "${11} ${13} $n" | awk '{ print ($2 - $1) / $3 }')"
}
for i in 1 2 3; do "$dir/client" "$port" "$dir/host.cu" host.cu k5 0.01 1 0 >/dev/null; done # headers are precompiled when they come again
row 'no headers, launch given' plain.cu plain.cu "$seconds" 1 0 "$launch"
alone=$p50
row 'OpenCL, launch given' plain.cl plain.cl "$seconds" 1 0 "$launch"
row 'host headers, launch given' host.cu host.cu "$seconds" 1 0 "$launch"
row 'host headers, launch of the host' host.cu host.cu "$seconds" 1 0 ''

row 'eight at once, one edit a second' plain.cu plain.cu "$((3 * seconds))" 8 1000 "$launch"
middle=$(memory) typing=$p99
row 'the same again' plain.cu plain.cu "$((3 * seconds))" 8 1000 "$launch"
row 'eight at once, without a pause' plain.cu plain.cu "$seconds" 8 0 "$launch"
end=$(memory)
echo "memory: $middle MB after the first minute, $end MB at the end"
awk -v a="$middle" -v b="$end" 'BEGIN { exit !(b > 1.25 * a + 32) }' && { echo "memory grew"; bad=1; }
awk -v a="$alone" -v p="$typing" 'BEGIN { printf "p99 of eight who type: %.0f ms, %.1f times the %.0f ms of one alone\n", p, p / a, a; exit !(p > 3 * a) }' && bad=1
exit $bad
