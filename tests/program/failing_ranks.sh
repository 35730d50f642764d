#!/usr/bin/env bash
# What single ranks may meet: less memory than the others, and a wall clock that jumps.
#   tests/program/failing_ranks.sh PROGRAM JUMPING_CLOCK
# shellcheck disable=SC2016,SC2317  # expanded on the rank; the checks are called through "check"
# shellcheck source=tests/program/checks.sh
. "$(dirname "$0")/checks.sh"
clock=$(preloadable "$2")

# --- memory, from where MPI_Init returns (below, Open MPI may wait for ever) to where a small job runs ---

job=(train --quiet --steps 1 --hidden 8)
# The job ended by itself, whoever said why: below some limit the loader does, then the MPI.
ended_soon() {
  [ "$code" -ne 0 ] && in_time && nobody_left && [ "$(our_lines | wc -l)" -le 1 ]
}
limited_to() { # limited_to MEGABYTES: whether the job is done with so many on rank 1
  on_rank 1 "ulimit -v ${1}000" "${job[@]}"
  ! succeeded || return 0
  check "rank 1 has $1 MB of addresses: the job ends" ended_soon
  if fails_with "rank 1: " "out of memory" >fault; then named=$((named + 1)); fi
  return 1
}
if limits_memory; then
  # The least multiple of 40 MB: every day by halving what is between, else each is tried.
  named=0 little=200 enough=3980
  if exhaustive; then
    until limited_to $little || [ $little -gt $enough ]; do little=$((little + 40)); done
    enough=$little little=$((little - 40))
  else
    ! limited_to $little || check "rank 1 has $little MB of addresses: too few" false
    while [ $((enough - little)) -gt 40 ]; do
      middle=$(((little + enough) / 80 * 40))
      if limited_to $middle; then enough=$middle; else little=$middle; fi
    done
  fi
  limited_to $enough
  check "with $enough MB it is done" succeeded
  check "with little less one line of ours names the rank" [ $named -ge 1 ]
  on_rank all "ulimit -v ${little}000" "${job[@]}"
  check "too little on all ranks" fails_with "out of memory"
fi

# --- a wall clock that jumps by hours at every few calls ---

# AddressSanitizer wants to be the first library; the clock needs nothing from it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
jumping=./jumping
printf '#!/usr/bin/env bash\nexport LD_PRELOAD=%q\nexec "$@"\n' "$clock" >jumping
chmod +x jumping
check "(the clock does jump)" $jumping perl -e '
  my $before = time;
  for (1 .. 9) { my $now = time; exit 0 if abs($now - $before) > 3000; $before = $now }
  exit 1'

# Seconds of a step and samples a second as they are told, against seconds as bash counts them.
sane() { # sane SECONDS SAMPLES
  perl -MJSON::PP -e '
    my $all = decode_json(do { local (@ARGV, $/) = "summary"; <> });
    my ($step, $rate) = ($all->{seconds}{step_median}, $all->{samples_per_second});
    print "step_median $step, samples_per_second $rate";
    exit !($step > 0 && $step < $ARGV[0] && $rate > $ARGV[1] / $ARGV[0] && $rate < 1e8)' "$@"
}
# No time of the timeline is below 0 or above SECONDS.
sane_timeline() { # sane_timeline SECONDS
  perl -MJSON::PP -e '
    sub told {
      my $x = shift;
      return map { told($_) } @$x if ref $x eq "ARRAY";
      return () unless ref $x eq "HASH";
      return map { /^(at|begin|end|seconds)$/ && !ref $x->{$_} ? $x->{$_} : told($x->{$_}) }
        keys %$x;
    }
    my @all = told(decode_json(do { local (@ARGV, $/) = "timeline"; <> }));
    print scalar @all, " times: @all";
    exit !(@all > 10 && !grep { $_ < 0 || $_ > $ARGV[0] } @all)' "$@"
}
for ranks in 1 3; do
  job=(train --steps 300 --stall-limit 60) # seconds that no step takes, and the clock jumps over
  run $ranks "${job[@]}"
  right=$(digest)
  launch $ranks $jumping "$program" "${job[@]}" --json summary --timeline timeline
  check "N = $ranks, under a clock that jumps: no watchdog barks" succeeded
  check "  and nothing is said" [ -z "$(our_lines)" ] # MPI's transports may find it strange
  check "  the same digest" equal "$(digest)" "$right"
  check "  seconds are what they are" sane $((seconds + 1)) $((300 * 32 * ranks))
  check "  of the timeline too" sane_timeline $((seconds + 1))
  if command -v script >/dev/null; then
    for ((epochs = 20; epochs < 1000000; epochs *= 3)); do # until it lasts long enough to be seen
      on_terminal "$(printf '%q ' "$tests/on_ranks.sh" $ranks $limit $jumping "$program" train \
        --epochs $epochs)"
      ! says ' left' || break
    done
    check "  on a terminal, time left is told" says ' left'
    strange=$(grep -c ' h .* left\|-[0-9]* s left\|nan\|inf ' out)
    check "  never as hours or below 0" [ "$strange" -eq 0 ]
  fi
done
finish
