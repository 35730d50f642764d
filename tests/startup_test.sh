#!/usr/bin/env bash
# What src/startup.cpp does, seen from outside, with a pretended BLAS: tests/startup_test.sh PROBE
set -u
if ! grep -qs avx2 /proc/cpuinfo; then
  echo "no CPU with AVX2 or no /proc: the program never restarts itself here"
  exit 77 # ctest: skipped
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
probe="$work/a probe"
cp "$1" "$probe" || exit 1
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS GOTO_NUM_THREADS OMP_NUM_THREADS ZEROLAB_RESTARTED
faults=0

expect() { # expect WHAT TEXT COMMAND...
  local what=$1 text=$2 out
  shift 2
  out=$("$@" 2>&1)
  if [[ $out == *"$text"* ]]; then
    echo "ok    $what"
  else
    printf 'FAULT %s: "%s" is not in\n%s\n' "$what" "$text" "$out"
    faults=$((faults + 1))
  fi
}

expect "an old kernel is replaced" "chosen by zerolab and checked; the library had taken Prescott" "$probe"
expect "with one BLAS thread" "threads 1" "$probe"
expect "arguments survive the restart" "[a b] [] [*]" "$probe" "a b" "" "*"
expect "a wrong kernel is given up, once" "a faster one gave wrong products" \
  env PRETEND_FAULT=1 timeout 300 "$probe"
expect "the user's kernel stays" "kernel Nehalem (chosen by OPENBLAS_CORETYPE)" \
  env OPENBLAS_CORETYPE=Nehalem "$probe"
expect "the user's threads stay" "threads 2" env OPENBLAS_NUM_THREADS=2 "$probe"
expect "and are warned about" "warning: 2 BLAS threads" env OPENBLAS_NUM_THREADS=2 "$probe"
expect "no restart under SMPI" "its own choice" env SMPI_GLOBAL_SIZE=2 "$probe"
expect "no restart under valgrind" "its own choice" env LD_PRELOAD=/no/vgpreload.so "$probe"
expect "another process's mark is not ours" "chosen by zerolab" env ZEROLAB_RESTARTED=1:Atom "$probe"

ranks=$("$here/on_ranks.sh" 3 300 "$probe" "a b" 2>&1 | grep -c 'chosen by zerolab.*threads 1 \[a b\]')
if [ "$ranks" -eq 3 ]; then
  echo "ok    three ranks restart under mpirun"
else
  echo "FAULT $ranks of three ranks restarted under mpirun"
  faults=$((faults + 1))
fi
exit $((faults > 0))
