#include "rewrite/proof/draft.h"

#include <algorithm>

#include "graph/ops/op.h"

namespace hone {
namespace {

/// Inputs that broadcast against each other.
bool complete_pointwise(Draft& draft, Choices& choices) {
  std::optional<Shape> base;
  for (const auto& input : draft.inputs)
    if (input && (!base || input->shape.size() > base->size())) base = input->shape;
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    if (!draft.open(i)) continue;
    draft.set(i, base && !draft.wanted_rank(i) ? draft.partner(*base, choices) : draft.any_shape(i, choices));
    if (!base || draft.rank(i) > base->size()) base = draft.shape(i);
  }
  return true;
}

/// Operators that work element by element.
bool complete_by_elements(Draft& draft, Choices& choices) {
  const std::string& name = draft.op->name;
  if ((name == "Where" || name == "Not") && draft.open(0))
    draft.inputs[0] = Type::tensor(ElementType::boolean, draft.any_shape(0, choices));
  if (name == "LeakyRelu" && draft.undecided("alpha")) draft.choose("alpha", choices.pick(2) == 0 ? 0.25 : 0.5);
  if (name == "HardSigmoid" && draft.undecided("alpha")) draft.choose("alpha", choices.pick(2) == 0 ? 0.25 : 1.0 / 6);
  if (name == "HardSigmoid") draft.choose("beta", 0.5);
  return complete_pointwise(draft, choices);
}

Completion find_completion(std::string_view op) {
  for (const auto completions :
       {window_completions(), product_completions(), movement_completions(), axis_completions()}) {
    const auto found = std::ranges::find(completions, op, &NamedCompletion::op);
    if (found != completions.end()) return found->complete;
  }
  return complete_by_elements;
}

}  // namespace

const Term* Draft::attribute(std::string_view name) const {
  const auto found = std::ranges::find_if(attributes, [&](const auto& term) { return term.first == name; });
  return found != attributes.end() ? &found->second : nullptr;
}

bool Draft::undecided(std::string_view name) const {
  return attribute(name) == nullptr && (!named || std::ranges::find(*named, name) != named->end());
}

std::optional<std::int64_t> Draft::integer(std::string_view name) const {
  const Term* term = attribute(name);
  return term != nullptr ? known_integer(*term) : std::nullopt;
}

std::optional<std::size_t> Draft::length(std::string_view name) const {
  const Term* term = attribute(name);
  const auto* list = term != nullptr ? std::get_if<DimList>(term) : nullptr;
  return list != nullptr ? std::optional(list->size()) : std::nullopt;
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

Dim Draft::any_size(Choices& choices) const { return Dim(pick_between(choices, 1, scope.size)); }

Shape Draft::any_shape(std::size_t input, Choices& choices, std::size_t least, std::size_t most) const {
  Shape shape;
  if (wanted[input]) {
    for (const Dim dim : *wanted[input]) shape.push_back(dim.known() ? dim : any_size(choices));
    return shape;
  }
  for (std::size_t rank = least + choices.pick(std::max(most, least) - least + 1); rank > 0; --rank)
    shape.push_back(any_size(choices));
  return shape;
}

Shape Draft::any_image(Dim channels, std::size_t spatial, Choices& choices) const {
  Shape shape{Dim(pick_between(choices, 1, std::min<std::int64_t>(2, scope.size))), channels};
  for (std::size_t i = 0; i < spatial; ++i) shape.push_back(Dim(pick_between(choices, 3, scope.image)));
  return shape;
}

Shape Draft::partner(const Shape& shape, Choices& choices) const {
  if (choices.shortcut(4)) return shape;
  if (choices.shortcut(4)) return {};
  Shape partner;
  if (choices.shortcut(3)) {  // one size for each channel
    for (std::size_t i = 0; i < shape.size(); ++i) partner.push_back(i == 1 ? shape[i] : Dim(1));
    if (choices.shortcut(2) && partner.size() > 1) partner.erase(0);
    return partner;
  }
  const std::size_t rank = choices.pick(std::max(scope.rank, shape.size()) + 1);
  for (std::size_t i = 0; i < rank; ++i) {  // from the last axis to the first
    const Dim other = i < shape.size() ? shape[shape.size() - 1 - i] : Dim(1);
    partner.insert(0, other == Dim(1) ? any_size(choices) : choices.pick(2) == 0 ? other : Dim(1));
  }
  return partner;
}

bool complete(Draft& draft, Choices& choices) {
  const bool fits = find_completion(draft.op->name)(draft, choices);
  return fits &&
         std::ranges::all_of(draft.inputs, [](const auto& input) { return input && input->is_static_tensor(); });
}

}  // namespace hone
