#!/bin/sh
# fresh.sh : do both commands of the README work on a machine that has nothing? Makes a minimal Debian with git, make and certificates alone,
# clones HEAD into it, and runs `make demo` and `make test` there; says how long each took. Run it as root; `make test-fresh` does.
#
#   FRESH_RELEASES="bookworm trixie"   releases of Debian, by name
#   FRESH_USERS="root sudo"            who runs the commands: root (by itself the default), or an ordinary user who may use sudo
#   FRESH_COMMANDS="make demo;make test"   what is run there, separated by semicolons
#   FRESH_DIR=/var/tmp/warpwise-fresh  base-RELEASE, made by debootstrap at first and copied each time; logs; the trees while they are used
#   FRESH_KEEP=1                       leaves the trees there, to look into
#
# Everything is mounted in a mount namespace of its own and runs in a PID namespace of its own: however this script ends, mounts and processes
# go with it, and removing a tree never meets a mounted /dev. How the network is reached (resolver, proxy, certificates, npm's settings) is
# taken from this machine.
set -u
releases=${FRESH_RELEASES:-bookworm trixie}
users=${FRESH_USERS:-root}
commands=${FRESH_COMMANDS:-make demo;make test}
dir=${FRESH_DIR:-/var/tmp/warpwise-fresh}
source=$(cd "$(dirname "$0")/.." && pwd)
script=$source/scripts/fresh.sh
tree=
child=

fail() {
  echo "fresh: $1" >&2
  exit 1
}

# ---- inside the namespaces: fresh.sh --enter TREE USER COMMAND ----
enter() {
  tree=$1
  mount -t proc proc "$tree/proc" && mount --rbind /dev "$tree/dev" && mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm" &&
    mount -t sysfs -o ro sysfs "$tree/sys" || fail "cannot mount what a system needs below $tree"
  home=/root
  [ "$2" = root ] || home=/home/$2
  exec chroot --userspec="$2" "$tree" env -i HOME="$home" USER="$2" LOGNAME="$2" TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${no_proxy:+no_proxy="$no_proxy"} sh -c "$3"
}
if [ "${1:-}" = --enter ]; then
  shift
  enter "$@"
fi

# inside USER COMMAND : its status. In the background, so that a signal is seen while it runs.
inside() {
  unshare --mount --propagation private --pid --fork --kill-child "$script" --enter "$tree" "$1" "$2" &
  child=$!
  wait "$child"
  inside_status=$?
  child=
  return $inside_status
}

cleanup() {
  if [ -n "$child" ]; then
    # The first process of the PID namespace, with which all others end: --kill-child is forgotten where the user changes.
    # shellcheck disable=SC2046
    kill -KILL $(cat "/proc/$child/task/$child/children" 2>/dev/null) "$child" 2>/dev/null
    wait "$child" 2>/dev/null
  fi
  child=
  if [ -n "$tree" ] && [ -z "${FRESH_KEEP:-}" ]; then rm -rf --one-file-system "$tree"; fi
  tree=
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The mirror that this machine uses itself; without one, debootstrap has its own.
mirror() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

base() { # RELEASE : $dir/base-RELEASE, complete or not at all
  [ -d "$dir/base-$1" ] && return 0
  command -v debootstrap >/dev/null || fail "debootstrap is not installed: apt-get install debootstrap"
  echo "fresh: debootstrap $1"
  rm -rf --one-file-system "$dir/base-$1.part"
  # shellcheck disable=SC2046
  debootstrap --variant=minbase --include=git,make,ca-certificates "$1" "$dir/base-$1.part" $(mirror) >"$dir/base-$1.log" 2>&1 ||
    fail "debootstrap failed, see $dir/base-$1.log"
  mv "$dir/base-$1.part" "$dir/base-$1"
}

reach_network() { # the way out of this machine is the way out of the tree
  cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
  apt-config dump 2>/dev/null | grep -E '^Acquire::(http|https)::(Proxy|proxy) ' >"$tree/etc/apt/apt.conf.d/90host"
  if ls /usr/local/share/ca-certificates/*.crt >/dev/null 2>&1; then
    cp /usr/local/share/ca-certificates/*.crt "$tree/usr/local/share/ca-certificates/"
    inside root update-ca-certificates >/dev/null 2>&1 || fail "certificates of this machine could not be added"
  fi
}

populate() { # RELEASE USER HOME : a copy of the base with the user, the network and the sources
  cp -a "$dir/base-$1/." "$tree/" && chmod 755 "$tree" || fail "cannot copy $dir/base-$1"
  reach_network
  if [ "$2" != root ]; then
    inside root "apt-get update -qq && apt-get install -y -qq --no-install-recommends sudo && useradd -m -s /bin/sh $2 &&
      echo '$2 ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$2" >"$log" 2>&1 || fail "no user with sudo could be made, see $log"
  fi
  git clone -q --depth 1 "file://$source" "$tree$3/warpwise" || fail "cannot clone $source"
  if [ -f "$HOME/.npmrc" ]; then install -m 600 "$HOME/.npmrc" "$tree$3/.npmrc"; fi
  inside root "chown -R $2 $3"
}

attempt() { # RELEASE WHO : 0 when all commands succeed
  user=root
  home=/root
  if [ "$2" = sudo ]; then user=fresh && home=/home/fresh; fi
  log=$dir/$1-$2.log
  : >"$log"
  tree=$(mktemp -d "$dir/$1-$2.XXXXXX") || fail "no folder in $dir"
  populate "$1" "$user" "$home"
  good=0
  rest="$commands;"
  while [ -n "$rest" ]; do
    command=${rest%%;*}
    rest=${rest#*;}
    [ -n "$command" ] || continue
    start=$(date +%s)
    echo "\$ $command" >>"$log"
    from=$(wc -l <"$log")
    inside "$user" "cd $home/warpwise && $command" >>"$log" 2>&1
    status=$?
    seconds=$(($(date +%s) - start))
    result=$(tail -n "+$from" "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed' | tail -n 1)
    printf '%-10s %-5s %-12s status %d, %d s%s\n' "$1" "$2" "$command" $status $seconds "${result:+: $result}"
    if [ $status -ne 0 ]; then
      good=1
      echo "fresh: more in $log"
    fi
  done
  cleanup
  return $good
}

[ "$(id -u)" = 0 ] || fail "root is needed to mount and to change the root folder: sudo make test-fresh"
for tool in unshare chroot git mount; do command -v $tool >/dev/null || fail "$tool is not installed"; done
mkdir -p "$dir" || exit 1
echo "fresh: commit $(git -C "$source" rev-parse --short HEAD)"
failed=0
for release in $releases; do
  base "$release"
  for who in $users; do
    case $who in root | sudo) ;; *) fail "FRESH_USERS: root or sudo, not $who" ;; esac
    attempt "$release" "$who" || failed=1
  done
done
exit $failed
