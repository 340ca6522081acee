#include "learn/train/tune_go.h"

#include "learn/policy/go_pipelines.h"
#include "learn/policy/go_tuning.h"
#include "learn/train/go_learner.h"
#include "plan/search/search.h"

namespace hone::learn {
namespace {

constexpr std::uint64_t kTuningStream = 0x7060;

}  // namespace

Safetensors tune_go(Search& search, const Safetensors& policy, const GoTuning& tuning) {
  const GraphView view(search.problem());
  GoGraph graph(view, search.task(), search.start(), tuning.decode, tuning.tasks);
  graph.kept = search.task().encode(search.best_plan());
  GoLearner learner(policy, torch::kCPU, {.rate = tuning.rate, .threads = 1});
  Rng rng = search.rng().split(kTuningStream);
  const std::vector<Decisions> pipelines = best_go_pipelines(search, tuning.pipelines);
  for (std::uint64_t step = 0; step < tuning.steps && !search.spent(); ++step) {
    // Chains of one step begin alike, so that they can be compared.
    graph.opening = step % 2 == 0 || pipelines.empty() ? Decisions() : pipelines[step / 2 % pipelines.size()];
    const Safetensors contents = learner.contents();
    const Policy now(contents, "policy");
    const GoNetwork network(now);
    const std::vector<float> embedded = network.encode(view, graph.features);
    GoLesson lesson{.graph = &graph, .chains = {}};
    for (std::size_t i = 0; i < tuning.samples; ++i) {
      lesson.chains.push_back(draw_chain(
          graph, network, embedded, [&](const Decisions& row) { return search.trace(row); }, tuning.passes, rng));
      if (lesson.chains.back().size() <= tuning.passes) return contents;  // the budget is spent
    }
    learner.learn(std::span(&lesson, 1), rng);
  }
  return learner.contents();
}

}  // namespace hone::learn
