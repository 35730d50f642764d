#!/usr/bin/env bash
# Ranks that are not started alike would do different things and wait for one another for ever: they
# all leave at once, with one line of ours that says what differs.   tests/program/unlike.sh PROGRAM
# shellcheck disable=SC2016,SC2317  # expanded on the rank; the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"

job=(train --quiet --steps 2 --seed 1)
# unlike RANKS RANK "SHELL CODE" starts the job, on RANK after code that changes its words.
unlike() { launch "$1" "$on" "$2" "$3" "$program" "${job[@]}"; }
options() { # options RANK THERE HERE
  fails_with "rank $1 was started with other options than rank 0: $2 there, $3 on rank 0"
}

other="$work/a program/other"
cp "$program" "$other"
printf x >>"$other"
checksum=$(gzip -c "$other" | tail -c 8 | od -An -N4 -tx4 | tr -d ' ') # gzip ends with CRC-32, size

# Every day each kind of difference on one number of ranks, by turns.
turn=1
its_turn() { turn=$((turn + 1)) && { exhaustive || [ $((turn % 3)) -eq $((ranks % 3)) ]; }; }
for ranks in 2 3 4; do
  last=$((ranks - 1)) turn=1
  if its_turn; then
    unlike $ranks $last 'set -- "${@/#1/2}"'
    check "N = $ranks: another seed on rank $last" options $last "'--seed 2'" "'--seed 1'"
  fi
  if its_turn; then
    unlike $ranks 1 'set -- "$@" --trace'
    check "N = $ranks: an option more on rank 1" options 1 "'--trace'" nothing
  fi
  if its_turn; then
    unlike $ranks $last 'set -- "${@/#train/verify}"'
    check "N = $ranks: another subcommand" options $last "'verify'" "'train'"
  fi
  if its_turn; then
    unlike $ranks 1 'set -- "$@" --bogus'
    check "N = $ranks: an option that rank 1 refuses" options 1 "'--bogus'" nothing
  fi
  if its_turn; then
    unlike $ranks $last 'set -- "$1" --help'
    check "N = $ranks: --help on one rank" options $last "'--help'" "'train'"
  fi
  if its_turn; then
    unlike $ranks $last 'set -- "${1%/*}/other" "${@:2}"'
    check "N = $ranks: another program" fails_with "rank $last runs another program than rank 0: version " \
      ", checksum $checksum there, version " " on rank 0"
    program=$other check "  of which nobody is left either" nobody_left
  fi
done

unlike 3 0 'set -- "$@" --stage 3'
check "an option more on rank 0" options 1 nothing "'--stage'"
unlike 3 0 'set -- "$@" --bogus'
check "an option that rank 0 refuses" options 1 nothing "'--bogus'"
unlike 3 0 'set -- "$1" --help'
check "--help on rank 0" options 1 "'train'" "'--help'"
unlike 3 2 'set -- "$1" report'
check "a subcommand that needs no ranks" options 2 "'report'" "'train'"
unlike 3 2 'set -- "$1"'
check "no words at all" options 2 nothing "'train'"
unlike 3 2 'set -- "$@" --count-wire'
check "an option that changes the MPI itself" options 2 "'--count-wire'" nothing
run 2 train --quiet : -n 1 "$program" verify --quiet
check "two programs on one line of mpirun" options 2 "'verify'" "'train'"

# --- alike ---

unlike 3 all 'set -- "$@" --trace'
check "the same change on all ranks is none" succeeded
run 3 --help
check "--help on all ranks" succeeded
check "  is said once" [ "$(grep -c '^Usage' out)" -eq 1 ]
run 3 "${job[@]}" --bogus
check "an option that all ranks refuse" fails_with "--bogus"
check "  is exit code 2" [ "$code" -eq 2 ]
finish
