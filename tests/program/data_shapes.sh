#!/usr/bin/env bash
# Data of awkward sizes and in awkward files: every stage ends with the same bits, and what is read
# does not depend on how it was written down.   tests/program/data_shapes.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

table() { # table ROWS CLASSES: a CSV without header, three features and the label
  awk -v rows="$1" -v classes="$2" 'BEGIN {
    for (i = 0; i < rows; ++i)
      printf "%.3f,%d,%.2f,%d\n", (i * 37 % 101) / 50 - 1, i * 7 % 5, i % classes, i % classes
  }'
}

table 3 3 >three.csv
run 4 verify --data csv:three.csv --hidden "5"
check "three samples on four ranks" holds
check "  no test sample is told as such" says 'not available'
table 128 4 >many.csv # every fifth is a test sample: 103 are left
run 4 verify --data csv:many.csv --hidden "7,5" --batch 8
check "103 samples on four ranks, 8 each" holds
check "  are four steps" says ' · 4 steps$'
run 3 verify --data csv:many.csv --hidden "7,5" --batch 8 --accumulate 2 --precision bf16
check "103 samples on three ranks, 2 x 8 each" holds
table 4 4 >classes.csv
run 3 verify --data csv:classes.csv --hidden "3"
check "one sample of each class" holds
run 2 verify --data csv:many.csv --hidden "5" --steps 0
check "verify without a step" holds
run 3 train --data csv:many.csv --hidden "5" --steps 0 --stage 3
check "train without a step" succeeded
check "  holds the formulas" says 'all ranks: equal the formulas'
untrained=$(digest)
run 2 train --data csv:many.csv --hidden "5" --steps 0
check "  and leaves the initial weights, whatever N and stage" equal "$(digest)" "$untrained"

# One table, written down as others do.
job=(train --quiet --stage 2 --hidden "5" --batch 8)
run 2 "${job[@]}" --data csv:many.csv
check "the table with line feeds" succeeded
wanted=$(digest)
variant() { # variant WHAT FILE
  run 2 "${job[@]}" --data "csv:$2"
  check "the table $1" equal "$(digest)" "$wanted"
}
sed 's/$/\r/' many.csv >crlf.csv
variant "with carriage returns" crlf.csv
sed 's/$/\r\r/' many.csv >crcrlf.csv
variant "with two carriage returns" crcrlf.csv
printf %s "$(cat many.csv)" >open.csv
variant "without a last line feed" open.csv
{ cat many.csv && printf '\n\n  \n'; } >blank.csv
variant "with blank lines behind it" blank.csv
{ printf '\xEF\xBB\xBF' && cat many.csv; } >mark.csv
variant "with a byte-order mark" mark.csv
sed 's/,/ ,\t/g; s/^/ /' many.csv >"spaced out.csv"
variant "with blanks around the fields, and in the file's name" "spaced out.csv"
{ echo 'a,b,"c, d",label' && cat many.csv; } >header.csv
variant "with a header" header.csv
if locale -a 2>/dev/null | grep -qi '^de_DE.utf-*8$'; then
  export LC_ALL=de_DE.UTF-8
  variant "under a locale with a decimal comma" many.csv
  unset LC_ALL
fi
run 2 "${job[@]}" --data csv:many.csv --seed 2
check "(another seed has other bits)" differ "$(digest)" "$wanted"

run 2 "${job[@]}" --data csv:many.csv <&-
check "standard input closed" equal "$(digest)" "$wanted"
if ! simulated; then
  yes | "$program" "${job[@]}" --data csv:many.csv >out 2>err
  alone=$(digest)
  "$program" "${job[@]}" --data csv:many.csv <&- >out 2>err
  check "without mpirun, standard input closed or a pipe" equal "$(digest)" "$alone"
  check "  there is a digest" [ ${#alone} -gt 48 ]
fi
finish
