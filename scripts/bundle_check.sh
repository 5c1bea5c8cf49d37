#!/bin/bash
# bundle_check.sh ARCHIVE : does the bundle work where there is nothing else? In a minimal system of each release the archive is unpacked and every kind of
# work is done with it; a table says how long each took. Run it as root; `make test-bundle` does.
#
#   BUNDLE_RELEASES="bullseye focal bookworm noble trixie sid"   of Debian and Ubuntu, by name; those that no mirror has are left out, and named
#   BUNDLE_USERS="root user"           who unpacks and uses it: root, or somebody who may do nothing else
#   BUNDLE_STEPS="unpack doctor predict explain record optimize lsp serve"   what is done with it
#   BUNDLE_DIR=/var/tmp/warpwise-bundle   base-RELEASE-ARCH, made by debootstrap at first and copied each time; logs; the trees while they are used
#
# As in fresh.sh everything is mounted and runs in namespaces of its own. An archive for another kind of machine is tried on systems of that kind, by an
# emulator that the kernel starts (on Debian: qemu-user-static and binfmt-support).
set -u
archive=$(realpath "${1:?archive}")
releases=${BUNDLE_RELEASES:-bullseye focal bookworm noble trixie sid}
users=${BUNDLE_USERS:-root user}
dir=${BUNDLE_DIR:-/var/tmp/warpwise-bundle}
script=$(realpath "$0")
name=$(basename "$archive" .tar.gz)
machine=${name##*-linux-}
case $machine in
x86_64) arch=amd64 loader=lib64/ld-linux-x86-64.so.2 ;;
aarch64) arch=arm64 loader=lib/ld-linux-aarch64.so.1 ;;
*) echo "bundle_check: no systems for $machine" >&2 && exit 1 ;;
esac
tree=
child=

fail() {
  echo "bundle_check: $1" >&2
  exit 1
}

# ---- inside the namespaces: bundle_check.sh ARCHIVE --enter TREE USER COMMAND ----
enter() {
  mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" &&
    mount -t sysfs -o ro sysfs "$1/sys" || fail "cannot mount what a system needs below $1"
  local who=root home=/root
  [ "$2" = root ] || { who=1000:1000 && home=/home/user; }
  exec chroot --userspec="$who" "$1" env -i HOME="$home" TERM=dumb PATH=/usr/local/bin:/usr/bin:/bin sh -c "cd && $3"
}
if [ "${2:-}" = --enter ]; then
  shift 2
  enter "$@"
fi

inside() { # COMMAND : its status; in the background, so that a signal is seen while it runs
  unshare --mount --propagation private --pid --fork --kill-child "$script" "$archive" --enter "$tree" "$user" "$1" &
  child=$!
  wait "$child"
  local status=$?
  child=
  return $status
}
stop() { # the first process of the PID namespace: all others end with it (--kill-child is forgotten where the user changes)
  if [ -n "$child" ]; then
    kill -KILL $(cat "/proc/$child/task/$child/children" 2>/dev/null) "$child" 2>/dev/null
    wait "$child" 2>/dev/null
  fi
  child=
}
cleanup() {
  stop
  if [ -n "$tree" ]; then rm -rf --one-file-system "$tree"; fi
  tree=
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# shellcheck disable=SC2016
mirror() { # RELEASE : Debian's as this machine has it, Ubuntu's as debootstrap knows it
  local ubuntu=/usr/share/debootstrap/scripts/gutsy
  case $1 in
  focal | jammy | noble | plucky) echo "$(awk '$1 == "default_mirror" && $2 !~ /old|ports/ { print $2 }' $ubuntu) $ubuntu" ;;
  *) apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1 ;;
  esac
}
base() { # RELEASE : $dir/base-RELEASE-ARCH, complete or not at all
  base=$dir/base-$1-$arch
  [ -d "$base" ] && return 0
  local check=
  case $1 in focal | jammy | noble | plucky) [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || check=--no-check-gpg ;; esac
  rm -rf --one-file-system "$base.part"
  # shellcheck disable=SC2046
  debootstrap --variant=minbase --arch=$arch $check "$1" "$base.part" $(mirror "$1") >"$base.log" 2>&1 && mv "$base.part" "$base"
}

# ---- what is done; each prints nothing but what it is judged by ----
kernel='__global__ void scale(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i * 2];
}'
columns='// warpwise: grid=16,16 block=16,16 n=256
__global__ void columns(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) out[row * n + col] = 2.0f * in[row * n + col];
}'
w="./$name/bin/warpwise"
open_text=$(printf '%s' "$kernel" | sed 's/$/\\n/' | tr -d '\n')
lsp() { # the messages of an editor that opens the kernel and asks for the lines above it
  local m
  for m in '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}' \
    '{"jsonrpc":"2.0","method":"initialized","params":{}}' \
    "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///tmp/own.cu\",\"languageId\":\"cuda-cpp\",\"version\":1,\"text\":\"$open_text\"}}}" \
    '{"jsonrpc":"2.0","id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///tmp/own.cu"}}}'; do
    printf 'Content-Length: %d\r\n\r\n%s' "${#m}" "$m"
  done
}
steps=${BUNDLE_STEPS:-unpack doctor predict explain record optimize lsp serve}
command_of() { # STEP
  case $1 in
  unpack) echo "tar xzf /tmp/archive.tar.gz" ;;
  doctor) echo "$w doctor >doctor.txt && grep -q '^ok  CUDA sources' doctor.txt && grep -q '^ok  emulation' doctor.txt && cat doctor.txt" ;;
  predict) echo "$w predict /tmp/own.cu --gpu h200,a100 --json | grep -c '\"time_us\":{\"value\"' | grep -x 2" ;;
  explain) echo "$w explain ./$name/examples/matmul.cu --kernel naive --gpu h200 | grep 'Change first'" ;;
  record) echo "$w record --emulate ./$name/examples/heat.cu -o launches.jsonl && [ \$(grep -c '\"kernel\"' launches.jsonl) -ge 2 ] && $w predict --batch launches.jsonl --gpu h200 --json | grep -q time_us" ;;
  optimize) echo "$w optimize /tmp/columns.cu --rounds 1 --beam 1 --patch - | grep '^+'" ;;
  lsp) # whose answers end no line
    echo "mkfifo in && { $w lsp <in >out & } && exec 3>in && cat /tmp/messages >&3 &&
      for i in \$(seq 300); do if grep -aq 'bound by' out; then exit 0; fi; sleep 0.1; done; exit 1"
    ;;
  esac
}
serve() { # asked from outside of the tree
  local port=$((20000 + RANDOM % 20000)) i status=1
  unshare --mount --propagation private --pid --fork --kill-child "$script" "$archive" --enter "$tree" "$user" "$w serve --port $port --root /tmp" >>"$log" 2>&1 &
  child=$!
  for i in $(seq 100); do
    if curl -sf -m 30 -H 'Content-Type: application/json' -d '{"file":"own.cu","gpu":"h200"}' "http://127.0.0.1:$port/v1/predict" 2>>"$log" | tee -a "$log" | grep -q time_us; then
      status=0
      break
    fi
    sleep 0.1
  done
  stop
  return $status
}

attempt() { # RELEASE : one row of the table
  log=$dir/$1-$user.log
  : >"$log"
  tree=$(mktemp -d "$dir/$1-$user.XXXXXX") || fail "no folder in $dir"
  cp -a "$base/." "$tree/" && chmod 755 "$tree" || fail "cannot copy $base"
  mkdir -p "$tree/home/user" && chown 1000:1000 "$tree/home/user"
  cp "$archive" "$tree/tmp/archive.tar.gz" && printf '%s\n' "$kernel" >"$tree/tmp/own.cu" && printf '%s\n' "$columns" >"$tree/tmp/columns.cu" && lsp >"$tree/tmp/messages"
  local glibc row good=0 step begin status all=0
  glibc=$(basename "$(find "$tree/lib/" "$tree/usr/lib/" -name 'libc-2.*.so' 2>/dev/null | head -n 1)" .so)
  glibc=${glibc#libc-}
  [ -n "$glibc" ] || glibc=$(grep -aoE 'stable release version 2\.[0-9]+' "$tree/$loader" | head -n 1 | grep -oE '2\.[0-9]+$')
  row=$(printf '| %s | %s | %s |' "$1" "$glibc" "$user")
  for step in $steps; do
    echo "== $step" >>"$log"
    begin=$(date +%s%N)
    if [ $step = serve ]; then serve; else inside "$(command_of $step)" >>"$log" 2>&1; fi
    status=$?
    begin=$((($(date +%s%N) - begin) / 1000000))
    all=$((all + begin))
    if [ $status = 0 ]; then
      row="$row $(printf '%d.%d s' $((begin / 1000)) $((begin % 1000 / 100))) |"
    else
      row="$row FAILED |"
      good=1
    fi
  done
  echo "$row $(printf '%d.%d s' $((all / 1000)) $((all % 1000 / 100))) |"
  [ $good = 0 ] || echo "bundle_check: $1 as $user: more in $log" >&2
  cleanup
  return $good
}

[ -f "$archive" ] || fail "there is no $archive: make bundle"
[ "$(id -u)" = 0 ] || fail "root is needed to mount and to change the root folder: sudo make test-bundle"
for tool in unshare chroot mount debootstrap curl; do command -v $tool >/dev/null || fail "$tool is not installed"; done
mkdir -p "$dir" || exit 1
echo "$(basename "$archive"): $(($(stat -c %s "$archive") / 1000000)) MB, sha256 $(sha256sum "$archive" | cut -c1-16)"
echo
echo "| system | glibc | user | ${steps// / | } | in all |"
echo "|---|---|---|$(for i in $steps all; do printf -- '---|'; done)"
failed=0
absent=
for release in $releases; do
  if ! base "$release"; then
    absent="$absent $release"
    continue
  fi
  for user in $users; do attempt "$release" || failed=1; done
done
[ -z "$absent" ] || echo "bundle_check: not to be had here:$absent (see $dir/base-*.log)" >&2
exit $failed
