#!/usr/bin/env bash
# Runs a program that is built with ThreadSanitizer: any data race it sees is a failure.
#   tests/thread_sanitizer.sh PROGRAM [ARGUMENTS...]
# An older one refuses memory that a newer kernel has laid out at random; then without that, and where
# a container forbids to ask for it, not at all.
set -u
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for without in "" "setarch -R"; do
  # shellcheck disable=SC2086  # none or two words
  $without "$@" >"$log" 2>&1
  code=$?
  grep -q "unexpected memory mapping\|failed to set personality" "$log" || break
  code=77
done
cat "$log"
[ "$code" -ne 77 ] || echo "skipped: ThreadSanitizer cannot run on this kernel"
exit "$code"
