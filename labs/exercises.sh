#!/usr/bin/env bash
# Runs every command of the handout labs/exercises.md, shows what it prints, and fails where that is
# not, to the letter, what the handout says. With a folder it also leaves exercise-ID.txt and
# exercise-ID.json.
#
#   labs/exercises.sh PROGRAM [FOLDER]
set -uo pipefail
labs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 2; }
program=$1 folder=${2:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A block is "$ zerolab ..." and what it prints; its name is its heading's first word, 5.2, and 5.2-2 for
# the second of that heading.
awk -v work="$work" '
  /^## / { id = $2; blocks = 0 }
  /^```/ { inside = !inside; block = ""; next }
  inside && block == "" && /^\$ zerolab / {
    block = work "/" id (++blocks > 1 ? "-" blocks : "")
    print substr($0, 11) >(block ".command")
    printf "" >(block ".expected")
    next
  }
  inside && block != "" { print >(block ".expected") }
' "$labs/exercises.md" || exit 1

failed=0 blocks=0
for file in $(find "$work" -name '*.command' | sort -V); do
  id=$(basename "$file" .command)
  read -ra arguments <"$file"
  echo "$id: zerolab ${arguments[*]}"
  "$program" "${arguments[@]}" >"$work/found" || echo "exit code $?" >>"$work/found"
  cat "$work/found"
  if ! diff "$work/$id.expected" "$work/found" >"$work/difference"; then
    echo "DIFFERS from the handout (< there, > here):"
    cat "$work/difference"
    failed=$((failed + 1))
  fi
  if [ -n "$folder" ]; then
    { echo "$ zerolab ${arguments[*]}" && cat "$work/found"; } >"$folder/exercise-$id.txt"
    "$program" "${arguments[@]}" --json - >"$folder/exercise-$id.json" || rm -f "$folder/exercise-$id.json"
  fi
  blocks=$((blocks + 1))
  echo
done
[ $blocks -gt 0 ] || failed=1
echo "$blocks commands of the handout, $failed not as it says"
[ $failed -eq 0 ]
