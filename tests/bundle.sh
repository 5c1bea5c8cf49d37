#!/bin/sh
# bundle.sh BUILD : what a bundle does, without making one: its launcher, by the system's loader and by its own, in folders that move; a clang that brings a
# C library. `make test-bundle` tries a whole one on other systems. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
unset WARPWISE_DATA WARPWISE_CLANG LD_LIBRARY_PATH
export XDG_CACHE_HOME="$dir/cache"
llvm=$(ldd "$build/warpwise" | sed -n 's/.*libLLVM[-.a-z]*\([0-9]*\).*=>.*/\1/p' | head -n 1)
home=/usr/lib/llvm-$llvm
case $(uname -m) in
x86_64) loader=ld-linux-x86-64.so.2 ;;
aarch64) loader=ld-linux-aarch64.so.1 ;;
*) loader= ;;
esac
if [ -z "$loader" ] || [ ! -e "$home/bin/clang" ]; then
  skip "no loader or no clang of the kind that bundles have"
  echo "1..$n"
  exit 0
fi

# The shape of a bundle; what is large is a link.
root=$dir/bundle
lib=$root/lib/warpwise/llvm/lib
mkdir -p "$root/bin" "$root/share" "$lib/programs" "$lib/glibc" "$lib/sysroot/usr/include" "$root/lib/warpwise/llvm/bin"
mkdir "$root/share/warpwise" && ln -s "$PWD/src/front/shim" "$PWD/gpus" "$PWD/models" "$root/share/warpwise/"
cp "$build/warpwise" "$lib/programs/warpwise"
cp -L "$home/bin/clang" "$lib/programs/clang-$llvm"
for f in "$home"/lib/libclang-cpp.so.* "$home"/lib/libLLVM*.so* "$home/lib/clang"; do ln -s "$f" "$lib/"; done
for f in $loader libc.so.6 libm.so.6; do cp -L "$(gcc -print-file-name=$f)" "$lib/glibc/"; done
cat >"$dir/show.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char exe[4096] = "", line[4096];
  if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0) return 1;
  printf("exe %s\n", exe);
  for (int i = 0; i < argc; i++) printf("<%s>", argv[i]);
  printf("\nTHING=%s\n", getenv("THING") ? getenv("THING") : "");
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "libc.so.6") && strstr(line, "r-xp")) printf("libc %s", strchr(line, '/'));
  return 42;
}
C
gcc -o "$lib/programs/show" "$dir/show.c" 2>"$dir/log"
ok "a program to start" $? "$dir/log"

for which in 0:system 999:own; do
  minor=${which%:*}
  kind=${which#*:}
  for p in warpwise show; do scripts/launcher.sh "${CC:-gcc}" ../lib/warpwise/llvm/lib "$minor" "$root/bin/$p" 2>>"$dir/log" || echo "no launcher" >>"$dir/log"; done
  THING="a b" "$root/bin/show" "one two" "" '*' >"$dir/out" 2>"$dir/log"
  [ $? = 42 ] && grep -qx "exe $root/bin/show" "$dir/out" && grep -qFx "<$root/bin/show><one two><><*>" "$dir/out" && grep -qx 'THING=a b' "$dir/out"
  ok "$kind loader: name, arguments, environment and status pass through" $? "$dir/log"
  if [ $kind = own ]; then grep -qx "libc $lib/glibc/libc.so.6" "$dir/out"; else grep '^libc /' "$dir/out" | grep -qv "$root"; fi
  ok "$kind loader: with the $kind C library" $? "$dir/out"
  ln -sf "$root/bin/warpwise" "$dir/warpwise"
  PATH="$dir:$PATH" warpwise --version >"$dir/out" 2>"$dir/log" && grep -q "$(sed -n 's/^VERSION := //p' Makefile)" "$dir/out"
  ok "$kind loader: the program starts, also by a link in PATH" $? "$dir/log"
done
mkdir "$dir/my libraries" && cp -L "$lib/glibc/libm.so.6" "$dir/my libraries/libm.so.6"
LD_LIBRARY_PATH="$dir/my libraries" "$root/bin/show" >"$dir/out" 2>"$dir/log"
[ $? = 42 ]
ok "a user's LD_LIBRARY_PATH is no obstacle" $? "$dir/log"

# ---- a clang with a C library ----
scripts/launcher.sh "${CC:-gcc}" ../lib 999 "$root/lib/warpwise/llvm/bin/clang-$llvm"
echo '#define FACTOR 3.0f' >"$lib/sysroot/usr/include/only_in_the_sysroot.h"
cat >"$dir/k.cu" <<'C'
#include <only_in_the_sysroot.h>
__global__ void k(float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] *= FACTOR; }
C
mv "$root" "$dir/moved here"
w="$dir/moved here/bin/warpwise"
"$w" predict "$dir/k.cu" --gpu h200 --json >"$dir/out" 2>"$dir/log" && grep -q '"time_us"' "$dir/out"
ok "in a folder that was moved: predicts with the clang and the headers of the bundle" $? "$dir/log"
! "$build/warpwise" predict "$dir/k.cu" --gpu h200 --json >/dev/null 2>&1
ok "which others do not have" $?
WARPWISE_CLANG=$home/bin/clang "$w" predict "$dir/k.cu" --gpu h200 --json >/dev/null 2>"$dir/log"
[ $? = 3 ]
ok "nor the one that WARPWISE_CLANG names" $? "$dir/log"
mkdir "$dir/a:b" && cp "$w" "$dir/a:b/" && "$dir/a:b/warpwise" --version >"$dir/out" 2>&1
[ $? = 127 ] && grep -q "a folder without ':'" "$dir/out"
ok "a folder whose name would part a list of folders says so" $? "$dir/out"
rm "$dir/moved here/lib/warpwise/llvm/lib/glibc/$loader"
"$w" --version >"$dir/out" 2>&1
[ $? = 127 ] && grep -q 'unpack the archive again' "$dir/out"
ok "a folder with a hole in it says so" $? "$dir/out"
echo "1..$n"
exit $bad
