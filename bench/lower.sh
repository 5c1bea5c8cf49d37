#!/bin/sh
# lower.sh BUILD [--fit | --cross] : how well instructions, FLOPs and registers of the corpus are predicted (bench/lower.c).
build=${1:-build}
${CC:-gcc} -std=c17 -D_GNU_SOURCE -O2 -o "$build/bench_lower" bench/lower.c "$build/libwarpwise.a" \
  $(${LLVM_CONFIG:-llvm-config-19} --ldflags --libs) -lcjson -lzstd -lm -ldl -pthread && "$build/bench_lower" $2
