#!/usr/bin/env bash
# A lab as its students and its teacher meet it: the untouched starter scores nothing and ends well, the
# solution scores full, and each planted fault costs points with words that point at it.
#
#   tests/labs/lab.sh BUILD NN         faults: tests/labs/NN.faults
#
# A fault is a few lines: its name, the ranks it is looked at on, what in the solution is replaced by what
# (first place, literally; several pairs may follow each other), and words the grader then says.
#   fault: a sum in place of the mean
#   ranks: 3
#   from: comm.all_reduce(gradients[l]);
#   to: comm.start(1), comm.all_reduce(gradients[l]);
#   says: a sum, not a mean
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) number=$2
folder=$(echo "$project/labs/$number"_*)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

grade() { # grade FILE ARGUMENTS...: what the grader says, in $work/said
  "$build/labs/zerolab_grade" --lab "$number" --project "$project" --build "$build" --file "$@" \
    >"$work/said" 2>&1
}
wrong() {
  echo "FAILED: $1"
  cat "$work/said"
  failures=$((failures + 1))
}

grade "$folder/starter.cpp" && wrong "the starter scores full"
grep -q "^lab $number: 0 of [1-9][0-9]* points" "$work/said" || wrong "the starter does not score 0"
grep -Eq "crashed|hangs|ended|compile|exit code" "$work/said" && wrong "the starter does not end well"
grade "$folder/solution.cpp" --trusted || wrong "the solution does not score full"
echo "starter and solution: $(tail -n 1 "$work/said")"

# The solution in one text; of a stage lab with the library's stage in it.
solution=$(cat "$folder/solution.cpp")
if [[ $solution =~ \#include\ \"\.\./\.\./(src/stages/[a-z0-9]+\.cpp)\" ]]; then
  stage=$(sed "s|#include \"stages.hpp\"|#include \"$project/src/stages/stages.hpp\"|" \
    "$project/${BASH_REMATCH[1]}")
  solution=${solution/"${BASH_REMATCH[0]}"/"$stage"}
fi

faults=0 name='' ranks='' from='' says='' text=$solution
try() {
  [ -n "$name" ] || return
  faults=$((faults + 1))
  printf '%s\n' "$text" >"$work/fault.cpp"
  if grade "$work/fault.cpp" --trusted --ranks "$ranks"; then
    wrong "$name: not caught"
  elif ! tr -s ' \n' '  ' <"$work/said" | grep -qF -- "$says"; then
    wrong "$name: caught, and nothing said of '$says'"
  elif grep -q "does not compile" "$work/said"; then
    wrong "$name: does not compile"
  else
    echo "caught: $name"
  fi
  name=''
}
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    "fault: "*)
      try
      name=${line#fault: } text=$solution ranks=3 says=''
      ;;
    "ranks: "*) ranks=${line#ranks: } ;;
    "from: "*) from=${line#from: } ;;
    "to:"*)
      to=${line#to:} to=${to# }
      [[ $text == *"$from"* ]] || wrong "$name: the solution has no '$from'"
      text=${text/"$from"/"$to"}
      ;;
    "says: "*) says=${line#says: } ;;
  esac
done <"$here/$number.faults"
try
[ $faults -ge 1 ] || wrong "no faults"
echo "lab $number: $faults planted faults, $failures failures"
[ $failures -eq 0 ]
