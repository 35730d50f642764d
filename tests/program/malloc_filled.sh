#!/usr/bin/env bash
# The tests themselves, with new memory that holds 0x00, then 0xFF.
#   tests/program/malloc_filled.sh LIBRARY TESTS... on TESTS...
# Those after "on" are started on three ranks.
set -u
tests=$(cd "$(dirname "$0")/.." && pwd)
faults=0 tried=0 begin=$SECONDS
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
library=$folder/library.so output=$folder/output # LD_PRELOAD is split at blanks
cp "$1" "$library" || exit 1
shift

for byte in 00 FF; do
  export ZEROLAB_FILL_MALLOC=0x$byte
  start=()
  for program in "$@"; do
    if [ "$program" = on ]; then
      start=("$tests/on_ranks.sh" 3 600)
      continue
    fi
    tried=$((tried + 1))
    if LD_PRELOAD=$library ${start[@]+"${start[@]}"} "$program" >"$output" 2>&1; then
      echo "ok    0x$byte: $(basename "$program") (after $((SECONDS - begin)) s)"
    else
      echo "FAULT 0x$byte: $(basename "$program")"
      tail -n 40 "$output" | sed 's/^/      | /'
      faults=$((faults + 1))
    fi
  done
done
[ $tried -gt 0 ] && [ $faults -eq 0 ]
