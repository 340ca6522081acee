#include <malloc.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/loaded_library.h"
#include "base/mapped_file.h"
#include "base/parameters.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "run/native/lowering.h"
#include "run/native/native_plan.h"
#include "run/native/program_model.h"
#include "run/native/settled_model.h"
#include "run/native/threads.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"

namespace hone::native {
namespace {

Parameters parameters_of(NativeChoice& chosen) {
  return Parameters()
      .add("layout", &chosen.layout, "how convolutions lie in memory: auto, blocks or channels-last")
      .add("groups", &chosen.groups, "which operators share a kernel: priority (what saves most time first) or none")
      .add("epilogues", &chosen.epilogues, "what follows products and convolutions: in-passing or apart")
      .add("prologues", &chosen.prologues, "movement: read in-passing by what follows or copied apart")
      .add("joining", &chosen.joining, "inputs of concatenations: written in-place or copied")
      .add("attention", &chosen.attention, "its two products: together, without storing scores, or apart as in groups");
}

/// A model whose values have no sizes before it runs: all of it by definition.
class InterpretedModel final : public NativeModel {
 public:
  explicit InterpretedModel(std::shared_ptr<const Model> model) : model_(std::move(model)), interpreter_(*model_) {}
  void set_inputs(std::span<const Datum> inputs) override { inputs_.assign(inputs.begin(), inputs.end()); }
  void run() override { interpreter_.run(inputs_); }
  std::vector<Datum> outputs() override { return interpreter_.run(inputs_); }
  std::vector<std::string> notes() const override {
    return {"all of it runs by definition: not all values have sizes before it runs"};
  }

  std::vector<std::string> by_definition() const override {
    std::vector<std::string> operators;
    for (const NodeId id : model_->graph.nodes()) operators.push_back(model_->graph.node(id).op->text());
    return operators;
  }
  ProgramModel* running() override { return nullptr; }

 private:
  std::shared_ptr<const Model> model_;
  ReferenceInterpreter interpreter_;
  std::vector<Datum> inputs_;
};

/// Whether code can be made only once inputs are there: what they hold decides on sizes, they have defaults, or they
/// may be of another type than the model says, as floats are given for bfloat16 by programs that do not have it.
bool needs_inputs(const Graph& graph) {
  const auto has_default = [&](ValueId id) { return graph.value(id).constant.has_value(); };
  const auto is_open = [&](ValueId id) {
    const Type& type = graph.value(id).type;
    return !type.is_static_tensor() || type.element == ElementType::bfloat16;
  };
  return std::ranges::any_of(graph.inputs(), has_default) || std::ranges::any_of(graph.inputs(), is_open) ||
         std::ranges::count(settling_inputs(graph), true) > 0;
}

void unload_constants(const Graph& graph) {
  for (const ValueId id : graph.initializers())
    if (graph.value(id).constant) MappedFile::unload(graph.value(id).constant->bytes());
}

/// Channels last where tensors are taken apart and put together between convolutions, blocks where they are not.
ConvolutionLayout usual_layout(const Graph& graph) {
  for (const NodeId id : graph.nodes())
    if (graph.node(id).op->is("Transpose")) return ConvolutionLayout::channels_last;
  return ConvolutionLayout::blocks;
}

LoweringOptions lowering_options(const NativeChoice& choice, const Graph& graph) {
  LoweringOptions options{.layout = usual_layout(graph)};
  if (choice.layout == "blocks") options.layout = ConvolutionLayout::blocks;
  if (choice.layout == "channels-last") options.layout = ConvolutionLayout::channels_last;
  if (choice.epilogues == "apart") options.epilogues = Epilogues::apart;
  if (choice.prologues == "apart") options.prologues = Prologues::apart;
  if (choice.joining == "copied") options.joining = Joining::copied;
  return options;
}

constexpr int kLargeBytes = 256 * 1024;  // of memory that is asked of the system by itself

/// A plan whose groups are timed.
struct TimedPlan {
  std::unique_ptr<NativeModel> prepared;
  std::vector<std::size_t> number;           // in the plan, of groups in the order in which they run
  std::vector<std::vector<double>> samples;  // seconds by group of the plan, by run

  /// Once as it is, so that caches are as after a run of the same plan, and once with all steps timed.
  void run() {
    ProgramModel* const model = prepared->running();
    if (model == nullptr) return;
    model->run();
    const std::vector<double> seconds = model->time_steps();
    for (std::vector<double>& each : samples) each.push_back(0);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      samples[number[model->program().steps[i]->group]].back() += seconds[i];
  }

  std::vector<double> medians() {
    std::vector<double> found;
    for (std::vector<double>& each : samples) {
      if (each.empty()) return {};
      std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2));
      found.push_back(each[each.size() / 2]);
    }
    return found;
  }
};

/// A plan for a model whose constants clean-up has read, also those that it did away with.
PlannedModel planned_and_unloaded(const Model& model, const NativeChoice& choice) {
  PlannedModel plan = planned(model, choice);
  unload_constants(model.graph);
  return plan;
}

class NativeHost : public RuntimeHost {
 public:
  NativeHost(NativeChoice chosen, std::size_t threads) : chosen_(std::move(chosen)), threads_(threads) {
    set_thread_count(threads);
    // What is copied and packed while models are made ready goes back to the system at once, and leaves no gaps between
    // what is kept.
    ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  }

  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions& options) const override {
    const NativeChoice choice = options.value_or(chosen_);
    // A plan was made for the model as it is; and where inputs decide nothing, the graph need not be kept for them.
    if (choice.plan || !needs_inputs(model.model.graph))
      return ready(planned_and_unloaded(model.model, choice), choice);
    return std::make_unique<SettledModel>(std::make_shared<Model>(model.model), [this, choice](const Model& made) {
      return ready(planned_and_unloaded(made, choice), choice);
    });
  }

  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    auto typed = std::make_shared<Model>(std::move(model));
    infer_types(*typed);
    if (!has_fixed_sizes(typed->graph)) return ready({.model = typed}, chosen_);
    return ready({.model = typed, .has_fixed_sizes = true, .groups = single_groups(*typed)}, chosen_);
  }

  Model optimized(const ModelToRun& model) const override {
    Model cleaned = model.model;
    clean(cleaned);
    return cleaned;
  }

  std::optional<KernelProfile> record_kernels(const ModelToRun& model, const RuntimeOptions& options,
                                              std::span<const Datum> inputs, std::size_t runs) const override {
    const auto prepared = prepare(model, options);
    KernelProfile profile;
    const bool timed = time(*prepared, inputs, runs, [&](const Program& program, std::span<const double> seconds) {
      const double start = profile.run_starts.empty() ? 0 : profile.run_starts.back() + profile.run_seconds.back();
      double now = start;
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        const Step& step = *program.steps[i];
        profile.kernels.push_back(
            {.node = step.name, .op = step.kind, .provider = "native", .start_seconds = now, .seconds = seconds[i]});
        now += seconds[i];
      }
      profile.run_starts.push_back(start);
      profile.run_seconds.push_back(now - start);
    });
    return timed ? std::optional(std::move(profile)) : std::nullopt;
  }

  std::vector<std::vector<double>> time_groups(const ModelToRun& model, std::span<const RuntimeOptions> options,
                                               std::span<const Datum> inputs, std::size_t runs) const override {
    std::vector<TimedPlan> plans;
    for (const RuntimeOptions& each : options) {
      const NativeChoice choice = each.value_or(chosen_);
      PlannedModel plan = planned(model.model, choice);
      TimedPlan timed{.samples = std::vector<std::vector<double>>(plan.group_count)};
      for (const NodeGroup& group : plan.groups) timed.number.push_back(group.number.index());
      timed.prepared = ready(std::move(plan), choice);
      timed.prepared->set_inputs(inputs);
      plans.push_back(std::move(timed));
    }
    for (std::size_t run = 0; run < runs; ++run)
      for (TimedPlan& plan : plans) plan.run();
    std::vector<std::vector<double>> medians;
    for (TimedPlan& plan : plans) medians.push_back(plan.medians());
    return medians;
  }

 private:
  /// Hands over the seconds of all steps, run after run, after a few that warm up; false where there are no steps.
  static bool time(PreparedModel& prepared, std::span<const Datum> inputs, std::size_t runs,
                   const std::function<void(const Program&, std::span<const double>)>& take) {
    constexpr std::size_t kWarmups = 3;
    prepared.set_inputs(inputs);
    ProgramModel* const model = static_cast<NativeModel&>(prepared).running();
    if (model == nullptr) return false;
    for (std::size_t i = 0; i < kWarmups; ++i) model->run();
    for (std::size_t i = 0; i < runs; ++i) take(model->program(), model->time_steps());
    return true;
  }

  std::unique_ptr<NativeModel> ready(PlannedModel plan, const NativeChoice& choice) const {
    if (!plan.has_fixed_sizes) return std::make_unique<InterpretedModel>(std::move(plan.model));
    std::optional<OneThread> alone;  // where there are several lanes, each has one
    for (NodeGroup& group : plan.groups) {
      group.lane %= threads_;  // with fewer threads than lanes some share one
      if (group.lane > 0 && !alone) alone.emplace();
    }
    unload_constants(plan.model->graph);  // clean-up has read them all
    Program program = Lowering(*plan.model, lowering_options(choice, plan.model->graph)).lower(plan.groups);
    unload_constants(plan.model->graph);
    auto prepared = std::make_unique<ProgramModel>(std::move(plan.model), std::move(program));
    plan = {};
    ::malloc_trim(0);  // what planning and lowering worked in is given back before the arena is written
    unload_library("libdnnl");
    return prepared;
  }

  NativeChoice chosen_;
  std::uint32_t threads_;
};

/// Hone's own executor for processors.
class NativeRuntime : public Runtime {
 public:
  explicit NativeRuntime(NativeChoice chosen) : chosen_(std::move(chosen)) {}

  std::string name() const override { return "native"; }
  std::string title() const override { return "hone's own executor"; }
  ModelForm takes() const override { return ModelForm::graph; }
  std::unique_ptr<RuntimeHost> start(std::size_t threads) const override {
    return std::make_unique<NativeHost>(chosen_, threads);
  }

  std::vector<OptionMove> moves(const Model&, std::size_t, OptionRange) const override {
    std::vector<OptionMove> moves;
    for (const std::string layout : {"blocks", "channels-last"})
      moves.push_back({.name = "layout " + layout,
                       .apply = [this, layout](const RuntimeOptions& from) -> std::optional<RuntimeOptions> {
                         NativeChoice choice = from.value_or(chosen_);
                         if (choice.layout == layout) return std::nullopt;
                         choice.layout = layout;
                         return RuntimeOptions::holding(std::move(choice));
                       }});
    return moves;
  }
  std::vector<Baseline> baselines() const override { return {{.name = title() + ", original", .options = {}}}; }
  nlohmann::ordered_json describe(const RuntimeOptions& options, std::size_t threads) const override {
    const NativeChoice choice = options.value_or(chosen_);
    return {{"layout", choice.layout}, {"groups", choice.plan ? "plan" : choice.groups}, {"threads", threads}};
  }

  std::string plan_machine() const override { return kNativeMachine; }
  RuntimeOptions by_plan(const Model& model, const std::filesystem::path& plan,
                         const RuntimeOptions& options) const override {
    return RuntimeOptions::holding(choice_by_plan(model, plan, options.value_or(chosen_)));
  }
  std::string plan_of(const Model& model, const RuntimeOptions& options) const override {
    return plan_text(model, options.value_or(chosen_));
  }

 private:
  NativeChoice chosen_;
};

std::unique_ptr<Runtime> make_native_runtime(std::string_view text) {
  NativeChoice chosen;
  parameters_of(chosen).parse(text);
  require_known(chosen);
  return std::make_unique<NativeRuntime>(std::move(chosen));
}

std::string native_help() {
  NativeChoice chosen;
  return parameters_of(chosen).help();
}

const RuntimeKind native_kind("native", "hone's own executor for processors", make_native_runtime, native_help(),
                              {.stands_in = true});

}  // namespace
}  // namespace hone::native
