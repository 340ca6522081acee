#include "run/verify/inputs.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "formats/onnx/data_file.h"
#include "run/verify/npy.h"

namespace hone {
namespace {

/// Operators that hand on the numbers of their first input, so that an index in is an index out.
constexpr std::string_view kHandsOn[] = {"Cast",      "Identity", "Reshape", "Squeeze",  "Unsqueeze", "Flatten",
                                         "Transpose", "Slice",    "Concat",  "Expand",   "Tile",      "Split",
                                         "Gather",    "Where",    "Dropout", "CastLike", "Clip"};

/// The size of what input `slot` of a node indexes, when that input holds indices.
std::optional<std::int64_t> indexed_size(const Graph& graph, const Node& node, std::uint32_t slot) {
  const auto given = [&](std::size_t input) {
    return input < node.written_inputs().size() && node.inputs[input].valid();
  };
  const auto dim = [&](std::size_t input, std::int64_t axis) -> std::optional<std::int64_t> {
    if (!given(input)) return std::nullopt;
    const Type& type = graph.value(node.inputs[input]).type;
    if (!type.is_tensor() || !type.ranked || type.shape.empty()) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(type.shape.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || !type.shape[static_cast<std::size_t>(axis)].known()) return std::nullopt;
    return type.shape[static_cast<std::size_t>(axis)].value();
  };
  const auto axis_attribute = [&]() -> std::int64_t {
    const Attribute* axis = node.attribute("axis");
    const auto* value = axis ? std::get_if<std::int64_t>(&axis->value) : nullptr;
    return value ? *value : 0;
  };
  const std::string& op = node.op->name;
  const bool gathers = op == "Gather" || op == "GatherElements" || op == "ScatterElements" || op == "Scatter";
  if (gathers && slot == 1) return dim(0, axis_attribute());
  if ((op == "GatherND" || op == "ScatterND") && slot == 1) return dim(0, 0);
  if (op == "EmbedLayerNormalization" && slot < 2) return dim(slot + 2, 0);
  if (op == "OneHot" && slot == 0 && given(1)) {
    const auto& depth = graph.value(node.inputs[1]).constant;
    return depth && depth->count() == 1 ? std::optional(depth->integer_at(0)) : std::nullopt;
  }
  return std::nullopt;
}

/// Smallest thing that the numbers of `id` are used to index, looking through what hands them on.
std::optional<std::int64_t> index_bound(const Graph& graph, ValueId id, std::set<ValueId>& seen) {
  if (!seen.insert(id).second) return std::nullopt;
  std::optional<std::int64_t> bound;
  const auto narrow = [&](std::optional<std::int64_t> other) {
    if (other && (!bound || *other < *bound)) bound = other;
  };
  for (const Use use : graph.users(id)) {
    const Node& node = graph.node(use.node);
    const auto size = use.slot < node.written_inputs().size() ? indexed_size(graph, node, use.slot) : std::nullopt;
    narrow(size);
    if (size || std::ranges::find(kHandsOn, node.op->name) == std::end(kHandsOn)) continue;
    for (const ValueId output : node.outputs)
      if (output.valid()) narrow(index_bound(graph, output, seen));
  }
  return bound;
}

Tensor random_tensor(ElementType type, const Dims& dims, std::optional<std::int64_t> bound, Rng& rng) {
  Tensor tensor = Tensor::zeros(type, dims);
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    if (type == ElementType::string) tensor.write<std::string>()[i] = fmt::format("word{}", rng.below(100));
    else if (is_floating(type)) tensor.set_number(i, rng.normal());
    else if (bound && type != ElementType::boolean)
      tensor.set_number(i,
                        static_cast<double>(rng.below(static_cast<std::uint64_t>(std::max<std::int64_t>(*bound, 1)))));
    else if (type == ElementType::uint8) tensor.set_number(i, static_cast<double>(rng.below(256)));
    else if (type == ElementType::int8) tensor.set_number(i, static_cast<double>(rng.between(-128, 127)));
    else tensor.set_number(i, static_cast<double>(rng.below(2)));
  }
  return tensor;
}

Datum random_input(const Graph& graph, ValueId id, Rng rng) {
  const Value& value = graph.value(id);
  if (value.constant) return {};
  const Type& type = value.type;
  if (type.kind == Type::Kind::sequence) return Sequence{.items = {}, .element = type.inner->element};
  if (type.kind == Type::Kind::optional) return {};
  if (!type.is_tensor() || is_complex(type.element))
    fail("input '{}' of type {} cannot be drawn at random", value.name, text_of(type));
  if (!type.is_static_tensor())
    fail_usage("input '{}' has shape {}: fix it with --dim NAME=SIZE or {}:AxBxC", value.name,
               type.ranked ? text_of(type.shape) : "[...]", value.name);
  Dims dims;
  for (const Dim d : type.shape) dims.push_back(d.value());
  std::set<ValueId> seen;
  return random_tensor(type.element, dims, index_bound(graph, id, seen), rng);
}

/// Position of the input called `name`.
std::size_t input_named(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.inputs().size(); ++i)
    if (graph.value(graph.inputs()[i]).name == name) return i;
  fail_usage("the model has no input '{}'", name);
}

Datum read_file(const std::filesystem::path& path, const Type& type) {
  return path.extension() == ".npy" ? Datum(read_npy(path)) : onnx::read_data_file(path, type);
}

/// The file of each input that has one, by position.
std::map<std::size_t, std::filesystem::path> files_of_inputs(const Graph& graph,
                                                             const std::vector<std::string>& files) {
  std::map<std::size_t, std::filesystem::path> found;
  for (const std::string& file : files) {
    if (std::filesystem::is_directory(file)) {
      for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const auto numbered = std::filesystem::path(file) / fmt::format("input_{}.pb", i);
        if (std::filesystem::exists(numbered)) found[i] = numbered;
      }
      continue;
    }
    const std::size_t equals = file.find('=');
    if (equals == std::string::npos) fail_usage("'{}' is neither a folder nor NAME=FILE", file);
    found[input_named(graph, file.substr(0, equals))] = file.substr(equals + 1);
  }
  return found;
}

}  // namespace

std::vector<Datum> random_inputs(const Model& model, std::uint64_t seed) { return given_inputs(model, {}, seed); }

std::vector<Datum> given_inputs(const Model& model, const std::vector<std::string>& files, std::uint64_t seed) {
  const Graph& graph = model.graph;
  const std::map<std::size_t, std::filesystem::path> given = files_of_inputs(graph, files);
  std::vector<Datum> inputs(graph.inputs().size());
  const Rng rng(seed);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = graph.inputs()[i];
    const auto file = given.find(i);
    inputs[i] =
        file == given.end() ? random_input(graph, id, rng.split(i)) : read_file(file->second, graph.value(id).type);
  }
  return inputs;
}

std::vector<std::pair<std::string, Shape>> given_shapes(const Model& model, const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const auto& [position, file] : files_of_inputs(model.graph, files)) {
    const Value& input = model.graph.value(model.graph.inputs()[position]);
    if (!input.type.is_tensor() || input.type.is_static_tensor()) continue;
    const Datum datum = read_file(file, input.type);
    if (!datum.is_tensor()) continue;
    Shape shape;
    for (const std::int64_t dim : datum.tensor().dims()) shape.push_back(dim);
    shapes.emplace_back(input.name, std::move(shape));
  }
  return shapes;
}

}  // namespace hone
