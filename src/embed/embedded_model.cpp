#include "embed/embedded_model.h"

#include <algorithm>
#include <cstring>

#include "formats/onnx/read.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

std::vector<std::string> names_of(const Graph& graph, std::span<const ValueId> values) {
  std::vector<std::string> names;
  for (const ValueId id : values) names.push_back(graph.value(id).name);
  return names;
}

bool has_open_sizes(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [&](ValueId id) { return !graph.value(id).type.is_static_tensor(); });
}

}  // namespace

EmbeddedModel::EmbeddedModel(const std::filesystem::path& model, std::filesystem::path plan, std::size_t threads)
    : model_(onnx::read(model)), plan_(std::move(plan)) {
  const RuntimeKind* kind = RuntimeKind::stand_in();
  if (kind == nullptr) fail("this library was built without an executor");
  runtime_ = kind->make("");
  host_ = runtime_->start(threads);
  input_names_ = names_of(model_.graph, model_.graph.inputs());
  output_names_ = names_of(model_.graph, model_.graph.outputs());
  inputs_.resize(input_names_.size());
  if (plan_.empty() || has_open_sizes(model_.graph)) return;
  Model typed = model_;
  infer_types(typed);
  runtime_->by_plan(typed, plan_, {});  // says what is wrong with it
}

void EmbeddedModel::set_input(const std::string& name, ElementType type, const Dims& dims, const void* elements) {
  const auto found = std::ranges::find(input_names_, name);
  if (found == input_names_.end()) fail_usage("'{}' is no input of {}", name, model_.source);
  const auto index = static_cast<std::size_t>(found - input_names_.begin());
  const Type& declared = model_.graph.value(model_.graph.inputs()[index]).type;
  if (type == ElementType::string || bit_width(type) < 8)
    fail_usage("input '{}': elements of type {} cannot be given", name, name_of(type));
  if (declared.element != type)
    fail_usage("input '{}' has elements of type {}, not {}", name, name_of(declared.element), name_of(type));
  Tensor tensor = Tensor::zeros(type, dims);
  if (!tensor.bytes().empty()) std::memcpy(tensor.write_bytes().data(), elements, tensor.bytes().size());
  inputs_[index] = std::move(tensor);
}

EmbeddedModel::Sized EmbeddedModel::made_ready(const std::vector<Dims>& sizes) const {
  Sized sized{.model = model_, .prepared = nullptr};
  FixedDims fixed;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (!inputs_[i].empty()) {
      Shape& shape = fixed.inputs[input_names_[i]];
      for (const std::int64_t dim : sizes[i]) shape.push_back(Dim(dim));
    }
  fix_dims(sized.model, fixed);
  infer_types(sized.model);
  return sized;
}

std::optional<RuntimeOptions> EmbeddedModel::options_for(const Model& model) const {
  if (plan_.empty()) return std::nullopt;
  try {
    return runtime_->by_plan(model, plan_, {});
  } catch (const InputError& error) {
    if (error.code() != ExitCode::bad_model) throw;
    return std::nullopt;  // it was made for other sizes
  }
}

EmbeddedModel::Sized& EmbeddedModel::sized() {
  std::vector<Dims> sizes;
  std::vector<std::vector<std::int64_t>> key;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const bool has_default = model_.graph.value(model_.graph.inputs()[i]).constant.has_value();
    if (inputs_[i].empty() && !has_default) fail_usage("input '{}' has not been set", input_names_[i]);
    sizes.push_back(inputs_[i].empty() ? Dims() : inputs_[i].tensor().dims());
    key.emplace_back(sizes.back().begin(), sizes.back().end());
  }
  const auto [found, is_new] = ready_.try_emplace(key);
  if (!is_new) return found->second;
  try {
    Sized& made = found->second = made_ready(sizes);
    const std::optional<RuntimeOptions> options = options_for(made.model);
    made.by_plan = options.has_value();
    made.prepared = host_->prepare({made.model, {}}, options.value_or(RuntimeOptions()));
    return made;
  } catch (...) {
    ready_.erase(found);
    throw;
  }
}

void EmbeddedModel::run() {
  Sized& ready = sized();
  ready.prepared->set_inputs(inputs_);
  outputs_ = ready.prepared->outputs();
  ran_by_plan_ = ready.by_plan;
}

const Tensor* EmbeddedModel::output(const std::string& name) const {
  const auto found = std::ranges::find(output_names_, name);
  const auto index = static_cast<std::size_t>(found - output_names_.begin());
  return index < outputs_.size() && outputs_[index].is_tensor() ? &outputs_[index].tensor() : nullptr;
}

}  // namespace hone
