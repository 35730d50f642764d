#!/usr/bin/env bash
# Faults planted in code of ours are found in a sanitized build, beside the MPI library's own leaks, which
# leaks.supp keeps quiet.   tests/sanitizers/found.sh PROBE
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/../program/checks.sh"

silent() { succeeded && [ ! -s err ]; }
found() { [ "$code" -ne 0 ] && grep -q -e "$1" err; }
for ranks in 1 2 3 4; do
  run "$ranks" clean
  check "N = $ranks: no fault, not a word" silent
done
while read -r fault text; do
  for ranks in 1 3; do
    run "$ranks" "$fault"
    check "N = $ranks: $fault is found" found "$text"
  done
done <<'END'
leak_buffer in zerolab::Buffer::Buffer
leak_array Direct leak of 308 byte
heap_overflow heap-buffer-overflow
stack_overflow stack-buffer-overflow\|with insufficient space for an object
use_after_free heap-use-after-free
signed_overflow signed integer overflow
END
LSAN_OPTIONS="" run 1 clean
check "without leaks.supp the MPI library's own leaks are told" found "detected memory leaks"
finish
