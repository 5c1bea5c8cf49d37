# options.sh : what targets.def says of a target, in the words of libFuzzer; to be read by the scripts here.
# fuzz_options TARGET TABLE DICTIONARIES FOUND : most bytes of an input; words where there are some; mutators that know the syntax make one change at a time.
fuzz_options() {
  row=$(sed -n "s/^TARGET($1, *\([a-z]*\), *\([0-9]*\),.*/\1 \2/p" "$2")
  dict=$3/$1.dict
  [ -f "$dict" ] || { [ "${row% *}" = json ] && dict=$3/json.dict; }
  echo "-max_len=${row#* } -len_control=0 -timeout=60 -report_slow_units=60 -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix=$4/$1-"
  [ "${row% *}" = bytes ] || echo "-mutate_depth=1"
  [ -f "$dict" ] && echo "-dict=$dict"
}
# fuzz_runs TARGET TABLE : its executions in `make test`.
fuzz_runs() { sed -n "s/^TARGET($1, *[a-z]*, *[0-9]*, *\([0-9]*\),.*/\1/p" "$2"; }
