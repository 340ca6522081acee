#include "formats/source/size_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace hone {
namespace {

/// Where a variable stands first.
struct Place {
  const Shape& shape;
  std::size_t axis;
};

bool says(const std::string& name, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return !std::ranges::search(name, word, same).empty();
}

/// Whether an axis is one of the two that an image spreads over, channels before or behind them.
bool is_in_image(const Place& place) {
  constexpr std::int64_t kMostColours = 4;
  if (place.shape.size() != 4 || place.axis == 0) return false;
  const auto few = [&](std::size_t axis) {
    return place.shape[axis].known() && place.shape[axis].value() <= kMostColours;
  };
  if (few(3) && !few(1)) return place.axis < 3;
  return place.axis > 1 && (few(1) || (!place.shape[2].known() && !place.shape[3].known()));
}

std::int64_t likely_size(const std::string& name, const Place& place) {
  constexpr std::int64_t kBatch = 1, kColours = 3, kLength = 16, kImage = 224, kOfMany = 2;
  constexpr std::size_t kUsualRank = 5;
  if (says(name, "batch")) return kBatch;
  if (says(name, "channel")) return kColours;
  if (place.axis == 0 && place.shape.size() > 1) return kBatch;
  if (is_in_image(place)) return kImage;
  if (place.shape.size() > kUsualRank) return kOfMany;
  return place.shape.size() >= 4 && place.axis == 1 && !place.shape[2].known() ? kColours : kLength;
}

bool is_open(const Value& input) { return !input.constant && input.type.is_tensor() && !input.type.is_static_tensor(); }

}  // namespace

SizeVariables::SizeVariables(const Model& model) : model_(model) {
  for (const ValueId id : model_.graph.inputs()) {
    if (!is_open(model_.graph.value(id))) continue;
    inputs_.push_back(id);
    if (model_.graph.value(id).type.ranked) name_dims(model_, id);
  }
  for (const ValueId id : inputs_)
    if (!model_.graph.value(id).type.ranked) choose_rank(model_, id);
  if (empty()) return;
  collect();
  Model copy = model_;
  infer_types_so_far(copy);
  inferred_ = std::move(copy.graph);
}

/// Gives a symbol to every dim of an input that has none.
void SizeVariables::name_dims(Model& model, ValueId input) {
  Type type = model.graph.value(input).type;
  for (Dim& dim : type.shape) {
    if (!dim.unknown()) continue;
    dim = Dim::symbol(fmt::format("open dim {}", unnamed_++));  // no name that a file would use
  }
  model.graph.set_type(input, std::move(type));
}

/// The rank with which inference comes farthest, a usual one first.
void SizeVariables::choose_rank(Model& model, ValueId input) {
  constexpr std::size_t kRanks[] = {2, 4, 3, 1, 0, 5};
  const std::size_t unnamed_before = unnamed_;
  const ElementType element = model.graph.value(input).type.element;
  const auto with_rank = [&](std::size_t rank) {
    Model tried = model;
    unnamed_ = unnamed_before;
    tried.graph.set_type(input, Type::tensor(element, Shape(rank)));
    name_dims(tried, input);
    return tried;
  };
  std::size_t best = kRanks[0], farthest = 0;
  for (const std::size_t rank : kRanks) {
    Model tried = with_rank(rank);
    const InferredSoFar found = infer_types_so_far(tried);
    if (found.nodes <= farthest) continue;
    best = rank;
    farthest = found.nodes;
  }
  model = with_rank(best);
}

void SizeVariables::collect() {
  for (const ValueId id : inputs_) {
    const Shape& shape = model_.graph.value(id).type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis].substitute([&](std::string_view name) -> std::optional<std::int64_t> {
        if (std::ranges::find(names_, name) != names_.end()) return std::nullopt;
        names_.emplace_back(name);
        likely_.push_back(likely_size(names_.back(), {shape, axis}));
        return std::nullopt;
      });
  }
}

std::vector<std::size_t> SizeVariables::in(Dim dim) const {
  std::vector<std::size_t> found;
  dim.substitute([&](std::string_view name) -> std::optional<std::int64_t> {
    const auto it = std::ranges::find(names_, name);
    if (it != names_.end()) found.push_back(static_cast<std::size_t>(it - names_.begin()));
    return std::nullopt;
  });
  return found;
}

std::vector<std::size_t> SizeVariables::all() const {
  std::vector<std::size_t> variables(names_.size());
  std::iota(variables.begin(), variables.end(), 0);
  return variables;
}

std::vector<std::size_t> SizeVariables::reaching(NodeId node) const {
  std::vector<std::size_t> found;
  const Graph& graph = inferred_;
  for (const ValueId input : graph.node(node).inputs) {
    if (!input.valid() || graph.value(input).constant) continue;
    const Type& type = graph.value(input).type;
    if (!type.is_tensor() || !type.ranked) return all();
    for (const Dim dim : type.shape) {
      if (dim.unknown()) return all();
      for (const std::size_t variable : in(dim))
        if (std::ranges::find(found, variable) == found.end()) found.push_back(variable);
    }
  }
  return found.empty() ? all() : found;
}

Shape SizeVariables::shape(ValueId input, const Sizes& sizes) const {
  const Shape& open = model_.graph.value(input).type.shape;
  Shape fixed;
  for (std::size_t axis = 0; axis < open.size(); ++axis) {
    const Dim dim = open[axis].substitute([&](std::string_view name) -> std::optional<std::int64_t> {
      return sizes[static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin())];
    });
    // An expression that comes out without a size, such as n - 20, leaves one that is likely.
    const bool is_size = dim.known() && dim.value() >= 0;
    fixed.push_back(is_size ? dim : Dim(likely_size("", {open, axis})));
  }
  return fixed;
}

FixedDims SizeVariables::fixed(const Sizes& sizes) const {
  FixedDims fixed;
  for (const ValueId id : inputs_) fixed.inputs[model_.graph.value(id).name] = shape(id, sizes);
  return fixed;
}

Model SizeVariables::model_with(const Sizes& sizes) const {
  Model copy = model_;
  fix_dims(copy, fixed(sizes));
  return copy;
}

std::string SizeVariables::text(const Sizes& sizes) const {
  std::vector<std::string> shapes;
  for (const ValueId id : inputs_) {
    std::vector<std::string> dims;
    for (const Dim dim : shape(id, sizes)) dims.push_back(dim.text());
    shapes.push_back(fmt::format("{}:{}", model_.graph.value(id).name,
                                 dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x"))));
  }
  return fmt::format("{}", fmt::join(shapes, " "));
}

}  // namespace hone
