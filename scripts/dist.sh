#!/bin/sh
# dist.sh VERSION FOLDER : FOLDER/warpwise-VERSION.tar.gz, the sources as they stand. The same sources make the same bytes: names in order, no owners, the
# last commit's time. In an unpacked tarball, where there is no repository, it takes the files that are there.
set -eu
cd "$(dirname "$0")/.."
version=$1
name=warpwise-$version
mkdir -p "$2"
out=$(cd "$2" && pwd)/$name.tar.gz
list=$(mktemp)
trap 'rm -f "$list"' EXIT

if [ -e .git ]; then
  new=$(git ls-files --others --exclude-standard | head -n 5 | tr '\n' ' ')
  if [ -n "$new" ]; then echo "dist: with files that are in no commit yet: $new" >&2; fi
  git ls-files --cached --others --exclude-standard
else
  find . -type f -printf '%P\n' | grep -vE '(^|/)(build[a-z-]*|node_modules|\.git)/|\.o$|~$|^compile_commands\.json$'
fi >"$list"
# uPlot, which the page shows, is npm's: with it the tarball needs no npm.
find src/serve/page/node_modules -path '*/uplot/LICENSE' -o -path '*/uplot/dist/uPlot.iife.min.js' -o -path '*/uplot/dist/uPlot.min.css' \
  2>/dev/null >>"$list" ||
  echo "dist: without uPlot; scripts/deps.sh build brings it" >&2
grep -vE '^\.(ci|git)' "$list" | while read -r f; do if [ -e "$f" ]; then echo "$f"; fi; done | LC_ALL=C sort -u >"$list.sorted"
mv "$list.sorted" "$list"

date=${SOURCE_DATE_EPOCH:-$(scripts/date.sh)}
tar --create --no-recursion --transform="s|^|$name/|" --format=ustar --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner \
  --mode='u=rwX,go=rX' --file="$out.tar" --files-from="$list"
gzip -9n <"$out.tar" >"$out.tmp"
rm "$out.tar"
mv "$out.tmp" "$out"
echo "$out: $(wc -l <"$list") files, $(($(stat -c %s "$out") / 1024)) KB, sha256 $(sha256sum "$out" | cut -c1-16)"
