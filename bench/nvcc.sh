#!/bin/sh
# nvcc.sh BUILD [options of bench/nvcc.c] [LAUNCHES...] : the lowering against nvcc and ptxas, a table by family, worst first.
build=${1:-build}
[ $# -gt 0 ] && shift
${CC:-gcc} -std=c17 -D_GNU_SOURCE -O2 -g -o "$build/bench_nvcc" bench/nvcc.c bench/sass.c "$build/libwarpwise.a" \
  $(${LLVM_CONFIG:-llvm-config-19} --ldflags --libs) -lcjson -lzstd -lsqlite3 -lpcre2-8 -lutf8proc -lm -ldl -pthread || exit 1
"$build/bench_nvcc" "$@"
