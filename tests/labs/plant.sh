#!/usr/bin/env bash
# Writes a source for each planted fault, for CMake to build them together.
#   tests/labs/plant.sh FOLDER
# makes FOLDER/NN/solution, FOLDER/NN/starter and FOLDER/NN/K for fault K of lab NN, and FOLDER/ask/K for the
# question bank. Each holds student.cpp, and that of a fault also its description, the shell script "about".
# Prints a line "NN everyday|exhaustive SOURCE" for each.
set -u
folder=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
# shellcheck source=tests/labs/planted.sh
. "$here/planted.sh"

write() { # write FILE TEXT: an unchanged file stays as it is, and so does what is built of it
  [ ! -f "$1" ] || [ "$(<"$1")" != "$2" ] || return
  mkdir -p "${1%/*}" && printf '%s\n' "$2" >"$1" || exit 1
}
plant() {
  local place=$folder/$lab/$((++number)) about
  printf -v about '%s=%q\n' name "$name" kind "$kind" ranks "$ranks" seconds "$seconds" says "$says" \
    everyday "$everyday"
  write "$place/student.cpp" "$text"
  write "$place/about" "${about%?}"
  echo "$lab ${everyday:-exhaustive} $place/student.cpp"
}

for faults in "$here"/[0-9]*.faults "$project/tests/program/ask.faults"; do
  lab=${faults##*/} lab=${lab%.faults} number=0 solution=''
  for file in "$project/labs/$lab"_*/{starter,solution}.cpp; do
    [ -f "$file" ] || continue # the question bank has none
    solution=$file place=$folder/$lab/$(basename "$file" .cpp)
    write "$place/student.cpp" "$(<"$file")"
    echo "$lab everyday $place/student.cpp"
  done
  each_fault "$faults" "$solution" plant || exit 1
  while [ -d "$folder/$lab/$((++number))" ]; do rm -r "${folder:?}/$lab/$number"; done # faults that are gone
done
