#!/usr/bin/env bash
# The readers and the command line under libFuzzer, with the address and undefined-behaviour
# sanitizers: no input may be answered by anything but what is documented. Each *.cpp beside this
# script is a target, begins from the inputs in seeds/TARGET, and is fuzzed for some time.
#   tests/fuzz/fuzz.sh [SECONDS [TARGET [FILE]]]     20 s each, all targets
# With FILE that input alone is run, to see a find again; so is a find once it is mended.
set -u
seconds=${1:-20} only=${2:-} file=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
[ -z "$file" ] || file=$(realpath "$file") || exit 1
finds=$PWD/fuzz-finds
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

skip_all() { # skip_all WHY
  echo "skipped: $1"
  exit 77 # ctest: skipped
}

[ "$(uname -s)" = Linux ] || skip_all "the inputs lie in Linux's memory files"
command -v clang++ >/dev/null || skip_all "no clang++ here (Debian: clang, libclang-rt-dev)"
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >probe.cpp
if ! clang++ -fsanitize=fuzzer,address,undefined probe.cpp -o probe >log 2>&1 ||
  ! ./probe -runs=1 >>log 2>&1; then
  tail -n 5 log
  skip_all "clang++ has no fuzzer here, or none that runs (Debian: libclang-rt-dev)"
fi

targets=()
for source in "$here"/*.cpp; do
  target=$(basename "$source" .cpp)
  if [ -z "$only" ] || [ "$only" = "$target" ]; then targets+=("$target"); fi
done
[ ${#targets[@]} -gt 0 ] || { echo "no target $only" && exit 2; }

build() {
  local options=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None)
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  if command -v ninja >/dev/null; then options+=(-G Ninja); fi
  cmake -S "$here" -B build "${options[@]}" &&
    cmake --build build --parallel 2 --target "${targets[@]/#/fuzz_}"
}
begin=$SECONDS
if ! build >log 2>&1; then
  echo "FAULT no build"
  tail -n 40 log | sed 's/^/      | /'
  exit 1
fi
echo "built in $((SECONDS - begin)) s: ${targets[*]}"

# What libFuzzer found, as it reports it, the input, and where that is kept.
show_find() { # show_find TARGET
  local input kept
  grep -vE '^#[0-9]+|^INFO|NEW_FUNC|^Dictionary' "$1.log" | grep -v '^stat::' | head -n 60 | sed 's/^/      | /'
  for input in "$folder/$1"-find-*; do
    [ -f "$input" ] || continue
    kept=$finds/${input##*/}
    mkdir -p "$finds"
    cp "$input" "$kept"
    { xxd "$input" 2>/dev/null || od -A x -t x1z "$input"; } | head -n 64 | sed 's/^/      | /'
    printf '      again: %q 0 %s %q\n' "$here/fuzz.sh" "$1" "$kept"
  done
}

faults=0
for target in "${targets[@]}"; do
  options=(-timeout=10 -rss_limit_mb=512 -malloc_limit_mb=64 "-artifact_prefix=$folder/$target-find-")
  if [ -n "$file" ]; then
    options+=("$file")
  else
    # Twice as fast; the input run again alone tells in full where memory came from.
    export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=8:malloc_context_size=1}
    mkdir "corpus-$target" # what is found to be interesting; the seeds are only read
    options+=("-max_total_time=$seconds" -seed=1 -print_final_stats=1 "corpus-$target" "$here/seeds/$target")
    if [ -f "$here/$target.dict" ]; then options+=("-dict=$here/$target.dict"); fi
  fi
  begin=$SECONDS
  if "build/fuzz_$target" "${options[@]}" >"$target.log" 2>&1; then
    echo -n "ok    $target: "
  else
    echo -n "FAULT $target: "
    faults=$((faults + 1)) code=1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log")
  edges=$(sed -n 's/^#.* cov: *\([0-9]*\).*/\1/p' "$target.log" | tail -n 1)
  echo "${runs:-1} executions, coverage ${edges:-?} edges, $((SECONDS - begin)) s"
  if [ "${code:-0}" -ne 0 ]; then show_find "$target"; fi
  code=0
done
[ $faults -eq 0 ] || echo "$faults of ${#targets[@]} targets found a fault"
[ $faults -eq 0 ]
