#!/usr/bin/env bash
# Nobody reads memory that nobody has written: training has the same bits whatever new memory holds.
#   tests/program/malloc_fill.sh PROGRAM LIBRARY PROBE
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
library=$(preloadable "$2") probe=$3

filled_with() { # filled_with BYTE
  [ "$(grep -vE '^(calloc|kept) ' out | sort | uniq -c | wc -l)" -eq 7 ] || return 1
  says '^calloc 00$' && says '^kept 42$' && ! grep -vE "^(calloc|kept) | $1\$" out
}
for byte in 00 ff 5a; do
  ZEROLAB_FILL_MALLOC=0x$byte LD_PRELOAD=$library "$probe" >out 2>err
  code=$?
  check "new memory holds 0x$byte" filled_with $byte
done
"$probe" >out
check "without the library it does not" differ "$(filled_with 5a && echo filled)" filled

modes=(exact ordered mpi) precisions=(fp16 bf16 fp32)
stages=("0" "1" "2" "3" "0 --overlap" "2 --overlap" "3 --overlap")
# Every day one byte, of which floats are no numbers, and each stage on two numbers of ranks.
bytes=(FF)
! exhaustive || bytes=(00 FF)
for ranks in 1 2 3 4; do
  for i in "${!stages[@]}"; do
    exhaustive || [ $(((i + ranks) % 2)) -eq 0 ] || continue
    # shellcheck disable=SC2206  # one word an option
    job=(train --quiet --steps 4 --hidden "9,7" --batch 6 --stage ${stages[i]}
      --reduce "${modes[(i + ranks) % 3]}" --precision "${precisions[(i + ranks / 2) % 3]}")
    [[ $((i % 2)) -eq 0 || ${job[*]} == *overlap* ]] || job+=(--checkpoint-activations 2)
    [[ ${job[*]} == *ordered* ]] || job+=(--accumulate 2)
    name="N = $ranks: ${job[*]:8}"
    echo "$name" >>names
    aside "$name" run $ranks "${job[@]}"
    for byte in "${bytes[@]}"; do
      aside "$name 0x$byte" launch $ranks "$on" all \
        "export ZEROLAB_FILL_MALLOC=0x$byte LD_PRELOAD='$library'" "$program" "${job[@]}"
    done
  done
done
while read -r name; do
  look_at "$name"
  check "$name" succeeded
  bits=$(digest)
  for byte in "${bytes[@]}"; do
    look_at "$name 0x$byte"
    check "  new memory full of 0x$byte: the same bits" equal "$(digest)" "$bits"
  done
done <names
finish
