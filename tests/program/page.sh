#!/usr/bin/env bash
# report: a small folder of real results becomes a page, which a browser without a network shows whole.
#   tests/program/page.sh PROGRAM
# shellcheck disable=SC2317  # the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
browser=
for name in chromium chromium-headless-shell chromium-browser google-chrome; do
  if [ -z "$browser" ] && command -v "$name" >/dev/null; then browser=$name; fi
done

# --- the page ---

folder="some results"
mkdir "$folder"
run 2 doctor --json "$folder/doctor.json"
check "doctor" succeeded
for ranks in 1 2 3; do
  run $ranks verify --quiet --steps 2 --json "$folder/verify-$ranks.json"
  check "N = $ranks: verify" holds
  cp out "$folder/verify.txt"
  echo '{"name": "verify, N = '$ranks'", "holds": true, "seconds": 1, "log": "verify.txt"}' \
    >>"$folder/verdicts.jsonl"
done
alone report --results "$folder"
check "report says which file it wrote" says "^$folder/report.html\$"
page=$folder/report.html
fetches_nothing() { ! grep -nE '<script|<link|@import|(src|href)="[^#]' "$page"; }
check "  it refers to nothing outside" fetches_nothing
cp "$page" first.html
alone report --results "$folder" --output again.html
check "the same folder gives the same page" cmp first.html again.html
alone report --results "$folder" --output "$folder/doctor.json"
check "what is no page is not written over" fails_with "doctor.json" "left alone"
alone report --results "no folder"
check "no folder" fails_with "no folder" "no such folder"

mkdir broken
cp "$folder"/*.json broken
sed 's/"digest_agrees"/"something_else"/' "$folder/verify-3.json" >broken/verify-3.json
alone report --results broken
check "a missing key is named" fails_with broken/verify-3.json digest_agrees
no_page() { [ -z "$(find broken -name 'report*')" ]; }
check "  and there is no page, nor half of one" no_page
head -c 1000 "$folder/verify-3.json" >broken/verify-3.json
alone report --results broken
check "a file that is cut off" fails_with broken/verify-3.json "not JSON"

# --- in a browser ---

if [ -z "$browser" ]; then
  [ $faults -eq 0 ] || finish
  skip_all "no chromium or chromium-headless-shell; the page itself is fine"
fi
options=(--headless --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions
  --disable-background-networking --disable-component-update --disable-sync --disable-crash-reporter
  --user-data-dir="$work/profile" --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr
  --log-net-log="$work/net.json")
[ "$(id -u)" -ne 0 ] || options+=(--no-sandbox)
# open WIDTH ARGUMENTS... the page in the browser; what it prints is in out and err.
open() {
  local width=$1 begin=$SECONDS
  shift
  HOME=$work timeout -k 5 $limit "$browser" "${options[@]}" --window-size="$width,1400" "$@" \
    "file://${work// /%20}/${page// /%20}" >out 2>err
  code=$?
  seconds=$((SECONDS - begin))
}
open 1100 --dump-dom
if [ $code -ne 0 ] && ! grep -q '<html' out; then
  [ $faults -eq 0 ] || finish
  skip_all "$browser does not start here (exit code $code): $(tail -n 1 err)"
fi
cp out dom
number_of() { grep -o "$1" dom | wc -l; }
at_least() { [ "$(number_of "$1")" -ge "$2" ] || { echo "$(number_of "$1") of $1" && false; }; }
check "six sections" equal "$(number_of '<h2 id=')" 6
check "  53 items" equal "$(number_of '<article class="item')" 53
check "  each with its verdict" at_least 'class="badge [a-z]*"' $((53 + 3))
check "  none that fails" equal "$(number_of 'item fails')" 0
check "  tables of all runs" at_least '<table' $((2 + 1 + 2 + 3 * 3 + 2))
check "  headed columns and rows" at_least 'scope="row"' 50
if command -v gnuplot >/dev/null; then check "  figures" at_least '<svg' 3; fi
complaints() { grep -E 'CONSOLE|ERROR.*(net|ssl)' err; }
quiet() { ! complaints; }
check "  the browser has nothing to complain of" quiet
# The browser logs what it asks for. It asks its maker for things of its own, page or not.
asked_for() {
  grep -oE '"url":"(https?|wss?|ftp)://[^"]*"' net.json | grep -vE '//([a-z0-9-]+\.)*(google|googleapis)\.com/'
}
nothing_asked_for() { [ -s net.json ] && ! asked_for; }
check "  nothing was fetched" nothing_asked_for
sed 's|</main>|<img src="http://elsewhere.invalid/picture.png" alt=""></main>|' first.html >"$page"
open 1100 --dump-dom
check "  (a page with a picture from elsewhere would be seen to ask for it)" asked_for
cp first.html "$page"

picture() { # picture FILE LEAST: a PNG of at least so many bytes
  [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] && [ "$(wc -c <"$1")" -ge "$2" ]
}
for width in 1100 400; do
  open $width --screenshot="$work/$width.png"
  check "$width pixels wide: a picture" picture $width.png 20000
done
open 1100 --print-to-pdf="$work/page.pdf"
check "printed" test "$(wc -c <page.pdf)" -ge 50000
finish
