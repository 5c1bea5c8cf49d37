#!/bin/sh
# date.sh : when these sources were last changed, in seconds since 1970: the last commit's time, outside of a repository the Makefile's (in a
# tarball all files have the commit's).
cd "$(dirname "$0")/.." || exit 1
if [ -e .git ]; then git log -1 --format=%ct; else stat -c %Y Makefile; fi
