#!/usr/bin/env bash
# Starts a program on N ranks of this machine, with a time limit:
#
#   tests/on_ranks.sh N SECONDS PROGRAM [ARGUMENTS...]
#
# Ends with the program's exit code; non-zero as well when the time is up. No rank stays alive then.
# SIGUSR1 and SIGTERM are passed on to mpirun.
# The ranks read no standard input, unless they are given one. What differs between machines is found out
# here, so that neither tests nor students need flags: Open MPI 4 or 5, MPICH or SMPI, as the program is
# built; root or not, fewer cores than ranks, containers that block cross-memory attach, no network but
# the loopback.
#
#   ZEROLAB_MPIRUN        the mpirun to use [as found in PATH, of the MPI that the program is built with]
#   ZEROLAB_MPIRUN_FLAGS  more flags for it, split at blanks
#   ZEROLAB_INPUT         what rank 0 reads, /dev/tty for what is typed [/dev/null]
#   ZEROLAB_PLATFORM      SMPI: the simulated cluster, its hosts named host-0, host-1, ...
#                         [labs/platforms/infiniband-100g.xml]
#
#   tests/on_ranks.sh --smpi-flags   shows the flags for smpirun
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# How SMPI simulates, for every run of ours. Time passes for messages and for the flops that the
# program declares, never for what this machine computes. Messages take latency + size / bandwidth as
# the platform says: SMPI's factors, fitted to one cluster's TCP, are 1, no TCP window, no share of the
# link for acknowledgements or for distant senders, no time for a call of MPI_Wtime. Collectives are
# logical rings (lr: reduce-scatter, then all-gather), the rest as Open MPI would choose.
smpi_flags=(
  --cfg=smpi/simulate-computation:no
  --cfg=smpi/wtime:0
  --cfg=network/model:SMPI
  --cfg=smpi/bw-factor:0:1
  --cfg=smpi/lat-factor:0:1
  --cfg=network/TCP-gamma:0
  --cfg=network/crosstraffic:no
  --cfg=network/weight-S:0
  --cfg=smpi/coll-selector:ompi
  --cfg=smpi/bcast:binomial_tree # here and in reduce, ompi divides by zero for a few bytes
  --cfg=smpi/reduce:binomial
  --cfg=smpi/allreduce:lr
  --cfg=smpi/alltoallv:ring # ompi takes one that needs a power of two
  --cfg=smpi/reduce_scatter:ompi_ring
  --cfg=smpi/allgather:NTSLR
  --cfg=smpi/allgatherv:mpich_ring
  --cfg=surf/precision:1e-12
  --log=root.thres:error
)
if [ "$*" = --smpi-flags ]; then
  echo "${smpi_flags[*]}"
  exit
fi

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

# The MPI that a program is linked with, or nothing where that cannot be seen.
mpi_of_program() {
  case $({ ldd "$1" || otool -L "$1"; } 2>/dev/null) in
    *libsimgrid*) echo SMPI ;;
    *libmpich* | *libmpi.so.12* | *libmpi.12.dylib*) echo MPICH ;;
    *libmpi.so* | *libmpi.*dylib*) echo "Open MPI" ;;
  esac
}
mpi_of_version() {
  case $1 in
    *"Open MPI"* | *OpenRTE*) echo "Open MPI" ;; # mpiexec of version 4 calls itself OpenRTE
    *HYDRA* | *MPICH* | *Intel*) echo MPICH ;;
    *SimGrid*) echo SMPI ;;
  esac
}
if ! command -v "$1" >/dev/null; then
  echo "on_ranks.sh: $1: no such program; ./run_labs.sh build makes the project's" >&2
  exit 127
fi
# The program is the first word that is linked with an MPI; others may stand in front of it.
built_with=
for word in "$@"; do
  if [ -f "$word" ]; then built_with=$(mpi_of_program "$word"); fi
  [ -z "$built_with" ] || break
done
# Its launcher: the first that is of the same MPI, else the first (Debian's names tell MPIs apart).
launcher() {
  local name path first=
  for name in mpirun mpiexec mpirun.openmpi mpirun.mpich smpirun; do
    path=$(command -v "$name") || continue
    first=${first:-$path}
    [ -n "$built_with" ] || break
    if [ "$(mpi_of_version "$("$path" --version 2>&1 </dev/null)")" = "$built_with" ]; then
      first=$path
      break
    fi
  done
  echo "$first"
}
mpirun=${ZEROLAB_MPIRUN:-$(launcher)}
if [ -z "$mpirun" ] || ! version=$("$mpirun" --version 2>&1 </dev/null); then
  echo "on_ranks.sh: no working mpirun (${mpirun:-none in PATH}); ./run_labs.sh install gets one" >&2
  exit 127
fi
mpi=$(mpi_of_version "$version")
if [ -n "$built_with" ] && [ -n "$mpi" ] && [ "$built_with" != "$mpi" ]; then
  echo "on_ranks.sh: $word is built with $built_with, but $mpirun belongs to $mpi" >&2
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

# These limits are mpirun's own; this one is for an mpirun that hangs itself, and for SMPI.
limit=$((seconds + 15))
command=("$@")
flags=(-n "$ranks")
case $mpi in
  "Open MPI")
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
  MPICH) export MPIEXEC_TIMEOUT=$seconds ;;
  SMPI)
    # What smpirun ends in, called directly: smpirun splits arguments at blanks.
    simulator=$(sed -n 's|^[^"]*"\(/[^"]*/smpimain\)".*|\1|p' "$mpirun" | head -n 1)
    if ! [ -x "$simulator" ]; then
      echo "on_ranks.sh: no smpimain is named in $mpirun" >&2
      exit 127
    fi
    platform=${ZEROLAB_PLATFORM:-$here/../labs/platforms/infiniband-100g.xml}
    if ! [ -f "$platform" ]; then
      echo "on_ranks.sh: no platform file $platform" >&2
      exit 127
    fi
    mpirun=$simulator limit=$seconds
    exec 9< <(seq -f 'host-%.0f' 0 $((ranks - 1)))
    flags=("$1" --cfg=smpi/privatization:dlopen "--cfg=smpi/np:$ranks"
      --cfg=smpi/hostfile:/dev/fd/9 "${smpi_flags[@]}" ${extra[@]+"${extra[@]}"} "$platform")
    extra=()
    command=(-- "${@:2}")
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

guard=()
if command -v timeout >/dev/null; then guard=(timeout --foreground -k 5 "$limit"); fi

# Every rank inherits this mark; after a failure whoever still carries it is ended: ranks outlive an
# mpirun that was killed, and would go on spinning under the next test.
mark="ZEROLAB_JOB=$$.$RANDOM.$RANDOM"
marked() { grep -lsF "$mark" /proc/[0-9]*/environ | cut -d / -f 3; }

# Ctrl-C reaches mpirun too; SIGTERM and SIGUSR1 are passed on to it. Its end is waited for; then
# this script ends by the same signal, but after SIGUSR1, which asks the program for something.
stopped='' heard=1 started=''
# shellcheck disable=SC2317  # called by a trap
pass_on() { # pass_on SIGNAL to mpirun, which is what was started or the child of its guard
  local to=$started
  [ ${#guard[@]} -eq 0 ] || to=$(grep -ls ") [A-Z] $started " /proc/[0-9]*/stat | cut -d / -f 3)
  [ -z "$to" ] || kill -s "$1" "$to"
}
trap 'heard=1 stopped=INT' INT
trap 'heard=1 stopped=HUP' HUP
trap 'heard=1 stopped=TERM; pass_on TERM' TERM
trap 'heard=1; pass_on USR1' USR1
# The odd form of the empty arrays is for bash 3.2, which macOS ships.
(
  trap - INT         # which bash lets what is started in the background ignore
  export "${mark?}" # only here: what this script starts itself is not to be found
  exec ${guard[@]+"${guard[@]}"} "$mpirun" "${flags[@]}" ${extra[@]+"${extra[@]}"} "${command[@]}"
) <"${ZEROLAB_INPUT:-/dev/null}" &
started=$!
while [ -n "$heard" ]; do
  heard=''
  wait "$started"
  code=$?
done
if [ "$code$stopped" != 0 ] && [ -d /proc/self ]; then
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    left=$(marked)
    [ -n "$left" ] || break
    # shellcheck disable=SC2086  # one word a process
    kill -9 $left 2>/dev/null
    sleep 0.2
  done
fi
if [ -n "$stopped" ]; then
  trap - "$stopped"
  kill -s "$stopped" $$
fi
exit "$code"
