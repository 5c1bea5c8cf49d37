#!/bin/sh
# setup.sh BUILD : what a person meets before the first prediction: packages, a machine that lacks things, the demo, installing and taking away.
# Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
make="make --no-print-directory"

# ---- packages: a Debian that is made up, where some things are missing ----
mkdir "$dir/bin"
program() { # NAME : a script, from standard input
  { echo '#!/bin/sh' && cat; } >"$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
program dpkg-query <<'END'
for p in $LACKS; do [ "$4" = "$p" ] && exit 1; done
echo installed
END
program apt-cache <<'END'
for p in $RELEASE_LACKS; do [ "$2" = "$p" ] && printf '%s:\n  Candidate: (none)\n' "$2" && exit 0; done
printf '%s:\n  Candidate: 1.0-1\n' "$2"
END
program apt-get <<'END'
echo "$*" >>"$APT_LOG"
for p in $RELEASE_LACKS; do case " $* " in *" $p "*) exit 100 ;; esac; done
END
program sudo <<'END'
exec "$@"
END
deps() { # LACKS RELEASE_LACKS
  : >"$dir/apt"
  PATH=$dir/bin:$PATH APT_LOG=$dir/apt LACKS=$1 RELEASE_LACKS=$2 scripts/deps.sh test >"$dir/log" 2>&1
}
deps "oclgrind elpa-eglot curl" "oclgrind elpa-eglot" && grep -q 'install.* curl' "$dir/apt"
ok "packages that a release lacks do not keep the others away" $? "$dir/log"
deps "oclgrind elpa-eglot" "oclgrind elpa-eglot" && ! grep -q install "$dir/apt"
ok "nor is anything tried for them" $? "$dir/log"
deps "oclgrind" "" && grep -q 'install.* oclgrind' "$dir/apt"
ok "where the release has them they are installed" $? "$dir/log"
! deps "curl" "curl"
ok "what tests cannot do without is an error" $? "$dir/log"

# ---- a bare machine ----
$make BUILD="$dir/bare" CC=no-such-compiler LLVM_CONFIG=no-llvm-config >"$dir/log" 2>&1
[ $? != 0 ] && grep -q 'lacks a C compiler.*LLVM' "$dir/log" && grep -q 'scripts/deps.sh build' "$dir/log" && ! grep -q ' CC ' "$dir/log"
ok "make on a bare machine names what is missing and the command that brings it" $? "$dir/log"
program plain-gcc <<'END'
case " $* " in *" -E "*) exit 1 ;; esac
exec gcc "$@"
END
$make BUILD="$dir/bare" CC="$dir/bin/plain-gcc" >"$dir/log" 2>&1
[ $? != 0 ] && grep -q 'lacks cJSON' "$dir/log" && ! grep -q ' CC ' "$dir/log"
ok "and where only libraries are missing" $? "$dir/log"

# ---- other compilers: gcc builds it here, clang looks at what it had a word about (make lint: at every source) ----
scripts/clang_check.sh src/trace/interp.c src/lm/ops_cpu_gemm.c src/measure/probe_memory.c src/front/translate_asm.c >"$dir/log" 2>&1
ok "clang has no warning" $? "$dir/log"

# ---- the demo ----
$make -n JOBS=7 demo 2>&1 | grep -qE 'make.* -j7 all'
ok "make demo builds on all cores" $?
scripts/demo.sh "$build/warpwise" >"$dir/out" 2>"$dir/log" && for word in 'warpwise predict' 'warpwise explain' 'Change first' 'record --emulate' '^all  *512 100'; do
  grep -q -- "$word" "$dir/out" || echo "no $word" >>"$dir/log"
done
[ -s "$dir/out" ] && ! grep -q '^no ' "$dir/log"
ok "the demo predicts, explains and records a whole program" $? "$dir/log"

# ---- installing ----
cp -a "$build" "$dir/build"
rm -rf "$dir/build/tests"
kept() { (cd "$dir/build" && find . -type f -exec ls -l --time-style=full-iso {} + | sort); }
kept >"$dir/before"
$make BUILD="$dir/build" DESTDIR="$dir/to" install >"$dir/log" 2>&1
ok "make install of a build that is up to date" $? "$dir/log"
kept | diff "$dir/before" - >"$dir/log"
ok "leaves the build as it was" $? "$dir/log"
[ -f "$dir/to/usr/local/share/man/man1/warpwise.1" ] || ! command -v scdoc >/dev/null
ok "with the manual, which make has made" $?
for prefix in /opt/other /usr/local; do
  if [ $prefix = /usr/local ]; then touch -d 2001-01-01 "$dir/build/warpwise" && kept >"$dir/before"; fi # older than its objects
  $make BUILD="$dir/build" DESTDIR="$dir/stale" PREFIX=$prefix install >"$dir/log" 2>&1
  [ $? != 0 ] && grep -q 'first, without sudo: make PREFIX=/' "$dir/log" && [ ! -e "$dir/stale" ] && kept | diff "$dir/before" - >/dev/null
  ok "make install builds nothing, it says what to run ($prefix)" $? "$dir/log"
done
touch "$dir/build/warpwise" "$dir/build/man/made"

# ---- and away: folders that were there stay, empty or not ----
folders="bin lib/pkgconfig share/bash-completion/completions share/man/man1 include"
for f in $folders; do mkdir -p "$dir/system/usr/local/$f"; done
(cd "$dir/system" && find . | sort) >"$dir/before"
for command in install install uninstall; do $make BUILD="$dir/build" DESTDIR="$dir/system" $command >"$dir/log" 2>&1 || break; done
ok "make install twice, make uninstall" $? "$dir/log"
(cd "$dir/system" && find . | sort) | diff "$dir/before" - >"$dir/log"
ok "what remains is what was there" $? "$dir/log"
$make BUILD="$dir/build" DESTDIR="$dir/to" uninstall >"$dir/log" 2>&1 && [ -d "$dir/to" ] && [ -z "$(ls -A "$dir/to")" ]
ok "in an empty root all folders were made by install" $? "$dir/log"
echo "1..$n"
exit $bad
