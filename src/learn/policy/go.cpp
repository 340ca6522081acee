// GO: one policy for placement, scheduling and fusion. Zero-shot it draws a few chains of plans; with `steps` it is
// trained on the graph itself first, each plan of which counts as an evaluation.

#include <algorithm>

#include "learn/policy/go_chain.h"
#include "learn/policy/go_pipelines.h"
#include "learn/policy/go_tuning.h"
#include "learn/policy/learn_library.h"
#include "learn/policy/operations_alone.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

constexpr std::uint64_t kGoStream = 0x60;
/// By how much every second pass is drawn more freely: a policy can be wrong about graphs unlike those of its training.
constexpr double kBold = 4;
constexpr std::size_t kTunedPipelines = 2;  // that training on the graph itself begins with
constexpr std::string_view kGoBuiltin = "go-seconds", kAsTrained = "trained";

PolicyForm go_form() { return {&go_policy(), {.width = 32, .rounds = 4, .encoder = &sage_encoder}}; }

struct GoParameters {
  std::string policy, decode = "list", about{kAsTrained}, without = "nothing";
  std::int64_t chains = 0, passes = 7, steps = 0, samples = 8, pipelines = 1;
  double temperature = 1, rate = 0.001;

  Parameters list() {
    return Parameters()
        .add("policy", &policy,
             "a built-in policy or a file; `untrained`: weights at random; `zero-step`: what learning starts from; the "
             "built-in one if empty")
        .add("decode", &decode, "what decisions do: guide list schedules, or go to the simulator as they are",
             {"list", "direct"})
        .add("about", &about,
             "what the policy is asked about: every operation, only how schedules are made, or what it was trained for",
             {kAsTrained, "everything", kGoAboutPasses})
        .add("chains", &chains, {0, 1e6}, "chains of plans that are made of one another; 0: as suits the graph")
        .add("passes", &passes, {0, 1e6}, "refinements of the first plan of a chain")
        .add("temperature", &temperature, {0, 10},
             "how freely plans are drawn: 0 takes the likeliest, 1 as in training")
        .add("pipelines", &pipelines, {0, 1}, "1: every second chain begins with a pipeline of stages")
        .add("steps", &steps, {0, 1e9}, "steps of training on the graph itself, for which libhone_learn is needed")
        .add("samples", &samples, {2, 1024}, "chains of a step of training")
        .add("rate", &rate, {1e-6, 1}, "of learning, in training on the graph itself")
        .add("without", &without, "a part of the network that is taken away",
             {"nothing", "attention", "superposition", "recurrence"});
  }

  /// Few enough that a plan for any graph is there within seconds; passes that ask about no operation take less.
  std::int64_t chains_for(std::size_t operations, const GoTasks& tasks) const {
    constexpr std::int64_t kUsualChains = 4, kDecided = 600'000, kScheduled = 1'300'000;  // operations times passes
    if (chains > 0) return chains;
    const std::int64_t most = tasks.any() ? kDecided : kScheduled;
    return std::clamp<std::int64_t>(most / (static_cast<std::int64_t>(operations) * (passes + 1)), 1, kUsualChains);
  }
  GoTasks asked(const Task& task, const std::map<std::string, std::string>& card) const {
    const auto trained = card.find(kGoAboutEntry);
    const bool is_about_passes =
        about == kGoAboutPasses ||
        (about == kAsTrained && decode == "list" && trained != card.end() && trained->second == kGoAboutPasses);
    return is_about_passes ? GoTasks::none() : GoTasks::of(task);
  }
  GoDecode decoding() const { return decode == "list" ? GoDecode::list : GoDecode::direct; }
};

class Go final : public Optimizer {
 public:
  explicit Go(const GoParameters& parameters) : parameters_(parameters) {
    if (names_a_file(parameters.policy)) as_go_policy(Policy::load(parameters.policy).kind());
  }

  void run(Search& search) override {
    if (search.task().sites().empty() || !is_about_operations(search)) return;
    const Safetensors contents = contents_for(search.problem().objective);
    if (parameters_.steps > 0)
      LearnLibrary::open().tune_go(
          search, contents,
          {.decode = parameters_.decoding(),
           .tasks = parameters_.asked(search.task(), contents.metadata),
           .steps = static_cast<std::uint64_t>(parameters_.steps),
           .samples = static_cast<std::size_t>(parameters_.samples),
           .passes = static_cast<std::size_t>(parameters_.passes),
           .pipelines = parameters_.pipelines == 1 && parameters_.decode == "list" ? kTunedPipelines : 0,
           .rate = parameters_.rate});
    else draw_plans(search, Policy(contents, "go"));
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  Safetensors contents_for(const Objective& objective) const {
    if (is_unlearned(parameters_.policy)) return unlearned_policy(parameters_.policy, go_form(), objective);
    return read_policy(parameters_.policy.empty() ? std::string(kGoBuiltin) : parameters_.policy);
  }

  void draw_plans(Search& search, const Policy& policy) const {
    const GraphView graph(search.problem());
    const GoNetwork network(policy, go_without(parameters_.without));
    const std::vector<float> embedded = network.encode(graph, go_features_of(graph));
    const GoQuestion question{graph,
                              network,
                              embedded,
                              search.task(),
                              search.start(),
                              parameters_.decoding(),
                              parameters_.asked(search.task(), policy.card()),
                              search.task().encode(search.best_plan())};
    const Rng rng = search.rng().split(kGoStream);
    const std::int64_t chains = parameters_.chains_for(graph.operations(), question.tasks);
    const bool has_pipelines = parameters_.pipelines == 1 && question.decode == GoDecode::list;
    const std::vector<Decisions> pipelines =
        best_go_pipelines(search, has_pipelines ? static_cast<std::size_t>(chains / 2) : 0);
    for (std::int64_t i = 0; i < chains; ++i) {
      GoChain chain(question, [&](const Decisions& row) { return search.trace(row); });
      const auto half = static_cast<std::size_t>(i / 2);
      if (i % 2 == 1 && half < pipelines.size() && !chain.begin(pipelines[half])) return;
      Rng own = rng.split(static_cast<std::uint64_t>(i));
      for (std::int64_t pass = 0; pass <= parameters_.passes; ++pass) {
        const double temperature = parameters_.temperature * ((i + pass) % 2 == 0 ? 1 : kBold);
        if (!chain.step(i == 0 && pass == 0 ? 0 : temperature, own)) return;
      }
    }
  }

  GoParameters parameters_;
};

const OptimizerKind go_optimizer = OptimizerKind::with_parameters<Go, GoParameters>(
    "go", "plans of a policy that decides for all operations at once, in passes");

}  // namespace
}  // namespace hone
