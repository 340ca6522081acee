#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/parameters.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "run/native/lanes.h"
#include "run/native/lowering.h"
#include "run/native/native_plan.h"
#include "run/native/threads.h"
#include "run/native/tiny_numbers.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"

namespace hone::native {
namespace {

Parameters parameters_of(NativeChoice& chosen) {
  return Parameters()
      .add("layout", &chosen.layout, "how convolutions lie in memory: auto, blocks or channels-last")
      .add("groups", &chosen.groups, "which operators share a kernel: priority (what saves most time first) or none")
      .add("epilogues", &chosen.epilogues, "what follows products and convolutions: in-passing or apart")
      .add("joining", &chosen.joining, "inputs of concatenations: written in-place or copied");
}

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, FreeMemory>;

constexpr std::size_t kPage = 4096;

Memory aligned_memory(std::size_t bytes) {
  const std::size_t rounded = (bytes + kPage) / kPage * kPage;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
  if (!memory) fail("no memory for an arena of {} bytes", rounded);
  return memory;
}

/// Processor time of this thread: what else runs does not count.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// A program with memory to run in.
class ProgramModel : public PreparedModel {
 public:
  ProgramModel(std::shared_ptr<const Model> model, Program program)
      : model_(std::move(model)), program_(std::move(program)), arena_(aligned_memory(program_.arena_bytes)) {
    if (const std::size_t lanes = lane_count(program_); lanes > 1) lanes_ = std::make_unique<LaneRunner>(program_);
    for (std::size_t i = 0; i < lane_count(program_); ++i) scratch_.push_back(aligned_memory(program_.scratch_bytes));
    for (const Array& array : program_.arrays) {
      std::byte* address = arena_.get() + array.offset;
      if (array.kind == Array::Kind::constant) address = const_cast<std::byte*>(array.constant.bytes().data());
      addresses_.push_back(address);
    }
  }

  void set_inputs(std::span<const Datum> inputs) override {
    inputs_.assign(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
      const Array& array = program_.arrays[i];
      if (array.kind != Array::Kind::input) continue;
      Datum& given = inputs_[array.input];
      if (given.empty()) given = model_->graph.value(model_->graph.inputs()[array.input]).constant->aligned();
      given = given.tensor().aligned();
      if (given.tensor().bytes().size() != array.bytes)
        fail("an input has another size than the model was made ready for");
      addresses_[i] = const_cast<std::byte*>(given.tensor().bytes().data());
    }
  }

  void run() override {
    if (lanes_) return run_on_lanes();
    const TinyNumbersAreZero flush;
    const RunMemory memory = memory_of(0);
    for (const auto& step : program_.steps) step->run(memory);
  }

  std::vector<Datum> outputs() override {
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

  std::vector<std::string> notes() const override { return program_.notes; }

  /// One run on this thread with the time of every step.
  std::vector<double> time_steps() {
    const TinyNumbersAreZero flush;
    const RunMemory memory = memory_of(0);
    std::vector<double> seconds;
    for (const auto& step : program_.steps) {
      const double before = thread_seconds();
      step->run(memory);
      seconds.push_back(thread_seconds() - before);
    }
    return seconds;
  }

  const Program& program() const { return program_; }

 private:
  static std::size_t lane_count(const Program& program) {
    std::uint32_t last = 0;
    for (const auto& step : program.steps) last = std::max(last, step->lane);
    return last + 1;
  }
  RunMemory memory_of(std::size_t lane) const { return {.arrays = addresses_, .scratch = scratch_[lane].get()}; }

  /// A thread a lane, which shares no step with others.
  void run_on_lanes() {
    lanes_->run([this](const Step& step, std::uint32_t lane) {
      const TinyNumbersAreZero flush;
      const OneThread alone;
      step.run(memory_of(lane));
    });
  }

  std::shared_ptr<const Model> model_;
  Program program_;
  Memory arena_;
  std::vector<Memory> scratch_;        // by lane
  std::unique_ptr<LaneRunner> lanes_;  // where there is more than one
  std::vector<std::byte*> addresses_;  // by array
  std::vector<Datum> inputs_;
};

/// A model whose values have no sizes before it runs: all of it by definition.
class InterpretedModel : public PreparedModel {
 public:
  explicit InterpretedModel(std::shared_ptr<const Model> model) : model_(std::move(model)), interpreter_(*model_) {}
  void set_inputs(std::span<const Datum> inputs) override { inputs_.assign(inputs.begin(), inputs.end()); }
  void run() override { interpreter_.run(inputs_); }
  std::vector<Datum> outputs() override { return interpreter_.run(inputs_); }
  std::vector<std::string> notes() const override {
    return {"all of it runs by definition: not all values have sizes before it runs"};
  }

 private:
  std::shared_ptr<const Model> model_;
  ReferenceInterpreter interpreter_;
  std::vector<Datum> inputs_;
};

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
  if (choice.joining == "copied") options.joining = Joining::copied;
  return options;
}

class NativeHost : public RuntimeHost {
 public:
  NativeHost(NativeChoice chosen, std::size_t threads) : chosen_(std::move(chosen)), threads_(threads) {
    set_thread_count(threads);
  }

  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions& options) const override {
    const NativeChoice choice = options.value_or(chosen_);
    return ready(planned(model.model, choice), choice);
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

  std::vector<double> time_groups(const ModelToRun& model, const RuntimeOptions& options, std::span<const Datum> inputs,
                                  std::size_t runs) const override {
    const NativeChoice choice = options.value_or(chosen_);
    PlannedModel plan = planned(model.model, choice);
    std::vector<std::size_t> number;  // in the plan, by order
    for (const NodeGroup& group : plan.groups) number.push_back(group.number.index());
    const auto prepared = ready(std::move(plan), choice);
    std::vector<std::vector<double>> samples(number.size());  // by group of the plan, by run
    const bool timed = time(*prepared, inputs, runs, [&](const Program& program, std::span<const double> seconds) {
      for (std::vector<double>& each : samples) each.push_back(0);
      for (std::size_t i = 0; i < seconds.size(); ++i) samples[number[program.steps[i]->group]].back() += seconds[i];
    });
    std::vector<double> medians;
    if (!timed) return medians;
    for (std::vector<double>& each : samples) {
      std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2));
      medians.push_back(each[each.size() / 2]);
    }
    return medians;
  }

 private:
  /// Hands over the seconds of all steps, run after run, after a few that warm up; false where there are no steps.
  static bool time(PreparedModel& prepared, std::span<const Datum> inputs, std::size_t runs,
                   const std::function<void(const Program&, std::span<const double>)>& take) {
    constexpr std::size_t kWarmups = 3;
    auto* model = dynamic_cast<ProgramModel*>(&prepared);
    if (model == nullptr) return false;
    model->set_inputs(inputs);
    for (std::size_t i = 0; i < kWarmups; ++i) model->run();
    for (std::size_t i = 0; i < runs; ++i) take(model->program(), model->time_steps());
    return true;
  }

  std::unique_ptr<PreparedModel> ready(PlannedModel plan, const NativeChoice& choice) const {
    if (!plan.has_fixed_sizes) return std::make_unique<InterpretedModel>(std::move(plan.model));
    for (NodeGroup& group : plan.groups) group.lane %= threads_;  // with fewer threads than lanes some share one
    std::optional<OneThread> alone;  // where lanes share the groups instead of threads each step
    if (std::ranges::any_of(plan.groups, [](const NodeGroup& group) { return group.lane > 0; })) alone.emplace();
    Program program = Lowering(*plan.model, lowering_options(choice, plan.model->graph)).lower(plan.groups);
    return std::make_unique<ProgramModel>(std::move(plan.model), std::move(program));
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
