#include "run/profile/node_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/hash.h"
#include "graph/ir/structural_hash.h"

namespace hone {
namespace {

constexpr std::size_t kMostSpelledOut = 16;  // elements of a constant

std::string text_of_value(std::int64_t value) { return fmt::to_string(value); }
std::string text_of_value(float value) { return fmt::to_string(value); }
std::string text_of_value(const std::string& value) { return value; }
std::string text_of_value(const Tensor& value) { return fmt::format("tensor:{:x}", value.content_hash()); }
std::string text_of_value(const SharedGraph& value) { return fmt::format("graph:{:x}", structural_hash(*value)); }
std::string text_of_value(const OpaqueAttribute& value) { return fmt::format("bytes:{:x}", hash_text(value.encoded)); }
template <class T>
std::string text_of_value(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(text_of_value(value));
  return fmt::format("[{}]", fmt::join(words, ","));
}

std::string attributes_text(const Node& node) {
  std::vector<std::string> words;
  for (const Attribute& attribute : *node.attributes)
    words.push_back(attribute.name + "=" +
                    std::visit([](const auto& value) { return text_of_value(value); }, attribute.value));
  std::ranges::sort(words);
  return words.empty() ? "" : fmt::format(" {{{}}}", fmt::join(words, ","));
}

std::string operand_text(const Graph& graph, ValueId id) {
  if (!id.valid()) return "-";
  const Value& value = graph.value(id);
  std::string text = (value.constant ? "*" : "") + text_of(value.type);
  if (value.constant && is_integer(value.type.element) && value.constant->count() <= kMostSpelledOut)
    text += fmt::format("={}", text_of_value(value.constant->integers()));
  return text;
}

template <class Ids>
std::string operands_text(const Graph& graph, const Ids& ids) {
  std::vector<std::string> words;
  for (const ValueId id : ids) words.push_back(operand_text(graph, id));
  return fmt::format("({})", fmt::join(words, ","));
}

}  // namespace

std::string node_config(const Model& model, NodeId id) {
  const Node& node = model.graph.node(id);
  return fmt::format("{}@{}{}->{}{}", node.op->text(), model.opsets.version(node.op->domain),
                     operands_text(model.graph, node.inputs), operands_text(model.graph, node.outputs),
                     attributes_text(node));
}

}  // namespace hone
