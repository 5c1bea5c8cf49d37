#!/bin/sh
# codemap.sh : rewrites CODEMAP.md's list of files from the first line of each (`/* name.c - its one job`).
cd "$(dirname "$0")/.." || exit 1
new=$(mktemp) || exit 1

# The first sentence behind "name - ", up to the first full stop or colon-free line end.
job() { sed -n '1{s|^/\* [^ ]* - ||; s| *\*/$||; s|\([^.]*\.\) .*|\1|; s|[.:;,]$||; p;}' "$1"; }

{
  sed '/^<!-- files -->/q' CODEMAP.md
  for dir in src src/cmd src/base src/report src/ir src/front src/trace src/*/; do
    dir=${dir%/}
    case $seen in *" $dir "*) continue ;; esac
    seen="$seen $dir "
    files=$(find "$dir" -maxdepth 1 \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort)
    [ -n "$files" ] || continue
    printf '\n### %s/\n\n' "$dir"
    for f in $files; do printf '    %-22s %s\n' "$(basename "$f")" "$(job "$f")"; done
  done
} >"$new"
if [ "$1" = --check ]; then
  cmp -s "$new" CODEMAP.md
  status=$?
  rm -f "$new"
  exit $status
fi
cat "$new" >CODEMAP.md
rm -f "$new"
