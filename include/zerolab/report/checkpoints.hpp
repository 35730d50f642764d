#pragma once

#include <optional>
#include <string>

#include "zerolab/report/job_data.hpp"
#include "zerolab/report/stop_request.hpp"

namespace zerolab {

/// A folder that this process alone saves into while one lives. Throws Error when another does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  /// Throws Error unless `folder` still leads where it did: another run's may lie there by now.
  void require_in_place(const std::string& folder) const;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

/// What train does about checkpoints: saves when the options say so, at the end, and when it is
/// asked to stop; without --save nothing. All ranks together.
class Checkpoints {
 public:
  /// Throws AgreedError when the folder cannot be used, before anything is trained. Without a
  /// request nothing stops the run.
  Checkpoints(const Options& options, const JobData& data, Communicator& comm,
              const StopRequest* request);

  /// Before the first step, where there is none to be trained, and after each: `samples` were
  /// trained so far.
  void after(std::size_t step, std::size_t samples, const Stage& stage);
  /// Whether the run was asked to end here, before its last step.
  bool stopped() const { return stopped_ != StopReason::none; }
  StopReason reason() const { return stopped_; }
  /// What was saved, in lines for the user; rank 0.
  std::string words() const;

 private:
  StopReason asked();
  void save(std::size_t step, std::size_t samples, const Stage& stage);
  void prune(std::size_t newest) const;

  const Options& options_;
  const JobData& data_;
  Communicator& comm_;
  std::optional<FolderLock> lock_;
  const StopRequest* request_;
  StopReason stopped_ = StopReason::none;
  std::size_t saved_ = 0;  ///< files
  std::string last_;       ///< the newest of them
};

}  // namespace zerolab
