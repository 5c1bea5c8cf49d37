#!/bin/sh
# ready.sh CC LLVM : says what a build needs and this machine lacks, and the command that brings it; LLVM is the version found, '' or `none`
# for a build without it.
cc=$1
lacks=
lack() { lacks="$lacks${lacks:+, }$1"; }
if ! echo 'int x;' | $cc -c -xc -o /dev/null - 2>/dev/null; then
  lack "a C compiler ($cc)"
else
  for h in cjson/cJSON.h:cJSON zstd.h:zstd sqlite3.h:SQLite pcre2.h:PCRE2 utf8proc.h:utf8proc; do
    echo "#include <${h%:*}>" | $cc -DPCRE2_CODE_UNIT_WIDTH=8 -E -xc -o /dev/null - 2>/dev/null || lack "${h#*:} (${h%:*})"
  done
fi
[ -n "$2" ] || lack "clang and LLVM 17 or newer (llvm-config)"
[ -z "$lacks" ] && exit 0
echo "make: this machine lacks $lacks" >&2
echo "make: on Debian, scripts/deps.sh build installs it; \`make demo\` does that, builds, and shows what Warpwise does" >&2
exit 1
