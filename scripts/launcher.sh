#!/bin/sh
# launcher.sh CC LIB MINOR TARGET : bundle/launch.c as TARGET, for programs in TARGET's folder/LIB/programs; a system's C library is used from glibc
# 2.MINOR on. STRIP is the strip of CC's machine.
set -eu
cd "$(dirname "$0")/.."
$1 -std=c17 -Os -Wall -Wextra -Wshadow -Werror -ffreestanding -fno-stack-protector -fno-tree-loop-distribute-patterns -fPIE -static-pie -nostdlib \
  -nostartfiles -DBUNDLE_LIB="\"$2\"" -DBUNDLE_MINOR="$3" -Wl,--no-dynamic-linker,-z,noexecstack,-z,relro,-z,now,--build-id=none -s -o "$4" bundle/launch.c
"${STRIP:-strip}" --remove-section=.comment "$4"
