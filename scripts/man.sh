#!/bin/sh
# man.sh BUILD VERSION : manual pages and completions into BUILD/man. Commands' pages come from their tables (set by scdoc, left out where it is not
# there), those of files and the library from docs/ (set by md2man.awk). RUN is what runs a program of another machine.
set -eu
RUN=${RUN:-}
cd "$(dirname "$0")/.."
build=$1
version=$2
out=$build/man
rm -rf "$out"
mkdir -p "$out"
# Of the sources, not of the moment: the same sources make the same pages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(scripts/date.sh)}
export SOURCE_DATE_EPOCH
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)

if command -v scdoc >/dev/null 2>&1; then
  for page in $($RUN "$build/warpwise" manual --list); do $RUN "$build/warpwise" manual "$page" | scdoc >"$out/$page.1"; done
else
  echo "man: no scdoc here, the commands' manual pages are left out (apt-get install scdoc)" >&2
fi
for s in bash zsh fish; do $RUN "$build/warpwise" completion "$s" >"$out/completion.$s"; done

page() { # FILE NAME SECTION SUMMARY
  awk -v name="$2" -v section="$3" -v summary="$4" -v day="$day" -v version="$version" -f scripts/md2man.awk "$1" >"$out/$2.$3"
}
page docs/launch.md warpwise-launch 5 "launch specs: which kernel runs, in which shape, with which arguments"
page docs/report.md warpwise-report 5 "reports: what is said about a launch"
page docs/metrics.md warpwise-metrics 5 "the metrics of a report"
page docs/gpus.md warpwise-gpu 5 "descriptions of GPUs"
page docs/library.md libwarpwise 3 "how long a GPU kernel takes and why, from C"
