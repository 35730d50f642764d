// The jobs that digests were made of, and the digests.
#include <algorithm>
#include <limits>
#include <set>

#include "stage_lab.hpp"
#include "zerolab/core/random.hpp"
#include "zerolab/partition/digest.hpp"

namespace lab {

using namespace zerolab;

namespace {

/// Made-up samples, features in ±1; one of them may be no number. The first eight are for tests
/// too.
class MadeUp final : public Dataset {
 public:
  MadeUp(const NetworkShape& shape, std::size_t samples)
      : features_(shape.widths.front()), classes_(shape.widths.back()), samples_(samples) {}

  std::size_t features() const override { return features_; }
  std::size_t classes() const override { return classes_; }
  std::size_t samples(Split split) const override { return split == Split::train ? samples_ : 8; }
  std::size_t bytes() const override { return 0; }
  void read(Split, std::size_t index, std::span<float> out) const override {
    for (std::size_t f = 0; f < out.size(); ++f)
      out[f] = index == spoiled_ ? std::numeric_limits<float>::quiet_NaN()
                                 : random_symmetric(77, index * features_ + f);
  }
  std::int32_t label(Split, std::size_t index) const override {
    return static_cast<std::int32_t>(random_bits(78, index) % classes_);
  }
  void spoil(std::size_t index) { spoiled_ = index; }

 private:
  std::size_t features_, classes_, samples_, spoiled_ = SIZE_MAX;
};

KeyJob new_job(const char* name, const char* about, std::vector<std::size_t> widths) {
  KeyJob key{name, about, {}, 4, 400, false};
  key.job.shape.widths = std::move(widths);
  key.job.batch = 8;
  key.job.gemm = GemmKind::reference;
  return key;
}

std::vector<KeyJob> make_jobs() {
  std::vector<KeyJob> jobs;
  jobs.push_back(new_job("plain", "one full micro-batch a rank and step", {9, 7, 5, 4}));
  jobs.push_back(new_job("micro-batches",
                         "three micro-batches a step, the last step of the epoch short",
                         {9, 7, 5, 4}));
  jobs.back().job.accumulate = 3;
  jobs.back().samples = 110;
  jobs.push_back(
      new_job("clipped", "gradients clipped by their norm, SGD with momentum, fp32", {9, 7, 5, 4}));
  jobs.back().job.precision = NumberType::fp32;
  jobs.back().job.optimizer = {OptimizerKind::sgd, 0.25, 0.9, 0};
  jobs.back().job.loss_scale.fixed = 1;
  jobs.back().job.clip_norm = 0.125;
  jobs.push_back(new_job(
      "skipped", "a sample of the last rank is not finite in step 2, and all ranks skip that step",
      {9, 7, 5, 4}));
  jobs.back().spoiled_sample = true;
  jobs.push_back(new_job("empty", "a unit with fewer parameters than there are ranks", {2, 1, 2}));
  jobs.push_back(new_job("patients", "two micro-batches a step, clipped, fp32", {9, 7, 5, 4}));
  jobs.back().job.precision = NumberType::fp32;
  jobs.back().job.loss_scale.fixed = 1;
  jobs.back().job.clip_norm = 0.5;
  jobs.back().job.accumulate = 2;
  jobs.back().steps = 3;
  return jobs;
}

struct Key {
  const char* job;
  std::size_t ranks, unit;
  std::vector<std::uint64_t> digests;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all{
#include "keys.inc"
  };
  return all;
}

}  // namespace

const std::vector<KeyJob>& key_jobs() {
  static const std::vector<KeyJob> jobs = make_jobs();
  return jobs;
}

const KeyJob& key_job(const std::string& name) {
  return *std::find_if(key_jobs().begin(), key_jobs().end(),
                       [&](const KeyJob& key) { return key.name == name; });
}

std::unique_ptr<Dataset> key_data(const KeyJob& key, std::size_t ranks) {
  auto data = std::make_unique<MadeUp>(key.job.shape, key.samples);
  const BatchPlan plan{key.samples, ranks, key.job.micro_batches(ranks), key.job.batch,
                       key.job.seed};
  if (key.spoiled_sample) data->spoil(plan.indices(1, ranks - 1, 0).at(0));
  return data;
}

std::uint64_t unit_digest(const Stage& stage, const Job& job, Communicator& comm,
                          std::size_t unit) {
  const Shards cut{job.shape.elements(unit), comm.size()};
  std::uint64_t sum = digest(Digested::parameters, stage.my_parameters(unit),
                             job.shape.first(unit) + cut.first(comm.rank()));
  const auto outside = comm.outside_training();
  comm.sum(std::span(&sum, 1));
  return sum;
}

std::string key_missing(std::size_t ranks) {
  std::set<std::size_t> there;
  for (const Key& key : keys()) there.insert(key.ranks);
  if (there.contains(ranks)) return "";
  return fmt::format("no key for {} ranks: keys are there for {}", ranks, fmt::join(there, ", "));
}

std::uint64_t right_digest(const std::string& job, std::size_t ranks, std::size_t unit,
                           std::size_t step) {
  const auto found = std::find_if(keys().begin(), keys().end(), [&](const Key& k) {
    return k.job == job && k.ranks == ranks && k.unit == unit;
  });
  require(found != keys().end(), "no key of job {} on {} ranks", job, ranks);
  return found->digests.at(step);
}

}  // namespace lab
