#include <algorithm>

#include "base/mapped_file.h"
#include "base/parameters.h"
#include "graph/clean/clean.h"
#include "graph/expand/expand.h"
#include "graph/ops/infer.h"
#include "run/native/fold_normalization.h"
#include "run/native/lowering.h"
#include "run/native/program_model.h"
#include "run/native/settled_model.h"
#include "run/native/threads.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"

namespace hone::native {
namespace {

/// What the user may choose behind `native:`.
struct NativeParameters {
  std::string layout = "auto";
  std::string groups = "priority";

  Parameters list() {
    return Parameters()
        .add("layout", &layout, "how convolutions lie in memory: auto, blocks or channels-last")
        .add("groups", &groups, "which operators share a kernel: priority (what saves most time first) or none");
  }
};

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
  bool record(KernelProfile&, double) override { return false; }

 private:
  std::shared_ptr<const Model> model_;
  ReferenceInterpreter interpreter_;
  std::vector<Datum> inputs_;
};

bool has_fixed_sizes(const Graph& graph) {
  if (!graph.encoded_sources().empty()) return false;
  const auto is_fixed = [&](ValueId id) {
    const Type& type = graph.value(id).type;
    return !id.valid() ||
           (type.is_static_tensor() && type.element != ElementType::string && bit_width(type.element) >= 8);
  };
  for (const NodeId id : graph.nodes())
    for (const ValueId output : graph.node(id).outputs)
      if (output.valid() && !is_fixed(output)) return false;
  for (const ValueId input : graph.inputs())
    if (!is_fixed(input)) return false;
  return true;
}

/// Whether code can be made only once inputs are there: what they hold decides on sizes, or they have defaults.
bool needs_inputs(const Graph& graph) {
  const auto has_default = [&](ValueId id) { return graph.value(id).constant.has_value(); };
  const auto is_open = [&](ValueId id) { return !graph.value(id).type.is_static_tensor(); };
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

class NativeHost : public RuntimeHost {
 public:
  NativeHost(NativeParameters chosen, std::size_t threads) : chosen_(std::move(chosen)) { set_thread_count(threads); }

  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions&) const override {
    const auto groups = chosen_.groups == "priority" ? priority_groups : single_groups;
    auto settled = std::make_unique<SettledModel>(
        std::make_shared<Model>(model.model),
        [this, groups](std::shared_ptr<Model> made) { return cleaned_and_ready(std::move(made), groups); });
    if (!needs_inputs(model.model.graph)) settled->make_declared();
    return settled;
  }

  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    auto typed = std::make_shared<Model>(std::move(model));
    infer_types(*typed);
    return ready(std::move(typed), single_groups);
  }

  std::optional<KernelProfile> record_kernels(const ModelToRun& model, const RuntimeOptions& options,
                                              std::span<const Datum> inputs, std::size_t runs) const override {
    const auto prepared = prepare(model, options);
    auto& program = static_cast<NativeModel&>(*prepared);
    program.set_inputs(inputs);
    for (std::size_t i = 0; i < 3; ++i) program.run();
    KernelProfile profile;
    double start = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      if (!program.record(profile, start)) return std::nullopt;
      start += profile.run_seconds.back();
    }
    return profile;
  }

 private:
  using Grouping = NodeGroups (*)(const Model&);

  std::unique_ptr<NativeModel> cleaned_and_ready(std::shared_ptr<Model> model, Grouping groups) const {
    clean(*model);
    if (expand_operators(*model) > 0) clean(*model);
    fold_normalizations(*model);
    return ready(std::move(model), groups);
  }

  std::unique_ptr<NativeModel> ready(std::shared_ptr<const Model> model, Grouping groups) const {
    if (!has_fixed_sizes(model->graph)) return std::make_unique<InterpretedModel>(std::move(model));
    ConvolutionLayout layout = usual_layout(model->graph);
    if (chosen_.layout == "blocks") layout = ConvolutionLayout::blocks;
    if (chosen_.layout == "channels-last") layout = ConvolutionLayout::channels_last;
    unload_constants(model->graph);  // clean-up has read them all
    Program program = Lowering(*model, layout).lower(groups(*model));
    return std::make_unique<ProgramModel>(std::move(model), std::move(program));
  }

  NativeParameters chosen_;
};

/// Hone's own executor for processors.
class NativeRuntime : public Runtime {
 public:
  explicit NativeRuntime(NativeParameters chosen) : chosen_(std::move(chosen)) {}

  std::string name() const override { return "native"; }
  std::string title() const override { return "hone's own executor"; }
  ModelForm takes() const override { return ModelForm::graph; }
  std::unique_ptr<RuntimeHost> start(std::size_t threads) const override {
    return std::make_unique<NativeHost>(chosen_, threads);
  }

 private:
  NativeParameters chosen_;
};

std::unique_ptr<Runtime> make_native_runtime(std::string_view text) {
  NativeParameters chosen;
  chosen.list().parse(text);
  return std::make_unique<NativeRuntime>(std::move(chosen));
}

const RuntimeKind native_kind("native", "hone's own executor for processors", make_native_runtime,
                              NativeParameters().list().help());

}  // namespace
}  // namespace hone::native
