#include "learn/train/go_examples.h"

#include <cmath>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "learn/policy/go_tuning.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/plan_file.h"
#include "plan/solve/solve.h"

namespace hone::learn {
namespace {

constexpr std::string_view kGoTrainingTasks[] = {"place+schedule", "place+schedule", "place+schedule+fuse-levels"};
constexpr std::size_t kMachinesOfGraph = std::size(kGoTrainingTasks);

}  // namespace

Machine machine_like(const Machine& machine, Rng& rng) {
  Machine other;
  other.name = machine.name + "-like";
  other.summary = machine.summary;
  other.kinds = {machine.kinds.front()};
  const std::size_t devices = 2 + rng.below(7);
  if (rng.uniform() < 0.3) {
    other.kinds.push_back(machine.kinds.front());
    DeviceKind& slow = other.kinds.back();
    slow.name += "-half";
    slow.bytes_per_second /= 2;
    for (auto& [element, flops] : slow.flops) flops /= 2;
    slow.memory_bytes /= 1 + static_cast<double>(rng.below(2));
  }
  const Link& usual = machine.links.front();
  const double faster = std::pow(5, rng.uniform(-1, 1));
  for (std::size_t i = 0; i < devices; ++i) {
    other.devices.push_back({.name = fmt::format("device:{}", i), .kind = rng.below(other.kinds.size())});
    other.links.push_back({.name = fmt::format("port:{}", i),
                           .latency_seconds = usual.latency_seconds,
                           .bytes_per_second = usual.bytes_per_second * faster});
  }
  for (std::size_t from = 0; from < devices; ++from)
    for (std::size_t to = 0; to < devices; ++to) other.routes.push_back(from == to ? LinkId() : LinkId(from));
  return other;
}

GoExample::GoExample(Problem given, std::string_view tasks, GoAbout about)
    : problem(std::move(given)),
      view(problem),
      start(undecided_plan(problem)),
      task(make_task(problem, tasks, start)),
      cost(problem),
      graph(view, *task, start, GoDecode::list, about == GoAbout::passes ? GoTasks::none() : GoTasks::of(*task)) {}

GoExamples::GoExamples(const TrainingRequest& request, std::vector<Workload> workloads)
    : request_(request), workloads_(std::move(workloads)) {
  std::uint64_t hash = workloads_.size();
  for (const Workload& workload : workloads_) hash = mix(hash, hone::fingerprint(workload));
  fingerprint_ = fmt::format("{:016x}", hash);
}

void GoExamples::prepare() {
  const Machine machine = load_machine(request_.machine);
  if (machine.links.empty()) fail_usage("{}: go learns on machines of several devices", request_.machine);
  const Objective objective = parse_objective(request_.objective);
  const std::vector<Workload> workloads = std::exchange(workloads_, {});
  examples_.resize(workloads.size() * kMachinesOfGraph);
  ThreadPool pool(request_.threads);
  pool.for_each(examples_.size(), [&](std::size_t, std::size_t i) {
    if (interrupted()) return;
    Rng rng = Rng(request_.seed).split(i);
    const bool is_usual = i % kMachinesOfGraph == 0;
    Problem problem{.workload = workloads[i / kMachinesOfGraph],
                    .machine = is_usual ? machine : machine_like(machine, rng),
                    .objective = objective,
                    .sharding = nullptr};
    auto example =
        std::make_unique<GoExample>(std::move(problem), kGoTrainingTasks[i % kMachinesOfGraph],
                                    request_.algorithm == kGoAboutPasses ? GoAbout::passes : GoAbout::everything);
    const Score reached = solve(example->problem, "place+schedule", "list-search",
                                {.budget = {.evaluations = request_.evaluations}, .show_progress = false})
                              .score;
    if (reached.excess > 0 || !(reached.value > 0) || !std::isfinite(reached.value)) return;
    example->standard = reached.value;
    examples_[i] = std::move(example);
  });
  std::erase(examples_, nullptr);
  if (examples_.empty() && !interrupted()) fail_usage("there is no graph left to learn from");
}

}  // namespace hone::learn
