#!/bin/sh
# deps.sh build|deb|bundle|test|fuzz : installs the Debian packages that are missing, says which; does nothing when all are there.
# deps.sh cross ARCH : those that `make bundle ARCH=...` needs here; deps.sh target: prints those that it needs of the other machine (cross_root.sh).
#
# Optional ones, which not every release has, are installed where it has them; the tests that use them are skipped elsewhere.
# Works as root and as a user with sudo. On a system without dpkg it only says what is needed.
set -u
want=${1:-build}
libraries="libc6-dev libcjson-dev libzstd-dev libsqlite3-dev libmicrohttpd-dev libcurl4-openssl-dev libpcre2-dev libutf8proc-dev"
packages="gcc make pkg-config scdoc $libraries"
optional=
[ "$want" = deb ] && packages="$packages dpkg-dev"
[ "$want" = bundle ] && packages="$packages patchelf"
[ "$want" = cross ] && packages="make scdoc patchelf qemu-user-static gcc-$(echo "$2" | tr _ -)-linux-gnu"
[ "$want" = fuzz ] && packages="$packages python3 zstd"
[ "$want" = test ] && packages="$packages libcmocka-dev pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev g++ openmpi-bin zsh fish zstd curl dpkg-dev mandoc locales neovim emacs-nox strace"
[ "$want" = test ] && optional="oclgrind elpa-eglot" # Emacs 29 has Eglot in it
# Clients of others come from npm; whatever Node.js is here will do.
[ "$want" = test ] && ! command -v npm >/dev/null 2>&1 && packages="$packages nodejs npm"
[ "$want" = test ] && ! command -v chromium >/dev/null 2>&1 && packages="$packages chromium fonts-dejavu-core" # tests of pages
[ "$want" = test ] && packages="$packages ripgrep" # finds files for VS Code, whose modules python3 compiles
[ "$want" = test ] && ! command -v python3 >/dev/null 2>&1 && packages="$packages python3"
[ "$want" = test ] && ! python3 -c 'import ensurepip' >/dev/null 2>&1 && packages="$packages python3-venv" # the wheel's test
[ "$want" = test ] && ! command -v git >/dev/null 2>&1 && packages="$packages git" # pull requests to hold back

# uPlot draws curves on the page of `warpwise serve` and becomes part of the program; without npm the page draws them itself.
uplot() {
  page=$(dirname "$0")/../src/serve/page
  command -v npm >/dev/null 2>&1 || return 0
  [ "$page/node_modules/.package-lock.json" -nt "$page/package-lock.json" ] && return 0
  echo "deps: npm ci in src/serve/page" >&2
  (cd "$page" && npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) ||
    echo "deps: npm could not bring uPlot; the page of warpwise serve will draw its curves itself" >&2
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "deps: no dpkg here; needed are a C17 compiler, clang and LLVM 17 or newer, and: $packages" >&2
  exit 0
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# One version of clang with its LLVM headers is enough.
have_llvm() {
  for v in 23 22 21 20 19 18 17; do
    if installed "clang-$v" && installed "llvm-$v-dev"; then return 0; fi
    if command -v "clang-$v" && command -v "llvm-config-$v"; then return 0; fi >/dev/null 2>&1 # from elsewhere
  done
  return 1
}

# The package with libFuzzer of the clang that the Makefile takes, where that clang lacks it; tests of a system that has none do without.
fuzzer_of() {
  case $want in fuzz | test) ;; *) return ;; esac
  for v in 23 22 21 20 19 18 17 $1; do
    if [ "$v" = "$1" ] || { command -v "clang-$v" && command -v "llvm-config-$v"; } >/dev/null 2>&1; then
      [ -e "$("clang-$v" -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null)" ] && return
      if [ "$want" = fuzz ] || apt-cache show "libclang-rt-$v-dev" >/dev/null 2>&1; then echo " libclang-rt-$v-dev"; fi
      return
    fi
  done
}

# The linker of the clang that the Makefile takes.
if [ "$want" = bundle ] || [ "$want" = target ]; then
  for v in 23 22 21 20 19 18 17; do
    if { command -v "clang-$v" && command -v "llvm-config-$v"; } >/dev/null 2>&1; then break; fi
  done
  packages="$packages lld-$v libclang1-$v libclang-common-$v-dev"
fi
if [ "$want" = target ]; then
  gcc=$(gcc -dumpversion)
  echo "$libraries clang-$v llvm-$v-dev lld-$v libclang1-$v libclang-common-$v-dev libstdc++-${gcc%%.*}-dev libgcc-${gcc%%.*}-dev"
  exit 0
fi

missing=
for p in $packages; do installed "$p" || missing="$missing $p"; done
# Optional packages that are not there and can be had, by the lists at hand.
wanted() {
  for p in $optional; do
    if ! installed "$p" && apt-cache policy "$p" 2>/dev/null | grep -q '^  Candidate: [^(]'; then printf ' %s' "$p"; fi
  done
}
need_llvm=no
have_llvm || need_llvm=yes
[ $need_llvm = yes ] || missing="$missing$(fuzzer_of "")"
if [ -z "$missing" ] && [ $need_llvm = no ] && [ -z "$(wanted)" ]; then
  uplot
  exit 0
fi

if [ "$(id -u)" = 0 ]; then
  sudo=
elif command -v sudo >/dev/null 2>&1; then
  sudo=sudo
elif [ -z "$missing" ] && [ $need_llvm = no ]; then
  uplot
  exit 0
else
  [ $need_llvm = yes ] && missing="$missing clang-19 llvm-19-dev"
  echo "deps: missing:$missing; install them as root: apt-get install$missing" >&2
  exit 1
fi

echo "deps: apt-get update" >&2
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null || echo "deps: apt-get update failed, trying with the lists at hand" >&2
if [ $need_llvm = yes ]; then
  llvm=
  for v in 19 20 21 18 17; do
    if apt-cache show "clang-$v" "llvm-$v-dev" >/dev/null 2>&1; then llvm=$v; break; fi
  done
  if [ -z "$llvm" ]; then
    echo "deps: this system's package lists have no clang 17 or newer; add a source that does" >&2
    exit 1
  fi
  missing="$missing clang-$llvm llvm-$llvm-dev$(fuzzer_of "$llvm")"
fi
install() {
  echo "deps: installing: $*" >&2
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
# shellcheck disable=SC2086
if [ -n "$missing" ] && ! install $missing; then
  echo "deps: apt-get could not install:$missing" >&2
  exit 1
fi
optional=$(wanted)
# shellcheck disable=SC2086
if [ -n "$optional" ] && ! install $optional; then echo "deps: going on without:$optional" >&2; fi
uplot
