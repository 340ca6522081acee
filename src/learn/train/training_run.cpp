#include "learn/train/training_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/output_target.h"
#include "base/progress.h"
#include "base/verbosity.h"
#include "learn/policy/card.h"
#include "learn/policy/policy.h"
#include "learn/train/checkpoint.h"

namespace hone::learn {
namespace {

constexpr const char* kOption = "option.";  // what names of options begin with in a checkpoint

[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: cannot write: {}", path.string(), why), ExitCode::internal_error);
}

/// Lines of a log up to a step; what was logged after the last checkpoint will be done again.
std::string lines_until(const std::filesystem::path& path, std::uint64_t step) {
  std::ifstream file(path);
  std::string kept, line;
  for (std::uint64_t count = 0; count <= step && std::getline(file, line); ++count) kept += line + "\n";
  return kept;
}

const std::filesystem::path& made_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_writing(folder, error.message());
  return folder;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Not every file system has locks; where there are none, nobody is kept out.
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  fail_usage("{}: another hone is training in this folder", folder.string());
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

TrainingRun::TrainingRun(const TrainingRequest& request, const TrainerKind& kind, std::string fingerprint)
    : request_(request), kind_(kind), lock_(made_folder(request.out)), data_hash_(std::move(fingerprint)) {
  OutputFile(request.out / "progress.csv");  // tells now what would fail after hours
  if (std::filesystem::exists(checkpoint_path())) resume();
}

void TrainingRun::resume() {
  checkpoint_ = read_safetensors(checkpoint_path());
  const auto expect = [&](const std::string& key, const std::string& wanted, const std::string& name) {
    const auto found = checkpoint_->metadata.find(key);
    if (found == checkpoint_->metadata.end() || found->second != wanted)
      fail_usage("{}: holds a run with another {} ({:.60}, not {:.60}); name another folder, or go on with the same",
                 request_.out.string(), name, found == checkpoint_->metadata.end() ? "none" : found->second, wanted);
  };
  expect("method", request_.method, "method");
  for (const auto& [option, value] : options_of(request_, kind_.first_network()))
    expect(kOption + option, value, "--" + option);
  expect("data_hash", data_hash_, "set of graphs");
  step_ = static_cast<std::uint64_t>(std::clamp(number_in(*checkpoint_, "step"), 0.0, 1e15));
  seconds_before_ = number_in(*checkpoint_, "seconds");
  saved_step_ = step_;
}

bool TrainingRun::goes_on() const { return step_ < request_.steps && seconds() < request_.seconds && !interrupted(); }

void TrainingRun::train(Trainer& trainer) {
  struct Line {
    ~Line() { keep_progress(); }  // also before an error is told
  } const line;
  if (checkpoint_) trainer.load(*std::exchange(checkpoint_, std::nullopt));
  timer_ = Timer();
  try {
    step_until_end(trainer);
  } catch (const InputError& error) {
    if (error.code() != ExitCode::internal_error || saved_step_ == step_) throw;
    rescue(trainer, error.what());
  }
}

TrainingOutcome TrainingRun::outcome() const {
  const SearchEnd end = interrupted()             ? SearchEnd::interrupted
                        : step_ >= request_.steps ? SearchEnd::evaluations
                                                  : SearchEnd::seconds;
  return {.end = end, .steps = step_, .seconds = seconds()};
}

void TrainingRun::step_until_end(Trainer& trainer) {
  while (goes_on()) {
    if (const std::optional<StepReport> report = trainer.step(step_)) end_step(*report);
    if (step_ % request_.save_every == 0 && saved_step_ != step_) save(trainer);
  }
  if (saved_step_ != step_) save(trainer);
}

void TrainingRun::start_log(std::span<const EventFile::Scalar> figures) {
  const std::filesystem::path path = request_.out / "progress.csv";
  std::string kept = lines_until(path, step_);
  if (step_ == 0 || kept.empty()) {
    kept = "step,seconds";
    for (const auto& [name, value] : figures) kept += fmt::format(",{}", name);
    kept += "\n";
  }
  OutputFile file(path);
  file.write(kept);
  file.commit();
  log_.open(path, std::ios::app);
  events_.emplace(request_.out, step_ + 1);
}

void TrainingRun::end_step(const StepReport& report) {
  const std::vector<EventFile::Scalar>& figures = report.figures;
  if (!events_) start_log(figures);
  ++step_;
  std::string row = fmt::format("{},{:.1f}", step_, seconds());
  for (const auto& [name, value] : figures) row += std::isfinite(value) ? fmt::format(",{:.5f}", value) : ",";
  log_ << row << std::endl;
  if (!log_) fail_writing(request_.out / "progress.csv", "the disk may be full");
  events_->add(step_, figures);
  const std::string said = fmt::format("step {}, {:.0f} s: {}", step_, seconds(), report.line);
  show_progress(said);
  if (!shows_progress() && step_ % request_.save_every == 0) print_note(said);
}

void TrainingRun::complete_card(Safetensors& policy) const {
  const std::string part(kind_.card_prefix());
  std::string& command = policy.metadata["command"];
  command += (command.empty() ? "" : " && ") + command_of(request_, kind_.first_network());
  policy.metadata["method"] = kind_.family();
  policy.metadata["objective"] = request_.objective;
  policy.metadata.emplace("licence", "not stated");  // unless the policy that was started from has one
  if (!request_.licence.empty()) policy.metadata["licence"] = request_.licence;
  policy.metadata[part + "machine"] = request_.machine;
  policy.metadata[part + "data"] = fmt::format("{}", fmt::join(request_.data, " "));
  policy.metadata[part + "data_hash"] = data_hash_;
  policy.metadata[part + "seed"] = std::to_string(request_.seed);
  policy.metadata[part + "time"] = fmt::format("{:.0f} s, {} threads", seconds(), request_.threads);
  seal(policy);
}

/// Throws when the policy is none that could be used.
Safetensors TrainingRun::finished_policy(const Trainer& trainer) const {
  Safetensors policy = trainer.policy(step_);
  complete_card(policy);
  const Policy usable(policy, fmt::format("{}, step {}", policy_path().string(), step_));
  return policy;
}

/// What was learned since the last checkpoint is not lost with the disk.
void TrainingRun::rescue(const Trainer& trainer, const std::string& failure) {
  const Safetensors policy = finished_policy(trainer);
  const SavedOutput saved =
      save_or_elsewhere(policy_path(), [&](const std::filesystem::path& path) { write_safetensors(path, policy); });
  throw InputError(saved.failure.empty() ? failure : saved.failure, ExitCode::internal_error);
}

void TrainingRun::save(const Trainer& trainer) {
  write_safetensors(policy_path(), finished_policy(trainer));
  Safetensors state = trainer.state();
  state.metadata["method"] = request_.method;
  for (const auto& [option, value] : options_of(request_, kind_.first_network()))
    state.metadata[kOption + option] = value;
  state.metadata["data_hash"] = data_hash_;
  state.metadata["step"] = std::to_string(step_);
  state.metadata["seconds"] = fmt::format("{}", seconds());
  write_safetensors(checkpoint_path(), state);
  saved_step_ = step_;
}

}  // namespace hone::learn
