#!/bin/sh
# install.sh install|uninstall : puts what was built below DESTDIR, or takes the same files away again, and of the folders those that were made
# for them: DATADIR/warpwise/folders lists these, in the order they were made. `make install` calls it, and gives
# BUILD, DESTDIR, PREFIX, LIBDIR, VERSION, SOVERSION and LLVM_LIBS, STRIP for another machine's; BINDIR, INCLUDEDIR, DATADIR and MANDIR may be set too.
set -eu
cd "$(dirname "$0")/.."
what=$1
bin=$DESTDIR${BINDIR:-$PREFIX/bin}
lib=$DESTDIR$LIBDIR
private=$DESTDIR$PREFIX/lib/warpwise # what the program loads or links for itself: it looks there, seen from its own folder
include=$DESTDIR${INCLUDEDIR:-$PREFIX/include}
share=$DESTDIR${DATADIR:-$PREFIX/share}
man=$DESTDIR${MANDIR:-${DATADIR:-$PREFIX/share}/man}

folders=$share/warpwise/folders
folder() { # PATH : below DESTDIR
  [ -d "$1" ] && return
  folder "$(dirname "$1")"
  mkdir -m 755 "$1"
  case $1 in "$share/warpwise"/* | "$private"/*) ;; *) made="$made${1#"$DESTDIR"}
" ;; esac
}
put() { # MODE SOURCE TARGET
  if [ "$what" = install ]; then
    folder "$(dirname "$3")"
    install -m "$1" "$2" "$3"
  else
    rm -f "$3"
  fi
}
alias_of() { # TARGET NAME
  if [ "$what" = install ]; then ln -sfn "$1" "$2"; else rm -f "$2"; fi
}
tree() { # SOURCE TARGET : files of a folder, readable by all, whatever the checkout's modes are
  rm -rf "$2"
  [ "$what" = install ] || return 0
  folder "$2"
  (cd "$1" && find . -type f) | while read -r f; do install -D -m 644 "$1/$f" "$2/$f"; done
}

made=
if [ "$what" = install ]; then mkdir -p "$DESTDIR/"; else made=$(tac "$folders" 2>/dev/null || true); fi

put 755 "$BUILD/warpwise" "$bin/warpwise"
put 755 "$BUILD/libwarpwise-record.so" "$private/libwarpwise-record.so"
put 644 "$BUILD/libwarpwise.a" "$private/libwarpwise.a" # `record --emulate` links programs with it
[ "$what" = uninstall ] || "${STRIP:-strip}" --strip-debug "$private/libwarpwise.a"

put 644 "$BUILD/lib/libwarpwise.so.$VERSION" "$lib/libwarpwise.so.$VERSION"
alias_of "libwarpwise.so.$VERSION" "$lib/libwarpwise.so.$SOVERSION"
alias_of "libwarpwise.so.$SOVERSION" "$lib/libwarpwise.so"
put 644 "$BUILD/lib/libwarpwise.a" "$lib/libwarpwise.a"
put 644 include/warpwise.h "$include/warpwise.h"
pc=$(mktemp)
trap 'rm -f "$pc"' EXIT
sed -e "s|@PREFIX@|$PREFIX|" -e "s|@LIBDIR@|$LIBDIR|" -e "s|@INCLUDEDIR@|${INCLUDEDIR:-$PREFIX/include}|" -e "s|=$PREFIX/|=\${prefix}/|" \
  -e "s|@VERSION@|$VERSION|" -e "s|@LLVM_LIBS@|$LLVM_LIBS|" scripts/warpwise.pc.in >"$pc"
put 644 "$pc" "$lib/pkgconfig/warpwise.pc"

tree src/front/shim "$share/warpwise/shim"
tree gpus "$share/warpwise/gpus"
tree models "$share/warpwise/models"
tree data "$share/warpwise/tables"

put 644 "$BUILD/man/completion.bash" "$share/bash-completion/completions/warpwise"
put 644 "$BUILD/man/completion.zsh" "$share/zsh/site-functions/_warpwise"
put 644 "$BUILD/man/completion.fish" "$share/fish/vendor_completions.d/warpwise.fish"
if [ "$what" = install ]; then
  for page in "$BUILD"/man/*.[0-9]; do put 644 "$page" "$man/man${page##*.}/${page##*/}"; done
  printf '%s' "$made" >>"$folders" # what an earlier install made is ours, too
  chmod 644 "$folders"
  if [ -z "$DESTDIR" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi # so that programs find the library now
  exit 0
fi
rm -f "$man"/man1/warpwise.1 "$man"/man1/warpwise-*.1 "$man"/man3/libwarpwise.3 "$man"/man5/warpwise-*.5
rm -f "$folders"
for d in "$private" "$share/warpwise"; do rmdir "$d" 2>/dev/null || true; done
printf '%s\n' "$made" | while read -r d; do
  if [ -n "$d" ]; then rmdir "$DESTDIR$d" 2>/dev/null || true; fi # others may have put something there since
done
