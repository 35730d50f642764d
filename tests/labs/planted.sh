# shellcheck shell=bash disable=SC2034,SC2154  # what is set and used by whoever sources this
# Planted faults: a source with something replaced. Sourced by bash scripts; $project is the project's folder.
# A fault is a few lines: its name, the ranks it is looked at on [3], what is replaced by what (first place,
# literally; several pairs may follow each other), and words that are then said. With a stage, the library's
# stage is what is broken; with a source, that file of the library.
#   fault: a sum in place of the mean
#   stage: 1
#   ranks: 3
#   from: comm.all_reduce(gradients[l]);
#   to: comm.start(1), comm.all_reduce(gradients[l]);
#   says: a sum, not a mean
# A line "seconds: 3" has tasks count as hanging after 3 seconds.
# With "right:" in place of "fault:" nothing is wrong, and the grader must say so.
# A line "everyday" puts the fault into the everyday suite: each task of a lab has one that fails it, and
# all that are right are there.

# The library's stage as a student's file.
stage_as_student() { # stage_as_student NUMBER
  printf '#include "%s/labs/grading/student_stage.hpp"\n#include "%s/src/stages/stage%d.cpp"\n' \
    "$project" "$project" "$1"
  printf '%s\n' "std::unique_ptr<zerolab::Stage> student_stage(const zerolab::Stage::Setup& setup) {" \
    "  return zerolab::make_stage$1(setup);" "}"
}

# A text with the stage that it includes put in its place.
with_stage() { # with_stage TEXT
  local text=$1 stage
  if [[ $text =~ \#include\ \"[^\"]*(src/stages/[a-z0-9]+\.cpp)\" ]]; then
    stage=$(sed "s|#include \"stages.hpp\"|#include \"$project/src/stages/stages.hpp\"|" \
      "$project/${BASH_REMATCH[1]}")
    text=${text/"${BASH_REMATCH[0]}"/"$stage"}
  fi
  printf '%s\n' "$text"
}

# Calls TRY for each fault, with name, kind, text, ranks, stage, seconds, says and everyday set. False if a
# place was not found.
each_fault() { # each_fault FILE SOURCE TRY
  local line from='' to file=$1 try=$3 solution='' all_found=0
  [ -z "$2" ] || solution=$(with_stage "$(cat "$2")")
  name=''
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      "fault: "* | "right: "*)
        [ -z "$name" ] || $try
        name=${line#*: } kind=${line%%: *} text=$solution ranks=3 says='' stage='' seconds='' everyday=''
        ;;
      "stage: "*) stage=${line#stage: } text=$(with_stage "$(stage_as_student "${line#stage: }")") ;;
      "source: "*) text=$(cat "$project/${line#source: }") ;;
      everyday) everyday=everyday ;;
      "seconds: "*) seconds=${line#seconds: } ;;
      "ranks: "*) ranks=${line#ranks: } ;;
      "from: "*) from=${line#from: } ;;
      "to:"*)
        to=${line#to:} to=${to# }
        if [[ $text != *"$from"* ]]; then
          echo "$name: there is no '$from'" >&2
          all_found=1
        fi
        text=${text/"$from"/"$to"}
        ;;
      "says: "*) says=${line#says: } ;;
    esac
  done <"$file"
  [ -z "$name" ] || $try
  return $all_found
}
