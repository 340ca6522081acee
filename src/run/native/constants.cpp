#include <algorithm>

#include "base/loaded_library.h"
#include "base/mapped_file.h"
#include "graph/ops/evaluate.h"
#include "run/native/lowering.h"
#include "run/reference/reference.h"

// What is known before a model runs.

namespace hone::native {
namespace {

bool has_body(const Node& node) {
  return std::ranges::any_of(*node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<SharedGraph>(attribute.value);
  });
}

/// A copy piece by piece, each of which is given back to the file it came from: nothing is in memory twice.
Tensor moved_out_of_file(const Tensor& tensor) {
  constexpr std::size_t kPiece = 1 << 18;
  Tensor copy = Tensor::zeros(tensor.type(), tensor.dims());
  for (std::size_t first = 0; first < tensor.bytes().size(); first += kPiece) {
    const auto piece = tensor.bytes().subspan(first, std::min(kPiece, tensor.bytes().size() - first));
    std::ranges::copy(piece, copy.write_bytes().begin() + static_cast<std::ptrdiff_t>(first));
    MappedFile::unload(piece);
  }
  return copy;
}

}  // namespace

Tensor Lowering::elements(ValueId constant) const {
  if (const auto& known = stored_[constant.index()]; known && known->view.offset == 0)
    if (const Array& array = program_.arrays[known->array.index()]; array.constant.count() > 0) return array.constant;
  const auto computed = computed_.find(constant);
  const Tensor& tensor = computed != computed_.end() ? computed->second : *graph().value(constant).constant;
  const auto alignment = static_cast<std::uintptr_t>(std::max(bit_width(tensor.type()) / 8, 1));
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes().data()) % alignment == 0;
  return is_aligned || tensor.type() == ElementType::boolean ? tensor.aligned() : moved_out_of_file(tensor);
}

/// What a node gives is computed once, beforehand.
void Lowering::put_constant(NodeId id, const std::vector<Datum>& inputs) {
  const std::vector<Datum> results = run_node(model_, id, inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!graph().node(id).outputs[i].valid()) continue;
    const Tensor& tensor = results[i].tensor();
    computed_.insert_or_assign(graph().node(id).outputs[i], tensor);
    put(graph().node(id).outputs[i],
        {.array = add_array({.kind = Array::Kind::constant, .bytes = tensor.bytes().size(), .constant = tensor}),
         .view = dense_view(tensor.type(), tensor.dims())});
  }
}

/// Results of constants alone, or of what is known of a value without its elements, take no step.
bool Lowering::lower_as_constant(NodeId id) {
  const Node& node = graph().node(id);
  const Definition definition = definition_of(node, model_.opsets);
  if (definition.entry == nullptr || !definition.entry->deterministic || node.captured > 0 || has_body(node))
    return false;
  const bool by_shape = node.op->is("Shape") || node.op->is("Size") || node.op->is("EyeLike");
  std::vector<Datum> inputs;
  for (const ValueId input : node.written_inputs()) {
    const Tensor* tensor = input.valid() ? constant(input) : nullptr;
    if (tensor != nullptr) inputs.emplace_back(*tensor);
    else if (!input.valid()) inputs.emplace_back();
    else if (by_shape) inputs.emplace_back(Tensor::zeros(graph().value(input).type.element, dims(input)));
    else return false;
  }
  put_constant(id, inputs);
  return true;
}

void Lowering::pack_later(ValueId constant, std::function<void()> pack) {
  to_pack_.emplace_back(constant, std::move(pack));
}

void Lowering::pack_constants() {
  unload_library("libdnnl");  // most of it was there to choose code
  std::ranges::stable_sort(to_pack_, std::greater(),
                           [&](const auto& each) { return constant(each.first)->bytes().size(); });
  for (const auto& [id, pack] : to_pack_) {
    pack();
    MappedFile::unload(constant(id)->bytes());
  }
  to_pack_.clear();
}

/// What has been packed need not stay in memory twice.
void Lowering::release_constants(const NodeGroup& group) {
  for (const NodeId id : group.nodes)
    for (const ValueId input : graph().node(id).written_inputs()) {
      if (!input.valid() || constant(input) == nullptr) continue;
      if (std::optional<Stored>& known = stored_[input.index()]; known && !is_used_[known->array.index()]) {
        program_.arrays[known->array.index()] = {.kind = Array::Kind::constant, .constant = {}};
        known.reset();
      }
      MappedFile::unload(constant(input)->bytes());
    }
}

}  // namespace hone::native
