# run.sh - programs that try to get out of the sandbox; part of ../run.sh, which has made $ww, $dir and tell().
attack() { # NAME WANTED_EXIT OPTIONS... : runs sandbox/NAME.cu
  name=$1
  wanted=$2
  shift 2
  "$ww" record --emulate "$here/sandbox/$name.cu" "$@" >summary 2>errors
  grep -q "\"exit_code\":$wanted," summary || { echo "should end with $wanted"; cat summary errors; } >>complaints
}
left() { # processes of emulated programs that still run, and scratch folders that are still there
  for p in /proc/[0-9]*; do
    case $(readlink "$p/exe" 2>/dev/null) in "$TMPDIR"/warpwise-*) echo "left: $p" ;; esac
  done
  ls -d "$TMPDIR"/warpwise-* 2>/dev/null
}
mkdir -p "$dir/home" "$dir/tmp" "$dir/project/sub"
TMPDIR=$dir/tmp
export TMPDIR
probe=$("$ww" record --emulate "$here/network.cu" -o probe.jsonl 2>&1)
case $probe in
*Landlock* | *seccomp*) echo "ok $((n += 1)) - # SKIP the sandbox: this kernel does not confine" ;;
*)
  sleep 600 &
  victim=$!
  attack victim 0 -o victim.jsonl --json -- $victim
  kill -0 $victim 2>/dev/null || echo "the process outside was killed" >>complaints
  kill $victim
  tell "signals stay inside"

  attack orphans 0 -o orphans.jsonl --json
  left >>complaints
  attack orphans 137 -DENDLESS -o orphans.jsonl --json --limit 2
  left >>complaints
  tell "what a program starts ends with it, whatever session it moves to"

  echo kept >project/sub/file.txt
  chmod 640 project/sub/file.txt
  before=$(stat -c '%a %u %g %Y %s' project/sub/file.txt)
  attack modes 0 -DFILE_OUTSIDE="\"$dir/project/sub/file.txt\"" -o modes.jsonl --json --dir project
  [ "$(stat -c '%a %u %g %Y %s' project/sub/file.txt)" = "$before" ] || stat project/sub/file.txt >>complaints
  tell "modes, owners, times, attributes and lengths of files outside stay"

  attack spaces 0 -o spaces.jsonl --json
  tell "no namespaces, mounts, System V memory or other ways into the kernel"

  echo hush >home/secret
  ln -s "$dir/home/secret" project/link
  HOME=$dir/home HUSH=hush WARPWISE_HUSH=hush attack secrets 0 -DSECRET="\"$dir/home/secret\"" -DLINK="\"$dir/project/link\"" \
    -DHOME="\"$dir/home\"" -o secrets.jsonl --json --dir project
  tell "no variables, no home, no link to it"
  HOME=$dir/home "$ww" record --emulate "$here/sandbox/secrets.cu" -DSECRET="\"$dir/home/secret\"" -DLINK="\"none\"" -DHOME="\"none\"" \
    -o opened.jsonl --dir project --read "$dir/home/secret" >summary 2>errors
  grep -q 'exit status 2' errors || cat errors >>complaints
  tell "--read opens what it names"

  attack filler 137 -o filler.jsonl --json --disk 20
  grep -q -- --disk errors || cat errors >>complaints
  left >>complaints
  tell "a program that fills the disk is ended"
  ;;
esac
for signal in INT TERM HUP; do
  env --default-signal=INT "$ww" record --emulate -DENDLESS "$here/sandbox/orphans.cu" -o endless.jsonl >summary 2>errors &
  recorder=$!
  for i in $(seq 300); do
    [ -s "$(echo "$TMPDIR"/warpwise-*/out/endless.jsonl)" ] && break
    sleep 0.1
  done
  [ "$i" -lt 300 ] || { echo "it did not start"; cat errors; } >>complaints
  kill -$signal $recorder
  wait $recorder
  sleep 0.3
  left >>complaints
  tell "$signal: the program and its scratch folder go"
done
unset TMPDIR
