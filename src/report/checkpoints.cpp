#include "zerolab/report/checkpoints.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "zerolab/report/checkpoint.hpp"
#include "zerolab/report/checkpoint_folder.hpp"
#include "zerolab/report/console.hpp"
#include "zerolab/report/job_json.hpp"
#include "zerolab/report/training.hpp"

namespace zerolab {

namespace fs = std::filesystem;

FolderLock::FolderLock(const std::string& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  require_done(folder_ >= 0, folder, "cannot be opened");
  // Ends with the process, however that ends. Some file systems have no locks.
  if (flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(folder_);
  throw Error(folder + ": another job is saving into this folder");
}

void FolderLock::require_in_place(const std::string& folder) const {
  struct stat locked {
  }, named{};
  require_done(fstat(folder_, &locked) == 0 && stat(folder.c_str(), &named) == 0, folder,
               "cannot be saved into");
  require(locked.st_dev == named.st_dev && locked.st_ino == named.st_ino,
          "{}: is another folder than the one this run has saved into", folder);
}

FolderLock::~FolderLock() {
  close(folder_);
}

namespace {

/// A run saves ahead of all that its folder holds, so that the newest there is always its own.
void require_nothing_newer(const Options& options, const JobData& data) {
  const CheckpointFolder folder = look_into(options.save);
  const auto last = folder.complete.rbegin();
  if (last == folder.complete.rend()) return;
  std::error_code none;
  const bool goes_on =
      data.resumed &&
      fs::equivalent(fs::absolute(data.resumed->path(), none).parent_path(), options.save, none);
  require(goes_on, "--save {}: holds {} already; go on from it with --resume {}, or save elsewhere",
          options.save, last->second, shell_word(options.save));
  require(
      last->first <= data.saved.at.step || fs::equivalent(last->second, data.resumed->path(), none),
      "--save {}: holds {}, newer than what is resumed; move it away, or save elsewhere",
      options.save, last->second);
}

}  // namespace

Checkpoints::Checkpoints(const Options& options, const JobData& data, Communicator& comm,
                         const StopRequest* request)
    : options_(options), data_(data), comm_(comm), request_(request) {
  if (options.save.empty()) return;
  together(comm, [&] {
    if (comm.rank() != 0) return;
    lock_.emplace(options.save);
    require_nothing_newer(options, data);
  });
  together(comm, [&] {
    require_done(access(options.save.c_str(), W_OK | X_OK) == 0, "--save " + options.save,
                 "not to be written into");
  });
}

StopReason Checkpoints::asked() {
  const auto outside = comm_.outside_training();
  // One rank's reason is all ranks'.
  return static_cast<StopReason>(comm_.maximum(static_cast<std::uint64_t>(request_->reason())));
}

void Checkpoints::after(std::size_t step, std::size_t samples, const Stage& stage) {
  if (options_.save.empty()) return;
  const bool last = step == data_.steps, first = step == data_.saved.at.step;
  if (first && !last) return;  // nothing is new yet
  std::error_code none;
  const bool saved_already =
      first && data_.resumed &&
      fs::equivalent(checkpoint_file(options_.save, step), data_.resumed->path(), none);
  if (saved_already) return;
  if (!last && request_ != nullptr) stopped_ = asked();
  const bool due = options_.save_every > 0 && step % options_.save_every == 0;
  if (last || stopped() || due) save(step, samples, stage);
}

void Checkpoints::save(std::size_t step, std::size_t samples, const Stage& stage) {
  const std::string file = checkpoint_file(options_.save, step);
  nlohmann::json run = run_json(options_.data, data_.job, options_.stage, comm_.size());
  run["global_batch"] = data_.plan.global_batch();
  const SavedRun saved{resumable_job(data_.job, *data_.data),
                       std::move(run),
                       {step, stage.plan().position(step), stage.optimizer_states().updates(),
                        stage.scaler().state()},
                       samples};
  together(comm_, [&] {
    if (lock_) lock_->require_in_place(options_.save);
  });
  save_states(file, saved.text(), stage, data_.job, comm_);
  last_ = file;
  ++saved_;
  if (comm_.rank() == 0) prune(step);
}

/// Older ones go only now that a newer one is complete; so does what was never completed.
void Checkpoints::prune(std::size_t newest) const {
  CheckpointFolder folder = look_into(options_.save);
  std::error_code none;
  for (const std::string& file : folder.partial) fs::remove(file, none);
  if (options_.keep == 0) return;
  folder.complete.erase(folder.complete.upper_bound(newest), folder.complete.end());
  for (auto oldest = folder.complete.begin(); folder.complete.size() > options_.keep;
       oldest = folder.complete.erase(oldest))
    fs::remove(oldest->second, none);
}

std::string Checkpoints::words() const {
  if (last_.empty()) return "";
  std::error_code none;
  std::string text =
      fmt::format("saved {} · {} bytes{}\n", last_, grouped(fs::file_size(last_, none)),
                  saved_ == 1 ? "" : fmt::format(" · {} written in all", saved_));
  if (stopped()) {
    text += fmt::format("stopped by {} before the last step; --resume {} goes on\n", name(stopped_),
                        shell_word(options_.save));
  }
  return text;
}

}  // namespace zerolab
