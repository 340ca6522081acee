#include "proof/draft.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "ops/op.h"

namespace hone {
namespace {

Shape any_shape(Choices& choices, std::size_t rank) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(Dim(static_cast<std::int64_t>(1 + choices.pick(3))));
  return shape;
}

Shape any_shape(Draft& draft, std::size_t input, Choices& choices) {
  return any_shape(choices, draft.wanted_rank(input) ? *draft.wanted_rank(input) : 1 + choices.pick(4));
}

std::int64_t integer(const Draft& draft, std::string_view name, std::int64_t otherwise) {
  const Term* term = draft.attribute(name);
  const auto value = term != nullptr ? known_integer(*term) : std::nullopt;
  return value.value_or(otherwise);
}

Dim number(std::size_t value) { return Dim(static_cast<std::int64_t>(value)); }

/// Equal to the given shape, or what broadcasts against it.
Shape broadcast_partner(const Shape& shape, Choices& choices) {
  Shape partner = shape;
  switch (choices.pick(5)) {
    case 0: return partner;
    case 1: return {};
    case 2: {  // leading dimensions left out
      const std::size_t kept = choices.pick(shape.size() + 1);
      return Shape(std::span<const Dim>(shape.end() - kept, kept));
    }
    case 3:  // some stretched
      for (Dim& dim : partner)
        if (choices.pick(2) == 0) dim = Dim(1);
      return partner;
    default:  // one size for each channel
      for (std::size_t i = 0; i < partner.size(); ++i)
        if (i != 1) partner[i] = Dim(1);
      if (choices.pick(2) == 0 && partner.size() > 1) partner.erase(0);
      return partner;
  }
}

/// Inputs that broadcast against each other.
bool complete_pointwise(Draft& draft, Choices& choices) {
  std::optional<Shape> base;
  for (const auto& input : draft.inputs)
    if (input && (!base || input->shape.size() > base->size())) base = input->shape;
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    if (!draft.open(i)) continue;
    Shape shape = base ? broadcast_partner(*base, choices) : any_shape(draft, i, choices);
    if (draft.wanted_rank(i))
      while (shape.size() < *draft.wanted_rank(i)) shape.insert(0, Dim(1));
    if (!base) base = shape;
    draft.set(i, shape);
  }
  return true;
}

DimList any_list(Choices& choices, std::size_t count, std::int64_t low, std::size_t options) {
  DimList list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(Dim(low + static_cast<std::int64_t>(choices.pick(options))));
  return list;
}

/// Plain or any: half of the windows have no padding, stride or dilation of their own.
void choose_window(Draft& draft, Choices& choices, std::size_t spatial) {
  const bool plain = choices.pick(2) == 0;
  draft.choose("strides", plain ? DimList(spatial, Dim(1)) : any_list(choices, spatial, 1, 2));
  draft.choose("dilations", choices.pick(2) == 0 ? DimList(spatial, Dim(1)) : any_list(choices, spatial, 1, 2));
  draft.choose("pads", choices.pick(3) == 0 ? any_list(choices, 2 * spatial, 0, 3)
                                            : DimList(2 * spatial, number(choices.pick(2))));
}

Shape any_image(Choices& choices, Dim channels, std::size_t spatial) {
  Shape shape{Dim(static_cast<std::int64_t>(1 + choices.pick(2))), channels};
  for (std::size_t i = 0; i < spatial; ++i) shape.push_back(Dim(static_cast<std::int64_t>(3 + choices.pick(3))));
  return shape;
}

Shape any_kernel(Choices& choices, Dim first, Dim second, std::size_t spatial) {
  Shape shape{first, second};
  const bool single = choices.pick(2) == 0;
  for (std::size_t i = 0; i < spatial; ++i)
    shape.push_back(Dim(static_cast<std::int64_t>(single ? 1 : 1 + choices.pick(3))));
  return shape;
}

bool complete_convolution(Draft& draft, Choices& choices) {
  const bool transposed = draft.op->name == "ConvTranspose";
  const std::size_t spatial = !draft.open(0)         ? (draft.rank(0) < 3 ? 0 : draft.rank(0) - 2)
                              : !draft.open(1)       ? (draft.rank(1) < 3 ? 0 : draft.rank(1) - 2)
                              : draft.wanted_rank(1) ? *draft.wanted_rank(1) - 2
                                                     : 1 + choices.pick(2);
  if (spatial == 0) return false;
  const std::int64_t group =
      integer(draft, "group", choices.pick(2) == 0 ? 1 : static_cast<std::int64_t>(1 + choices.pick(3)));
  draft.choose("group", Dim(group));
  if (draft.open(0)) {
    const Dim channels = draft.open(1) ? number(1 + choices.pick(2)) * Dim(group)
                                       : (transposed ? draft.shape(1)[0] : draft.shape(1)[1] * Dim(group));
    draft.set(0, any_image(choices, channels, spatial));
  }
  const Dim channels = draft.shape(0)[1];
  if (!channels.known() || channels.value() % group != 0) return false;
  const Dim made = number(1 + choices.pick(3));
  if (draft.open(1))
    draft.set(1, transposed ? any_kernel(choices, channels, made, spatial)
                            : any_kernel(choices, made * Dim(group), Dim(channels.value() / group), spatial));
  if (draft.open(2)) draft.set(2, {transposed ? draft.shape(1)[1] * Dim(group) : draft.shape(1)[0]});
  choose_window(draft, choices, spatial);
  if (transposed) draft.choose("output_padding", DimList(spatial, Dim(0)));
  return true;
}

bool complete_pool(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_image(choices, number(1 + choices.pick(2)), 1 + choices.pick(2)));
  if (draft.rank(0) < 3) return false;
  const std::size_t spatial = draft.rank(0) - 2;
  draft.choose("kernel_shape", any_list(choices, spatial, 1, 3));
  draft.choose("ceil_mode", number(choices.pick(2)));
  if (draft.op->name == "AveragePool") draft.choose("count_include_pad", number(choices.pick(2)));
  choose_window(draft, choices, spatial);
  return true;
}

bool complete_matmul(Draft& draft, Choices& choices) {
  if (draft.open(0) && draft.open(1))
    draft.set(0, any_shape(choices, draft.wanted_rank(0) ? *draft.wanted_rank(0) : 1 + choices.pick(4)));
  if (draft.open(1)) {
    const Shape& left = draft.shape(0);
    if (left.empty()) return false;
    Shape right = draft.wanted_rank(1) == 1 ? Shape{} : Shape{number(1 + choices.pick(3))};
    right.insert(0, left.back());
    const std::size_t rank = draft.wanted_rank(1) ? *draft.wanted_rank(1) : choices.pick(3) == 0 ? left.size() : 2;
    for (std::size_t i = 2; i < rank && i < left.size(); ++i) right.insert(0, left[left.size() - 1 - i]);
    draft.set(1, right);
  }
  if (draft.open(0)) {
    const Shape& right = draft.shape(1);
    if (right.empty()) return false;
    Shape left{number(1 + choices.pick(3)), right[right.size() < 2 ? 0 : right.size() - 2]};
    const std::size_t rank =
        draft.wanted_rank(0) ? *draft.wanted_rank(0) : std::max<std::size_t>(right.size(), 2 + choices.pick(2));
    while (left.size() < rank)
      left.insert(0, right.size() > left.size() ? right[right.size() - left.size() - 1] : number(1 + choices.pick(2)));
    draft.set(0, left);
  }
  return true;
}

bool complete_gemm(Draft& draft, Choices& choices) {
  for (const char* name : {"transA", "transB"}) draft.choose(name, number(choices.pick(2)));
  for (const char* name : {"alpha", "beta"})
    draft.choose(name, choices.pick(2) == 0 ? 1.0 : choices.pick(2) == 0 ? 0.5 : 2.0);
  const bool flip_a = integer(draft, "transA", 0) != 0, flip_b = integer(draft, "transB", 0) != 0;
  const auto oriented = [](Dim rows, Dim columns, bool flip) {
    return flip ? Shape{columns, rows} : Shape{rows, columns};
  };
  if (draft.open(0)) {
    const Dim inner = draft.open(1) ? number(1 + choices.pick(3)) : draft.shape(1)[flip_b ? 1 : 0];
    draft.set(0, oriented(number(1 + choices.pick(3)), inner, flip_a));
  }
  if (draft.rank(0) != 2) return false;
  if (draft.open(1)) draft.set(1, oriented(draft.shape(0)[flip_a ? 0 : 1], number(1 + choices.pick(3)), flip_b));
  if (draft.rank(1) != 2) return false;
  if (draft.open(2)) {
    const Dim rows = draft.shape(0)[flip_a ? 1 : 0], columns = draft.shape(1)[flip_b ? 0 : 1];
    const Shape forms[] = {{columns}, {rows, columns}, {Dim(1), columns}, {rows, Dim(1)}, {Dim(1)}, {}};
    draft.set(2, draft.wanted_rank(2) == 1 ? Shape{columns} : forms[choices.pick(6)]);
  }
  return true;
}

/// BatchNormalization and its like: a vector of channels for every input after the first.
bool complete_channels(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(choices, 2 + choices.pick(3)));
  if (draft.rank(0) < 2) return false;
  for (std::size_t i = 1; i < draft.inputs.size(); ++i)
    if (draft.open(i)) draft.set(i, {draft.shape(0)[1]});
  draft.choose("epsilon", choices.pick(2) == 0 ? 1.0 / 1024 : 0.25);
  return true;
}

bool complete_layer_norm(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(choices, 1 + choices.pick(3)));
  const std::size_t rank = draft.rank(0);
  if (rank == 0) return false;
  const auto axis = static_cast<std::size_t>(integer(draft, "axis", static_cast<std::int64_t>(choices.pick(rank))));
  draft.choose("axis", number(axis));
  draft.choose("epsilon", choices.pick(2) == 0 ? 1.0 / 1024 : 0.25);
  if (axis > rank) return false;
  for (std::size_t i = 1; i < draft.inputs.size(); ++i)
    if (draft.open(i)) draft.set(i, Shape(std::span<const Dim>(draft.shape(0).begin() + axis, rank - axis)));
  return true;
}

bool complete_concat(Draft& draft, Choices& choices) {
  const auto decided = std::ranges::find_if(draft.inputs, [](const auto& input) { return input.has_value(); });
  const Shape base = decided != draft.inputs.end()
                         ? (*decided)->shape
                         : any_shape(choices, draft.wanted_rank(0) ? *draft.wanted_rank(0) : 1 + choices.pick(4));
  if (base.empty()) return false;
  draft.choose("axis", number(choices.pick(base.size())));
  const auto axis = static_cast<std::size_t>(integer(draft, "axis", 0));
  if (axis >= base.size()) return false;
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    if (!draft.open(i)) continue;
    Shape shape = base;
    shape[axis] = number(1 + choices.pick(3));
    draft.set(i, shape);
  }
  return true;
}

bool complete_split(Draft& draft, Choices& choices) {
  if (draft.any_outputs) draft.outputs = 2 + choices.pick(2);
  if (draft.open(0)) {
    Shape shape = any_shape(choices, 1 + choices.pick(4));
    shape[choices.pick(shape.size())] = number(draft.outputs + choices.pick(2));
    draft.set(0, shape);
  }
  if (draft.rank(0) == 0) return false;
  if (draft.attribute("axis") == nullptr) {
    std::vector<std::size_t> wide;
    for (std::size_t i = 0; i < draft.rank(0); ++i)
      if (draft.shape(0)[i].value() >= static_cast<std::int64_t>(draft.outputs)) wide.push_back(i);
    if (wide.empty()) return false;
    draft.choose("axis", number(wide[choices.pick(wide.size())]));
  }
  const std::int64_t axis = integer(draft, "axis", 0);
  if (axis < 0 || axis >= static_cast<std::int64_t>(draft.rank(0))) return false;
  std::int64_t left = draft.shape(0)[static_cast<std::size_t>(axis)].value();
  DimList sizes;
  for (std::size_t i = draft.outputs; i > 1; --i) {
    const std::int64_t most = left - static_cast<std::int64_t>(i) + 1;
    if (most < 1) return false;
    sizes.push_back(Dim(1 + static_cast<std::int64_t>(choices.pick(static_cast<std::size_t>(most)))));
    left -= sizes.back().value();
  }
  sizes.push_back(Dim(left));
  draft.choose("split", sizes);
  return true;
}

/// Neighbouring dimensions merged, one split, or ones added.
bool complete_reshape(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  DimList shape(draft.shape(0).begin(), draft.shape(0).end());
  if (!shape.empty()) {
    const std::size_t at = choices.pick(shape.size());
    switch (choices.pick(4)) {
      case 0:
        if (at + 1 < shape.size()) {
          shape[at] = shape[at] * shape[at + 1];
          shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        break;
      case 1: shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), Dim(1)); break;
      case 2:
        if (shape[at].value() % 2 == 0) {
          shape[at] = Dim(shape[at].value() / 2);
          shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), Dim(2));
        }
        break;
      default: shape = {element_count(draft.shape(0))};
    }
  }
  draft.choose("shape", shape);
  return true;
}

bool complete_expand(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  DimList shape(draft.shape(0).begin(), draft.shape(0).end());
  for (Dim& dim : shape)
    if (dim == Dim(1)) dim = number(1 + choices.pick(3));
  if (choices.pick(2) == 0) shape.insert(shape.begin(), Dim(2));
  draft.choose("shape", shape);
  return true;
}

bool complete_transpose(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  DimList left, perm;
  for (std::size_t i = 0; i < draft.rank(0); ++i) left.push_back(number(i));
  while (!left.empty()) {
    const std::size_t at = choices.pick(left.size());
    perm.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  draft.choose("perm", perm);
  return true;
}

bool complete_slice(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  DimList starts, ends, axes, steps;
  for (std::size_t i = 0; i < draft.rank(0); ++i) {
    const std::size_t size = static_cast<std::size_t>(draft.shape(0)[i].value());
    const std::size_t start = choices.pick(2) == 0 ? 0 : choices.pick(size);
    starts.push_back(number(start));
    ends.push_back(number(choices.pick(2) == 0 ? size : start + 1 + choices.pick(size - start)));
    axes.push_back(number(i));
    steps.push_back(number(1 + (choices.pick(4) == 0 ? 1 : 0)));
  }
  draft.choose("starts", starts);
  draft.choose("ends", ends);
  draft.choose("axes", axes);
  draft.choose("steps", steps);
  return true;
}

bool complete_pad(Draft& draft, Choices& choices) {
  if (draft.open(0))
    draft.set(0, choices.pick(3) == 0 ? any_shape(draft, 0, choices)
                                      : any_image(choices, number(1 + choices.pick(2)), 1 + choices.pick(2)));
  const std::size_t rank = draft.rank(0);
  DimList pads(2 * rank, Dim(0));
  const std::size_t first = choices.pick(4) == 0 ? 0 : std::min<std::size_t>(2, rank);
  for (std::size_t i = 0; i < 2 * rank; ++i)
    if (i % rank >= first) pads[i] = number(choices.pick(3));
  draft.choose("pads", pads);
  draft.choose("value", choices.pick(4) == 0 ? 1.0 : 0.0);
  draft.choose("mode", std::string("constant"));
  return true;
}

bool complete_reduction(Draft& draft, Choices& choices) {
  if (draft.open(0))
    draft.set(0,
              choices.pick(2) == 0 ? any_shape(draft, 0, choices) : any_image(choices, number(1 + choices.pick(3)), 2));
  const std::size_t rank = draft.rank(0);
  if (rank == 0) return false;
  DimList axes;
  switch (choices.pick(3)) {
    case 0: axes = {number(rank - 1)}; break;
    case 1:
      for (std::size_t i = 2; i < rank; ++i) axes.push_back(number(i));
      break;
    default:
      for (std::size_t i = 0; i < rank; ++i)
        if (choices.pick(2) == 0) axes.push_back(number(i));
  }
  if (axes.empty()) axes = {number(choices.pick(rank))};
  draft.choose("axes", axes);
  draft.choose("keepdims", number(choices.pick(2)));
  return true;
}

bool complete_axis(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  if (draft.rank(0) == 0) return false;
  draft.choose("axis", number(choices.pick(3) > 0 ? draft.rank(0) - 1 : choices.pick(draft.rank(0))));
  return true;
}

bool complete_unsqueeze(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  const std::size_t rank = draft.rank(0);
  if (draft.op->name == "Unsqueeze") {
    draft.choose("axes",
                 choices.pick(3) == 0 ? DimList{Dim(0), number(rank + 1)} : DimList{number(choices.pick(rank + 1))});
    return true;
  }
  DimList ones;
  for (std::size_t i = 0; i < rank; ++i)
    if (draft.shape(0)[i] == Dim(1)) ones.push_back(number(i));
  if (ones.empty()) return false;
  if (ones.size() > 1 && choices.pick(2) == 0)
    ones.erase(ones.begin() + static_cast<std::ptrdiff_t>(choices.pick(ones.size())));
  draft.choose("axes", ones);
  return true;
}

bool complete_cast(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  constexpr ElementType kTypes[] = {ElementType::float32, ElementType::float64, ElementType::int64, ElementType::int32,
                                    ElementType::float16};
  draft.choose("to", Dim(static_cast<std::int64_t>(kTypes[choices.pick(5)])));
  return true;
}

bool complete_clip(Draft& draft, Choices& choices) {
  if (draft.open(0)) draft.set(0, any_shape(draft, 0, choices));
  draft.choose("min", choices.pick(2) == 0 ? 0.0 : choices.pick(2) == 0 ? -1.0 : 1.0);
  draft.choose("max", choices.pick(2) == 0 ? 6.0 : choices.pick(2) == 0 ? 2.0 : 1.0);
  return true;
}

bool complete_gather(Draft& draft, Choices& choices) {
  if (!complete_axis(draft, choices)) return false;
  if (draft.open(1))
    draft.set(1, choices.pick(2) == 0 ? Shape{} : Shape{number(1 + choices.pick(2))}, ElementType::int64);
  return true;
}

/// Sizes for the letters of an equation without dots.
bool complete_einsum(Draft& draft, Choices& choices) {
  const Term* term = draft.attribute("equation");
  const auto* equation = term != nullptr ? std::get_if<std::string>(term) : nullptr;
  if (equation == nullptr) return false;
  std::unordered_map<char, Dim> sizes;
  std::size_t input = 0;
  Shape shape;
  for (const char c : *equation + ",") {
    if (c == ' ') continue;
    if (c != ',' && c != '-') {
      if (!sizes.contains(c)) sizes[c] = number(1 + choices.pick(3));
      shape.push_back(sizes[c]);
      continue;
    }
    if (input < draft.inputs.size() && draft.open(input)) draft.set(input, shape);
    ++input;
    shape.clear();
    if (c == '-') break;
  }
  return true;
}

/// Operators that work element by element.
bool complete_by_elements(Draft& draft, Choices& choices) {
  if (draft.op->name == "Where" && draft.open(0))
    draft.inputs[0] = Type::tensor(ElementType::boolean, any_shape(draft, 0, choices));
  if (draft.op->name == "Not" && draft.open(0))
    draft.inputs[0] = Type::tensor(ElementType::boolean, any_shape(draft, 0, choices));
  if (draft.op->name == "LeakyRelu") draft.choose("alpha", choices.pick(2) == 0 ? 0.25 : 0.5);
  if (draft.op->name == "HardSigmoid") draft.choose("alpha", choices.pick(2) == 0 ? 0.25 : 1.0 / 6);
  if (draft.op->name == "HardSigmoid") draft.choose("beta", 0.5);
  return complete_pointwise(draft, choices);
}

using Completion = bool (*)(Draft&, Choices&);

const std::unordered_map<std::string, Completion>& completions() {
  static const std::unordered_map<std::string, Completion> table = {
      {"Conv", complete_convolution},
      {"ConvTranspose", complete_convolution},
      {"MaxPool", complete_pool},
      {"AveragePool", complete_pool},
      {"MatMul", complete_matmul},
      {"Gemm", complete_gemm},
      {"BatchNormalization", complete_channels},
      {"InstanceNormalization", complete_channels},
      {"LayerNormalization", complete_layer_norm},
      {"RMSNormalization", complete_layer_norm},
      {"SimplifiedLayerNormalization", complete_layer_norm},
      {"Concat", complete_concat},
      {"Split", complete_split},
      {"Reshape", complete_reshape},
      {"Expand", complete_expand},
      {"Transpose", complete_transpose},
      {"Slice", complete_slice},
      {"Pad", complete_pad},
      {"ReduceMean", complete_reduction},
      {"ReduceSum", complete_reduction},
      {"ReduceMax", complete_reduction},
      {"ReduceMin", complete_reduction},
      {"ReduceL2", complete_reduction},
      {"ReduceSumSquare", complete_reduction},
      {"ReduceProd", complete_reduction},
      {"ReduceLogSumExp", complete_reduction},
      {"ReduceL1", complete_reduction},
      {"ReduceLogSum", complete_reduction},
      {"Softmax", complete_axis},
      {"LogSoftmax", complete_axis},
      {"Flatten", complete_axis},
      {"Unsqueeze", complete_unsqueeze},
      {"Squeeze", complete_unsqueeze},
      {"Cast", complete_cast},
      {"Clip", complete_clip},
      {"Gather", complete_gather},
      {"Einsum", complete_einsum},
      {"GlobalAveragePool",
       [](Draft& draft, Choices& choices) {
         if (draft.open(0)) draft.set(0, any_image(choices, number(1 + choices.pick(3)), 1 + choices.pick(2)));
         return true;
       }},
  };
  return table;
}

}  // namespace

const Term* Draft::attribute(std::string_view name) const {
  const auto found = std::ranges::find_if(attributes, [&](const auto& term) { return term.first == name; });
  return found != attributes.end() ? &found->second : nullptr;
}

void Draft::choose(std::string_view name, Term value) {
  if (attribute(name) == nullptr) attributes.emplace_back(name, std::move(value));
}

std::optional<std::size_t> Draft::wanted_rank(std::size_t input) const {
  return wanted[input] ? std::optional(wanted[input]->size()) : std::nullopt;
}

void Draft::set(std::size_t input, Shape shape, std::optional<ElementType> type) {
  if (wanted_rank(input) == shape.size())
    for (std::size_t i = 0; i < shape.size(); ++i)
      if ((*wanted[input])[i].known()) shape[i] = (*wanted[input])[i];
  inputs[input] = Type::tensor(type.value_or(element), std::move(shape));
}

bool has_own_choices(const OpName* op) { return completions().contains(op->name); }

bool complete(Draft& draft, Choices& choices) {
  const auto found = completions().find(draft.op->name);
  const bool fits = found != completions().end() ? found->second(draft, choices) : complete_by_elements(draft, choices);
  return fits && std::ranges::all_of(draft.inputs, [](const auto& input) { return input && input->is_static_tensor(); });
}

}  // namespace hone
