#include "run/native/settled_model.h"

#include <algorithm>
#include <set>

namespace hone::native {
namespace {

/// So many programs are kept; contents that change more often than that are not settled any more.
constexpr std::size_t kMostReady = 16;
constexpr std::int64_t kMostSettledElements = 64;

struct SettlingSlots {
  std::string_view op;
  std::vector<std::size_t> slots;
};

/// Inputs of operators that say what sizes their results have, or along which axes they go.
const std::vector<SettlingSlots>& settling_slots() {
  static const std::vector<SettlingSlots> slots{
      {"Reshape", {1}},
      {"Expand", {1}},
      {"Tile", {1}},
      {"Slice", {1, 2, 3, 4}},
      {"Pad", {1, 3}},
      {"Squeeze", {1}},
      {"Unsqueeze", {1}},
      {"Split", {1}},
      {"TopK", {1}},
      {"OneHot", {1}},
      {"Resize", {1, 2, 3}},
      {"Upsample", {1}},
      {"Range", {0, 1, 2}},
      {"ConstantOfShape", {0}},
      {"CumSum", {1}},
      {"Trilu", {1}},
      {"ReduceSum", {1}},
      {"ReduceMean", {1}},
      {"ReduceMax", {1}},
      {"ReduceMin", {1}},
      {"ReduceL1", {1}},
      {"ReduceL2", {1}},
      {"ReduceProd", {1}},
      {"ReduceLogSum", {1}},
      {"ReduceLogSumExp", {1}},
      {"ReduceSumSquare", {1}},
      {"HannWindow", {0}},
      {"HammingWindow", {0}},
      {"BlackmanWindow", {0}},
      {"DFT", {1, 2}},
      {"STFT", {1, 3}},
      {"MelWeightMatrix", {0, 1, 2, 3, 4}},
      {"MaxUnpool", {2}},
      {"CenterCropPad", {1}},
      {"Col2Im", {1, 2}},
      {"AffineGrid", {1}},
      {"Dropout", {1, 2}},
      {"Loop", {0, 1}},
      {"If", {0}},
  };
  return slots;
}

/// Goes from what settles sizes back to the inputs it is made of; sizes of values are known without what they hold.
class SettlingSearch {
 public:
  explicit SettlingSearch(const Graph& graph) : graph_(graph) {}

  std::set<ValueId> inputs() {
    for (const NodeId id : graph_.nodes())
      for (const SettlingSlots& entry : settling_slots()) {
        const Node& node = graph_.node(id);
        if (!node.op->is(entry.op)) continue;
        for (const std::size_t slot : entry.slots)
          if (slot < node.written_inputs().size() && node.inputs[slot].valid()) visit(node.inputs[slot]);
      }
    return found_;
  }

 private:
  bool is_small(const Type& type) const {
    if (!type.is_tensor() || type.element == ElementType::string) return false;
    if (!type.is_static_tensor()) return !type.ranked || type.shape.size() <= 1;
    std::int64_t count = 1;
    for (const Dim dim : type.shape) count *= std::min(dim.value(), kMostSettledElements + 1);
    return count <= kMostSettledElements;
  }

  void visit(ValueId id) {
    const Value& value = graph_.value(id);
    if (!is_small(value.type) || !visited_.insert(id).second) return;
    if (graph_.is_input(id)) found_.insert(id);
    if (!value.producer.valid()) return;
    const Node& node = graph_.node(value.producer);
    if (node.op->is("Shape") || node.op->is("Size")) return;
    for (const ValueId input : node.inputs)
      if (input.valid()) visit(input);
  }

  const Graph& graph_;
  std::set<ValueId> visited_, found_;
};

}  // namespace

std::vector<bool> settling_inputs(const Graph& graph) {
  const std::set<ValueId> found = SettlingSearch(graph).inputs();
  std::vector<bool> settling;
  for (const ValueId input : graph.inputs()) settling.push_back(found.contains(input));
  return settling;
}

SettledModel::SettledModel(std::shared_ptr<const Model> model, Make make)
    : model_(std::move(model)), make_(std::move(make)), settling_(settling_inputs(model_->graph)) {}

bool SettledModel::is_settled(std::size_t input, const Datum& given, Contents contents) const {
  if (given.empty()) return true;
  if (contents == Contents::left_open || !given.is_tensor() || given.tensor().type() == ElementType::string)
    return false;
  return settling_[input] && given.tensor().count() <= static_cast<std::size_t>(kMostSettledElements);
}

std::string SettledModel::key_of(std::span<const Datum> inputs, Contents contents) const {
  std::string key;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].empty() || !inputs[i].is_tensor()) {
      key += inputs[i].empty() ? "default;" : "given;";
      continue;
    }
    const Tensor& tensor = inputs[i].tensor();
    key += text_of(Type::tensor(tensor.type(), tensor.shape())) + ";";
    if (is_settled(i, inputs[i], contents))
      key.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  }
  return key;
}

/// The model with the shapes of its inputs, and constants in place of those that are settled. Inputs that are not
/// given and have no default either are left to whoever runs it.
Model SettledModel::settled_for(std::span<const Datum> inputs, Contents contents) const {
  Model settled = *model_;
  Graph& graph = settled.graph;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = graph.inputs()[i];
    if (inputs[i].is_tensor() && graph.value(id).type.kind != Type::Kind::sequence)
      graph.set_type(id, Type::tensor(inputs[i].tensor().type(), inputs[i].tensor().shape()));
    if (!is_settled(i, inputs[i], contents)) continue;
    const std::optional<Tensor> tensor = inputs[i].empty() ? graph.value(id).constant : inputs[i].tensor().aligned();
    if (!tensor) continue;
    const ValueId constant = graph.add_constant(graph.value(id).name + "_settled", *tensor);
    graph.set_type(constant, Type::tensor(tensor->type(), tensor->shape()));
    graph.replace_uses(id, constant);
  }
  return settled;
}

void SettledModel::set_inputs(std::span<const Datum> inputs) {
  std::vector<Datum> all(inputs.begin(), inputs.end());
  all.resize(model_->graph.inputs().size());
  Contents contents = Contents::settled;
  std::string key = key_of(all, contents);
  if (!ready_.contains(key) && ready_.size() >= kMostReady) {
    contents = Contents::left_open;
    key = key_of(all, contents);
    if (!ready_.contains(key) && ready_.size() >= 2 * kMostReady) ready_.erase(ready_.begin());
  }
  auto& ready = ready_[key];
  if (ready == nullptr) ready = make_(settled_for(all, contents));
  current_ = ready.get();
  current_->set_inputs(all);
}

std::vector<std::string> SettledModel::notes() const {
  return current_ != nullptr ? current_->notes() : std::vector<std::string>{};
}
std::vector<std::string> SettledModel::by_definition() const {
  return current_ != nullptr ? current_->by_definition() : std::vector<std::string>{};
}

}  // namespace hone::native
