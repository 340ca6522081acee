#include "learn/advantage/advantage_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/thread_pool.h"
#include "learn/network/safetensors.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/plan_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr double kCold = 0.1, kWarm = 1;

/// Where a chain starts: what a rule decides, or decisions drawn at random where it names none.
struct ChainKind {
  std::string_view rule;
  double temperature = 1;
};
constexpr ChainKind kChains[] = {{"fuse-priority", kCold}, {"fuse-merging", kCold}, {"", kCold}, {"", kWarm}};
constexpr std::size_t kChainCount = std::size(kChains);

Plan start_of(const ChainKind& kind, const Problem& problem, const std::string& tasks, const Task& task, Rng& rng) {
  Plan start = undecided_plan(problem);
  if (!kind.rule.empty())
    return solve(problem, tasks, kind.rule, {.budget = {.evaluations = 2}, .show_progress = false}).plan;
  Decisions row(task.sites().size());
  for (float& key : row) key = static_cast<float>(rng.uniform());
  task.apply(row, start);
  return start;
}

/// All that a chain depends on.
std::map<std::string, std::string> card_of(const AdvantageRequest& request, const Workload& graph, std::size_t chain) {
  return {{"graph", graph.name},
          {"fingerprint", fmt::format("{:016x}", fingerprint(graph))},
          {"tasks", request.tasks},
          {"machine", request.machine},
          {"objective", request.objective},
          {"evaluations", std::to_string(request.evaluations)},
          {"seed", std::to_string(request.seed)},
          {"chain", std::to_string(chain)}};
}

Safetensors contents_of(const GibbsChain& chain) {
  Safetensors contents;
  NamedArray& rows = contents.arrays["configurations"];
  rows.shape = {chain.configurations.size(), chain.configurations.empty() ? 0 : chain.configurations.front().size()};
  for (const Decisions& row : chain.configurations) rows.values.insert(rows.values.end(), row.begin(), row.end());
  NamedArray& samples = contents.arrays["samples"];
  samples.shape = {chain.samples.size(), 4};
  for (const AdvantageSample& sample : chain.samples)
    for (const double value :
         {double(sample.configuration), double(sample.unit), double(sample.option), sample.advantage})
      samples.values.push_back(static_cast<float>(value));
  return contents;
}

GibbsChain chain_in(const Safetensors& contents, const std::filesystem::path& path) {
  const auto rows = contents.arrays.find("configurations"), samples = contents.arrays.find("samples");
  if (rows == contents.arrays.end() || samples == contents.arrays.end() || rows->second.shape.size() != 2 ||
      samples->second.shape.size() != 2 || samples->second.shape[1] != 4)
    fail("{}: this is no chain of labelled decisions", path.string());
  GibbsChain chain;
  const std::size_t width = rows->second.shape[1];
  for (std::size_t i = 0; i < rows->second.shape[0]; ++i) {
    const auto begin = rows->second.values.begin() + static_cast<std::ptrdiff_t>(i * width);
    chain.configurations.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  for (std::size_t i = 0; i < samples->second.shape[0]; ++i) {
    const float* value = samples->second.values.data() + 4 * i;
    if (!(value[0] >= 0 && value[0] < static_cast<float>(chain.configurations.size()) && value[1] >= 0 &&
          value[2] >= 0))
      fail("{}: a label is about a configuration that is not there", path.string());
    chain.samples.push_back({static_cast<std::uint32_t>(value[0]), static_cast<std::uint32_t>(value[1]),
                             static_cast<std::uint32_t>(value[2]), value[3]});
  }
  return chain;
}

/// The chain in the file of that name, or one that is drawn now and written there.
GibbsChain chain_for(const AdvantageRequest& request, const Problem& problem, std::size_t chain,
                     const std::filesystem::path& path) {
  const std::map<std::string, std::string> card = card_of(request, problem.workload, chain);
  if (std::filesystem::exists(path)) {
    const Safetensors contents = read_safetensors(path);
    if (contents.metadata != card) fail("{}: labels of another graph or request are there", path.string());
    return chain_in(contents, path);
  }
  const std::unique_ptr<Task> task = make_task(problem, request.tasks, undecided_plan(problem));
  const DecisionUnits units(problem, *task);
  Rng rng = Rng(request.seed).split(fingerprint(problem.workload)).split(chain);
  const ChainKind kind = task->decides_groups() ? kChains[chain] : ChainKind{.temperature = kChains[chain].temperature};
  const Plan start = start_of(kind, problem, request.tasks, *task, rng);
  const GibbsSettings settings{
      .evaluations = request.evaluations / kChainCount, .temperature = kind.temperature, .seed = rng.next()};
  GibbsChain drawn = sample_chain(problem, *task, units, *evaluator_for(problem), start, settings);
  Safetensors contents = contents_of(drawn);
  contents.metadata = card;
  write_safetensors(path, contents);
  return chain_in(contents, path);  // as it will be read: labels lose digits on the way
}

}  // namespace

std::vector<AdvantageData> collect_advantages(const AdvantageRequest& request, const std::vector<Workload>& graphs,
                                              const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const Machine machine = load_machine(request.machine);
  const Objective objective = parse_objective(request.objective);
  std::vector<AdvantageData> data;
  for (const Workload& graph : graphs)
    data.push_back({.problem = {.workload = graph, .machine = machine, .objective = objective},
                    .chains = std::vector<GibbsChain>(kChainCount)});
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t done = 0;
  const CountedProgress progress(graphs.size() * kChainCount);
  ThreadPool pool(request.threads);
  pool.for_each(graphs.size() * kChainCount, [&](std::size_t, std::size_t i) {
    if (interrupted()) return;
    const std::size_t graph = i / kChainCount, chain = i % kChainCount;
    try {
      data[graph].chains[chain] =
          chain_for(request, data[graph].problem, chain, folder / fmt::format("{:03}-{}.safetensors", graph, chain));
      const std::lock_guard lock(mutex);
      progress.show(++done, fmt::format("labelling decisions: {} of {} chains", done, graphs.size() * kChainCount));
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  });
  erase_progress();
  if (failure) std::rethrow_exception(failure);
  return data;
}

double median_advantage(std::span<const GibbsChain> chains) {
  std::vector<double> magnitudes;
  for (const GibbsChain& chain : chains)
    for (const AdvantageSample& sample : chain.samples)
      if (sample.advantage != 0) magnitudes.push_back(std::abs(sample.advantage));
  if (magnitudes.empty()) return 1;
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::ranges::nth_element(magnitudes, middle);
  return *middle;
}

}  // namespace hone
