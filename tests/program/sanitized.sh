#!/usr/bin/env bash
# The address and undefined-behaviour sanitizers find nothing in a thinned suite, and still find what is
# planted: a sanitized build of its own.   tests/program/sanitized.sh SOURCE
# The whole suite, which takes an hour, is that of any build with -DZEROLAB_SANITIZE=ON.
set -u
source=$(cd "$1" && pwd) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi

build="$folder/a build"
if ! { cmake -S "$source" -B "$build" ${generator[@]+"${generator[@]}"} \
  ${launcher[@]+"${launcher[@]}"} -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20 \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 -DZEROLAB_SANITIZE=ON -DZEROLAB_TESTS=ON &&
  cmake --build "$build" --parallel 2 --target core_test nn_test comm_test partition_test stages_test \
    overlap_test checkpoint_test sanitizer_probe zerolab; } >"$folder/log" 2>&1; then
  echo "FAULT no sanitized build"
  tail -n 20 "$folder/log" | sed 's/^/      | /'
  exit 1
fi
echo "built in $SECONDS s"
entries='core|nn|partition|comm\.np1|stages\.np1|overlap\.np2|checkpoint\.np3|against|named_digests|failing_(mid|out).*|sanitizers_find'
ctest --test-dir "$build" --no-tests=error --output-on-failure -LE exhaustive -R "^($entries)\$"
code=$?
echo "$SECONDS s in all"
exit $code
