#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "graph/ir/model.h"
#include "run/native/program.h"
#include "run/runtime/runtime.h"

namespace hone::native {

/// A model made ready by this runtime: what runs it may be another program from inputs to inputs.
class NativeModel : public PreparedModel {
 public:
  /// One run with the time of every step; false where there are no steps to time.
  virtual bool record(KernelProfile& profile, double start) = 0;
};

/// A program with memory to run in.
class ProgramModel final : public NativeModel {
 public:
  ProgramModel(std::shared_ptr<const Model> model, Program program);

  void set_inputs(std::span<const Datum> inputs) override;
  void run() override;
  std::vector<Datum> outputs() override;
  std::vector<std::string> notes() const override { return program_.notes; }
  std::vector<std::string> by_definition() const override { return program_.by_definition; }
  bool record(KernelProfile& profile, double start) override;

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, FreeMemory>;
  static Memory aligned_memory(std::size_t bytes);

  std::shared_ptr<const Model> model_;
  Program program_;
  Memory arena_, scratch_;
  std::vector<std::byte*> addresses_;  // by array
  std::vector<Datum> inputs_;
};

}  // namespace hone::native
