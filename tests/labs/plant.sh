#!/usr/bin/env bash
# Writes a source for each planted fault of the labs, for CMake to build them together.
#   tests/labs/plant.sh FOLDER
# makes FOLDER/NN/solution, FOLDER/NN/starter and FOLDER/NN/K for fault K, each with the source student.cpp, and for a
# fault its description, the shell script "about". Prints a line "NN everyday|exhaustive SOURCE" for each.
set -u
folder=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
# shellcheck source=tests/labs/planted.sh
. "$here/planted.sh"

write() { # write FILE: standard input; an unchanged file stays as it is, and so does what is built of it
  mkdir -p "${1%/*}" && cat >"$1.new" || exit 1
  if cmp -s "$1" "$1.new"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}
plant() {
  number=$((number + 1))
  local place=$folder/$lab/$number
  printf '%s\n' "$text" | write "$place/student.cpp"
  declare -p name kind ranks seconds says everyday | sed 's/^declare -[^ ]* //' | write "$place/about"
  echo "$lab ${everyday:-exhaustive} $place/student.cpp"
}

for faults in "$here"/[0-9]*.faults; do
  lab=${faults##*/} lab=${lab%.faults} number=0
  for file in "$project/labs/$lab"_*/{solution,starter}.cpp; do
    place=$folder/$lab/$(basename "$file" .cpp)
    write "$place/student.cpp" <"$file"
    echo "$lab everyday $place/student.cpp"
  done
  each_fault "$faults" "$(echo "$project/labs/$lab"_*/solution.cpp)" plant || exit 1
done
