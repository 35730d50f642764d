#!/usr/bin/env bash
# The README's digests do not depend on compiler, optimisation or instruction set: the program is
# built anew in each way, and each must have them. No compiler may warn.
#   tests/program/builds.sh SOURCE [FLAGS]...
# FLAGS such as "clang++ -O0 -march=native" are built alone; without any, the two ways below, which differ
# most from each other and from the suite's own build. One source at a time, as cmake builds by hand: names that only
# meet because run_labs.sh compiles many sources at once would show here.
set -u
source=$(cd "$1" && pwd) || exit 1
shift
if [ $# -eq 0 ]; then set -- "g++ -O3 -march=native" "clang++ -O0"; fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi

faults=0 built=0
for way in "$@"; do
  compiler=${way%% *} flags=${way#* } begin=$SECONDS
  if ! command -v "$compiler" >/dev/null; then
    echo "skip  $way: no $compiler here"
    continue
  fi
  build="$folder/a build"
  rm -rf "$build"
  # A build type without flags of its own: what is asked for is all there is.
  if ! { cmake -S "$source" -B "$build" ${generator[@]+"${generator[@]}"} \
    ${launcher[@]+"${launcher[@]}"} -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS="$flags -Werror" -DZEROLAB_TESTS=OFF &&
    cmake --build "$build" --target zerolab --parallel 2; } >"$folder/log" 2>&1; then
    echo "FAULT $way: no build"
    tail -n 20 "$folder/log" | sed 's/^/      | /'
    faults=$((faults + 1))
    continue
  fi
  built=$((built + 1)) seconds=$((SECONDS - begin))
  if bash "$source/tests/program/named_digests.sh" "$build/zerolab" "$source/README.md" \
    >"$folder/log" 2>&1; then
    echo "ok    $way: the README's digests (built in $seconds s, $((SECONDS - begin)) s in all)"
  else
    echo "FAULT $way"
    grep -v '^ok' "$folder/log" | sed 's/^/      | /'
    faults=$((faults + 1))
  fi
done
[ $built -gt 0 ] && [ $faults -eq 0 ]
