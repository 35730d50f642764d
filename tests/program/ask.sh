#!/usr/bin/env bash
# ask: every item that no simulation decides is measured on 4 ranks and confirmed; what it leaves is what
# verify, plan and report know; it asks for a prediction where someone types, and for none elsewhere.
#   tests/program/ask.sh PROGRAM [RANKS...]
# On the first of the RANKS it asks for all items as well; all of them have their turn in the larger size.
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

alone ask --list
check "--list, without ranks" succeeded
check "  53 items" equal "$(wc -l <out)" 53
check "  lines fit 100 columns" fits_100_columns
simulated_items=$(awk '$2 == "*" { print $1 }' out)

run 4 ask --all --check --results "some results"
check "4 ranks, --all --check" succeeded
check "  lines fit 100 columns" fits_100_columns
check "  a line an item, and the totals" equal "$(grep -cE '^(TF|SE|WY|EC|S|)[0-9.]+ ' out)" 54
for id in $(awk '{ print $1 }' out | head -n 53); do
  line=$(grep "^$id " out)
  case " $(xargs <<<"$simulated_items") " in
    *" $id "*) check "$id is not run" grep -q "^$id  *not run: " <<<"$line" ;;
    *) check "$id is confirmed, with a number" grep -q "^$id  *confirmed  .*: .* (.*)\$" <<<"$line" ;;
  esac
done
for file in doctor verify-{1,2,3,4} exercise-5.2; do
  check "  it leaves $file.json" [ -s "some results/$file.json" ]
done
mkdir handout
"$tests/../labs/exercises.sh" "$program" handout >/dev/null
for file in "some results"/exercise-*.json; do
  check "  $(basename "$file") is what plan writes" cmp "$file" "handout/$(basename "$file")"
done
alone report --results "some results"
check "  and report makes a page of it" succeeded

numbers=("${@:2}")
exhaustive || numbers=("${@:2:1}")
for ranks in ${numbers[@]+"${numbers[@]}"}; do
  run "$ranks" ask --all --check
  check "$ranks ranks, --all --check" succeeded
  check "  confirmed but for what is simulated" \
    equal "$(grep -cE '^[A-Z0-9.]+  *confirmed ' out)" $((53 - $(wc -w <<<"$simulated_items")))
done

# --- one item ---

run 4 ask TF7
check "TF7" succeeded
check "  the claim" says '^Claim: Stage 2 all-reduces gradients'
check "  the number" says '^ *N = 2, 3, 4: 0Φ$'
check "  the verdict" says '^  Verdict: confirmed$'
check "  the explanation" says '^  Right: False: '
check "  its convention" says 'twice as much in payload'
check "  no prediction is asked for without a terminal" [ "$(grep -c 'prediction' out)" -eq 0 ]
run 1 ask TF7
check "on one rank it says what it needs, which is no failure" succeeded
check "  two ranks" says 'needs two ranks or more'
run 1 ask TF7 EC1 --check
check "but not measured is no pass of --check" equal "$code" 1
check "  TF7 is not" says '^TF7  *not measured  *needs two ranks or more$'
check "  EC1 is confirmed on one rank" says '^EC1  *confirmed '
run 3 ask 4.1 TF7 --json -
check "--json -: an object from the first line to the last" \
  equal "$(sed -n '1p;$p' out | tr -d '\n')" "{}"
check "  with both verdicts" equal "$(grep -c '"verdict": "confirmed"' out)" 2

# --- refusals, before anything is measured ---

run 2 ask TF77 --results made
check "an unknown item" fails_with "'TF77' is no item" --list
run 2 ask TF4 --network no/such/file --results made
check "a network that is not there" fails_with no/such/file "cannot be read"
echo "[1, 2" >broken.json
run 2 ask TF4 --network broken.json --results made
check "a network that is no JSON" fails_with broken.json JSON
many() { head -c 1000000 /dev/zero | tr '\0' "$1"; }
echo "{\"exercise\": $(many "[")$(many "]")}" >broken.json
run 2 ask TF4 --network broken.json --results made
check "a network nested deeper than the stack" fails_with broken.json "nested more than 32 deep"
echo "{}" >broken.json
run 2 ask TF7 --network broken.json --results made
check "a network without its lists" fails_with broken.json "the key exercise is missing"
check "  no folder was made" [ ! -e made ]
run 2 ask TF7 --results broken.json
check "results in place of a file" fails_with broken.json folder
run 2 ask TF7 --json no/such/folder
check "--json that cannot be written" fails_with no/such/folder

# --- someone types ---

command -v script >/dev/null || { [ $faults -eq 0 ] && skip_all "no script, which makes a terminal"; }
# typed WORDS COMMAND...: what the terminal shows goes to the file out. Someone types the WORDS when
# asked, and looks on until the verdict.
typed() {
  local words=$1
  shift
  : >shown
  { shows prediction && printf '%s\n' "$words" && shows Verdict; } |
    script -qefc "ZEROLAB_INPUT=/dev/tty $(printf '%q ' "$@")" shown >/dev/null 2>err
  code=$?
  tr '\r' '\n' <shown >out
}
shows() { # shows WORD, or the verdict without it; waits no longer than any job may take
  for ((wait = 0; wait < limit * 20; ++wait)); do
    ! grep -q "$1\|Verdict" shown || return 0
    sleep 0.05
  done
}
typed true "$tests/on_ranks.sh" 2 $limit "$program" ask TF7
check "through mpirun a prediction is asked for" says 'Your prediction, true or false'
check "  and judged" says 'You said: true, which does not agree'
typed false "$program" ask TF6
check "so it is started alone" says 'You said: false, which agrees'
typed $'\377' "$program" ask TF6 --json said.json
check "words in another encoding do not end the program" says '^Verdict\|^  Verdict'
check "  and are replaced in the file" grep -qF $'"said": "\xef\xbf\xbd"' said.json
typed false "$program" ask TF6 --answer
check "but not with --answer" [ "$(grep -c 'prediction' out)" -eq 0 ]
finish
