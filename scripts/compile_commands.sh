#!/bin/sh
# compile_commands.sh COMMAND SOURCE... : compile_commands.json on stdout, for clangd and other editors' tools.
command=$1
shift
dir=$(pwd)
sep=
echo "["
for f in "$@"; do
  printf '%s{"directory":"%s","file":"%s","command":"%s -c %s"}' "$sep" "$dir" "$f" "$command" "$f"
  sep=",
"
done
printf '\n]\n'
