# tap.sh - what test scripts that print TAP share; they source it from the repository's root. At the end: echo "1..$n"; exit $bad.
n=0
bad=0
report() { # TEXT PROBLEM : the problem is '' when there is none
  n=$((n + 1))
  if [ -z "$2" ]; then echo "ok $n - $1"; else
    bad=1
    echo "not ok $n - $1"
    printf '%s\n' "$2" | head -n 20 | cut -c 1-1600 | sed 's/^/# /'
  fi
}
ok() { # TEXT STATUS [LOG]
  why=
  if [ "$2" != 0 ]; then why=$(tail -n 20 "${3:-/dev/null}" | grep . || echo "status $2"); fi
  report "$1" "$why"
}
skip() { n=$((n + 1)) && echo "ok $n - # SKIP $1"; }
