#!/bin/sh
# sources.sh [FOLDER...] : our own C files and headers, one a line. Left out are headers that stand in for
# others' (shim) and sources that are a test's input.
cd "$(dirname "$0")/.." || exit 1
[ $# = 0 ] && set -- src tests include
find "$@" -name '*.[ch]' -not -path 'src/front/shim/*' -not -path 'src/serve/page/*' \
  -not -path 'tests/kernels/*' -not -path 'tests/fixes/*' -not -path 'tests/front/*' -not -path 'tests/clients/*' -not -path 'tests/emulate/*' \
  -not -path '*/node_modules/*'
