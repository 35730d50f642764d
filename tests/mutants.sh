#!/usr/bin/env bash
# Plants the faults of tests/mutants.txt in a copy of the library, one by one, builds what depends on it, and
# shows which test of the everyday suite notices each. Exit code 0 only if all are noticed.
#   tests/mutants.sh              what has no verdict yet for these sources
#   tests/mutants.sh NAME...      these, anew
#   tests/mutants.sh --list       names, files, and what each would do to a user
# The copy is build-mutants/tree. build-mutants/results keeps the verdicts, build-mutants/log what the last
# command printed.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
list=tests/mutants.txt folder=$PWD/build-mutants
tree=$folder/tree build=$folder/tree/build results=$folder/results log=$folder/log stamp=$folder/stamp
limit=300 # seconds of an entry: a mutant may hang

die() {
  echo "mutants: $1" >&2
  exit 2
}

# Calls DO for each mutant, with name, source, harm, entries, and block, its lines.
each_mutant() { # each_mutant DO
  local line
  name=''
  while IFS= read -r line <&3 || [ -n "$line" ]; do
    case $line in
      "" | "#"*) continue ;;
      "fault: "*)
        [ -z "$name" ] || $1
        name=${line#fault: } source='' harm='' entries='' block=''
        ;;
      "source: "*) source=${line#source: } ;;
      "harm: "*) harm=${line#harm: } ;;
      "entries: "*) entries=${line#entries: } ;;
      "from: "* | "to:"*) ;;
      *) die "$list: what is '$line'?" ;;
    esac
    block+=$line$'\n'
  done 3<"$list"
  [ -z "$name" ] || $1
}

show() {
  printf '%-50s %s\n' "$name" "$source"
  fold -s -w 94 <<<"$harm" | sed 's/^/    /'
}

names=''
check() {
  [[ $name =~ ^[a-z0-9-]+$ && $source && $harm && $entries ]] || die "$list: '$name' is not complete"
  [[ " $names " != *" $name "* ]] || die "$list: there are two '$name'"
  names+=" $name"
}

# --- the copy ---

# All files of the project, as they are now; entries of ctest end sooner.
copy() { # copy FILE TO
  rm -f "$2" # whose permissions would stay
  case $1 in
    tests/entries.cmake) sed "s/set(limit_everyday [0-9]*)/set(limit_everyday $limit)/" "$1" >"$2" ;;
    *) cp "$1" "$2" ;;
  esac
}

sync_tree() {
  local file
  while IFS= read -r -d '' file; do
    [ -f "$file" ] || continue
    copy "$file" "$folder/new"
    if cmp -s "$folder/new" "$tree/$file"; then continue; fi
    mkdir -p "$(dirname "$tree/$file")"
    mv "$folder/new" "$tree/$file" || die "$tree/$file cannot be written"
    configured=no
  done < <(git ls-files -z --cached --others --exclude-standard)
  grep -qF "set(limit_everyday $limit)" "$tree/tests/entries.cmake" || die "no limit in tests/entries.cmake"
  sources=$(cd "$tree" && find . -path ./build -prune -o -type f ! -path './tests/mutants.*' -print0 |
    sort -z | xargs -0 cksum | cksum)
}

# CMake reads sources in which it plants the faults of labs; a mutant is no reason to do that again.
configure() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DZEROLAB_MPI=found -DZEROLAB_TESTS=ON -DCMAKE_UNITY_BUILD=OFF
    -DCMAKE_SUPPRESS_REGENERATION=ON)
  [ $configured = no ] || return 0
  if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then options+=(-G Ninja); fi
  cmake -S "$tree" -B "$build" "${options[@]}" >"$log" 2>&1 && return
  rm -f "$build/CMakeCache.txt"
  die "the configuration failed, see $log"
}

# Puts the source back as it was, with its old time. What was compiled meanwhile goes, and is made again when
# needed.
restore() {
  [ -f "$folder/kept" ] || return 0
  find "$build" -name '*.o' -newer "$stamp" -delete
  mv "$folder/kept" "$tree/$source"
}

plant() {
  local line text from='' to
  text=$(cat "$tree/$source" && echo .) || die "$name: no $source"
  while IFS= read -r line; do
    case $line in
      "from: "*)
        from=${line#from: }
        [[ $text == *"$from"* ]] || die "$name: $source has no '$from'"
        ;;
      "to:"*)
        to=${line#to:} to=${to# }
        text=${text/"$from"/"$to"}
        ;;
    esac
  done <<<"$block"
  touch "$stamp"
  cp -p "$tree/$source" "$folder/kept"
  printf '%s\n' "${text%?.}" >"$tree/$source"
}

# --- entries of ctest ---

# The programs that an entry's command names are targets. Labs name the build folder, and one of students'
# programs.
targets_of() { # targets_of ENTRY
  local word folder
  grep -rhE --include=CTestTestfile.cmake "^add_test\((\[=\[)?${1//./\\.}(\]=\])? " "$build" |
    tr -d '")' | tr ' ' '\n' | while read -r word; do
    case $word in
      "$build") printf '%s\n' zerolab_grade lab_checks ;;
      "$build"/tests/labs/planted/*)
        for folder in "$word"/*/; do echo "planted_${word##*/}_$(basename "$folder")"; done
        ;;
      "$build"/*) basename "$word" | sed 's/^lib//; s/\.\(so\|dylib\)$//' ;;
    esac
  done
}

make_targets() { # make_targets ENTRY...
  local entry targets=()
  for entry; do
    while read -r target; do targets+=("$target"); done < <(targets_of "$entry")
  done
  cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" --target "${targets[@]}" >"$log" 2>&1
}

passes() { # passes ENTRY
  local fast=1
  [[ $1 != *.np* ]] || fast=0 # the other ranks would wait
  GTEST_FAIL_FAST=$fast ctest --test-dir "$build" --no-tests=error --output-on-failure \
    -R "^${1//./\\.}$" >"$log" 2>&1
}

# An entry that fails without any mutant would notice everything.
require_sound() { # require_sound ENTRY
  local about=$results/entry.$1
  [ "$(cat "$about" 2>/dev/null)" != "$sources" ] || return 0
  ctest --test-dir "$build" -N -V -R "^${1//./\\.}$" >"$log"
  grep -q 'Total Tests: 1$' "$log" || die "there is no entry '$1'"
  ! grep -q 'Labels:.*exhaustive' "$log" || die "$1 is not in the everyday suite"
  make_targets "$1" || die "the sources do not build, see $log"
  passes "$1" || die "$1 fails without any mutant, see $log"
  ! grep -q 'Skipped' "$log" || die "$1 is skipped on this machine"
  echo "$sources" >"$about"
}

# --- mutants ---

caught=0 all=0
try() {
  local entry verdict='' known=$results/$name fingerprint began
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  all=$((all + 1))
  fingerprint=$(cksum <<<"$block$sources")
  if [ ${#wanted[@]} -gt 0 ] || [ "$(head -n 1 "$known" 2>/dev/null)" != "$fingerprint" ]; then
    for entry in $entries; do require_sound "$entry"; done
    began=$SECONDS
    plant
    # shellcheck disable=SC2086  # one word an entry
    make_targets $entries || verdict="NO BUILD $name: $(grep -m 1 ': error:' "$log")" # an error of the list
    for entry in $entries; do
      if [ -z "$verdict" ] && ! passes "$entry"; then
        verdict="caught   $(printf '%-46s by %-16s' "$name" "$entry") ($((SECONDS - began)) s)"
      fi
    done
    restore
    printf '%s\n' "$fingerprint" "${verdict:-SURVIVED $name}" >"$known"
  fi
  tail -n 1 "$known"
  ! grep -q '^caught' "$known" || caught=$((caught + 1))
}

each_mutant check
if [ "${1:-}" = --list ]; then
  each_mutant show
  exit
fi
wanted=("$@")
for name in ${wanted[@]+"${wanted[@]}"}; do
  [[ " $names " == *" $name "* ]] || die "there is no '$name'; --list shows all"
done
mkdir -p "$tree" "$results" || die "$folder cannot be made"
rm -f "$folder/kept" # of a run that was killed; the copy is made right below
trap restore EXIT
trap 'exit 130' INT TERM
configured=yes
[ -f "$build/CMakeCache.txt" ] || configured=no
sync_tree
configure
each_mutant try
echo "$caught of $all caught, $((SECONDS / 60)) min"
[ $caught -eq $all ]
