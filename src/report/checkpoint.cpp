#include "zerolab/report/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "zerolab/report/training.hpp"

namespace zerolab {

namespace {

std::vector<SavedState> states_of(const OptimizerSettings& optimizer) {
  std::vector<SavedState> states{SavedState::master};
  if (optimizer.has_momentum()) states.push_back(SavedState::momentum);
  if (optimizer.has_variance()) states.push_back(SavedState::variance);
  return states;
}

/// Where a state of a unit is kept; in fp32 the parameters are the master weights.
ConstNumbers stored(const Stage& stage, const Job& job, std::size_t unit, SavedState state) {
  const Optimizer::States& states = stage.optimizer_states().states()[unit];
  if (state == SavedState::momentum) return states.momentum;
  if (state == SavedState::variance) return states.variance;
  if (job.precision == NumberType::fp32) return stage.stored_parameters()[unit];
  return states.master;
}

void write_my_shards(CheckpointWriter& writer, const CheckpointHead& head, const Stage& stage,
                     const Job& job, const Communicator& comm) {
  for (const SavedState state : head.states) {
    for (std::size_t l = 0; l < job.shape.units(); ++l) {
      const Shards cut{job.shape.elements(l), comm.size()};
      const std::size_t first = cut.first(comm.rank());
      ConstNumbers mine = stored(stage, job, l, state);
      if (mine.size == cut.elements) mine = mine.part(first, cut.size(comm.rank()));
      writer.write(state, job.shape.first(l) + first, mine.as<const float>());
    }
  }
}

/// A name is on the disk when its folder is.
void sync_folder(const std::filesystem::path& file) {
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require_done(opened >= 0, folder, "cannot be opened");
  const bool synced = fsync(opened) == 0 || errno == EINVAL;  // some file systems have no such call
  const int fault = errno;
  close(opened);
  require(synced, "{}: writing failed: {}", folder, std::strerror(fault));
}

void complete(CheckpointWriter& writer, const std::string& file) {
  writer.write_head();
  writer.sync();
  require_done(std::rename(partial(file).c_str(), file.c_str()) == 0, file, "cannot be made");
  sync_folder(file);
}

}  // namespace

std::string partial(const std::string& file) {
  return file + ".partial";
}

void save_states(const std::string& file, const std::string& description, const Stage& stage,
                 const Job& job, Communicator& comm) try {
  const auto outside = comm.outside_training();
  const CheckpointHead head{
      comm.broadcast(description, 0), job.shape.parameters(), states_of(job.optimizer), {}};
  const bool first = comm.rank() == 0;
  together(comm, [&] {
    if (first) CheckpointWriter::create(partial(file), head);
  });
  std::optional<CheckpointWriter> writer;
  together(comm, [&] {
    writer.emplace(partial(file), head);
    write_my_shards(*writer, head, stage, job, comm);
    writer->sync();
  });
  comm.exclusive_or(writer->checksums());
  together(comm, [&] {
    if (first) complete(*writer, file);
  });
} catch (const AgreedError&) {
  std::error_code none;
  if (comm.rank() == 0) std::filesystem::remove(partial(file), none);
  throw;
}

void require_held(const CheckpointReader& checkpoint, const OptimizerSettings& optimizer) {
  for (const SavedState state : states_of(optimizer))
    require(checkpoint.head().holds(state),
            "{}: holds no {}, which this optimizer needs and nothing can make up",
            checkpoint.path(), name(state));
}

void load_states(const CheckpointReader& checkpoint, Stage& stage, const Job& job,
                 const Communicator& comm) {
  require(checkpoint.head().elements == job.shape.parameters(),
          "{}: holds {} parameters, and the job has {}", checkpoint.path(),
          checkpoint.head().elements, job.shape.parameters());
  require_held(checkpoint, job.optimizer);
  for (std::size_t l = 0; l < job.shape.units(); ++l) {
    const Shards cut{job.shape.elements(l), comm.size()};
    // Fills what is stored of the unit, full or this rank's shard.
    const auto fill = [&](SavedState state, Numbers to) {
      if (to.size == 0) return;
      const std::size_t first =
          job.shape.first(l) + (to.size == cut.elements ? 0 : cut.first(comm.rank()));
      checkpoint.read(state, first, to.size, [&](std::span<const float> values, std::size_t at) {
        narrow(values, to.part(at - first, values.size()));
      });
    };
    Optimizer::States& states = stage.optimizer_states().states()[l];
    fill(SavedState::master, stage.stored_parameters()[l]);
    fill(SavedState::master, states.master);
    fill(SavedState::momentum, states.momentum);
    fill(SavedState::variance, states.variance);
  }
}

}  // namespace zerolab
