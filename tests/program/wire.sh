#!/usr/bin/env bash
# train --count-wire and --wire: the MPI's own count of the bytes sent, or why there is none; and what
# Open MPI 4 really sends.   tests/program/wire.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
version=$("${ZEROLAB_MPIRUN:-mpirun}" --version 2>/dev/null)
mkdir "a folder"
export TMPDIR=$work/"a folder" OMPI_MCA_orte_tmpdir_base=/tmp

job=(--quiet --steps 2)
all_counted() { succeeded && grep -A 4 wire_bytes_per_rank "$1" | grep -c '^ *[1-9][0-9]*,*$' | grep -qx 3; }
none_counted() { succeeded && grep -q '"wire_bytes_per_rank": null' "$1"; }
says_why() { says '^wire bytes: not available: .*Open MPI'; }
nothing_left() { [ -z "$(find "a folder" -name "*zerolab*")" ]; }

# --- where there is no counter ---

export OMPI_MCA_pml='^monitoring'
run 3 train "${job[@]}" --count-wire --json "a file"
check "no counter: the run is fine" succeeded
check "  the line says why" says_why
check "  and the summary null" none_counted "a file"
check "  nothing is left behind" nothing_left
run 3 train "${job[@]}" --wire "a wire file"
check "no counter, but a wire file is wanted" fails_with "a wire file" "not available"
unset OMPI_MCA_pml
[[ $version == *"Open MPI"* || $version == *OpenRTE* ]] || finish

# --- the total of a run ---

run 3 train "${job[@]}" --count-wire --json "a file"
check "N = 3: counted" says '^wire bytes sent by a rank, counted by the MPI: mean [1-9][0-9 ]*, busiest '
check "  lines fit 100 columns" fits_100_columns
check "  three numbers in the summary" all_counted "a file"
check "  nothing is left behind" nothing_left
run 3 train "${job[@]}" --count-wire --json -
check "--json -: three numbers" all_counted out
check "  and nothing else" equal "$(head -c 1 out)$(tail -n 1 out)" "{}"
run 3 train "${job[@]}" --json -
check "not asked for: null" none_counted out
alone train "${job[@]}" --count-wire
check "N = 1 without mpirun: nothing is sent" says '^wire bytes .* mean 0, busiest 0 '
run 3 train "${job[@]}" --count-wire --data csv:missing.csv
check "a run that fails" fails_with "missing.csv"
check "  leaves nothing behind either" nothing_left

# Reductions in shared memory, where Open MPI's counter does not look.
export OMPI_MCA_coll_sm_priority=95
run 3 train "${job[@]}" --reduce mpi --count-wire
check "messages that the counter does not see: no number" \
  says '^wire bytes: not available: fewer bytes were counted\|^wire bytes sent by a rank'
[[ $version != *" 4."* ]] || check "  as in Open MPI 4" says '^wire bytes: not available: fewer'
unset OMPI_MCA_coll_sm_priority

# --- the wire file ---

run 3 train "${job[@]}" --loss-scale 1 --stage 2 --wire "a wire file"
check "one run enters the wire file" succeeded
run 3 verify --quiet --steps 2 --reduce exact --wire "a wire file"
check "  verify knows nothing from one run" says '^ *2  .*not available'
run 3 train --quiet --steps 4 --loss-scale 1 --stage 2 --wire "a wire file"
check "and a second one" succeeded
run 3 verify --quiet --steps 2 --wire "a wire file"
check "verify shows bytes under mpi; the file has exact" fails_with "a wire file" "reduce" exact mpi
run 3 verify --quiet --steps 2 --reduce exact --wire "a wire file"
check "verify --reduce exact shows the file" holds
check "  its stage has bytes" says '^ *2  .* [1-9][0-9 ]*  *[0-2]  *[a-z]'
check "  the others have none" says '^ *3  .*not available'
check "  lines fit 100 columns" fits_100_columns

# --- refusals, on one rank: there a fault costs no time ---

verify_with() { alone verify --quiet --steps 2 --reduce exact --wire "$@"; }
verify_with "a wire file"
check "another N is refused" fails_with "a wire file" ranks 3 1
alone train "${job[@]}" --loss-scale 1 --wire "of one rank"
verify_with "of one rank"
check "the same job is not" holds
verify_with "of one rank" --hidden 7
check "another model is refused" fails_with "of one rank" widths
sed 's/Open MPI v/Other MPI v/' "of one rank" >"of another MPI"
verify_with "of another MPI"
check "another MPI is refused" fails_with "of another MPI" "Other MPI"
alone train "${job[@]}" --precision bf16 --wire "of one rank"
check "a run of another job does not enter" fails_with "of one rank" precision
alone train "${job[@]}" --loss-scale 16777216 --wire "another file"
check "a run with skipped steps does not enter" fails_with "another file" skipped
alone train --quiet --steps 65 --wire "another file"
check "65 steps are too many" fails_with "another file" 64 65
for text in "" "{}" "nonsense" '{"job": 1, "stages": 2}'; do
  printf %s "$text" >wrong
  verify_with wrong
  check "a wire file that holds '$text'" fails_with "wrong: is no wire file"
done
verify_with missing
check "a missing wire file" fails_with "missing: cannot be read"

# --- what is sent in a step, under mpi and fp16, in units of 50 thousand elements and more ---

# Exactly the ring's bytes on every rank where N is a power of two; where it is not, an all-reduce sends
# more than the ring, and its busiest rank far more. The figures are those of Open MPI 4.
[[ $version == *" 4."* ]] || finish
job=(--quiet --data "synthetic:200,784,200" --hidden "512,256" --batch 8)
# row STAGE TEXT: the stage's row in the wire table ends in TEXT.
row() { grep -A 9 '^Sent on the wire' out | grep "^ *$1  " | grep -q "$2\$"; }
numbers=4
! exhaustive || numbers="3 4 5 8"
for ranks in $numbers; do
  for stage in 0 1 2 3; do
    for steps in 1 2; do
      run "$ranks" train "${job[@]}" --reduce mpi --loss-scale 1 --stage $stage --steps $steps \
        --wire "wire $ranks"
      check "N = $ranks, stage $stage, $steps steps: counted" succeeded
    done
  done
  run "$ranks" verify "${job[@]}" --steps 2 --wire "wire $ranks"
  check "N = $ranks: verify holds" holds
  check "  lines fit 100 columns" fits_100_columns
  case $ranks in
    2 | 4 | 8)
      for stage in 0 1 2 3; do
        check "  stage $stage sends exactly the ring's bytes" row $stage "equal on every rank"
      done
      ;;
    *)
      for stage in 0 1; do
        check "  stage $stage sends more than the ring" row $stage "  above"
      done
      check "  the footnote names the busiest rank" says 'busiest rank above the ring: stage 0'
      ;;
  esac
done
finish
