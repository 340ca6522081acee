#pragma once

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "learn/policy/safetensors.h"
#include "learn/policy/training_request.h"
#include "learn/train/event_file.h"
#include "plan/problem/workload.h"

namespace hone::learn {

/// While one exists, no other process trains in the folder.
class FolderLock {
 public:
  /// Throws InputError when another has it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// A run of training as it is on disk: the folder it writes to, and how far it has come. A folder is for one run: the
/// same request goes on from the checkpoint there, another one is refused.
class TrainingRun {
 public:
  /// Makes the folder. Throws InputError when it cannot be written, or is that of another run.
  TrainingRun(const TrainingRequest& request, const std::vector<Workload>& graphs);

  /// What the run has left there, if it has begun before.
  const std::optional<Safetensors>& checkpoint() const { return checkpoint_; }
  /// Steps done.
  std::uint64_t step() const { return step_; }

  /// What one kind of training does.
  struct Trainer {
    std::function<void()> step;  // ends with `end_step`, unless Ctrl-C has spoilt it
    std::function<void()> save;  // calls `save`
  };
  /// Steps until there were as many as are asked for, time is over or Ctrl-C is pressed; saves now and then, and last.
  void train(const Trainer& trainer);

  /// Figures go to progress.csv and TensorBoard's file, where those that are not finite are left out, and `line` to the
  /// user. Throws InputError when they cannot be written.
  void end_step(std::span<const EventFile::Scalar> figures, const std::string& line);
  /// Writes the policy, with what is known of the run on its card, and the checkpoint. Throws InputError, with files as
  /// they were, when the policy is none that could be used.
  void save(Safetensors policy, Safetensors state);

 private:
  void resume();
  bool goes_on() const;
  void start_log(std::span<const EventFile::Scalar> figures);
  double seconds() const { return seconds_before_ + timer_.seconds(); }
  std::filesystem::path policy_path() const { return request_.out / "policy.safetensors"; }
  std::filesystem::path checkpoint_path() const { return request_.out / "checkpoint.safetensors"; }

  TrainingRequest request_;
  FolderLock lock_;
  std::string data_hash_;
  std::optional<Safetensors> checkpoint_;
  std::uint64_t step_ = 0;
  std::optional<std::uint64_t> saved_step_;
  Timer timer_;
  double seconds_before_ = 0;  // of training before this process
  std::ofstream log_;
  std::optional<EventFile> events_;
};

}  // namespace hone::learn
