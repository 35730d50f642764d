#include "zerolab/report/cost_model.hpp"

namespace zerolab {

namespace {

constexpr std::size_t fp32_bytes = 4, fp64_bytes = 8;

/// Sums and maxima over units that the formulas need, on one rank.
struct Elements {
  std::size_t all = 0, shard = 0, largest_unit = 0;
  std::size_t largest_pair = 0;  ///< of two units that follow each other; or the only one
};

Elements elements_of(const NetworkShape& shape, std::size_t ranks, std::size_t rank) {
  Elements e;
  for (std::size_t l = 0; l < shape.units(); ++l) {
    e.all += shape.elements(l);
    e.shard += Shards{shape.elements(l), ranks}.size(rank);
    e.largest_unit = std::max(e.largest_unit, shape.elements(l));
    const std::size_t before = l > 0 ? shape.elements(l - 1) : 0;
    e.largest_pair = std::max(e.largest_pair, before + shape.elements(l));
  }
  return e;
}

/// Bytes a reduction needs beside its operands: a chunk of doubles, the received pieces, or
/// nothing; overlapped, those of a whole unit and this rank's shard of its sum.
std::size_t buffer_bytes(const Run& run, std::size_t rank) {
  std::size_t bytes = 0;
  for (std::size_t l = 0; l < run.job.shape.units(); ++l) {
    const std::size_t phi = run.job.shape.elements(l);
    const std::size_t limit = run.job.overlap ? phi : run.job.chunk_elements;
    const Chunks chunks({phi, run.ranks}, limit);
    const std::size_t arriving = run.job.overlap ? chunks.shards.size(rank) : 0;
    if (run.job.reduce == ReduceMode::exact) {
      bytes = std::max(bytes, fp64_bytes * (std::min(limit, phi) + arriving));
    } else if (run.job.reduce == ReduceMode::ordered) {
      bytes = std::max(bytes, width(run.job.precision) * run.ranks * chunks.size(0, rank));
    } else {
      bytes = std::max(bytes, width(run.job.precision) * arriving);
    }
  }
  return bytes;
}

/// Samples in the rank's largest micro-batch: the first of the run or of its first new epoch, which
/// are never shorter than those after them.
std::size_t largest_batch(const Run& run, std::size_t rank) {
  const BatchPlan plan{run.training_samples,
                       run.ranks,
                       run.job.micro_batches(run.ranks),
                       run.job.batch,
                       run.job.seed,
                       0,
                       run.origin};
  const std::size_t new_epoch = plan.steps_until(run.origin.epoch + 1);
  const auto samples = [&](std::size_t step) {
    return step < run.steps ? plan.samples_in(step, rank, 0) : 0;
  };
  return std::max(samples(0), samples(new_epoch));
}

std::size_t largest_block(const Run& run, std::size_t rank) {
  const std::size_t before = rank * run.evaluation_block;
  return std::min(run.evaluation_block, run.test_samples - std::min(before, run.test_samples));
}

/// How often a micro-batch uses each unit's parameters: forward, backward, and with activation
/// checkpointing once more between them.
std::size_t passes(const Job& job) {
  return job.activation_segments > 0 ? 3 : 2;
}

/// One unit's collectives on this rank, in elements on the ring.
struct Ring {
  std::size_t phi, reduce_scatter, all_gather, chunks;
};

Ring ring_of(const Run& run, std::size_t unit, std::size_t rank) {
  const std::size_t phi = run.job.shape.elements(unit);
  const Shards cut{phi, run.ranks};
  return {phi, phi - cut.size(rank), phi - cut.size((rank + 1) % run.ranks),
          run.job.overlap ? 1 : Chunks(cut, run.job.chunk_elements).count()};
}

Traffic bytes(std::size_t calls, std::size_t elements, std::size_t ring_elements,
              std::size_t width) {
  return {calls, elements, elements * width, ring_elements * width};
}

Traffic& line(TrafficTable& table, Collective collective) {
  return table[static_cast<std::size_t>(collective)];
}

/// Adds `times` sums of a unit over all ranks.
void add_all_reduce(TrafficTable& table, const Run& run, const Ring& ring, std::size_t times) {
  const std::size_t w = width(run.job.precision), both = ring.reduce_scatter + ring.all_gather;
  switch (run.job.reduce) {
    case ReduceMode::exact:
      line(table, Collective::all_reduce) += bytes(ring.chunks, ring.phi, both, fp64_bytes) * times;
      break;
    case ReduceMode::ordered:
      line(table, Collective::all_to_all) +=
          bytes(ring.chunks, ring.phi, ring.reduce_scatter, w) * times;
      line(table, Collective::all_gather) += bytes(1, ring.phi, ring.all_gather, w) * times;
      break;
    case ReduceMode::mpi:
      line(table, Collective::all_reduce) += bytes(1, ring.phi, both, w) * times;
      break;
  }
}

void add_reduce_scatter(TrafficTable& table, const Run& run, const Ring& ring, std::size_t times) {
  const std::size_t w = width(run.job.precision);
  switch (run.job.reduce) {
    case ReduceMode::exact:
      line(table, Collective::reduce_scatter) +=
          bytes(ring.chunks, ring.phi, ring.reduce_scatter, fp64_bytes) * times;
      break;
    case ReduceMode::ordered:
      line(table, Collective::all_to_all) +=
          bytes(ring.chunks, ring.phi, ring.reduce_scatter, w) * times;
      break;
    case ReduceMode::mpi:
      line(table, Collective::reduce_scatter) += bytes(1, ring.phi, ring.reduce_scatter, w) * times;
      break;
  }
}

}  // namespace

MemoryTable memory_formula(const Run& run, std::size_t rank) {
  const Job& job = run.job;
  const Placements place = placements_of(run.stage);
  const Elements e = elements_of(job.shape, run.ranks, rank);
  const auto here = [&](Placement p) { return p == Placement::full ? e.all : e.shard; };
  const std::size_t w = width(job.precision);
  const bool trained = run.steps > 0;
  const std::size_t k = job.rounds(run.ranks);

  MemoryTable table{};
  const auto set = [&](Category category, std::size_t now, std::size_t for_a_while = 0) {
    table[static_cast<std::size_t>(category)] = {now, now + for_a_while};
  };
  const bool gathers = place.parameters == Placement::shard && (trained || run.test_samples > 0);
  // Overlapped, the next unit is on its way while one is used, and one gradient while the next is
  // made.
  const std::size_t at_a_time = job.overlap ? e.largest_pair : e.largest_unit;
  set(Category::parameters, w * here(place.parameters), gathers ? w * at_a_time : 0);
  // A micro-batch's gradient of one unit, unless it can be written where the sum is kept.
  const bool apart = place.gradients == Placement::shard || k > 1;
  const std::size_t held = place.gradients == Placement::shard ? at_a_time : e.largest_unit;
  set(Category::gradients, w * here(place.gradients), apart && trained ? w * held : 0);
  if (Reductions::accumulates(job.reduce, k)) {
    set(Category::accumulator, fp64_bytes * here(place.gradients));
  }
  const std::size_t states = fp32_bytes * here(place.optimizer_states);
  if (job.precision != NumberType::fp32) set(Category::master, states);
  if (job.optimizer.has_momentum()) set(Category::momentum, states);
  if (job.optimizer.has_variance()) set(Category::variance, states);
  set(Category::activations, 0,
      job.shape.activation_bytes(largest_batch(run, rank), largest_block(run, rank), job.precision,
                                 job.activation_segments));
  set(Category::buffers, 0, trained ? buffer_bytes(run, rank) : 0);
  set(Category::data, run.data_bytes);
  return table;
}

TrafficTable traffic_formula(const Run& run, std::size_t rank) {
  const std::size_t k = run.job.rounds(run.ranks), w = width(run.job.precision);
  const std::size_t updates = run.steps - run.skipped;
  TrafficTable table{};
  for (std::size_t l = 0; l < run.job.shape.units(); ++l) {
    const Ring ring = ring_of(run, l, rank);
    if (run.stage == 0 && run.job.overlap) {  // the two halves
      add_reduce_scatter(table, run, ring, run.steps);
      line(table, Collective::all_gather) += bytes(1, ring.phi, ring.all_gather, w) * run.steps;
    } else if (run.stage <= 1) {
      add_all_reduce(table, run, ring, run.steps);
    } else {
      add_reduce_scatter(table, run, ring, k * run.steps);
    }
    const std::size_t gathers = run.stage == 3   ? passes(run.job) * k * run.steps
                                : run.stage == 0 ? 0
                                                 : updates;
    line(table, Collective::all_gather) += bytes(1, ring.phi, ring.all_gather, w) * gathers;
  }
  constexpr std::size_t words =
      7;  // norm in four limbs, overflow, loss, samples without a finite loss
  const Shards cut{words, run.ranks};
  const std::size_t ring = 2 * words - cut.size(rank) - cut.size((rank + 1) % run.ranks);
  line(table, Collective::scalars) = bytes(1, words, ring, sizeof(std::uint64_t)) * run.steps;
  return table;
}

std::vector<State> model_states(const Job& job, int stage) {
  const Placements place = placements_of(stage);
  const std::size_t w = width(job.precision);
  std::vector<State> states{{Category::parameters, w, place.parameters},
                            {Category::gradients, w, place.gradients}};
  const auto add = [&](bool present, Category category) {
    if (present) states.push_back({category, fp32_bytes, place.optimizer_states});
  };
  add(job.precision != NumberType::fp32, Category::master);
  add(job.optimizer.has_momentum(), Category::momentum);
  add(job.optimizer.has_variance(), Category::variance);
  return states;
}

StateBytes state_bytes(const std::vector<State>& states) {
  StateBytes bytes{0, 0};
  for (const State& state : states) {
    (state.placement == Placement::full ? bytes.full : bytes.sharded) += state.bytes;
  }
  return bytes;
}

StateBytes state_bytes(const Job& job, int stage) {
  return state_bytes(model_states(job, stage));
}

std::string formula(const StateBytes& bytes) {
  if (bytes.sharded == 0) return fmt::format("{}Φ", bytes.full);
  if (bytes.full == 0) return fmt::format("{}Φ/N", bytes.sharded);
  return fmt::format("{}Φ+{}Φ/N", bytes.full, bytes.sharded);
}

UnitCalls calls_per_unit(const Job& job, int stage, std::size_t ranks) {
  // Not from rounds(): N·k need not fit into a word where only the formulas are asked for.
  const std::size_t k = job.virtual_shards > 0 ? job.rounds(ranks) : job.accumulate;
  switch (stage) {
    case 0:
      return {1, 0, 0};
    case 1:
      return {1, 0, 1};
    case 2:
      return {0, k, 1};
    default:
      return {0, k, passes(job) * k};
  }
}

Volume volume(const Job& job, int stage, std::size_t ranks) {
  const auto [all_reduce, reduce_scatter, all_gather] = calls_per_unit(job, stage, ranks);
  Volume v{all_reduce + reduce_scatter + all_gather, 2 * all_reduce + reduce_scatter + all_gather};
  if (job.reduce == ReduceMode::ordered || job.overlap) v.payload = v.wire;
  return v;
}

}  // namespace zerolab
