#include "bench/random_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone {
namespace {

bool chance(Rng& rng, double probability) { return rng.uniform() < probability; }

/// Few different values, so that events coincide often.
double small_number(Rng& rng) { return static_cast<double>(rng.below(4)); }

/// Random numbers of their own, so that drawing some leaves the others as they are.
Rng apart(Rng rng) { return Rng(~rng.next()); }

/// Often with nothing to go through or no results, as the rules have something to say about either.
Loop random_loop(Rng& rng, std::size_t inputs) {
  Loop loop{.kind = static_cast<Loop::Kind>(rng.below(5)), .points = 2 * small_number(rng), .rows = small_number(rng)};
  loop.results = chance(rng, 0.5) ? loop.points : loop.rows;
  for (std::size_t i = 0; i < inputs; ++i) loop.reads.push_back(static_cast<Access>(rng.below(3)));
  return loop;
}

Operation random_operation(Rng& rng, std::size_t index) {
  Operation operation{.name = fmt::format("work{}", index), .op = "task"};
  operation.operation_class = static_cast<OperationClass>(rng.below(kOperationClasses));
  operation.element = chance(rng, 0.5) ? ElementType::float32 : ElementType::float16;
  operation.flops = small_number(rng) * 8;
  operation.bytes = small_number(rng) * 16;
  if (operation.operation_class == OperationClass::view) operation.flops = operation.bytes = 0;
  if (chance(rng, 0.3))
    operation.seconds = {small_number(rng), chance(rng, 0.03) ? NAN : small_number(rng), small_number(rng)};
  return operation;
}

Buffer random_buffer(Rng& rng, std::size_t index) {
  Buffer buffer{.name = fmt::format("buffer{}", index), .bytes = static_cast<double>(rng.below(20)) * 0.5};
  buffer.is_output = chance(rng, 0.1);
  if (chance(rng, 0.1)) buffer.transfer_seconds = small_number(rng);
  return buffer;
}

BufferId pick(Rng& rng, const std::vector<BufferId>& from) { return from[rng.below(from.size())]; }

DeviceKind random_kind(Rng& rng, std::size_t index) {
  DeviceKind kind{.name = fmt::format("kind{}", index), .memory_bytes = 10 + 20 * small_number(rng)};
  kind.bytes_per_second = 16;
  kind.launch_seconds = small_number(rng) / 2;
  kind.streams = 1 + rng.below(3) / 2 * rng.below(3);
  kind.flops = {{ElementType::float32, 8}, {ElementType::float16, 16}};
  return kind;
}

/// Groups that are runs of a topological order cannot wait in a circle; groups of any operations may.
enum class Members { runs, any };
std::vector<GroupId> random_groups(Rng& rng, const Workload& workload, Members members) {
  const bool runs = members == Members::runs;
  std::vector<GroupId> groups(workload.operation_count());
  std::size_t count = 0;
  for (const OperationId operation : workload.topological_order()) {
    const bool fresh = count == 0 || chance(rng, runs ? 0.5 : 0.8);
    if (fresh) ++count;
    groups[operation.index()] = GroupId(fresh || runs ? count - 1 : rng.below(count));
  }
  return groups;
}

/// Copies for readers in other groups: going backwards, what a copy reads may be copied with it.
std::vector<Plan::Copy> random_copies(Rng& rng, const Workload& workload, const Plan& plan, double likely) {
  std::set<Plan::Copy> copies;
  std::vector<std::set<GroupId>> runs_in(workload.operation_count());
  const std::span<const OperationId> order = workload.topological_order();
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation) {
    std::set<GroupId>& groups = runs_in[operation->index()];
    groups.insert(plan.group(*operation));
    for (const BufferId output : workload.outputs(*operation))
      for (const OperationId reader : workload.readers(output))
        for (const GroupId group : runs_in[reader.index()])
          if (!groups.contains(group) && chance(rng, likely)) {
            groups.insert(group);
            copies.insert({*operation, group});
          }
  }
  return {copies.begin(), copies.end()};
}

}  // namespace

Workload random_workload(Rng& rng, std::size_t operations) {
  WorkloadBuilder builder("random");
  builder.set_device_kinds({"kind0", "kind1", "kind2"});
  Rng loops = apart(rng);
  std::vector<BufferId> residents, all;
  for (std::size_t i = 0; i < 3; ++i) {
    Buffer buffer = random_buffer(rng, i);
    buffer.kind = i == 0 ? Buffer::Kind::input : Buffer::Kind::weight;
    if (i > 0 && chance(rng, 0.3)) buffer.alias_of = residents[0];
    residents.push_back(builder.add_buffer(std::move(buffer)));
  }
  for (std::size_t i = 0; i < operations; ++i) {
    std::vector<BufferId> inputs, outputs, fresh;
    for (std::size_t n = rng.below(4); n > 0 && !all.empty(); --n) inputs.push_back(pick(rng, all));
    if (chance(rng, 0.3)) inputs.push_back(pick(rng, residents));
    for (std::size_t n = 1 + rng.below(5) / 4; n > 0; --n) {
      Buffer buffer = random_buffer(rng, residents.size() + all.size() + fresh.size());
      if (!inputs.empty() && chance(rng, 0.25)) buffer.alias_of = pick(rng, inputs);
      else if (!all.empty() && chance(rng, 0.05)) buffer.alias_of = pick(rng, all);
      outputs.push_back(builder.add_buffer(std::move(buffer)));
      fresh.push_back(outputs.back());
    }
    Operation operation = random_operation(rng, i);
    if (chance(loops, 0.8)) operation.loop = random_loop(loops, inputs.size());
    builder.add_operation(std::move(operation), inputs, outputs);
    all.insert(all.end(), fresh.begin(), fresh.end());
  }
  return std::move(builder).build();
}

Machine random_machine(Rng& rng) {
  Machine machine{.name = "random"};
  const std::size_t kinds = 1 + rng.below(3);
  Rng live = apart(rng);
  for (std::size_t i = 0; i < kinds; ++i) {
    machine.kinds.push_back(random_kind(rng, i));
    machine.kinds.back().live_values = 1 + 2 * small_number(live);
  }
  const std::size_t devices = 1 + rng.below(4);
  for (std::size_t i = 0; i < devices; ++i) machine.devices.push_back({fmt::format("device{}", i), rng.below(kinds)});
  const std::size_t links = 1 + rng.below(devices * devices);
  for (std::size_t i = 0; i < links; ++i) {
    machine.links.push_back({.name = fmt::format("link{}", i)});
    if (chance(rng, 0.4)) continue;
    machine.links.back().latency_seconds = small_number(rng);
    machine.links.back().bytes_per_second = 1 + small_number(rng);
  }
  for (std::size_t i = 0; i < devices * devices; ++i)
    machine.routes.push_back(i % (devices + 1) == 0 ? LinkId() : LinkId(rng.below(links)));
  return machine;
}

Plan random_plan(Rng& rng, const Workload& workload, const Machine& machine) {
  Plan plan;
  std::size_t groups = workload.operation_count();
  if (Rng waits = apart(rng); chance(waits, 0.3)) plan.waiting = Waiting::in_line;
  if (chance(rng, 0.5)) {
    plan.group_of = random_groups(rng, workload, chance(rng, 0.7) ? Members::runs : Members::any);
    groups = std::ranges::max(plan.group_of).index() + std::size_t{1};
    Rng copies = apart(rng);
    const double likely = chance(copies, 0.7) ? 0.6 * copies.uniform() : 0;
    plan.copies = random_copies(copies, workload, plan, likely);
  }
  for (std::size_t i = 0; i < groups; ++i) plan.device_of.emplace_back(rng.below(machine.device_count()));
  if (chance(rng, 0.8))
    for (std::size_t i = 0; i < groups; ++i) plan.priority.push_back(static_cast<float>(rng.between(-2, 2)));
  if (chance(rng, 0.5))
    for (std::size_t i = 0; i < workload.buffer_count() * machine.device_count(); ++i)
      plan.transfer_priority.push_back(static_cast<float>(rng.between(-1, 1)));
  return plan;
}

Plan random_fused_plan(Rng& rng, const Workload& workload, const Machine& machine) {
  constexpr double kLikelyCopy = 0.1;
  Plan plan;
  plan.group_of = random_groups(rng, workload, Members::runs);
  plan.copies = random_copies(rng, workload, plan, kLikelyCopy);
  for (std::size_t i = 0; i <= std::ranges::max(plan.group_of).index(); ++i) {
    plan.device_of.emplace_back(rng.below(machine.device_count()));
    plan.priority.push_back(static_cast<float>(rng.uniform()));
  }
  return plan;
}

Workload layered_training_workload(std::size_t operations, std::uint64_t seed) {
  constexpr std::size_t kWidth = 16;
  Rng rng(seed);
  WorkloadBuilder builder(fmt::format("layered-{}", operations));
  std::vector<BufferId> made, weights;
  const std::size_t forward = operations / 2;
  for (std::size_t i = 0; i < operations; ++i) {
    const bool backward = i >= forward;
    std::vector<BufferId> inputs;
    const std::size_t window = std::min(made.size(), kWidth);
    for (std::size_t n = window == 0 ? 0 : 1 + rng.below(2); n > 0; --n)
      inputs.push_back(made[made.size() - 1 - rng.below(window)]);
    // A backward operation reads what its mirror image in the forward pass made, and often the same weight.
    const std::size_t mirror = backward ? (operations - 1 - i) : i;
    if (backward) inputs.push_back(made[mirror]);
    if (mirror % 4 == 0) {
      if (!backward)
        weights.push_back(
            builder.add_buffer({.name = fmt::format("weight{}", i), .bytes = 4e6, .kind = Buffer::Kind::weight}));
      if (mirror / 4 < weights.size()) inputs.push_back(weights[mirror / 4]);
    }
    const bool heavy = mirror % 4 == 0;
    const double bytes = rng.uniform(1e5, 4e6);
    const BufferId output =
        builder.add_buffer({.name = fmt::format("tensor{}", i), .bytes = bytes, .is_output = i + 1 == operations});
    made.push_back(output);
    const double elements = bytes / 4;
    builder.add_operation({.name = fmt::format("work{}", i),
                           .op = heavy ? "MatMul" : "Add",
                           .operation_class = heavy ? OperationClass::matmul : OperationClass::pointwise,
                           .flops = heavy ? bytes * 500 : bytes / 4,
                           .bytes = 3 * bytes,
                           .backward = backward,
                           .loop = {.kind = heavy ? Loop::Kind::contraction : Loop::Kind::map,
                                    .points = elements,
                                    .rows = elements,
                                    .results = elements,
                                    .reads = std::vector(inputs.size(), heavy ? Access::other : Access::same)}},
                          inputs, std::span(&output, 1));
  }
  return std::move(builder).build();
}

}  // namespace hone
