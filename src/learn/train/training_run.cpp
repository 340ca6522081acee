#include "learn/train/training_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "learn/policy/policy.h"
#include "learn/train/checkpoint.h"
#include "plan/problem/plan_file.h"

namespace hone::learn {
namespace {

constexpr const char* kOption = "option.";  // what names of options begin with in a checkpoint

[[noreturn]] void fail_writing(const std::filesystem::path& path, const std::string& why) {
  throw InputError(fmt::format("{}: cannot write: {}", path.string(), why), ExitCode::internal_error);
}

std::string hash_of(const std::vector<Workload>& graphs) {
  std::uint64_t hash = graphs.size();
  for (const Workload& graph : graphs) hash = mix(hash, fingerprint(graph));
  return fmt::format("{:016x}", hash);
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

TrainingRun::TrainingRun(const TrainingRequest& request, const std::vector<Workload>& graphs)
    : request_(request), lock_(made_folder(request.out)), data_hash_(hash_of(graphs)) {
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
  for (const auto& [option, value] : options_of(request_)) expect(kOption + option, value, "--" + option);
  expect("data_hash", data_hash_, "set of graphs");
  step_ = static_cast<std::uint64_t>(std::clamp(number_in(*checkpoint_, "step"), 0.0, 1e15));
  seconds_before_ = number_in(*checkpoint_, "seconds");
  saved_step_ = step_;
}

bool TrainingRun::goes_on() const { return step_ < request_.steps && seconds() < request_.seconds && !interrupted(); }

void TrainingRun::train(const Trainer& trainer) {
  struct Line {
    ~Line() { keep_progress(); }  // also before an error is told
  } const line;
  timer_ = Timer();
  while (goes_on()) {
    trainer.step();
    if (step_ % request_.save_every == 0 && saved_step_ != step_) trainer.save();
  }
  if (saved_step_ != step_) trainer.save();
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

void TrainingRun::end_step(std::span<const EventFile::Scalar> figures, const std::string& line) {
  if (!events_) start_log(figures);
  ++step_;
  std::string row = fmt::format("{},{:.1f}", step_, seconds());
  for (const auto& [name, value] : figures) row += std::isfinite(value) ? fmt::format(",{:.5f}", value) : ",";
  log_ << row << std::endl;
  if (!log_) fail_writing(request_.out / "progress.csv", "the disk may be full");
  events_->add(step_, figures);
  const std::string said = fmt::format("step {}, {:.0f} s: {}", step_, seconds(), line);
  show_progress(said);
  if (isatty(STDERR_FILENO) == 0 && step_ % request_.save_every == 0) fmt::print(stderr, "{}\n", said);
}

void TrainingRun::save(Safetensors policy, Safetensors state) {
  const std::string part = request_.method == "regal-moves" ? "moves_" : "";
  std::string& command = policy.metadata["command"];
  command += (command.empty() ? "" : " && ") + command_of(request_);
  policy.metadata["method"] = "regal";
  policy.metadata["schema"] = kFeatureSchema;
  policy.metadata["objective"] = request_.objective;
  policy.metadata.emplace("licence", "not stated");  // unless the policy that was started from has one
  if (!request_.licence.empty()) policy.metadata["licence"] = request_.licence;
  policy.metadata[part + "machine"] = request_.machine;
  policy.metadata[part + "data"] = fmt::format("{}", fmt::join(request_.data, " "));
  policy.metadata[part + "data_hash"] = data_hash_;
  policy.metadata[part + "seed"] = std::to_string(request_.seed);
  policy.metadata[part + "time"] = fmt::format("{:.0f} s, {} threads", seconds(), request_.threads);
  seal(policy);
  const Policy usable(policy, fmt::format("{}, step {}", policy_path().string(), step_));
  write_safetensors(policy_path(), policy);
  state.metadata["method"] = request_.method;
  for (const auto& [option, value] : options_of(request_)) state.metadata[kOption + option] = value;
  state.metadata["data_hash"] = data_hash_;
  state.metadata["step"] = std::to_string(step_);
  state.metadata["seconds"] = fmt::format("{}", seconds());
  write_safetensors(checkpoint_path(), state);
  saved_step_ = step_;
}

}  // namespace hone::learn
