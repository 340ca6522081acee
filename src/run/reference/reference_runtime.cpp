#include "run/reference/reference.h"
#include "run/runtime/runtime.h"

namespace hone {
namespace {

class InterpretedModel : public PreparedModel {
 public:
  explicit InterpretedModel(std::shared_ptr<const Model> model) : model_(std::move(model)), interpreter_(*model_) {}
  void set_inputs(std::span<const Datum> inputs) override { inputs_.assign(inputs.begin(), inputs.end()); }
  void run() override { interpreter_.run(inputs_); }
  std::vector<Datum> outputs() override { return interpreter_.run(inputs_); }

 private:
  std::shared_ptr<const Model> model_;
  ReferenceInterpreter interpreter_;
  std::vector<Datum> inputs_;
};

class ReferenceHost : public RuntimeHost {
 public:
  std::unique_ptr<PreparedModel> prepare(const ModelToRun& model, const RuntimeOptions&) const override {
    return std::make_unique<InterpretedModel>(std::shared_ptr<const Model>(&model.model, [](const Model*) {}));
  }
  std::unique_ptr<PreparedModel> prepare_as_written(Model model) const override {
    return std::make_unique<InterpretedModel>(std::make_shared<const Model>(std::move(model)));
  }
};

/// The interpreter by which all others are checked, to be measured like them. It has one thread and nothing to choose.
class ReferenceRuntime : public Runtime {
 public:
  std::string name() const override { return "reference"; }
  std::string title() const override { return "the reference interpreter"; }
  ModelForm takes() const override { return ModelForm::graph; }
  std::size_t threads_used(std::size_t) const override { return 1; }
  std::unique_ptr<RuntimeHost> start(std::size_t) const override { return std::make_unique<ReferenceHost>(); }
};

const RuntimeKind reference_kind =
    RuntimeKind::without_parameters<ReferenceRuntime>("reference", "the definitions of operators, one by one");

}  // namespace
}  // namespace hone
