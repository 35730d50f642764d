#!/usr/bin/env bash
# Everything from a fresh Debian or Ubuntu to the verdict, as root or as a plain user. What it can
# do says ./run_labs.sh help
set -u

usage() {
  cat <<'END'
usage: ./run_labs.sh [COMMAND] [--no-install] [--mpi openmpi|mpich|smpi]

  (none)     install what is missing, build, measure, judge: writes tables, figures and a page,
             results/report.html; exit 0 only if all verdicts hold
  install    install what is missing, and nothing else
  build      build in build/ (see --mpi)
  test ...   build, run the everyday tests; with --all also the exhaustive ones (about an hour).
             More arguments go to ctest: test -R comm, test --all -R kills. Without any, what holds
             for every MPI also runs with MPICH and SMPI. tests/README.md lists the entries
  test --mutants [NAME ...]
             plant small faults in a copy of the library, one by one; show which test notices each
  bench ...  build, run the benchmark on 1 and 2 ranks; more arguments go to it
  simulate   build for SMPI, run the stages on simulated clusters of 2 to 256 ranks; more arguments
             name platforms of labs/platforms (simulate ethernet-10g two-level)
  wire ...   build, measure what the MPI really sends in a step of each stage (on 4 ranks, or as the
             first argument says; more go to train), write wire-N.json into the build folder, and
             show it beside the model
  ask ...    build, ask the question bank on 4 ranks, or as the first argument says (ask TF7, ask 8
             --all, ask --list); what wants a simulated network gets it where SimGrid is installed
  doctor ... build, show what this machine's MPI and BLAS really do (on 2 ranks, or as the first
             argument says; doctor --collectives shows what each collective sends)
  lab NN     build, grade the solution of lab NN; with --mine what you have written
  grade NN   build a student's file of lab NN and say its points: labs/NN_*/mine.cpp, or
             --file FILE; --json FILE writes Gradescope's results, --ranks 1,2,3,4 is the default
  student-copy DIR [--through NN]
             make a tree to hand out in DIR: labs 00 to NN without solutions, nor the stages that
             the labs from NN on ask for
  help       this text

--ranks N runs labs and items on N ranks (labs on 1, 2, 3 and 4, items on 4), --mine the labs with
what you have written, labs/NN_*/mine.cpp. Each command installs and builds what it needs.
--no-install leaves the system alone. --mpi picks the MPI, else the one found: MPICH is built in
build-mpich/, SMPI (simulated ranks) in build-smpi/.
END
}

die() { # die CODE TEXT
  echo "run_labs.sh: $2" >&2
  exit "$1"
}

# cannot TEXT: nothing could be tried. The grader's exit code 1 is for points that are missing.
cannot() {
  [ "$command" = grade ] && die 2 "$1"
  die 1 "$1"
}

step() { printf '\n== %s\n' "$1"; }

# --- install -----------------------------------------------------------------------------------

# Debian's package, and the command that makes it unnecessary (- for none).
packages="g++ c++
cmake cmake
make make
libopenblas-dev -
libcli11-dev -
libfmt-dev -
nlohmann-json3-dev -
zlib1g-dev -
libgtest-dev -
libbenchmark-dev -
dataset-fashion-mnist -"
# What figures are drawn with.
figure_packages() {
  case $command in labs | test | install) printf '\n%s' "gnuplot-nox gnuplot" ;; esac
}
# What tests look at the page and at memory with, what fuzzes the readers, and what simulates
# clusters: where there are such packages.
optional_packages() {
  case $command in
    test)
      optional_package chromium chromium
      optional_package clang clang++
      optional_package libclang-rt-dev - # only recommended by clang: its sanitizers and fuzzer
      optional_package valgrind valgrind
      ;;
    labs) optional_package libsimgrid-dev smpirun ;;
  esac
}
optional_package() { # optional_package PACKAGE COMMAND, as above
  if ! command -v "$2" >/dev/null && ! installed "$1" && apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'; then
    echo "$1"
  fi
}
mpi_packages() {
  case $mpi in
    mpich) printf '\n%s\n%s' "mpich mpirun.mpich" "libmpich-dev mpicc.mpich" ;;
    smpi) printf '\n%s' "libsimgrid-dev smpirun" ;;
    openmpi) printf '\n%s\n%s' "openmpi-bin mpirun.openmpi" "libopenmpi-dev mpicc.openmpi" ;;
    found)
      printf '\n%s\n%s' "openmpi-bin mpirun" "libopenmpi-dev mpicc"
      # The suite also runs with the other two.
      [ "$command" != test ] || printf '\n%s\n%s\n%s' \
        "mpich mpirun.mpich" "libmpich-dev mpicc.mpich" "libsimgrid-dev smpirun"
      ;;
  esac
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
missing_packages() {
  local package tool
  while read -r package tool; do
    if command -v "$tool" >/dev/null; then continue; fi
    if [ "$package" = make ] && command -v ninja >/dev/null; then continue; fi
    installed "$package" || printf ' %s' "$package"
  done <<<"$packages$(figure_packages)$(mpi_packages)"
}

install_missing() {
  local missing optional as_root
  if [ "$(uname -s)" = Darwin ]; then
    echo "macOS: nothing is installed by this script. What is needed:"
    echo "  brew install cmake open-mpi openblas cli11 fmt nlohmann-json googletest google-benchmark" \
      gnuplot
    return
  fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "no apt-get here; what is needed, by Debian's names:"
    cut -d ' ' -f 1 <<<"$packages$(figure_packages)$(mpi_packages)"
    return
  fi
  missing=$(missing_packages) optional=$(optional_packages)
  if [ -z "$missing$optional" ]; then
    echo "all packages are there"
    return
  fi
  if [ "$install" = no ]; then
    echo "not there, and left alone (--no-install):$missing $optional"
    return
  fi
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    # A password can be asked for only at a terminal.
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && ! [ -t 2 ]; }; then
      [ -n "$missing" ] || return 0
      cannot "these packages are missing and this user may not install them; ask for
  apt-get install$missing"
    fi
    as_root=(sudo)
  fi
  echo "installing:$missing $optional"
  ${as_root[@]+"${as_root[@]}"} apt-get update -q ||
    echo "apt-get update failed; trying with the old list"
  # shellcheck disable=SC2086  # one word a package
  get() {
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 $1
  }
  [ -z "$missing" ] || get "$missing" || cannot "apt-get could not install:$missing"
  optional=$(optional_packages) # the list may be new
  [ -z "$optional" ] || get "$optional" || echo "without $optional what needs it is skipped"
}

# --- build -------------------------------------------------------------------------------------

cores() { nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1; }

build() {
  local cache=$folder/CMakeCache.txt options=(-DCMAKE_BUILD_TYPE=Release "-DZEROLAB_MPI=$mpi")
  command -v cmake >/dev/null || cannot "no cmake; ./run_labs.sh install gets it"
  # A tree that was copied with its build folder: CMake refuses the old place's files.
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$cache"; then
    echo "$folder/ is of another folder: made anew"
    rm -rf "$folder"
  elif [ -f "$cache" ] && ! grep -qxF "ZEROLAB_MPI:STRING=$mpi" "$cache"; then
    echo "$folder/ is of another MPI: made anew"
    rm -rf "$folder"
  fi
  # Twenty sources at a time: the whole is built in a third of the time.
  options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20)
  # A folder that was first built without the tests, as for the simulated network.
  case $command in test | bench) options+=(-DZEROLAB_TESTS=ON) ;; esac
  if [ ! -f "$cache" ] && command -v ninja >/dev/null; then options+=(-G Ninja); fi
  if [ "$(uname -s)" = Darwin ] && command -v brew >/dev/null; then
    options+=("-DCMAKE_PREFIX_PATH=$(brew --prefix openblas)")
  fi
  cmake -S . -B "$folder" "${options[@]}" || cannot "the configuration failed"
  cmake --build "$folder" --target "$1" --parallel "$(cores)" || cannot "the build failed"
}

use_mpi() { # use_mpi MPI: what is built and run from now on
  mpi=$1 folder=build
  case $mpi in mpich | smpi) folder=build-$mpi ;; esac
  program=$folder/zerolab
}

# --- run ---------------------------------------------------------------------------------------

verdicts=()
failed=0
results= # folder of what is measured, if it is kept

# run NAME RANKS SECONDS PROGRAM ARGUMENTS... shows the run and keeps its verdict, judged by exit code.
run() {
  local name="$1, $2 rank"
  [ "$2" -eq 1 ] || name+=s
  judge "$name" tests/on_ranks.sh "${@:2}"
}

# judge NAME COMMAND... the same for any command. With a results folder, what it says goes there too.
judge() {
  local name=$1 start=$SECONDS code log points='' holds=true
  shift
  log=$(tr -s ' ,:' - <<<"$name").txt
  step "$name: $*"
  if [ -n "$results" ]; then
    "$@" >"$results/$log"
    code=$?
    cat "$results/$log"
    points=$(tail -n 1 "$results/$log" | grep -Eo '[0-9]+ of [0-9]+ points')
  else
    "$@"
    code=$?
  fi
  if [ $code -eq 0 ]; then
    verdicts+=("holds   $name${points:+: $points} ($((SECONDS - start)) s)")
  else
    verdicts+=("FAILED  $name${points:+: $points} (exit code $code)")
    failed=$((failed + 1))
    holds=false
  fi
  [ -z "$results" ] || printf '{"name": "%s", "holds": %s, "seconds": %d, "log": "%s"}\n' "$name${points:+: $points}" \
    $holds $((SECONDS - start)) "$log" >>"$results/verdicts.jsonl"
}

conclude() {
  step "verdicts"
  printf '%s\n' "${verdicts[@]}"
  [ $failed -eq 0 ] || die 1 "$failed of ${#verdicts[@]} failed"
  echo "all ${#verdicts[@]} hold"
}

# One step of each stage and overlapped twin, its memory and its times.
timelines() {
  local stage overlap job=(--reduce mpi --loss-scale 1024 --data "synthetic:1280,784,10"
    --hidden "512,512,512" --batch 64 --steps 8)
  for overlap in "" -overlapped; do
    for stage in 0 1 2 3; do
      [ "$stage$overlap" != 1-overlapped ] || continue # stage 1 has no such twin
      tests/on_ranks.sh 2 300 "$program" train --stage $stage ${overlap:+--overlap} "${job[@]}" \
        --timeline "$results/timeline-$stage$overlap.json" || return
    done
  done
}

labs() {
  local ranks=${ranks_asked:-4} wire=() network=() more lab items
  results=results
  mkdir -p $results || die 1 "$results/ cannot be made"
  rm -f $results/*.{json,jsonl,txt,svg,png,html}
  run "this machine" 2 300 "$program" doctor
  # First of all: what it leaves of a short job is replaced below by longer ones.
  if simulated "$results/network.json"; then network=(--network "$results/network.json"); fi
  run "ask" "$ranks" 600 "$program" ask --all --check --results $results ${network[@]+"${network[@]}"}
  items=$(cat "$results/ask-$ranks-rank"*.txt)
  step "what the MPI sends on 4 ranks"
  if measure_wire "$results/wire-4.json" 4; then
    wire=(--wire "$results/wire-4.json")
  else
    echo "not measured; the page says so"
    rm -f $results/wire-4.json
  fi
  for ranks in 1 2 3 4 8; do
    more=()
    [ $ranks -ne 4 ] || more=(${wire[@]+"${wire[@]}"})
    run "verify digits" $ranks 600 "$program" verify --epochs 10 --json $results/verify-$ranks.json \
      ${more[@]+"${more[@]}"}
  done
  run "verify fashion-mnist" 2 900 "$program" verify --data fashion-mnist --hidden 128 --epochs 1 \
    --json $results/verify-fashion-mnist-2.json
  judge "timelines" timelines
  judge "exercises" labs/exercises.sh "$program" $results
  for lab in labs/[0-9][0-9]_*; do
    lab=${lab#labs/}
    lab "${lab%%_*}"
  done
  judge "figures" "$program" report figure all --results $results
  step "the page"
  "$program" report --results $results || failed=$((failed + 1))
  step "items"
  echo "$items"
  conclude
}

# test_suite ARGUMENTS... of ctest
test_suite() {
  local other others=()
  if [ "$mpi" = found ] && [ $# -eq 0 ]; then
    if command -v mpirun.mpich >/dev/null && command -v mpicc.mpich >/dev/null; then others+=(mpich); fi
    if command -v smpirun >/dev/null; then others+=(smpi); fi
  fi
  for other in ${others[@]+"${others[@]}"}; do
    use_mpi "$other"
    step "build with $other"
    build any_mpi
  done
  [ ${#others[@]} -eq 0 ] || use_mpi found
  if [ $all = yes ]; then
    build exhaustive
    step "exhaustive entries, and their seconds on two cores"
    sed -n '/^## Exhaustive/,$s/^| `\([^`]*\)` | \([0-9–]*\) |.*/\2 \1/p' tests/README.md | sort -n
  fi
  run_tests "$@"
  for other in ${others[@]+"${others[@]}"}; do
    use_mpi "$other"
    run_tests -L any_mpi
  done
}

run_tests() { # run_tests ARGUMENTS... of ctest
  local few=()
  step "tests, MPI: $mpi"
  [ $all = yes ] || few=(-LE exhaustive)
  ctest --test-dir "$folder" --no-tests=error --output-on-failure -j $((2 * $(cores))) \
    ${few[@]+"${few[@]}"} "$@" || die 1 "a test failed"
}

bench() {
  local ranks
  for ranks in 1 2; do
    run "benchmark" "$ranks" 3600 "$folder/bench/zerolab_bench" "$@"
  done
  conclude
}

# measure_wire FILE RANKS ARGUMENTS... of train. The MPI counts a whole run, so each stage runs 2 and 4
# steps; what they differ by is 2 steps.
measure_wire() {
  local file=$1 ranks=$2 stage steps trace scale=(--loss-scale 1) measured=0 # no step is to be skipped
  shift 2
  [[ " $* " != *" --loss-scale"[\ =]* ]] || scale=()
  rm -f "$file"
  for stage in 0 1 2 3; do
    [[ "$stage $* " != "1 "*"--overlap "* ]] || continue # stage 1 has no overlapped twin
    for steps in 2 4; do
      echo "stage $stage, $steps steps on $ranks ranks"
      if [ "$mpi" = smpi ]; then # the simulator's trace of all messages is the counter
        trace=wire-trace-$stage-$steps
        export ZEROLAB_SMPI_TRACE=$folder/$trace ZEROLAB_MPIRUN_FLAGS="--cfg=tracing:yes \
          --cfg=tracing/smpi:yes --cfg=tracing/smpi/internals:yes \
          --cfg=tracing/smpi/display-sizes:yes --cfg=tracing/filename:$folder/$trace"
      fi
      tests/on_ranks.sh "$ranks" 600 "$program" train --reduce mpi ${scale[@]+"${scale[@]}"} "$@" \
        --stage $stage --steps $steps --wire "$file" --quiet >"$folder/wire.log" 2>&1 ||
        { measured=1 && tail -n 3 "$folder/wire.log" && break 2; }
    done
  done
  [ "$mpi" != smpi ] || unset ZEROLAB_SMPI_TRACE ZEROLAB_MPIRUN_FLAGS # else the user's own
  return $measured
}

wire() {
  local ranks=4 file
  if [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
    ranks=$1
    shift
  fi
  file=$folder/wire-$ranks.json
  measure_wire "$file" "$ranks" "$@" || die 1 "wire bytes were not measured"
  run "verify with $file" "$ranks" 600 "$program" verify "$@" --steps 3 --wire "$file"
  rm -f "$folder"/wire-trace-*
  conclude
}

# folder_of_lab NN
folder_of_lab() {
  local found
  [[ $1 =~ ^[0-9][0-9]$ ]] && found=$(echo labs/"$1"_*) && [ -d "$found" ] && echo "$found"
}

# grade NN [--file FILE] [--json FILE] [--ranks N,...] [--network FILE]
grade() {
  local lab file arguments=() number=${1:-}
  lab=$(folder_of_lab "$number")
  shift
  if [[ " $* " != *" --file"[\ =]* ]]; then
    file=$lab/mine.cpp
    if [ ! -f "$file" ]; then
      echo "no $file: the starter is graded"
      file=$lab/starter.cpp
    fi
    arguments=(--file "$file")
  fi
  [ -z "$ranks_asked" ] || arguments+=(--ranks "$ranks_asked")
  "$folder/labs/zerolab_grade" --lab "$number" --project . --build "$folder" \
    ${arguments[@]+"${arguments[@]}"} "$@"
}

# lab NN: its verdict, of the solution, or with --mine of the student's file.
lab() {
  local lab file=solution.cpp more=(--trusted)
  lab=$(folder_of_lab "$1")
  [ "$mine" = no ] || file=mine.cpp more=()
  [ -f "$lab/$file" ] || { echo "lab $1: no $lab/$file, left out" && return; }
  [ ! -f "$results/network.json" ] || more+=(--network "$results/network.json")
  judge "lab ${lab#labs/}" grade "$1" --file "$lab/$file" ${more[@]+"${more[@]}"}
}

doctor() {
  local ranks=2
  if [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
    ranks=$1
    shift
  fi
  tests/on_ranks.sh "$ranks" 300 "$program" doctor "$@"
}

# simulated FILE: makes network.json, where SimGrid is installed. Nothing of this run's own MPI is to be
# inherited by the simulation.
simulated() {
  command -v smpirun >/dev/null || return
  step "a simulated network, a minute or two"
  env -i PATH="$PATH" HOME="${HOME:-/}" labs/simulate_network.sh "$1" >&2
}

ask() {
  local ranks=${ranks_asked:-4} id file=$folder/network.json network=()
  if [[ ${1:-} =~ ^[1-9][0-9]*$ ]]; then
    ranks=$1
    shift
  fi
  for id in $("$program" ask --list | awk '$2 == "*" { print $1 }') --all; do
    grep -qiF -e " $id " <<<" $* " || continue
    if simulated "$file"; then network=(--network "$file"); fi
    break
  done
  tests/on_ranks.sh "$ranks" 3600 "$program" ask ${network[@]+"${network[@]}"} "$@"
}

# --- commands ----------------------------------------------------------------------------------

install=yes mine=no all=no ranks_asked=
arguments=()
use_mpi found
while [ $# -gt 0 ]; do
  case $1 in
    --no-install) install=no ;;
    --mine) mine=yes ;;
    --ranks)
      [[ ${2:-} =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || die 2 "--ranks takes a number"
      ranks_asked=$2
      shift
      ;;
    --mpi)
      [[ ${2:-} =~ ^(openmpi|mpich|smpi)$ ]] || die 2 "--mpi takes openmpi, mpich or smpi"
      use_mpi "$2"
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
set -- ${arguments[@]+"${arguments[@]}"}
command=${1:-labs}
[ $# -eq 0 ] || shift
if [ "$command ${1:-}" = "test --all" ]; then
  all=yes
  shift
fi
[[ $command == grade || $ranks_asked != *,* ]] || die 2 "--ranks takes one number, but for grade"
if [ "$command" = simulate ]; then
  [[ $mpi =~ ^(found|smpi)$ ]] || die 2 "only SMPI simulates"
  use_mpi smpi
fi

case $command in
  help | -h | --help)
    usage
    exit 0
    ;;
  student-copy)
    copier=$(dirname "${BASH_SOURCE[0]}")/labs/student_copy.sh
    [ -f "$copier" ] || die 2 "this is a copy for students, which does not make others"
    exec "$copier" "$@"
    ;;
  test | bench | simulate | wire | ask | doctor | lab | grade) ;;
  labs | install | build)
    if [ "$command" = labs ] && [ ! -f "$(dirname "${BASH_SOURCE[0]}")/tests/CMakeLists.txt" ]; then
      die 2 "in a copy for students: ./run_labs.sh grade NN, see README.md"
    fi
    if [ $# -gt 0 ]; then
      usage >&2
      die 2 "'$command' takes no '$1'"
    fi
    ;;
  *)
    usage >&2
    die 2 "unknown command '$command'"
    ;;
esac

[ "$command $mpi" != "bench smpi" ] || die 2 "there is nothing to time: SMPI's clock is simulated"

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
if [ "$command" = lab ] || [ "$command" = grade ]; then
  lab=$(folder_of_lab "${1:-}") ||
    die 2 "$command takes the number of a lab: $(cd labs && echo [0-9]*)"
fi
if [ "$command" = lab ]; then
  [ $# -eq 1 ] || die 2 "'lab' takes no '$2'; 'grade' takes files"
  [ $mine = no ] || [ -f "$lab/mine.cpp" ] || die 2 "no $lab/mine.cpp"
  [ $mine = yes ] || [ -f "$lab/solution.cpp" ] || die 2 "no $lab/solution.cpp"
fi
# Nothing here asks but the question bank; sudo asks at the terminal itself.
if [ "$command" = ask ] && [ -t 0 ]; then export ZEROLAB_INPUT=/dev/tty; fi
exec </dev/null
trap 'exit 130' INT
# Open MPI's socket paths have little room, and macOS's own folder for such files takes most of it.
if [ "$(uname -s)" = Darwin ]; then export TMPDIR=/tmp; fi

step "packages"
install_missing
[ "$command" != install ] || exit 0
if [ "$command ${1:-}" = "test --mutants" ]; then
  shift
  exec tests/mutants.sh "$@"
fi
step "build"
# Labs and doctor need the program alone; its tests and the benchmark take as long again.
case $command in
  ask | doctor | simulate | wire) build zerolab ;;
  labs) build zerolab && build zerolab_grade ;;
  lab | grade) build zerolab_grade ;;
  *) build all ;;
esac
case $command in
  labs) labs ;;
  test) test_suite "$@" ;;
  bench) bench "$@" ;;
  simulate)
    step "simulated clusters"
    labs/simulate.sh "$program" "$@"
    ;;
  wire)
    step "wire bytes"
    wire "$@"
    ;;
  lab)
    lab "$@"
    conclude
    ;;
  grade)
    step "grade"
    grade "$@"
    ;;
  ask)
    step "the question bank"
    ask "$@"
    ;;
  doctor)
    step "doctor"
    doctor "$@"
    ;;
esac
