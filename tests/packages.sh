#!/bin/sh
# packages.sh BUILD : the tarball builds by itself and comes out the same twice; the Debian packages install and run; versions and manual pages are
# in order. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
version=$(sed -n 's/^VERSION := //p' Makefile)

# ---- the tarball ----
make --no-print-directory BUILD="$dir/one" dist >"$dir/log" 2>&1
ok "make dist" $? "$dir/log"
make --no-print-directory BUILD="$dir/two" dist >"$dir/log" 2>&1
cmp -s "$dir/one/warpwise-$version.tar.gz" "$dir/two/warpwise-$version.tar.gz"
ok "the same bytes again" $? "$dir/log"
mkdir "$dir/empty"
(cd "$dir/empty" && tar xzf "$dir/one/warpwise-$version.tar.gz") && source=$dir/empty/warpwise-$version
! find "$source" \( -name '*.o' -o -name .git -o -name build \) | grep -q . && [ -f "$source/src/main.c" ] && [ -x "$source/tests/run.sh" ]
ok "sources and nothing else" $?
(cd "$source" && make --no-print-directory BUILD="$dir/three" dist) >"$dir/log" 2>&1
cmp -s "$dir/one/warpwise-$version.tar.gz" "$dir/three/warpwise-$version.tar.gz"
ok "an unpacked tarball makes the same one, without a repository" $? "$dir/log"
# Whether all is there that a build needs: objects that are there are taken, and make makes each again of whose sources or headers one is missing; commands and
# the links are made here.
cp -a "$build" "$source/build" && rm -rf "$source/build/tests" "$source/build/cmd" "$source/build/shim" "$source/build/gpus" "$source/build/models" \
  "$source/build/tables" "$source/build/warpwise" "$source/build/libwarpwise.a" "$source/build/lib"
find "$source/build" -type f -exec touch {} + # newer than what was unpacked
(cd "$source" && make --no-print-directory -j2 OPT=-O0 all) >"$dir/log" 2>&1
ok "it builds in an empty folder" $? "$dir/log"
grep -q 'src/cmd/predict.c' "$dir/log" && ! grep -q 'src/ir/' "$dir/log" && [ "$(readlink "$source/build/gpus")" = "$source/gpus" ]
ok "from what is in it" $? "$dir/log"
(cd "$source" && build/warpwise predict examples/saxpy.cu -k saxpy --gpu h200) >"$dir/log" 2>&1
ok "and predicts" $? "$dir/log"

# ---- Debian packages, from objects that are there ----
if ! command -v dpkg-shlibdeps >/dev/null || ! command -v dpkg-deb >/dev/null; then
  skip "no dpkg-dev here"
else
  cp -a "$build" "$dir/deb-build"
  rm -rf "$dir/deb-build/tests"
  make --no-print-directory DEB_BUILD="$dir/deb-build" DEB_OUT="$dir/deb" deb >"$dir/log" 2>&1
  ok "make deb" $? "$dir/log"
  field() { dpkg-deb -f "$dir/deb/$1"_"$version"_*.deb "$2"; }
  case $(field warpwise Depends) in *libLLVM* | *libllvm*clang-[0-9]*"warpwise-data (= $version)"*) : ;; *) false ;; esac
  ok "the program's needs: LLVM, clang, its data" $?
  ! field libwarpwise0 Depends | grep -qE 'sqlite|microhttpd' && [ "$(field warpwise-data Architecture)" = all ]
  ok "the library's are fewer" $?
  root=$dir/root
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && : >"$root/var/lib/dpkg/status"
  dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless --no-triggers --install "$dir"/deb/*.deb >"$dir/log" 2>&1
  ok "they install together" $? "$dir/log"
  (unset WARPWISE_DATA && "$root/usr/bin/warpwise" predict examples/matmul.cu -k naive --gpu a100 --json) >"$dir/out" 2>"$dir/log"
  grep -q '"gpu":"a100"' "$dir/out"
  ok "the installed program predicts, with its own data" $? "$dir/log"
  case $(field warpwise Depends) in *libcjson1*libzstd1*) : ;; *) false ;; esac
  ok "what recorded programs are linked with comes along" $?
  (unset WARPWISE_DATA && "$root/usr/bin/warpwise" record --emulate examples/matmul.cu -o "$dir/launches.jsonl") >"$dir/log" 2>&1
  [ "$(grep -c '"kernel"' "$dir/launches.jsonl")" = 2 ]
  ok "the installed program records a program without a GPU" $? "$dir/log"
  lib=$(dirname "$(find "$root/usr/lib" -name libwarpwise.so.0)")
  awk '$0 == "```c" { on = 1; next } /^```/ { if (on) exit } on' docs/library.md >"$dir/saxpy.c"
  gcc -o "$dir/saxpy" "$dir/saxpy.c" -I"$root/usr/include" -L"$lib" -lwarpwise 2>"$dir/log" && (unset WARPWISE_DATA && LD_LIBRARY_PATH=$lib "$dir/saxpy") >"$dir/out" 2>>"$dir/log"
  ok "the installed library too" $? "$dir/log"
  if command -v lintian >/dev/null; then
    lintian --fail-on error,warning --tag-display-limit 0 "$dir"/deb/*.deb >"$dir/log" 2>&1
    ok "lintian has neither error nor warning" $? "$dir/log"
  else skip "no lintian here"; fi
fi

# ---- manual pages ----
make --no-print-directory -o "$build/warpwise" BUILD="$build" man >"$dir/log" 2>&1
ok "make man" $? "$dir/log"
if command -v mandoc >/dev/null; then
  mandoc -Tlint -W warning "$build"/man/*.[0-9] 2>&1 | grep -v 'skipping paragraph macro' >"$dir/log" # scdoc writes these
  [ ! -s "$dir/log" ]
  ok "no page has a warning of mandoc's" $? "$dir/log"
else skip "no mandoc here"; fi
missing=
for page in $("$build/warpwise" manual --list); do
  for part in NAME SYNOPSIS; do grep -q "^\.SH $part" "$build/man/$page.1" || missing="$missing $page:$part"; done
done
for page in libwarpwise.3 warpwise-launch.5 warpwise-report.5 warpwise-metrics.5 warpwise-gpu.5; do [ -s "$build/man/$page" ] || missing="$missing $page"; done
echo "$missing" >"$dir/log"
[ -z "$missing" ]
ok "every command has its page, and every file format" $? "$dir/log"
echo "1..$n"
exit $bad
