#include "learn/train/go_learner.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "learn/policy/card.h"
#include "learn/train/batch.h"

namespace hone::learn {
namespace {

/// How many passes are learned from in a step: decisions about operations take as long as there are operations.
std::size_t passes_learned(const GoGraph& graph) {
  constexpr std::size_t kOperations = 24'000, kFewest = 2, kMost = 12, kWithoutOperations = 96;
  if (!graph.tasks.any()) return kWithoutOperations;
  return std::clamp(kOperations / std::max<std::size_t>(1, graph.view.operations()), kFewest, kMost);
}

}  // namespace

GoGraph::GoGraph(const GraphView& seen, const Task& decided, const Plan& begun, GoDecode decoding, const GoTasks& asked)
    : view(seen),
      task(decided),
      start(begun),
      decode(decoding),
      tasks(asked),
      kept(decided.encode(begun)),
      features(go_features_of(seen)) {
  const GraphInput input = input_of(view, features);
  batch = make_batch(std::span(&input, 1));
}

std::vector<GoStep> draw_chain(const GoGraph& graph, const GoNetwork& network, std::span<const float> embedded,
                               const GoChain::Trace& trace, std::size_t passes, Rng& rng) {
  GoChain chain({graph.view, network, embedded, graph.task, graph.start, graph.decode, graph.tasks, graph.kept}, trace);
  std::vector<GoStep> steps;
  if (!graph.opening.empty() && !chain.begin(graph.opening)) return steps;
  for (std::size_t pass = 0; pass <= passes; ++pass) {
    std::optional<GoStep> step = chain.step(1, rng);
    if (!step) break;
    steps.push_back(std::move(*step));
  }
  return steps;
}

GoLearner::GoLearner(const Safetensors& first, const torch::Device& device, const Settings& settings)
    : first_(first), device_(device), settings_(settings), network_(first, "policy", device) {}

Safetensors GoLearner::contents() const {
  Safetensors contents = network_.save();
  contents.metadata = first_.metadata;
  seal(contents);  // what it started from was another's
  return contents;
}

GoLearner::Exercise GoLearner::drawn_exercise(const GoLesson& lesson, Rng& rng) {
  Exercise exercise;
  exercise.graph = lesson.graph;
  const std::vector<std::vector<double>> worth = go_advantages(lesson.chains);
  std::vector<GoExperience>& all = exercise.experiences;
  for (std::size_t chain = 0; chain < worth.size(); ++chain)
    for (std::size_t pass = 0; pass < worth[chain].size(); ++pass)
      all.push_back({&lesson.chains[chain][pass], worth[chain][pass], {}});
  const std::size_t kept = std::min(all.size(), passes_learned(*lesson.graph));
  for (std::size_t k = 0; k < kept; ++k) std::swap(all[k], all[k + rng.below(all.size() - k)]);
  all.resize(kept);
  return exercise;
}

double GoLearner::learn(std::span<const GoLesson> lessons, Rng& rng) {
  std::vector<Exercise> exercises;
  for (const GoLesson& lesson : lessons) exercises.push_back(drawn_exercise(lesson, rng));
  std::erase_if(exercises, [](const Exercise& exercise) { return exercise.experiences.empty(); });
  if (exercises.empty()) return 0;
  ThreadPool pool(settings_.threads);
  for (std::size_t epoch = 0; epoch < settings_.epochs; ++epoch) {
    pool.for_each(exercises.size(), [&](std::size_t, std::size_t i) { differentiate(exercises[i]); });
    std::size_t at = 0;
    for (auto& [name, parameter] : network_.parameters()) {
      torch::Tensor sum = torch::zeros_like(parameter);
      for (const Exercise& exercise : exercises)
        if (exercise.gradient[at].defined()) sum = sum + exercise.gradient[at] / static_cast<double>(exercises.size());
      parameter.mutable_grad() = sum;
      ++at;
    }
    adam_.step(network_.parameters(), settings_.rate);
  }
  double entropy = 0;
  for (const Exercise& exercise : exercises) entropy += exercise.entropy / static_cast<double>(exercises.size());
  return entropy;
}

/// The gradient of one graph's loss; on one thread, since graphs are many.
void GoLearner::differentiate(Exercise& exercise) {
  if (settings_.threads > 1) at::set_num_threads(1);
  std::vector<torch::Tensor> parameters;
  for (const auto& [name, parameter] : network_.parameters()) parameters.push_back(parameter);
  const torch::Tensor embedded = network_.encode(exercise.graph->batch);
  torch::Tensor total = torch::zeros({});
  exercise.entropy = 0;
  const auto share = 1 / static_cast<double>(exercise.experiences.size());
  for (GoExperience& experience : exercise.experiences) {
    const GoTorch::Scores scores =
        network_.decide(exercise.graph->view, exercise.graph->batch, embedded, *experience.step);
    const GoLoss loss = go_loss(scores, experience, {.entropy = settings_.entropy});
    if (!experience.before.pass.defined()) experience.before = loss.chances.detached();
    total = total + share * loss.total;
    exercise.entropy += share * loss.entropy;
  }
  exercise.gradient = torch::autograd::grad({total}, parameters, {}, {}, false, true);
}

Safetensors GoLearner::state() const {
  Safetensors state = adam_.save();
  for (auto& [name, array] : network_.save().arrays) state.arrays[name] = array;
  return state;
}

void GoLearner::load(const Safetensors& state) {
  adam_.load(state);
  Safetensors contents = state;
  contents.metadata = first_.metadata;  // which says what kind of network it is
  network_ = GoTorch(contents, "checkpoint", device_);
}

}  // namespace hone::learn
