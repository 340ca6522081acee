#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "learn/network/safetensors.h"
#include "learn/policy/training_outcome.h"
#include "learn/policy/training_request.h"
#include "learn/train/event_file.h"
#include "learn/train/trainer.h"

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
  TrainingRun(const TrainingRequest& request, const TrainerKind& kind, std::string fingerprint);

  /// Steps until there were as many as are asked for, time is over or Ctrl-C is pressed; saves now and then, and last.
  /// Goes on from the checkpoint, if the run has begun before. Throws InputError when files cannot be written.
  /// The policy is saved elsewhere then.
  void train(Trainer& trainer);
  TrainingOutcome outcome() const;

 private:
  void step_until_end(Trainer& trainer);
  [[noreturn]] void rescue(const Trainer& trainer, const std::string& failure);
  Safetensors finished_policy(const Trainer& trainer) const;
  /// Figures go to progress.csv and TensorBoard's file, where those that are not finite are left out, and a line to the
  /// user.
  void end_step(const StepReport& report);
  /// Writes the policy, with what is known of the run on its card, and the checkpoint. Throws InputError, with files as
  /// they were, when the policy is none that could be used.
  void save(const Trainer& trainer);
  void complete_card(Safetensors& policy) const;
  void resume();
  bool goes_on() const;
  void start_log(std::span<const EventFile::Scalar> figures);
  double seconds() const { return seconds_before_ + timer_.seconds(); }
  std::filesystem::path policy_path() const { return request_.out / "policy.safetensors"; }
  std::filesystem::path checkpoint_path() const { return request_.out / "checkpoint.safetensors"; }

  TrainingRequest request_;
  const TrainerKind& kind_;
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
