#include "zerolab/stages/state_digest.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "zerolab/partition/digest.hpp"

namespace zerolab {

namespace {

/// Digest of one unit of a state on this rank: all that is here, or only this rank's shard of it.
struct UnitDigest {
  const Job& job;
  const Communicator& comm;
  std::size_t unit;

  std::uint64_t here(Digested what, ConstNumbers stored) const {
    const Shards cut{job.shape.elements(unit), comm.size()};
    const bool full = stored.size == cut.elements;
    return digest(what, stored, job.shape.first(unit) + (full ? 0 : cut.first(comm.rank())));
  }
  std::uint64_t my_shard(Digested what, ConstNumbers stored) const {
    const Shards cut{job.shape.elements(unit), comm.size()};
    const std::size_t first = cut.first(comm.rank());
    if (stored.size == cut.elements) stored = stored.part(first, cut.size(comm.rank()));
    return digest(what, stored, job.shape.first(unit) + first);
  }
};

bool is_rounding_of(ConstNumbers parameters, ConstNumbers master) {
  std::array<std::byte, 2048> rounded;
  constexpr std::size_t block = 512;
  const auto values = master.as<const float>();
  for (std::size_t i = 0; i < parameters.size; i += block) {
    const std::size_t n = std::min(block, parameters.size - i);
    const Numbers expected{parameters.type, rounded.data(), n};
    narrow(values.subspan(i, n), expected);
    const ConstNumbers found = parameters.part(i, n);
    if (!std::equal(found.data, found.data + found.bytes(), expected.data)) return false;
  }
  return true;
}

/// Ranks whose word is not the most frequent one (of equals, the one seen first), or that are not
/// consistent.
std::vector<std::size_t> deviating_ranks(const std::vector<std::string>& reports) {
  std::map<std::string, std::size_t> votes;
  std::vector<std::string> words;
  std::vector<std::size_t> deviating;
  for (const std::string& report : reports) ++votes[report.substr(1)];
  std::string majority = reports.front().substr(1);
  for (const std::string& report : reports) {
    if (votes[report.substr(1)] > votes[majority]) majority = report.substr(1);
  }
  for (std::size_t r = 0; r < reports.size(); ++r) {
    if (reports[r][0] != '1' || reports[r].substr(1) != majority) deviating.push_back(r);
  }
  return deviating;
}

}  // namespace

std::string hex(std::uint64_t digest) {
  return fmt::format("{:016x}", digest);
}

std::uint64_t my_parameter_digest(const Stage& stage, const Job& job, const Communicator& comm) {
  std::uint64_t sum = 0;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    sum += UnitDigest{job, comm, l}.my_shard(Digested::parameters, stage.stored_parameters()[l]);
  }
  return sum;
}

Shards digest_ranges(const NetworkShape& shape, std::size_t unit) {
  return {shape.elements(unit), std::min<std::size_t>(64, shape.elements(unit))};
}

std::vector<std::uint64_t> my_range_digests(const Stage& stage, const Job& job,
                                            const Communicator& comm) {
  std::vector<std::uint64_t> digests;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    const Shards ranges = digest_ranges(job.shape, l), cut{ranges.elements, comm.size()};
    const ConstNumbers mine = stage.my_parameters(l);
    const std::size_t here = cut.first(comm.rank()), behind = here + mine.size;
    for (std::size_t r = 0; r < ranges.ranks; ++r) {
      const std::size_t first = std::max(ranges.first(r), here);
      const std::size_t last = std::min(ranges.first(r) + ranges.size(r), behind);
      const std::size_t size = first < last ? last - first : 0;
      digests.push_back(size == 0 ? 0
                                  : digest(Digested::parameters, mine.part(first - here, size),
                                           job.shape.first(l) + first));
    }
  }
  return digests;
}

StateDigest digest_of(const Stage& stage, const Job& job, Communicator& comm) {
  const auto outside = comm.outside_training();
  const bool has_master = job.precision != NumberType::fp32;
  const bool states_full = stage.placements().optimizer_states == Placement::full;
  std::array<std::uint64_t, 3> words{my_parameter_digest(stage, job, comm), 0, 0};
  std::uint64_t replicated = 0;
  bool consistent = true;
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    const UnitDigest unit{job, comm, l};
    const Buffer& parameters = stage.stored_parameters()[l];
    const Optimizer::States& states = stage.optimizer_states().states()[l];
    const Buffer& master = has_master ? states.master : parameters;
    words[1] += unit.my_shard(Digested::master, master);
    const auto moments = [&](auto digest_by) {
      return (states.momentum.size() > 0 ? digest_by(Digested::momentum, states.momentum) : 0) +
             (states.variance.size() > 0 ? digest_by(Digested::variance, states.variance) : 0);
    };
    words[2] += moments([&](Digested what, ConstNumbers n) { return unit.my_shard(what, n); });

    if (stage.placements().parameters == Placement::full) {
      replicated += unit.here(Digested::parameters, parameters);
    }
    if (states_full) {
      replicated += unit.here(Digested::master, master);
      replicated += moments([&](Digested what, ConstNumbers n) { return unit.here(what, n); });
    }
    if (has_master) {
      const bool whole = states_full && stage.placements().parameters == Placement::full;
      consistent &=
          is_rounding_of(whole ? ConstNumbers(parameters) : stage.my_parameters(l), master);
    }
  }
  comm.sum(words);
  const auto reports = comm.gather(fmt::format("{:d}{}", consistent, hex(replicated)));
  std::string list;
  if (comm.rank() == 0) {
    for (const std::size_t r : deviating_ranks(reports)) list += fmt::format("{} ", r);
  }
  StateDigest result{words[0], words[1], words[2], {}};
  std::istringstream numbers(comm.broadcast(list, 0));
  for (std::size_t r = 0; numbers >> r;) result.deviating.push_back(r);
  return result;
}

}  // namespace zerolab
