#!/bin/sh
# clang_check.sh SOURCE... : clang's warnings for sources that gcc builds; status 1 when there is one.
cd "$(dirname "$0")/.." || exit 1
for v in 23 22 21 20 19 18 17; do
  if command -v "clang-$v" >/dev/null && command -v "llvm-config-$v" >/dev/null; then break; fi
done
# shellcheck disable=SC2046
exec "clang-$v" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror -fsyntax-only -Iinclude '-DWW_VERSION="0"' \
  '-DWW_PREFIX="/usr"' -DWW_LANES=32 -DWW_ISA=base $("llvm-config-$v" --cppflags) "$@"
