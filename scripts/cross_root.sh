#!/bin/bash
# cross_root.sh ARCH ROOT : the Debian packages of another kind of machine below ROOT, to compile, link and copy from (`make bundle ARCH=aarch64`). They are
# those that deps.sh names, of the release and from the sources of this machine. They are unpacked and listed for dpkg-query, but not set up: nothing
# of theirs runs, so neither root nor an emulator is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
case $1 in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) echo "cross_root: no packages for $1: x86_64 or aarch64" >&2 && exit 1 ;;
esac
root=$2
rm -rf "$root.part"
mkdir -p "$root.part"
part=$(cd "$root.part" && pwd)
lists=$part/var/lib/apt
db=$part/var/lib/dpkg
mkdir -p "$lists/lists/partial" "$part/var/cache/apt/archives/partial" "$db/info" "$db/updates" "$part"/usr/{bin,lib,sbin}
for d in bin lib sbin; do ln -s "usr/$d" "$part/$d"; done
: >"$db/status"
echo 1 >"$db/info/format" # lists of packages that can be there for several machines have the machine in their names

apt() { # WORDS : apt-get, as if this were a machine of that kind which has nothing
  apt-get -qq -o APT::Architecture="$debian" -o APT::Architectures="$debian" -o Dir::State="$lists" -o Dir::State::status="$db/status" \
    -o Dir::Cache="$part/var/cache/apt" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
echo "cross_root: packages for $debian into $root" >&2
apt update >/dev/null 2>"$part/log" || true # sources that have nothing for such machines
# shellcheck disable=SC2046
apt install -y --download-only --no-install-recommends $(scripts/deps.sh target) >/dev/null 2>>"$part/log" || { cat "$part/log" >&2 && exit 1; }
for f in "$part"/var/cache/apt/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$f" | tar -x --keep-directory-symlink --no-same-owner -C "$part" -f -
  package=$(dpkg-deb -f "$f" Package)
  if [ "$(dpkg-deb -f "$f" Multi-Arch)" = same ]; then package=$package:$debian; fi
  dpkg-deb --fsys-tarfile "$f" | tar -t | sed 's|^\.||; s|\(.\)/$|\1|; s|^$|/.|; s|^/$|/.|' >"$db/info/$package.list"
  { dpkg-deb -f "$f" | sed '1a Status: install ok installed' && echo; } >>"$db/status"
done
find "$part" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do ln -srfn "$part$target" "$link"; done
rm -r "$part/var/cache" "$lists" "$part/log"
rm -rf "$root"
mv "$part" "$root"
