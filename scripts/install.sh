#!/bin/sh
# install.sh install|uninstall : puts what was built below DESTDIR, or takes the same files away again. `make install` calls it, and gives
# BUILD, DESTDIR, PREFIX, LIBDIR, VERSION, SOVERSION and LLVM_LIBS; BINDIR, INCLUDEDIR, DATADIR and MANDIR may be set too.
set -eu
cd "$(dirname "$0")/.."
what=$1
bin=$DESTDIR${BINDIR:-$PREFIX/bin}
lib=$DESTDIR$LIBDIR
private=$DESTDIR$PREFIX/lib/warpwise # what the program loads or links for itself: it looks there, seen from its own folder
include=$DESTDIR${INCLUDEDIR:-$PREFIX/include}
share=$DESTDIR${DATADIR:-$PREFIX/share}
man=$DESTDIR${MANDIR:-${DATADIR:-$PREFIX/share}/man}

put() { # MODE SOURCE TARGET
  if [ "$what" = install ]; then install -D -m "$1" "$2" "$3"; else rm -f "$3"; fi
}
alias_of() { # TARGET NAME
  if [ "$what" = install ]; then ln -sfn "$1" "$2"; else rm -f "$2"; fi
}
tree() { # SOURCE TARGET : files of a folder, readable by all, whatever the checkout's modes are
  rm -rf "$2"
  [ "$what" = install ] || return 0
  (cd "$1" && find . -type f) | while read -r f; do install -D -m 644 "$1/$f" "$2/$f"; done
}
drop_empty() { if [ -d "$1" ]; then rmdir -p --ignore-fail-on-non-empty "$1" 2>/dev/null || true; fi; }

put 755 "$BUILD/warpwise" "$bin/warpwise"
put 755 "$BUILD/libwarpwise-record.so" "$private/libwarpwise-record.so"
put 644 "$BUILD/libwarpwise.a" "$private/libwarpwise.a" # `record --emulate` links programs with it
[ "$what" = uninstall ] || strip --strip-debug "$private/libwarpwise.a"

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
  if [ -z "$DESTDIR" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi # so that programs find the library now
  exit 0
fi
rm -f "$man"/man1/warpwise.1 "$man"/man1/warpwise-*.1 "$man"/man3/libwarpwise.3 "$man"/man5/warpwise-*.5
for d in "$bin" "$lib/pkgconfig" "$lib" "$private" "$include" "$share/warpwise" "$share/bash-completion/completions" "$share/zsh/site-functions" \
  "$share/fish/vendor_completions.d" "$man/man1" "$man/man3" "$man/man5"; do drop_empty "$d"; done
