#!/bin/sh
# hardening.sh BUILD : what compiler and linker were told to add against exploits is in the program and in the libraries. Prints TAP.
#
# BUILD may be one file: then that program alone is looked at.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
build=${1:-build}
if ! command -v readelf >/dev/null; then
  skip "no readelf here (binutils)"
  echo "1..$n"
  exit 0
fi

# wants FILE PATTERN TEXT : readelf's words about the file have the pattern.
wants() { grep -Eq -- "$2" "$dir/elf" && ok "$1: $3" 0 || report "$1: $3" "nothing like '$2' in it"; }
lacks() { grep -Eq -- "$2" "$dir/elf" && report "$1: $3" "$(grep -E -- "$2" "$dir/elf")" || ok "$1: $3" 0; }

# Does this compiler, with this machine's start files, make programs that say where indirect jumps may land?
echo 'int main(void) { return 0; }' >"$dir/empty.c"
${CC:-cc} -fcf-protection -o "$dir/empty" "$dir/empty.c" 2>/dev/null && readelf -nW "$dir/empty" | grep -q IBT && marks=yes

look_at() { # FILE
  name=${1##*/}
  readelf -dlsnW "$1" >"$dir/elf" 2>/dev/null || return
  wants "$name" 'FLAGS.*(BIND_NOW|NOW)' "symbols are bound when it is loaded"
  wants "$name" 'GNU_RELRO' "its tables are read-only then"
  lacks "$name" 'GNU_STACK.* RWE' "the stack is not executable"
  lacks "$name" 'TEXTREL' "code is not written to"
  wants "$name" '__stack_chk_fail' "stacks are checked"
  if readelf -sW "$1" | grep -q __asan_init; then
    skip "$name: sizes are checked by the sanitizer"
  else
    wants "$name" 'UND __(memcpy|vsnprintf|snprintf|fprintf|printf|read|realpath)_chk' "glibc checks sizes"
  fi
  if [ "$marks" ]; then wants "$name" 'IBT, SHSTK' "jumps land where they may"; fi
}

if [ -f "$build" ]; then
  look_at "$build"
else
  for f in "$build/warpwise" "$build/libwarpwise-record.so" "$build/lib/libwarpwise.so"; do look_at "$f"; done
  # The start files of some releases have no marks, and the linker drops the program's: each object has its own.
  if [ "$(uname -m)" = x86_64 ]; then
    unmarked=$(readelf -nW "$build/libwarpwise.a" 2>/dev/null |
      awk '/^File: / { if (name && !marked) print name; name = $2; marked = 0 } /IBT, SHSTK/ { marked = 1 } END { if (name && !marked) print name }')
    report "objects say where indirect jumps may land" "$unmarked"
  fi
  build=$build/warpwise
fi
readelf -hdW "$build" >"$dir/elf"
wants "${build##*/}" 'DYN' "it is loaded anywhere"
wants "${build##*/}" 'FLAGS_1.*PIE' "as a program"
echo "1..$n"
exit $bad
