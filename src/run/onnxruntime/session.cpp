#include "run/onnxruntime/session.h"

#include <fmt/ranges.h>

#include "base/sentence.h"
#include "run/onnxruntime/tensor_exchange.h"

namespace hone::ort {

Environment::Environment(std::shared_ptr<const Library> library)
    : library_(std::move(library)), environment_(library_, kReleaseEnvironment) {
  library_->call(kCreateEnvironment, kLogErrors, "hone", environment_.place());
}

Environment::Environment(std::shared_ptr<const Library> library, int threads)
    : library_(std::move(library)), environment_(library_, kReleaseEnvironment), shares_threads_(true) {
  Owned<CThreading> threading(library_, kReleaseThreading);
  library_->call(kCreateThreading, threading.place());
  library_->call(kSetSharedIntraThreads, threading.get(), threads);
  library_->call(kSetSharedInterThreads, threading.get(), 1);
  library_->call(kCreateSharedEnvironment, kLogErrors, "hone", threading.get(), environment_.place());
  Owned<CMemory> memory(library_, kReleaseMemory);
  library_->call(kCreateCpuMemory, kArenaAllocator, kDefaultMemory, memory.place());
  library_->call(kRegisterAllocator, environment_.get(), memory.get(), nullptr);
}

Session::Session(const Environment& environment, const std::filesystem::path& file, const SessionOptions& options)
    : library_(environment.library()), session_(library_, kReleaseSession) {
  const Owned<CSessionOptions> made = make_options(environment, options);
  library_->call(kCreateSession, environment.get(), file.c_str(), made.get(), session_.place());
  read_names();
}

Session::Session(const Environment& environment, ModelBytes model, const SessionOptions& options)
    : library_(environment.library()), session_(library_, kReleaseSession) {
  const Owned<CSessionOptions> made = make_options(environment, options);
  library_->call(kCreateSessionFromMemory, environment.get(), model.bytes.data(), model.bytes.size(), made.get(),
                 session_.place());
  read_names();
}

Owned<CSessionOptions> Session::make_options(const Environment& environment, const SessionOptions& options) const {
  Owned<CSessionOptions> made(library_, kReleaseOptions);
  library_->call(kCreateOptions, made.place());
  CSessionOptions* const to = made.get();
  library_->call(kSetLogSeverity, to, kLogFatal);  // failures come back as a status and are told once
  library_->call(kSetOptimizationLevel, to, static_cast<int>(options.level));
  library_->call(kSetExecutionMode, to, static_cast<int>(options.mode));
  if (environment.shares_threads() && !options.own_threads) {
    library_->call(kUseSharedThreads, to);
  } else {
    library_->call(kSetIntraThreads, to, options.intra_threads);
    library_->call(kSetInterThreads, to, options.inter_threads);
  }
  if (!options.memory_pattern) library_->call(kDisableMemoryPattern, to);
  if (!options.arena) library_->call(kDisableArena, to);
  if (!options.profile.empty()) library_->call(kEnableProfiling, to, options.profile.c_str());
  if (!options.optimized_model.empty()) library_->call(kSetOptimizedFile, to, options.optimized_model.c_str());
  if (!options.disabled_optimizers.empty())
    library_->call(kAddEntry, to, "optimization.disable_specified_optimizers",
                   fmt::format("{}", fmt::join(options.disabled_optimizers, ";")).c_str());
  if (options.shared_arena) library_->call(kAddEntry, to, "session.use_env_allocators", "1");
  for (const auto& [key, value] : options.entries) library_->call(kAddEntry, to, key.c_str(), value.c_str());
  return made;
}

void Session::read_names() {
  CAllocator* allocator = nullptr;
  library_->call(kDefaultAllocator, &allocator);
  const auto read = [&](const auto& count_slot, const auto& name_slot) {
    std::size_t count = 0;
    library_->call(count_slot, session_.get(), &count);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      char* name = nullptr;
      library_->call(name_slot, session_.get(), i, allocator, &name);
      names.emplace_back(name);
      library_->call(kFree, allocator, name);
    }
    return names;
  };
  inputs_ = read(kInputCount, kInputName);
  outputs_ = read(kOutputCount, kOutputName);
}

std::vector<Datum> Session::run(std::span<const Datum> inputs) const { return PreparedRun(*this, inputs).outputs(); }

std::filesystem::path Session::end_profiling() {
  CAllocator* allocator = nullptr;
  library_->call(kDefaultAllocator, &allocator);
  char* name = nullptr;
  library_->call(kEndProfiling, session_.get(), allocator, &name);
  const std::filesystem::path file = name;
  library_->call(kFree, allocator, name);
  return file;
}

PreparedRun::PreparedRun(const Session& session, std::span<const Datum> given) : session_(session) {
  std::vector<Datum> inputs(given.begin(), given.end());
  // Inputs that have an initialiser do not count as such for the runtime; nothing is given for them.
  if (inputs.size() > session.inputs().size()) std::erase_if(inputs, [](const Datum& each) { return each.empty(); });
  if (inputs.size() != session.inputs().size())
    fail("the model takes {} inputs and was given {}", session.inputs().size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty()) continue;
    data_.push_back(aligned(inputs[i]));
    values_.push_back(within(fmt::format("input '{}'", session.inputs()[i]),
                             [&] { return to_value(session.library_, data_.back()); }));
    value_pointers_.push_back(values_.back().get());
    input_names_.push_back(session.inputs()[i].c_str());
  }
  for (const std::string& name : session.outputs()) output_names_.push_back(name.c_str());
}

std::vector<std::shared_ptr<CValue>> PreparedRun::execute() const {
  const std::shared_ptr<const Library>& library = session_.library_;
  std::vector<CValue*> made(output_names_.size(), nullptr);
  library->call(kRun, session_.session_.get(), nullptr, input_names_.data(), value_pointers_.data(),
                value_pointers_.size(), output_names_.data(), output_names_.size(), made.data());
  std::vector<std::shared_ptr<CValue>> values;
  for (CValue* value : made)
    values.emplace_back(value, [library](CValue* each) { library->release(kReleaseValue, each); });
  return values;
}

void PreparedRun::run() const {
  constexpr std::size_t kFewOutputs = 16;
  if (output_names_.size() > kFewOutputs) {
    execute();
    return;
  }
  // Without the heap, as this is what gets timed.
  CValue* made[kFewOutputs] = {};
  const Library& library = *session_.library_;
  library.call(kRun, session_.session_.get(), nullptr, input_names_.data(), value_pointers_.data(),
               value_pointers_.size(), output_names_.data(), output_names_.size(), made);
  for (CValue* value : made) library.release(kReleaseValue, value);
}

std::vector<Datum> PreparedRun::outputs() const {
  std::vector<Datum> results;
  for (const auto& value : execute()) results.push_back(to_datum(session_.library_, value));
  return results;
}

}  // namespace hone::ort
