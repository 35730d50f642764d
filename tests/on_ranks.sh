#!/usr/bin/env bash
# Starts a program on N ranks of this machine, with a time limit:
#
#   tests/on_ranks.sh N SECONDS PROGRAM [ARGUMENTS...]
#
# Ends with the program's exit code; non-zero as well when the time is up. No rank stays alive then.
# The ranks read no standard input. What differs between machines is found out here, so that neither
# tests nor students need flags: Open MPI 4 or 5 or another MPI, root or not, fewer cores than ranks,
# containers that block cross-memory attach, no network but the loopback.
#
#   ZEROLAB_MPIRUN        the mpirun to use [mpirun, else mpiexec, as found in PATH]
#   ZEROLAB_MPIRUN_FLAGS  more flags for it, split at blanks
set -u

usage() {
  echo "on_ranks.sh: $1" >&2
  echo "usage: tests/on_ranks.sh N SECONDS PROGRAM [ARGUMENTS...]" >&2
  exit 2
}
[ $# -ge 3 ] || usage "a number of ranks, a time limit and a program are needed"
[[ $1 =~ ^[1-9][0-9]*$ ]] || usage "the number of ranks is '$1'"
[[ $2 =~ ^[1-9][0-9]*$ ]] || usage "the time limit is '$2' (whole seconds)"
ranks=$1 seconds=$2
shift 2
read -r -a extra <<<"${ZEROLAB_MPIRUN_FLAGS:-}"

mpirun=${ZEROLAB_MPIRUN:-$(command -v mpirun || command -v mpiexec || true)}
if [ -z "$mpirun" ] || ! version=$("$mpirun" --version 2>&1 </dev/null); then
  echo "on_ranks.sh: no working mpirun (${mpirun:-none in PATH}); ./run_labs.sh install gets one" >&2
  exit 127
fi

# True when a process may read the memory of its neighbour with the system call that Open MPI uses.
# Tried for real: a seccomp filter, Yama or a security module may each forbid it.
can_attach() {
  command -v perl >/dev/null || return 0
  perl -e '
    my %call = (x86_64 => 310, aarch64 => 270, ppc64le => 351, riscv64 => 270);
    my $machine = `uname -m`; chomp $machine;
    my $call = $call{$machine} or exit 0;
    my ($there, $here) = ("zerolab", "-" x 7);
    pipe(my $hold, my $release);
    my $child = fork // exit 0;
    if (!$child) { close $release; <$hold>; exit 0 }
    my $vector = sub { pack "QQ", unpack("Q", pack "p", $_[0]), 7 };
    my $got = syscall $call, $child, $vector->($here), 1, $vector->($there), 1, 0;
    close $release; waitpid $child, 0;
    exit($got == 7 ? 0 : 1)' 2>/dev/null </dev/null
}

# True unless the job may span several machines: then the transports are left to the MPI.
one_host() {
  [ -z "${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${OMPI_MCA_orte_default_hostfile:-}" ] &&
    [[ " ${extra[*]-} " != *host* ]]
}

flags=(-n "$ranks")
case $version in
  *"Open MPI"* | *OpenRTE*) # mpiexec of version 4 calls itself OpenRTE
    major=$(sed -n '1s/^[^0-9]*\([0-9]*\).*/\1/p' <<<"$version")
    flags+=(--timeout "$seconds" --bind-to none)
    [[ " ${extra[*]-} " == *map-by* ]] || flags+=(--map-by :OVERSUBSCRIBE)
    [ "$(id -u)" -ne 0 ] || flags+=(--allow-run-as-root)
    cores=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
    [ "$ranks" -lt "$cores" ] || flags+=(--mca mpi_yield_when_idle 1)
    if [ "${major:-4}" -ge 5 ]; then
      shared=sm no_attach=(--mca smsc ^cma)
    else
      shared=vader no_attach=(--mca btl_vader_single_copy_mechanism none)
    fi
    if one_host; then
      [[ -n ${OMPI_MCA_btl:-} || " ${extra[*]-} " == *" btl "* ]] ||
        flags+=(--mca btl "self,$shared")
      [ "$ranks" -eq 1 ] || can_attach || flags+=("${no_attach[@]}")
    fi
    ;;
  *HYDRA* | *MPICH* | *Intel*)
    [ -n "${ZEROLAB_MPI_NOTED:-}" ] ||
      echo "on_ranks.sh: this is not Open MPI; started as MPICH, with its default flags" >&2
    export ZEROLAB_MPI_NOTED=1 MPIEXEC_TIMEOUT=$seconds
    ;;
  *) echo "on_ranks.sh: unknown MPI, no time limit: $(head -n 1 <<<"$version")" >&2 ;;
esac
if [ -r /proc/net/fib_trie ] && ! grep -q '127\.0\.0\.1' /proc/net/fib_trie; then
  echo "on_ranks.sh: the loopback interface is down, and MPI needs it: ip link set lo up" >&2
fi

# Without this, hwloc asks ten X displays of "localhost" for graphics cards, and waits for a name
# server where that name does not resolve: 5 s a start, seen in a container.
export HWLOC_COMPONENTS="${HWLOC_COMPONENTS:--gl}"

# Ranks write to a terminal that mpirun makes for them, so they cannot see that ours is none.
[ -t 1 ] || export GTEST_COLOR="${GTEST_COLOR:-no}" NO_COLOR="${NO_COLOR:-1}"

# The limit above is mpirun's own; this one is for an mpirun that hangs itself.
guard=()
if command -v timeout >/dev/null; then guard=(timeout --foreground -k 5 $((seconds + 15))); fi

# Every rank inherits this mark; after a failure whoever still carries it is ended: ranks outlive an
# mpirun that was killed, and would go on spinning under the next test.
export ZEROLAB_JOB="$$.$RANDOM.$RANDOM"
marked() { grep -lsF "ZEROLAB_JOB=$ZEROLAB_JOB" /proc/[0-9]*/environ | cut -d / -f 3; }

# The odd form of the empty arrays is for bash 3.2, which macOS ships.
${guard[@]+"${guard[@]}"} "$mpirun" "${flags[@]}" ${extra[@]+"${extra[@]}"} "$@" </dev/null
code=$?
if [ $code -ne 0 ] && [ -d /proc/self ]; then
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    left=$(marked)
    [ -n "$left" ] || break
    # shellcheck disable=SC2086  # one word a process
    kill -9 $left 2>/dev/null
    sleep 0.2
  done
fi
exit $code
