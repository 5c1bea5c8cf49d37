#!/bin/sh
# predict_oclgrind.sh [BUILD] : the time to an answer beside Oclgrind's, on the same launches of OpenCL kernels.
#
# Whole commands, one after the other, best of three (Oclgrind: of one where it takes more than 2 s): `oclgrind` running a host program that does
# nothing but the launch, and `warpwise predict` with the launch that it completed itself. Oclgrind interprets every work-item, which gives
# results and checks accesses but no time; warpwise samples and answers with the time on a GPU. Both compile the kernel first.
# GPGPU-Sim is no Debian package and was not to be had: it is not compared.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v oclgrind >/dev/null || { echo "oclgrind is not installed: apt-get install oclgrind"; exit 0; }
host=$build/tests/cl_host
if [ ! -x "$host" ]; then
  host=$tmp/cl_host
  ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -o "$host" tests/cross/cl_host.c "$build/libwarpwise.a" -lOpenCL -lcjson -lzstd -lm -ldl
fi

ms() { # RUNS COMMAND... : least wall time
  runs=$1 best=
  shift
  for i in $(seq "$runs"); do
    a=$(date +%s%N)
    "$@" >"$tmp/out" 2>&1 || { echo "failed: $*" >&2; tail -n 3 "$tmp/out" >&2; }
    t=$((($(date +%s%N) - a) / 1000000))
    if [ -z "$best" ] || [ "$t" -lt "$best" ]; then best=$t; fi
    [ "$t" -lt 2000 ] || break
  done
  echo "$best"
}

printf '%-16s %-22s %14s %14s %8s\n' kernel launch 'oclgrind, ms' 'warpwise, ms' ratio
row() { # TEXT FILE KERNEL OPTIONS...
  text=$1 file=$2 kernel=$3
  shift 3
  "$build/warpwise" predict "$file" -k "$kernel" "$@" --gpu h200 --json >"$tmp/report"
  sed -E "s|^.*\"launch\":(\{\"file\")|\1|; s/,\"(assumed|metrics)\":.*//; s|\"file\":\"|&$PWD/|" "$tmp/report" >"$tmp/spec"
  theirs=$(ms 3 oclgrind --num-threads 1 "$host" "$tmp/spec")
  ours=$(ms 3 "$build/warpwise" predict --launch "$tmp/spec" --gpu h200)
  printf '%-16s %-22s %14d %14d %8.1f\n' "$kernel" "$text" "$theirs" "$ours" "$(echo "$theirs $ours" | awk '{ print $1 / $2 }')"
}
k=tests/kernels
row 'n = 2^20' $k/cl_saxpy.cl cl_saxpy -b 256 -g n/256 -a n=1048576
row 'n = 2^20' $k/cl_stencil.cl cl_stencil -b 256 -g n/256 -a n=1048576
row 'n = 2^20' $k/cl_histogram.cl cl_histogram -b 128 -g n/128 -a n=1048576
row 'n = 2^20' $k/cl_reduce.cl cl_reduce -b 64 -g n/64 -a n=1048576
row '1024 x 1024' $k/cl_transpose.cl cl_transpose -b 32,8 -g w/32,h/32 -a w=1024 -a h=1024
row '256 x 256 x 256' tests/cross/matmul256.cl matmul -b 16,16 -g 16,16 -a N=256
row '2^16 rows' examples/spmv.cl spmv -a rows=65536
