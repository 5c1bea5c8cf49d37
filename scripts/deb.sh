#!/bin/sh
# deb.sh VERSION SOVERSION LLVM BUILD OUT : Debian packages from what was built with PREFIX=/usr, by the tools of dpkg-dev alone. debian/ has their
# descriptions; what a package needs of others is found by dpkg-shlibdeps.
set -eu
cd "$(dirname "$0")/.."
version=$1
soversion=$2
llvm=${3%%.*}
build=$(cd "$4" && pwd)
mkdir -p "$5"
out=$(cd "$5" && pwd)
work=$build/deb
files=${DEB_FILES:-$work/files}
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(scripts/date.sh)}
export SOURCE_DATE_EPOCH
umask 022

rm -rf "$work"
stage=$work/stage
make --no-print-directory -o built BUILD="$build" DESTDIR="$stage" PREFIX=/usr LIBDIR="/usr/lib/$multiarch" install
rm "$stage/usr/share/warpwise/folders" # dpkg knows by itself
find "$stage/usr/share/man" -type f -exec gzip -9n {} +
find "$stage/usr/bin" "$stage/usr/lib" -type f \( -name warpwise -o -name '*.so*' \) -exec strip --strip-unneeded --remove-section=.comment {} +
find "$stage/usr/lib" -name '*.a' -exec strip --strip-debug --remove-section=.comment --enable-deterministic-archives {} +
find "$stage/usr/lib" -name '*.so*' -type f -exec chmod 644 {} +

move() { # PACKAGE PATH... : out of the stage into the package, at the same place
  package=$1
  shift
  (cd "$stage" && find "$@" ! -type d) | while read -r f; do
    mkdir -p "$work/$package/$(dirname "$f")"
    mv "$stage/$f" "$work/$package/$f"
  done
}
move warpwise-data usr/share/warpwise
move libwarpwise-dev usr/include "usr/lib/$multiarch/libwarpwise.so" "usr/lib/$multiarch/libwarpwise.a" "usr/lib/$multiarch/pkgconfig" usr/share/man/man3
move "libwarpwise$soversion" "usr/lib/$multiarch"
mkdir -p "$stage/usr/share/zsh/vendor-completions" # Debian's place
mv "$stage/usr/share/zsh/site-functions/_warpwise" "$stage/usr/share/zsh/vendor-completions/"
move warpwise usr
left=$(find "$stage" ! -type d)
if [ -n "$left" ]; then echo "deb: in no package: $left" >&2 && exit 1; fi

documents() { # PACKAGE
  doc=$work/$1/usr/share/doc/$1
  install -D -m 644 debian/copyright "$doc/copyright"
  gzip -9n <debian/changelog >"$doc/changelog.gz"
}
pack() { # PACKAGE
  root=$work/$1
  mkdir -p "$root/DEBIAN"
  binaries=$(find "$root" -type f \( -path '*/bin/*' -o -name '*.so*' \))
  : >"$work/$1.substvars"
  # shellcheck disable=SC2086
  if [ -n "$binaries" ]; then dpkg-shlibdeps -T"$work/$1.substvars" -l"$work/libwarpwise$soversion/usr/lib/$multiarch" $binaries; fi
  if [ -f "debian/$1.symbols" ]; then dpkg-gensymbols -p"$1" -P"$root" -v"$version" -O"$root/DEBIAN/symbols" -c4; fi
  dpkg-gencontrol -p"$1" -P"$root" -T"$work/$1.substvars" -Vllvm="$llvm" -f"$files" -O"$root/DEBIAN/control" 2>"$work/log" || { cat "$work/log" >&2 && exit 1; }
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --build "$root" "$out" >/dev/null
}

[ "$(dpkg-parsechangelog -S Version)" = "$version" ] || { echo "deb: debian/changelog is not about version $version" >&2 && exit 1; }
: >"$files"
mkdir -p "$work/libwarpwise$soversion/DEBIAN"
echo "libwarpwise $soversion libwarpwise$soversion (>= $version)" >"$work/libwarpwise$soversion/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$work/libwarpwise$soversion/DEBIAN/triggers"
for p in "libwarpwise$soversion" warpwise warpwise-data libwarpwise-dev; do documents "$p"; done
mkdir -p "$work/warpwise/usr/share/doc/warpwise/examples" "$work/warpwise/usr/share/doc/warpwise/docs"
install -m 644 README.md "$work/warpwise/usr/share/doc/warpwise/"
install -m 644 docs/*.md "$work/warpwise/usr/share/doc/warpwise/docs/"
install -m 644 examples/*.* "$work/warpwise/usr/share/doc/warpwise/examples/"
for p in "libwarpwise$soversion" warpwise warpwise-data libwarpwise-dev; do pack "$p"; done
echo "in $out, for apt-get install:"
(cd "$out" && ls -- *_"$version"_*.deb)
