#include "zerolab/stages/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace zerolab {

namespace {

std::vector<std::size_t> counted(std::size_t size, bool last_first) {
  std::vector<std::size_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (last_first) std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<std::size_t> elements_of(const NetworkShape& shape) {
  std::vector<std::size_t> elements;
  for (std::size_t l = 0; l < shape.units(); ++l) elements.push_back(shape.elements(l));
  return elements;
}

}  // namespace

Stage::Stage(const Setup& setup, Placements placements)
    : job_(setup.job),
      data_(setup.data),
      ranks_(setup.comm),
      memory_(setup.memory),
      trace_(setup.trace),
      placements_(placements),
      plan_{setup.data.samples(Split::train), setup.comm.size(),
            job_.micro_batches(setup.comm.size()), job_.batch, job_.seed},
      scaler_(job_.loss_scale),
      units(counted(job_.shape.units(), false)),
      units_last_first(counted(job_.shape.units(), true)),
      model(job_.shape, memory_, trace_, comm, ranks_, gemm_of(job_.gemm)),
      comm(ranks_, memory_, trace_, job_.reduce, plan_.micro_batches, job_.chunk_elements,
           elements_of(job_.shape)),
      optimizer(job_.optimizer, trace_, ranks_) {
  for (const auto l : units) make_unit(l);
}

/// Allocates a unit's model state as placed, and fills its weights from the generator.
void Stage::make_unit(std::size_t unit) {
  const std::size_t elements = job_.shape.elements(unit);
  const auto here = [&](Placement p) { return placed(p, elements, ranks_.size(), ranks_.rank()); };
  const auto first = [&](Placement p) {
    return p == Placement::full ? 0 : Shards{elements, ranks_.size()}.first(ranks_.rank());
  };
  const auto fill = [&](Numbers weights, std::size_t begin) {
    std::array<float, 1024> values;
    for (std::size_t i = 0; i < weights.size; i += values.size()) {
      const auto some = std::span(values).first(std::min(values.size(), weights.size - i));
      initial_parameters(job_.shape, job_.seed, unit, begin + i, some);
      narrow(std::span<const float>(some), weights.part(i, some.size()));
    }
  };

  parameters.emplace_back(memory_, Category::parameters, job_.precision,
                          here(placements_.parameters));
  fill(parameters.back(), first(placements_.parameters));
  auto& states = optimizer.add_unit(memory_, job_.precision, here(placements_.optimizer_states));
  fill(states.master, first(placements_.optimizer_states));

  Sum sum;
  sum.unit = unit;
  sum.stored = Buffer(memory_, Category::gradients, job_.precision, here(placements_.gradients));
  sum.stored.fill_zero();
  if (Reductions::accumulates(job_.reduce, plan_.rounds())) {
    sum.accumulator =
        Buffer(memory_, Category::accumulator, NumberType::fp64, here(placements_.gradients));
  }
  gradients.push_back(std::move(sum));
}

void Stage::load(Split split, std::span<const std::size_t> indices, Network::Keep keep) {
  const bool trained = keep == Network::Keep::all_activations;
  const auto input = model.start(indices.size(), keep, trained ? job_.activation_segments : 0);
  labels_.clear();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    data_.read(split, indices[i], input.subspan(i * data_.features(), data_.features()));
    labels_.push_back(data_.label(split, indices[i]));
  }
}

StepResult Stage::step(std::size_t index) {
  const std::size_t samples = plan_.samples_in(index);
  comm.start(static_cast<double>(samples) / static_cast<double>(job_.batch));
  for (Sum& sum : gradients) sum.state = Sum::State::empty;
  LossSum loss;
  for (std::size_t round = 0; round < plan_.rounds(); ++round) {
    const auto mine = plan_.indices(index, ranks_.rank(), round);
    trace_.phase("micro-batch {} of {}: {} samples, forward", round + 1, plan_.rounds(),
                 mine.size());
    last_micro_batch_ = round + 1 == plan_.rounds();
    load(Split::train, mine, Network::Keep::all_activations);
    forward();
    const LossSum more =
        model.loss(labels_, static_cast<float>(scaler_.scale() / static_cast<double>(job_.batch)),
                   std::min(0x1p20, 0x1p31 / static_cast<double>(samples)));
    loss.grid += more.grid;
    loss.not_finite += more.not_finite;
    trace_.phase("backward");
    backward();
    model.finish();
  }
  trace_.phase("average gradients");
  average_gradients();
  for (Sum& sum : gradients) comm.finish(sum);

  const StepResult result = agree(samples, loss);
  if (result.skipped) {
    trace_.phase("agree: not finite, skip");
    scaler_.skip();
  } else {
    trace_.phase("agree: gradient norm {:.6g}, update", result.grad_norm);
    optimizer.start_update(result.clip_factor / scaler_.scale());
    update();
    scaler_.grow();
  }
  return result;
}

StepResult Stage::agree(std::size_t samples, LossSum loss) {
  SquareSum squares;
  for (const Sum& sum : gradients) {
    squares.add(placements_.gradients == Placement::full ? my_shard(sum) : sum);
  }
  std::array<std::uint64_t, scalar_words> words{
      squares.limbs[0],   squares.limbs[1], squares.limbs[2], squares.limbs[3],
      squares.not_finite, loss.grid,        loss.not_finite};
  ranks_.sum(words);
  std::copy_n(words.begin(), squares.limbs.size(), squares.limbs.begin());

  StepResult result;
  result.samples = samples;
  result.loss_scale = scaler_.scale();
  result.skipped = words[4] > 0;
  result.loss = words[6] > 0
                    ? std::numeric_limits<double>::infinity()
                    : static_cast<double>(words[5]) * 0x1p-32 / static_cast<double>(samples);
  result.grad_norm = result.skipped ? std::numeric_limits<double>::infinity()
                                    : squares.norm(job_.precision) / scaler_.scale();
  if (!result.skipped && result.grad_norm > job_.clip_norm) {
    result.clip_factor = job_.clip_norm / result.grad_norm;
  }
  return result;
}

void Stage::resume(const ResumePoint& from) {
  plan_.resume(from.step, from.position);
  optimizer.resume(from.updates);
  scaler_.resume(from.scaler);
}

Evaluation Stage::evaluate() {
  const auto outside = ranks_.outside_training();
  const std::size_t samples = data_.samples(Split::test);
  const std::size_t blocks = (samples + evaluation_block - 1) / evaluation_block;
  std::uint64_t correct = 0;
  for (std::size_t before = 0; before < blocks; before += ranks_.size()) {
    const std::size_t begin = std::min((before + ranks_.rank()) * evaluation_block, samples);
    std::vector<std::size_t> indices(std::min(evaluation_block, samples - begin));
    std::iota(indices.begin(), indices.end(), begin);
    load(Split::test, indices, Network::Keep::last_activations);
    forward();
    correct += model.correct(labels_);
  }
  model.finish();
  ranks_.sum(std::span(&correct, 1));
  return {correct, samples};
}

FullUnit Stage::room_for(std::size_t unit) {
  Buffer full(memory_, Category::parameters, job_.precision, job_.shape.elements(unit));
  const ConstNumbers mine = parameters[unit];
  const Numbers place = my_shard(full);
  require(mine.size == place.size,
          "gather of unit {}: this rank's shard has {} elements, and {} are stored", unit,
          place.size, mine.size);
  std::copy_n(mine.data, mine.bytes(), place.data);
  return {std::move(full), trace_, "", unit, mine.size};
}

FullUnit Stage::gather(std::size_t unit) {
  FullUnit full = room_for(unit);
  ranks_.all_gather(full);
  const std::size_t elements = job_.shape.elements(unit);
  trace_.event(unit, "all-gather {} elements, holds {} → {}", elements, parameters[unit].size(),
               elements);
  return full;
}

void Stage::recompute_activations(std::size_t unit) {
  if (job_.activation_segments == 0) return;
  const auto [first, last] = segment_of(unit, units.size(), job_.activation_segments);
  if (unit < last) return;  // recomputed with the last
  for (std::size_t l = first; l <= last; ++l) {
    if (placements_.parameters == Placement::full) {
      model.recompute(l, parameters[l]);
    } else {
      model.recompute(l, gather(l));
    }
  }
}

Stage::Prefetch::Prefetch(Stage& stage, const std::vector<std::size_t>& order)
    : stage_(stage), order_(order) {
  start();
}

void Stage::Prefetch::start() {
  const std::size_t unit = order_[position_];
  unit_.emplace(stage_.room_for(unit));
  request_ = stage_.ranks_.start_all_gather(*unit_);
  stage_.trace_.event(unit, "start all-gather of {} elements", stage_.job_.shape.elements(unit));
}

FullUnit Stage::Prefetch::next() {
  request_.wait();
  FullUnit full = std::move(*unit_);
  unit_.reset();
  const std::size_t unit = order_[position_], elements = stage_.job_.shape.elements(unit);
  stage_.trace_.event(unit, "arrives, holds {} → {}", stage_.parameters[unit].size(), elements);
  if (++position_ < order_.size()) start();
  return full;
}

FullUnit Stage::new_gradient(std::size_t unit) {
  return {Buffer(memory_, Category::gradients, job_.precision, job_.shape.elements(unit)), trace_,
          "gradient ", unit, gradients[unit].stored.size()};
}

Numbers Stage::my_shard(Numbers full) const {
  const Shards cut{full.size, ranks_.size()};
  return full.part(cut.first(ranks_.rank()), cut.size(ranks_.rank()));
}

ConstNumbers Stage::my_shard_of(ConstNumbers full) const {
  const Shards cut{full.size, ranks_.size()};
  return full.part(cut.first(ranks_.rank()), cut.size(ranks_.rank()));
}

ConstNumbers Stage::my_parameters(std::size_t unit) const {
  return placements_.parameters == Placement::full ? my_shard_of(parameters[unit])
                                                   : parameters[unit];
}

}  // namespace zerolab
