#!/bin/sh
# codemap.sh : prints each source file with its one job, by folder (`make map`). The job is the first sentence of the file's opening
# comment (`/* name.c - its one job.`), which may run over several lines. `--check` names the files that open in another way.
cd "$(dirname "$0")/.." || exit 1

job() {
  awk 'NR == 1 && !sub(/^\/\* [^ ]+ - /, "") { exit }
    NR > 1 { sub(/^ \* ?/, "") }
    { last = sub(/ *\*\/.*/, "") }
    $0 == "" && !last { exit }
    { text = text (NR > 1 ? " " : "") $0 }
    last || /[.?]( |$)/ { exit }
    END { sub(/[.] .*/, "", text); sub(/[?] .*/, "?", text); sub(/[.:;,]$/, "", text); print text }' "$1"
}

files() { find "$1" -maxdepth 1 \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort; }
folders() { find src -type d -not -path 'src/front/shim*' | LC_ALL=C sort; }

if [ "$1" = --check ]; then
  bad=0
  for dir in $(folders); do
    for f in $(files "$dir"); do
      [ -n "$(job "$f")" ] && continue
      echo "$f does not open with /* name - its one job"
      bad=1
    done
  done
  exit $bad
fi
for dir in $(folders); do
  list=$(files "$dir")
  [ -n "$list" ] || continue
  printf '\n%s/\n' "$dir"
  for f in $list; do printf '  %-24s %s\n' "${f##*/}" "$(job "$f")"; done
done
