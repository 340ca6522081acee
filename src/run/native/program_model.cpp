#include "run/native/program_model.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "run/native/tiny_numbers.h"

namespace hone::native {
namespace {

constexpr std::size_t kPage = 4096;

/// By the clock that is read without asking the system, which would take as long as a small step and disturb the next;
/// what else runs falls into few steps of few runs.
double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What reading that clock takes.
double clock_seconds() {
  static const double shortest = [] {
    double least = 1;
    for (int i = 0; i < 1000; ++i) {
      const double before = now_seconds();
      least = std::min(least, now_seconds() - before);
    }
    return least;
  }();
  return shortest;
}

}  // namespace

ProgramModel::Memory ProgramModel::aligned_memory(std::size_t bytes) {
  const std::size_t rounded = (bytes + kPage) / kPage * kPage;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
  if (!memory) fail("no memory for an arena of {} bytes", rounded);
  return memory;
}

ProgramModel::ProgramModel(std::shared_ptr<const Model> model, Program program)
    : program_(std::move(program)), arena_(aligned_memory(program_.arena_bytes)) {
  if (lane_count(program_) > 1) lanes_ = std::make_unique<LaneRunner>(program_);
  for (std::size_t i = 0; i < lane_count(program_); ++i) scratch_.push_back(aligned_memory(program_.scratch_bytes));
  for (const Array& array : program_.arrays) {
    std::byte* address = arena_.get() + array.offset;
    if (array.kind == Array::Kind::constant) address = const_cast<std::byte*>(array.constant.bytes().data());
    addresses_.push_back(address);
  }
  for (const ValueId id : model->graph.inputs()) {
    const Value& value = model->graph.value(id);
    defaults_.push_back(value.constant ? std::optional<Datum>(*value.constant) : std::nullopt);
    input_names_.push_back(value.name);
  }
  if (!program_.by_definition.empty()) model_ = std::move(model);
}

std::size_t ProgramModel::held_bytes() const {
  std::size_t bytes = program_.arena_bytes + scratch_.size() * program_.scratch_bytes;
  for (const Array& array : program_.arrays)
    if (array.kind == Array::Kind::constant) bytes += array.constant.bytes().size();
  for (const auto& step : program_.steps) bytes += step->held_bytes();
  return bytes;
}

void ProgramModel::set_inputs(std::span<const Datum> inputs) {
  inputs_.assign(inputs.begin(), inputs.end());
  inputs_.resize(defaults_.size());
  for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array& array = program_.arrays[i];
    if (array.kind != Array::Kind::input) continue;
    Datum& given = inputs_[array.input];
    if (given.empty()) {
      if (!defaults_[array.input]) fail("input '{}' is not given and has no default", input_names_[array.input]);
      given = *defaults_[array.input];
    }
    given = given.tensor().aligned();
    if (given.tensor().bytes().size() != array.bytes)
      fail("an input has another size than the model was made ready for");
    addresses_[i] = const_cast<std::byte*>(given.tensor().bytes().data());
  }
}

std::size_t ProgramModel::lane_count(const Program& program) {
  std::uint32_t last = 0;
  for (const auto& step : program.steps) last = std::max(last, step->lane);
  return last + 1;
}

/// A thread a lane, which shares no step with others.
void ProgramModel::run_on_lanes() {
  lanes_->run([this](const Step& step, std::uint32_t lane) {
    const OneThread alone;
    const TinyNumbersAreZero flush;
    step.run(memory_of(lane));
  });
}

void ProgramModel::run() {
  if (lanes_) return run_on_lanes();
  const TinyNumbersAreZero flush;
  const RunMemory memory = memory_of(0);
  for (const auto& step : program_.steps) step->run(memory);
}

std::vector<Datum> ProgramModel::outputs() {
  run();
  const RunMemory memory = memory_of(0);
  std::vector<Datum> results;
  for (const Result& result : program_.results) {
    Tensor tensor = Tensor::zeros(result.element, result.dims);
    std::memcpy(tensor.write_bytes().data(), memory.at(result.place), tensor.bytes().size());
    results.emplace_back(std::move(tensor));
  }
  return results;
}

std::vector<double> ProgramModel::time_steps() {
  const TinyNumbersAreZero flush;
  const RunMemory memory = memory_of(0);
  std::vector<double> seconds;
  seconds.reserve(program_.steps.size());
  for (const auto& step : program_.steps) {
    const double before = now_seconds();
    step->run(memory);
    seconds.push_back(std::max(0.0, now_seconds() - before - clock_seconds()));
  }
  return seconds;
}

}  // namespace hone::native
