#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "graph/ir/model.h"
#include "run/native/lanes.h"
#include "run/native/program.h"
#include "run/runtime/runtime.h"

namespace hone::native {

/// A model made ready by this runtime: what runs it may be another program from inputs to inputs.
class NativeModel : public PreparedModel {
 public:
  /// The program that runs the inputs at hand; null where none does.
  virtual class ProgramModel* running() = 0;
};

/// A program with memory to run in.
class ProgramModel final : public NativeModel {
 public:
  /// Lets the model go where no step runs by definition: its constants have been packed or copied.
  ProgramModel(std::shared_ptr<const Model> model, Program program);

  /// Of arena, scratch and constants.
  std::size_t held_bytes() const override;

  void set_inputs(std::span<const Datum> inputs) override;
  void run() override;
  std::vector<Datum> outputs() override;
  std::vector<std::string> notes() const override { return program_.notes; }
  std::vector<std::string> by_definition() const override { return program_.by_definition; }
  ProgramModel* running() override { return this; }

  /// One run on this thread with the time of every step.
  std::vector<double> time_steps();
  const Program& program() const { return program_; }

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, FreeMemory>;
  static Memory aligned_memory(std::size_t bytes);
  static std::size_t lane_count(const Program& program);
  RunMemory memory_of(std::size_t lane) const { return {.arrays = addresses_, .scratch = scratch_[lane].get()}; }
  void run_on_lanes();

  std::shared_ptr<const Model> model_;          // null where no step needs it
  std::vector<std::optional<Datum>> defaults_;  // by input of the graph
  std::vector<std::string> input_names_;
  Program program_;
  Memory arena_;
  std::vector<Memory> scratch_;        // by lane
  std::unique_ptr<LaneRunner> lanes_;  // where there is more than one
  std::vector<std::byte*> addresses_;  // by array
  std::vector<Datum> inputs_;
};

}  // namespace hone::native
