#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/ops/datum.h"
#include "run/onnxruntime/library.h"
#include "run/onnxruntime/session_options.h"

namespace hone::ort {

/// What sessions share: logging, and threads when it was made with some. The library has one a process.
class Environment {
 public:
  /// Sessions have threads of their own.
  explicit Environment(std::shared_ptr<const Library> library);
  /// Sessions share `threads` threads, so that one session's idle threads are not in the way of another's work, and can
  /// share memory too (see SessionOptions).
  Environment(std::shared_ptr<const Library> library, int threads);

  const std::shared_ptr<const Library>& library() const { return library_; }
  CEnvironment* get() const { return environment_.get(); }
  bool shares_threads() const { return shares_threads_; }

 private:
  std::shared_ptr<const Library> library_;
  Owned<CEnvironment> environment_;
  bool shares_threads_ = false;
};

/// A model file in memory.
struct ModelBytes {
  std::string_view bytes;
};

/// A model made ready to run. The environment must outlive it.
class Session {
 public:
  /// From a file; external weights are found beside it.
  Session(const Environment& environment, const std::filesystem::path& file, const SessionOptions& options = {});
  /// From memory, which is not needed afterwards.
  Session(const Environment& environment, ModelBytes model, const SessionOptions& options = {});

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }

  /// Runs once: one datum an input in order, an empty one for an input that keeps its default; returns one an output.
  std::vector<Datum> run(std::span<const Datum> inputs) const;

  /// Ends profiling and names the file that holds the profile.
  std::filesystem::path end_profiling();

 private:
  friend class PreparedRun;
  Owned<CSessionOptions> make_options(const Environment& environment, const SessionOptions& options) const;
  void read_names();

  std::shared_ptr<const Library> library_;
  Owned<CSession> session_;
  std::vector<std::string> inputs_, outputs_;
};

/// A session with its inputs in place, to be run again and again; tensors are handed over without a copy. The session
/// must outlive it.
class PreparedRun {
 public:
  PreparedRun(const Session& session, std::span<const Datum> inputs);

  /// Runs the model and drops what it gives.
  void run() const;
  /// Runs the model; the tensors returned are the runtime's own memory and keep it alive.
  std::vector<Datum> outputs() const;

 private:
  std::vector<std::shared_ptr<CValue>> execute() const;

  const Session& session_;
  std::vector<Datum> data_;  // whose bytes the values refer to
  std::vector<Owned<CValue>> values_;
  std::vector<const CValue*> value_pointers_;
  std::vector<const char*> input_names_, output_names_;
};

}  // namespace hone::ort
