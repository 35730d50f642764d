#!/usr/bin/env bash
# A tree to hand out: handouts, starters, checks and the library's source, without solutions, without the
# stages that the labs from --through NN on ask for, and without labs after NN.
#   labs/student_copy.sh DIR [--through NN]        ./run_labs.sh student-copy DIR [--through NN]
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
usage() {
  echo "student-copy: $1" >&2
  echo "usage: ./run_labs.sh student-copy DIR [--through NN]" >&2
  exit 2
}
copy=${1:-}
if [ -z "$copy" ] || [[ $copy == -* ]]; then usage "a folder that does not exist yet is needed"; fi
[ ! -e "$copy" ] || usage "$copy exists; a copy is made in a new folder"
through=12 first_withheld=00
if [ $# -gt 1 ]; then
  if [ "$2" != --through ] || ! [[ ${3:-} =~ ^[0-9][0-9]$ ]] || [ $# -ne 3 ]; then
    usage "--through takes the number of a lab, 00 to 12"
  fi
  [ -d "$(echo "$project/labs/$3"_*)" ] || usage "there is no lab $3"
  through=$3 first_withheld=$3
fi

mkdir -p "$copy/tests"
cp -R "$project/src" "$project/include" "$project/labs" "$project/CMakeLists.txt" \
  "$project/run_labs.sh" "$project/LICENSE" "$project/.gitignore" "$copy"
cp "$project/tests/on_ranks.sh" "$copy/tests"
cd "$copy"
mv labs/STUDENTS.md README.md
sed -i.before '/mine\.cpp/d' .gitignore && rm .gitignore.before # students hand theirs in
rm -f labs/*/solution.cpp labs/*/mine.cpp labs/TEACHING.md labs/student_copy.sh
rm -f labs/grading/make_keys.*
rm -f labs/12_ragged_and_broken/patient*.cpp labs/12_ragged_and_broken/patients.{faults,sh}
for lab in labs/[0-9][0-9]_*; do
  number=${lab#labs/}
  [ "${number%%_*}" -le "$through" ] || rm -rf "$lab"
done

# A stage whose lab is still to come says so.
withhold() { # withhold FILE FUNCTION LAB STAGE
  [ "$3" -ge "$first_withheld" ] || return 0
  cat >"src/stages/$1.cpp" <<END
#include "stages.hpp"

namespace zerolab {

std::unique_ptr<Stage> $2(const Stage::Setup&) {
  throw Error("stage $4 is not in this copy: lab $3 is about writing it");
}

}  // namespace zerolab
END
}
for stage in 0 1 2 3; do withhold "stage$stage" "make_stage$stage" "0$((stage + 2))" $stage; done
for stage in 0 2 3; do withhold "overlapped$stage" "make_overlapped$stage" "0$((stage + 2))" $stage; done
echo "$copy: labs 00 to $through"
