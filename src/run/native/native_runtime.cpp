#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/parameters.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "run/native/fold_normalization.h"
#include "run/native/lowering.h"
#include "run/reference/reference.h"
#include "run/runtime/runtime.h"

extern "C" void omp_set_num_threads(int);  // of the library that oneDNN shares its work with

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

/// Numbers too small for their type's usual form are zero while it lives: arithmetic with them takes a hundred times as
/// long.
class TinyNumbersAreZero {
 public:
#if defined(__SSE__)
  TinyNumbersAreZero() : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(before_ | kFlushBits); }
  ~TinyNumbersAreZero() { __builtin_ia32_ldmxcsr(before_); }

 private:
  static constexpr unsigned kFlushBits = 0x8040;
  unsigned before_;
#endif
};

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
      : model_(std::move(model)),
        program_(std::move(program)),
        arena_(aligned_memory(program_.arena_bytes)),
        scratch_(aligned_memory(program_.scratch_bytes)) {
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
    const TinyNumbersAreZero flush;
    const RunMemory memory{.arrays = addresses_, .scratch = scratch_.get()};
    for (const auto& step : program_.steps) step->run(memory);
  }

  std::vector<Datum> outputs() override {
    run();
    const RunMemory memory{.arrays = addresses_, .scratch = scratch_.get()};
    std::vector<Datum> results;
    for (const Result& result : program_.results) {
      Tensor tensor = Tensor::zeros(result.element, result.dims);
      std::memcpy(tensor.write_bytes().data(), memory.at(result.place), tensor.bytes().size());
      results.emplace_back(std::move(tensor));
    }
    return results;
  }

  std::vector<std::string> notes() const override { return program_.notes; }
  std::vector<std::string> by_definition() const override { return program_.by_definition; }

  /// One run with the time of every step.
  void record(KernelProfile& profile, double start) {
    const TinyNumbersAreZero flush;
    const RunMemory memory{.arrays = addresses_, .scratch = scratch_.get()};
    profile.run_starts.push_back(start);
    double now = start;
    for (const auto& step : program_.steps) {
      const double before = thread_seconds();
      step->run(memory);
      const double seconds = thread_seconds() - before;
      profile.kernels.push_back(
          {.node = step->name, .op = step->kind, .provider = "native", .start_seconds = now, .seconds = seconds});
      now += seconds;
    }
    profile.run_seconds.push_back(now - start);
  }

 private:
  std::shared_ptr<const Model> model_;
  Program program_;
  Memory arena_, scratch_;
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
  std::vector<std::string> by_definition() const override {
    std::vector<std::string> operators;
    for (const NodeId id : model_->graph.nodes()) operators.push_back(model_->graph.node(id).op->text());
    return operators;
  }

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

/// Channels last where tensors are taken apart and put together between convolutions, blocks where they are not.
ConvolutionLayout usual_layout(const Graph& graph) {
  for (const NodeId id : graph.nodes())
    if (graph.node(id).op->is("Transpose")) return ConvolutionLayout::channels_last;
  return ConvolutionLayout::blocks;
}

class NativeHost : public RuntimeHost {
 public:
  NativeHost(NativeParameters chosen, std::size_t threads) : chosen_(std::move(chosen)) {
    omp_set_num_threads(static_cast<int>(threads));
  }

  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions&) const override {
    auto cleaned = std::make_shared<Model>(model.model);
    clean(*cleaned);
    fold_normalizations(*cleaned);
    return ready(std::move(cleaned), chosen_.groups == "priority" ? priority_groups : single_groups);
  }

  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    auto typed = std::make_shared<Model>(std::move(model));
    infer_types(*typed);
    return ready(std::move(typed), single_groups);
  }

  std::optional<KernelProfile> record_kernels(const ModelToRun& model, const RuntimeOptions& options,
                                              std::span<const Datum> inputs, std::size_t runs) const override {
    const auto prepared = prepare(model, options);
    auto* program = dynamic_cast<ProgramModel*>(prepared.get());
    if (program == nullptr) return std::nullopt;
    program->set_inputs(inputs);
    for (std::size_t i = 0; i < 3; ++i) program->run();
    KernelProfile profile;
    double start = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      program->record(profile, start);
      start += profile.run_seconds.back();
    }
    return profile;
  }

 private:
  std::unique_ptr<PreparedModel> ready(std::shared_ptr<const Model> model, NodeGroups (*groups)(const Model&)) const {
    if (!has_fixed_sizes(model->graph)) return std::make_unique<InterpretedModel>(std::move(model));
    ConvolutionLayout layout = usual_layout(model->graph);
    if (chosen_.layout == "blocks") layout = ConvolutionLayout::blocks;
    if (chosen_.layout == "channels-last") layout = ConvolutionLayout::channels_last;
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
