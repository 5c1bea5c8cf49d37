#!/bin/bash
# bundle.sh VERSION SOVERSION LLVM BUILD CC MACHINE : BUILD/bundle/warpwise-VERSION-linux-MACHINE.tar.gz, one folder that runs where it is unpacked and needs
# nothing of the system but its kernel: the program, clang with its headers, LLVM, a linker, the headers and start files of a C library for
# `record --emulate`, every shared library of these, and a loader with its C library for systems whose own is older (bundle/launch.c).
#
# All that is not ours is copied from Debian packages as it is; BUILD/bundle/files.tsv says of each file which package and version it is from. The same
# sources on the same packages make the same bytes. For another kind of machine than this one the packages are those below ROOT (cross_root.sh), STRIP is
# its strip, and RUN runs its programs.
#
#   bin/warpwise                   launch.c
#   lib/warpwise/llvm/bin/         launch.c again, for clang and ld.lld
#   lib/warpwise/llvm/lib/         shared libraries; programs/: the real programs; glibc/: loader and C library; clang/: clang's own headers;
#                                  sysroot/: headers and start files of C and C++
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
soversion=$2
llvm=${3%%.*}
build=$(cd "$4" && pwd)
cc=$5
machine=$6
from=${ROOT:-}
strip=${STRIP:-strip}
run=${RUN:-}
name=warpwise-$version-linux-$machine
out=$build/bundle
root=$out/$name
tools=$root/lib/warpwise/llvm
lib=$tools/lib
multiarch=$($cc -print-multiarch)
gcc=$($cc -dumpversion)
gcc=${gcc%%.*}
home=/usr/lib/llvm-$llvm # below $from, as all that is copied
files=$out/files.tsv
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(scripts/date.sh)}
export SOURCE_DATE_EPOCH
umask 022

fail() {
  echo "bundle: $1" >&2
  exit 1
}
if [ -z "$multiarch" ] || ! command -v dpkg-query >/dev/null; then fail "needs Debian or Ubuntu, whose packages it copies"; fi
for f in "$home/bin/clang" "$home/bin/ld.lld" "$home/lib/libclang-$llvm.so.1"; do [ -e "$from$f" ] || fail "there is no $from$f: scripts/deps.sh bundle"; done
case $machine in
x86_64) loader=/lib64/ld-linux-x86-64.so.2 ;;
aarch64) loader=/lib/ld-linux-aarch64.so.1 ;;
*) fail "bundle/launch.c does not know $machine" ;;
esac
rm -rf "$out"
mkdir -p "$tools/bin" "$lib"/{programs,glibc,sysroot} "$root/share/doc/warpwise/licences"

# ---- where a file is from ----
declare -A version_of
query() { dpkg-query --admindir="$from/var/lib/dpkg" "$@"; }
package() { # FILE : $package, whose file it is; Debian's lists may have it below / or below /usr
  local path=${1#"$from"} found
  path=${path#/usr}
  found=$(query -S "/usr$path" 2>/dev/null || query -S "$path" 2>/dev/null) || fail "$1 is of no package"
  package=${found%%: *}
  package=${package%%,*}
}
note() { # PATH PACKAGE
  [ -n "${version_of[$2]:-}" ] || version_of[$2]=$(query -W -f '${Version}' "$2")
  printf '%s\t%s\t%s\n' "${1#"$root"/}" "${2%%:*}" "${version_of[$2]}" >>"$files"
}
take() { # FILE TARGET : a copy of what the name leads to
  local real
  real=$(realpath "$from$1")
  package "$real"
  install -D -m "$([ -x "$real" ] && echo 755 || echo 644)" "$real" "$2"
  note "$2" "$package"
}
# take_of PACKAGE PATTERN FROM TO : files of a package whose path matches, FROM/... becomes TO/... The kernel's netfilter headers stay away: some differ in
# upper and lower case alone, which a .vsix cannot hold.
take_of() {
  local f
  query -L "$1" | grep -E "$2" | grep -v /linux/netfilter | while read -r f; do
    if [ -f "$from$f" ]; then
      install -D -m 644 "$from$f" "$4${f#"$3"}"
      printf '%s\t%s\n' "$4${f#"$3"}" "$1"
    fi
  done >"$out/taken"
  while IFS=$'\t' read -r f p; do note "$f" "$p"; done <"$out/taken"
}

# ---- our own ----
BUILD=$build DESTDIR=$root PREFIX='' LIBDIR=/lib VERSION=$version SOVERSION=$soversion LLVM_LIBS='' scripts/install.sh install
rm "$root/share/warpwise/folders"
# A library that others load is seen by its soname; links would be copies in a .vsix.
mv "$root/lib/libwarpwise.so.$version" "$root/lib/.so" && rm "$root"/lib/libwarpwise.so* "$root/lib/libwarpwise.a" && mv "$root/lib/.so" "$root/lib/libwarpwise.so.$soversion"
echo "INPUT ( libwarpwise.so.$soversion )" >"$root/lib/libwarpwise.so"
# shellcheck disable=SC2016
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|; /^Libs.private/d; /^Requires.private/d' "$root/lib/pkgconfig/warpwise.pc"
mv "$root/bin/warpwise" "$lib/programs/warpwise"
# shellcheck disable=SC2016
patchelf --force-rpath --set-rpath '$ORIGIN/warpwise/llvm/lib' "$root/lib/libwarpwise.so.$soversion"
# shellcheck disable=SC2016
patchelf --force-rpath --set-rpath '$ORIGIN/llvm/lib' "$root/lib/warpwise/libwarpwise-record.so"
# The build id is of the debug information, too, which names the folder of the build.
"$strip" --strip-unneeded --remove-section=.comment --remove-section=.note.gnu.build-id "$lib/programs/warpwise" "$root/lib/libwarpwise.so.$soversion" "$root/lib/warpwise/libwarpwise-record.so"
"$strip" --strip-debug --remove-section=.comment --enable-deterministic-archives "$root/lib/warpwise/libwarpwise.a"
mkdir "$root/examples"
install -m 644 examples/*.* "$root/examples/"
install -m 644 README.md LICENSE CHANGELOG.md "$root/"

glibc=$(echo __GLIBC_MINOR__ | $cc -include features.h -E -P -xc - | tail -n 1)
scripts/launcher.sh "$cc" ../lib/warpwise/llvm/lib "$glibc" "$root/bin/warpwise"
for p in "clang-$llvm" ld.lld; do scripts/launcher.sh "$cc" ../lib "$glibc" "$tools/bin/$p"; done
(cd "$root" && find . -type f -printf '%P\n') | LC_ALL=C sort | sed "s/\$/\twarpwise\t$version/" >"$files"

# ---- programs and their libraries ----
take "$home/bin/clang" "$lib/programs/clang-$llvm"
take "$home/bin/ld.lld" "$lib/programs/ld.lld"
take "$home/lib/libclang-$llvm.so.1" "$lib/libclang-$llvm.so.1"
for f in "$lib"/programs/* "$lib/libclang-$llvm.so.1"; do
  $run "$from$loader" --library-path "$from$home/lib:$from/usr/lib/$multiarch" --list "$f" || fail "libraries of $f are not installed"
done | awk '$2 == "=>" { print $1, $3 }' | LC_ALL=C sort -u >"$out/needed"
while read -r soname file; do
  case $soname in libc.so.6 | libm.so.6 | */ld-linux-* | ld-linux-*) continue ;; esac
  take "${file#"$from"}" "$lib/$soname"
done <"$out/needed"
take "$loader" "$lib/glibc/${loader##*/}"
chmod 755 "$lib/glibc/${loader##*/}"
for f in libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2; do
  if [ -e "$from/lib/$multiarch/$f" ]; then take "/lib/$multiarch/$f" "$lib/glibc/$f"; fi
done

# ---- headers and start files ----
take_of "libclang-common-$llvm-dev" "/lib/clang/$llvm/include/" "$home/lib/clang/$llvm" "$lib/clang/$llvm"
for p in libc6-dev linux-libc-dev libcrypt-dev "libstdc++-$gcc-dev"; do take_of "$p" '^/usr/include/' /usr "$lib/sysroot/usr"; done
take_of libc6-dev "/usr/lib/$multiarch/([S]?crt[1in]\.o|libc_nonshared\.a|lib(dl|pthread|rt|util)\.a)\$" /usr "$lib/sysroot/usr"
take_of "libgcc-$gcc-dev" "/gcc/$multiarch/$gcc/(crt(begin|end)S?\.o|libgcc\.a|libgcc_s\.so|include/.*)\$" /usr "$lib/sysroot/usr"
# The packages' linker scripts name files by their place in the system.
script() { # NAME TEXT
  echo "$2" >"$lib/sysroot/usr/lib/$multiarch/$1"
  printf '%s\twarpwise\t%s\n' "${lib#"$root"/}/sysroot/usr/lib/$multiarch/$1" "$version" >>"$files"
}
script libc.so "GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( ${loader##*/} ) )"
if [ -e "$lib/glibc/libmvec.so.1" ]; then script libm.so "GROUP ( libm.so.6 AS_NEEDED ( libmvec.so.1 ) )"; else script libm.so "INPUT ( libm.so.6 )"; fi
script libstdc++.so "INPUT ( libstdc++.so.6 )"

# ---- licences of all of it ----
cut -f 2 "$files" | LC_ALL=C sort -u | grep -vx warpwise | while read -r p; do
  install -m 644 "$from/usr/share/doc/$p/copyright" "$root/share/doc/warpwise/licences/$p" || fail "no licence of $p"
  printf '%s\t%s\t%s\n' "share/doc/warpwise/licences/$p" "$p" "$(query -W -f '${Version}\n' "$p" | head -n 1)"
done >"$out/taken"
cat "$out/taken" >>"$files"
uplot=src/serve/page/node_modules/uplot/LICENSE
if [ -e $uplot ]; then
  install -m 644 $uplot "$root/share/doc/warpwise/licences/uplot"
  printf 'share/doc/warpwise/licences/uplot\twarpwise\t%s\n' "$version" >>"$files"
fi
LC_ALL=C sort -u -o "$files" "$files"
(cd "$root" && find . -type f -printf '%P\n') | LC_ALL=C sort | diff - <(cut -f 1 "$files") >&2 || fail "files.tsv and the folder differ"
rm "$out/taken" "$out/needed"

# ---- the archive ----
find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
tar --create --directory="$out" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' "$name" |
  gzip -n >"$out/$name.tar.gz"
echo "$out/$name.tar.gz: $(wc -l <"$files") files, $(($(stat -c %s "$out/$name.tar.gz") / 1000000)) MB," \
  "$(($(du -sk --apparent-size "$root" | cut -f 1) / 1000)) MB unpacked, sha256 $(sha256sum "$out/$name.tar.gz" | cut -c1-16)"
