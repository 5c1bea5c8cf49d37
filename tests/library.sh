#!/bin/sh
# library.sh BUILD : the C library as it is installed: what it shows, what its header promises, shared and static, the examples of
# docs/library.md; then that uninstalling leaves nothing. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
cc=${CC:-gcc}
san=
if grep -q __asan_init "$build/libwarpwise.a"; then san="-fsanitize=address,undefined -fno-omit-frame-pointer"; fi

# ---- installing; -o built: what was built is tested as it is ----
stage=$dir/stage
make --no-print-directory -o built BUILD="$build" DESTDIR="$stage" PREFIX=/usr install >"$dir/log" 2>&1
ok "make install" $? "$dir/log"
lib=$stage/usr/lib
[ "$(readlink "$lib/libwarpwise.so")" = libwarpwise.so.0 ] && [ -e "$lib/libwarpwise.so.0" ] && [ -f "$stage/usr/share/man/man5/warpwise-launch.5" ]
ok "soname link and manual pages are there" $?
"$stage/usr/bin/warpwise" predict examples/saxpy.cu -k saxpy --gpu h200 --json >"$dir/want" 2>"$dir/log"
ok "the installed program finds its own files" $? "$dir/log"

# ---- what can be seen ----
tr '\n' ' ' <include/warpwise.h | sed 's/WARPWISE_API /\n&/g' |
  sed -n 's/^WARPWISE_API [^(]*[ *]\(warpwise_[a-z_]*\)(.*/\1/p' | sort >"$dir/declared"
nm -D --defined-only "$lib/libwarpwise.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$dir/shared"
nm -g --defined-only "$lib/libwarpwise.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -v '^__\(asan\|odr\)' | sort >"$dir/static"
[ "$(wc -l <"$dir/declared")" -gt 40 ] && diff "$dir/declared" "$dir/shared" >"$dir/log"
ok "the shared library shows the header's functions and nothing else" $? "$dir/log"
diff "$dir/declared" "$dir/static" >"$dir/log"
ok "so does the static one" $? "$dir/log"
readelf -d "$lib/libwarpwise.so" | grep -q 'SONAME.*libwarpwise\.so\.0\]' && ! readelf -d "$lib/libwarpwise.so" | grep -qE 'RPATH|RUNPATH|sqlite|microhttpd'
ok "its soname; it needs no more than it uses" $?

# ---- the header ----
bad_header=
for std in c99 c17; do echo '#include <warpwise.h>' | $cc -std=$std -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -xc - || bad_header=$std; done >"$dir/log" 2>&1
for std in c++11 c++20; do echo '#include <warpwise.h>' | g++ -std=$std -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -xc++ - || bad_header=$std; done >>"$dir/log" 2>&1
[ -z "$bad_header" ]
ok "the header is clean C99, C17, C++11 and C++20" $? "$dir/log"

# ---- as pkg-config says ----
PKG_CONFIG_PATH=$lib/pkgconfig
PKG_CONFIG_SYSROOT_DIR=
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
flags=$(pkg-config --define-variable=prefix="$stage/usr" --cflags --libs warpwise)
static_flags=$(pkg-config --define-variable=prefix="$stage/usr" --static --libs warpwise | sed 's/-lwarpwise/-l:libwarpwise.a/')
case "$flags $static_flags" in *LLVM*"-l:libwarpwise.a"*) false ;; *"-lwarpwise"*"-l:libwarpwise.a"*LLVM*) : ;; *) false ;; esac
ok "pkg-config: what the library stands on is for static programs alone" $?
[ "$(pkg-config --modversion warpwise)" = "$(sed -n 's/^VERSION := //p' Makefile)" ] &&
  grep -q "WARPWISE_VERSION \"$(sed -n 's/^VERSION := //p' Makefile)\"" include/warpwise.h
ok "one version: Makefile, header, pkg-config" $?

# shellcheck disable=SC2086
{
  $cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror $san -o "$dir/check" tests/library/check.c $flags -pthread &&
    $cc -std=c11 -D_GNU_SOURCE $san -o "$dir/check-static" tests/library/check.c -I"$stage/usr/include" $static_flags
} >"$dir/log" 2>&1
ok "a program builds, shared and static" $? "$dir/log"
! readelf -d "$dir/check-static" | grep -q libwarpwise
ok "the static one does not need the library" $?

# ---- what it does ----
unset WARPWISE_DATA
sed 's/"name": *"h200"/"name": "mine"/' gpus/h200.json >"$dir/mine.json"
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8" 2>/dev/null; then
  LOCPATH=$dir
  export LOCPATH
fi
run() { # PROGRAM LABEL
  mkdir "$dir/root-$2"
  "$1" "$dir/root-$2" "$dir/mine.json" >"$dir/out" 2>"$dir/log"
  status=$?
  grep -E '^(not )?ok ' "$dir/out" | sed "s/^\(not ok\|ok\) [0-9]* - /\1 $2: /" | while read -r line; do echo "$line"; done
  [ $status = 0 ] && [ -s "$dir/out" ] && [ ! -s "$dir/log" ]
  ok "$2: all of it, and nothing on stderr" $? "$dir/log"
}
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
run "$dir/check" shared
WARPWISE_DATA=$stage/usr/share/warpwise run "$dir/check-static" static
"$dir/check" report examples/saxpy.cu saxpy h200 >"$dir/got" 2>"$dir/log"
cmp -s "$dir/want" "$dir/got"
ok "its report is the program's, byte for byte" $? "$dir/log"
"$dir/check" metrics | tr a-z A-Z | sed 's/^/WARPWISE_/' >"$dir/got"
sed -n '/WARPWISE_TIME_US = 0/,/^}/s/^  \(WARPWISE_[A-Z0-9_]*\) = .*/\1/p' include/warpwise.h | diff - "$dir/got" >"$dir/log"
ok "its metrics are called as in the header" $? "$dir/log"

# ---- the examples of the page ----
block() { awk -v lang="$1" '$0 == "```" lang { on = 1; next } /^```/ { if (on) exit } on' docs/library.md; } # the first one
figures() { sed 's/[0-9][0-9.]*/N/g; s/  */ /g'; }
mkdir "$dir/example"
block c >"$dir/example/saxpy.c"
awk '/^It prints/ { on = 1 } on && /^```$/ { k++; next } k == 1' docs/library.md | figures >"$dir/want"
# shellcheck disable=SC2086
(cd "$dir/example" && $cc -Wall -Wextra -Werror $san -o saxpy saxpy.c $flags && ./saxpy) >"$dir/out" 2>"$dir/log"
ok "the example of docs/library.md builds and runs" $? "$dir/log"
figures <"$dir/out" | diff "$dir/want" - >"$dir/log"
ok "it prints what the page says, figures aside" $? "$dir/log"
if [ -n "$san" ]; then
  skip "the interpreter of Python is not built with the sanitizers"
elif command -v python3 >/dev/null; then
  block python >"$dir/example/scale.py"
  python3 "$dir/example/scale.py" >"$dir/out" 2>"$dir/log"
  grep -qE '^scale on h200 takes [0-9.]+ us$' "$dir/out"
  ok "the example in Python runs" $? "$dir/log"
else skip "no Python here"; fi

# ---- and away ----
unset LD_LIBRARY_PATH
mkdir -p "$stage/usr/share/other" && touch "$stage/usr/share/other/file" "$stage/usr/bin/other"
make --no-print-directory BUILD="$build" DESTDIR="$stage" PREFIX=/usr uninstall >"$dir/log" 2>&1
[ $? = 0 ] && [ "$(cd "$stage" && find . -type f -o -type l | sort | tr '\n' ' ')" = "./usr/bin/other ./usr/share/other/file " ] && [ ! -d "$lib" ]
ok "make uninstall takes away what was installed, and only that" $? "$dir/log"
echo "1..$n"
exit $bad
