#include "run/native/program.h"

#include <algorithm>

#include "plan/memory/plan_memory.h"
#include "run/native/lanes.h"

namespace hone::native {
namespace {

constexpr std::int64_t kArenaAlignment = 64;
constexpr std::uint64_t kPackingNodes = 20'000;  // of exact search: milliseconds

/// From before the first step that writes an array, and all that may run beside it, until after the last that uses it.
MemoryProblem arena_problem(const Program& program, std::vector<std::size_t>& array_of) {
  const auto steps = static_cast<std::int64_t>(program.steps.size());
  const std::vector<std::int64_t> unfinished = Lanes(program).first_unfinished();
  std::vector<std::int64_t> first(program.arrays.size(), steps), last(program.arrays.size(), -1);
  for (std::int64_t i = 0; i < steps; ++i) {
    const Step& step = *program.steps[static_cast<std::size_t>(i)];
    for (const auto& used : {step.reads(), step.writes()})
      for (const ArrayId id : used) {
        first[id.index()] = std::min(first[id.index()], unfinished[static_cast<std::size_t>(i)]);
        last[id.index()] = i;
      }
  }
  MemoryProblem problem;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    const Array& array = program.arrays[i];
    if (array.kind != Array::Kind::arena || last[i] < 0) continue;
    const auto size = static_cast<std::int64_t>(array.bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    problem.buffers.push_back({.name = std::to_string(i),
                               .lower = first[i],
                               .upper = (array.is_result ? steps : last[i]) + 1,
                               .size = std::max(size, kArenaAlignment),
                               .alignment = kArenaAlignment});
    array_of.push_back(i);
  }
  return problem;
}

}  // namespace

std::vector<ArrayId> StepPlaces::arrays(Use use) const {
  std::vector<ArrayId> found;
  for (const Used& each : all_)
    if (each.use == use) found.push_back(each.place.array);
  return found;
}

void lay_out(Program& program) {
  std::vector<std::size_t> array_of;
  const MemoryProblem problem = arena_problem(program, array_of);
  const MemoryPlan plan = plan_memory(problem, {.seconds = 1, .nodes = kPackingNodes}).plan;
  for (std::size_t i = 0; i < array_of.size(); ++i) program.arrays[array_of[i]].offset = plan.offset_of[i];
  program.arena_bytes = static_cast<std::size_t>(plan.height);
  program.scratch_bytes = 0;
  for (const auto& step : program.steps) program.scratch_bytes = std::max(program.scratch_bytes, step->scratch_bytes());
}

}  // namespace hone::native
