// Bits: a step to be followed on paper, and the keys.
#include "stage_lab.hpp"

#include <algorithm>
#include <array>

#include "zerolab/partition/digest.hpp"

namespace lab {

using namespace zerolab;

namespace {

/// Eight samples a rank, all features 0, so that a step moves the two biases alone: by what the
/// share of label 0 has over one half. Over all ranks that share is always 5/8.
class Zeros final : public Dataset {
 public:
  Zeros(std::size_t ranks, const Job& job) : labels_(8 * ranks) {
    const BatchPlan plan{labels_.size(), ranks, ranks, 8, job.seed};
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto mine = plan.indices(0, r, 0);
      for (std::size_t i = of_label_0(r, ranks); i < mine.size(); ++i) labels_[mine[i]] = 1;
    }
  }
  static std::size_t of_label_0(std::size_t rank, std::size_t ranks) {
    return ranks == 1 || rank > 1 ? 5 : rank == 0 ? 8 : 2;
  }
  std::size_t features() const override { return 1; }
  std::size_t classes() const override { return 2; }
  std::size_t samples(Split split) const override {
    return split == Split::train ? labels_.size() : 0;
  }
  std::size_t bytes() const override { return 0; }
  void read(Split, std::size_t, std::span<float> out) const override { out[0] = 0; }
  std::int32_t label(Split, std::size_t index) const override { return labels_[index]; }

 private:
  std::vector<std::int32_t> labels_;
};

/// All shards of a unit of fp32 parameters, put together.
std::vector<float> whole_unit(const Stage& stage, std::size_t elements, Communicator& comm) {
  MemoryLedger apart;
  Buffer full(apart, Category::buffers, NumberType::fp32, elements);
  const Shards cut{elements, comm.size()};
  const ConstNumbers mine = stage.my_parameters(0);
  std::copy_n(mine.data, mine.bytes(), full.numbers().part(cut.first(comm.rank()), mine.size).data);
  const auto outside = comm.outside_training();
  comm.all_gather(full);
  const auto values = full.as<float>();
  return {values.begin(), values.end()};
}

/// What a wrong bias, which lies on rank `owner`, looks like.
std::string likely(float got, float right, std::size_t owner, std::size_t ranks) {
  const float own = (static_cast<float>(Zeros::of_label_0(owner, ranks)) - 4) / 8;
  if (got == 0) return "nothing was updated";
  if (got == right * static_cast<float>(ranks)) return "that is N times as much: a sum, not a mean";
  if (got == own || got == own / static_cast<float>(ranks))
    return fmt::format("that is of rank {}'s own gradient: nothing was averaged over ranks", owner);
  return "neither the average nor a rank's own gradient";
}

bool copies_agree(Check& check, const Stage& stage, const std::vector<float>& right) {
  if (stage.placements().parameters != Placement::full) return true;
  const auto mine = ConstNumbers(stage.stored_parameters()[0]).as<const float>();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t owner = Shards{mine.size(), check.ranks()}.owner(i);
    if (!check.expect(
            mine[i] == right[i],
            "element {} of this rank's own copy is {}, and {} on rank {}, whose shard it lies "
            "in: the updated shard did not arrive, or was gathered before its update",
            i, mine[i], right[i], owner))
      return false;
  }
  return true;
}

std::string when(std::size_t step) {
  return step == 0 ? "before the first step" : fmt::format("after step {}", step);
}

}  // namespace

void step_on_paper(Check& check, const StageLab& lab) {
  Job job;
  job.shape.widths = {1, 2};
  job.precision = NumberType::fp32;
  job.optimizer = {OptimizerKind::sgd, 1, 0, 0};
  job.loss_scale.fixed = 1;
  job.batch = 8;
  job.gemm = GemmKind::reference;
  const Zeros data(check.ranks(), job);
  MemoryLedger memory;
  memory.spoil_released();
  Trace trace;
  const auto stage = lab.make({job, data, check.comm, memory, trace});
  stage->step(0);
  const std::vector<float> unit = whole_unit(*stage, 4, check.comm);  // two weights, two biases
  for (std::size_t c = 0; c < 2; ++c) {
    const float sign = c == 0 ? 1.0F : -1.0F, right = 0.125F, got = unit[2 + c];
    check.expect(got == sign * right, "bias {}: expected {}, got {}; {}", c, sign * right, got,
                 likely(sign * got, right, Shards{4, check.ranks()}.owner(2 + c), check.ranks()));
  }
  copies_agree(check, *stage, unit);
}

void same_bits(Check& check, const StageLab& lab, const std::string& name) {
  const KeyJob& key = key_job(name);
  const auto data = key_data(key, check.ranks());
  const std::string no_key = key_missing(check.ranks());
  if (!no_key.empty()) check.not_run(no_key);  // what needs no key is looked at all the same
  MemoryLedger memory;
  memory.spoil_released();
  Trace trace;
  const auto stage = lab.make({key.job, *data, check.comm, memory, trace});
  for (std::size_t s = 0; s <= key.steps; ++s) {
    const StepResult result = s > 0 ? stage->step(s - 1) : StepResult{};
    if (key.spoiled_sample && s == 2) check.expect(result.skipped, "step 2 was not skipped");
    for (std::size_t l = 0; l < key.job.shape.units(); ++l) {
      const std::uint64_t got = unit_digest(*stage, key.job, check.comm, l);
      const std::uint64_t right = no_key.empty() ? right_digest(name, check.ranks(), l, s) : got;
      check.expect(got == right,
                   "{} ({}), {}, unit {}: digest of the shards, expected {:016x}, got {:016x}",
                   name, key.about, when(s), l, right, got);
      if (stage->placements().parameters != Placement::full) continue;
      const std::uint64_t own =
          digest(Digested::parameters, stage->stored_parameters()[l], key.job.shape.first(l));
      check.expect(
          own == right,
          "{} ({}), {}, unit {}: digest of this rank's own copy, expected {:016x}, got {:016x}; "
          "the shards together have {:016x}",
          name, key.about, when(s), l, right, own, got);
    }
  }
}

}  // namespace lab
