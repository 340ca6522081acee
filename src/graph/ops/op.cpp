#include "graph/ops/op.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

std::string_view name_of(OpKind kind) {
  static constexpr std::string_view kNames[] = {"pointwise", "reduction", "contraction", "movement", "view", "opaque"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

template <class T, class Given>
AttributeSpec spec(std::string_view name, AttributeKind kind, const std::optional<Given>& fallback) {
  return {
      .name = name, .kind = kind, .fallback = fallback ? std::optional<AttributeValue>(T(*fallback)) : std::nullopt};
}

}  // namespace

AttributeSpec integer(std::string_view name, std::optional<std::int64_t> fallback) {
  return spec<std::int64_t>(name, AttributeKind::integer, fallback);
}
AttributeSpec number(std::string_view name, std::optional<float> fallback) {
  return spec<float>(name, AttributeKind::number, fallback);
}
AttributeSpec text(std::string_view name, std::optional<std::string_view> fallback) {
  return spec<std::string>(name, AttributeKind::text, fallback);
}
AttributeSpec integers(std::string_view name) {
  return {.name = name, .kind = AttributeKind::integers, .fallback = {}};
}
AttributeSpec numbers(std::string_view name) { return {.name = name, .kind = AttributeKind::numbers, .fallback = {}}; }
AttributeSpec texts(std::string_view name) { return {.name = name, .kind = AttributeKind::texts, .fallback = {}}; }
AttributeSpec tensor(std::string_view name) { return {.name = name, .kind = AttributeKind::tensor, .fallback = {}}; }
AttributeSpec graph(std::string_view name) { return {.name = name, .kind = AttributeKind::graph, .fallback = {}}; }
AttributeSpec other(std::string_view name) { return {.name = name, .kind = AttributeKind::other, .fallback = {}}; }

int OpEntry::version_at(std::int64_t opset) const {
  int found = 0;
  for (const int version : versions)
    if (version <= opset) found = version;
  return found;
}

void NodeReader::fail_text(const std::string& message) const {
  hone::fail("{} '{}': {}", node_.op->text(), node_.name, message);
}

template <class T>
const T* NodeReader::typed(std::string_view name) const {
  const Attribute* given = node_.attribute(name);
  const AttributeValue* value = given ? &given->value : nullptr;
  if (value == nullptr) {
    for (const AttributeSpec& spec : entry_.attributes)
      if (spec.name == name && spec.first <= version_ && version_ <= spec.last && spec.fallback)
        value = &*spec.fallback;
  }
  if (value == nullptr) return nullptr;
  if (const T* found = std::get_if<T>(value)) return found;
  fail("attribute '{}' has the wrong type", name);
}

std::int64_t NodeReader::integer(std::string_view name) const {
  if (const auto* value = typed<std::int64_t>(name)) return *value;
  fail("attribute '{}' is missing", name);
}
float NodeReader::number(std::string_view name) const {
  if (const auto* value = typed<float>(name)) return *value;
  fail("attribute '{}' is missing", name);
}
const std::string& NodeReader::text(std::string_view name) const {
  if (const auto* value = typed<std::string>(name)) return *value;
  fail("attribute '{}' is missing", name);
}
const Tensor& NodeReader::tensor_attribute(std::string_view name) const {
  if (const auto* value = typed<Tensor>(name)) return *value;
  fail("attribute '{}' is missing", name);
}
const Graph& NodeReader::body(std::string_view name) const {
  if (const auto* value = typed<SharedGraph>(name)) return **value;
  fail("attribute '{}' is missing", name);
}
std::vector<std::int64_t> NodeReader::integers(std::string_view name) const {
  const auto* value = typed<std::vector<std::int64_t>>(name);
  return value ? *value : std::vector<std::int64_t>{};
}
std::vector<float> NodeReader::numbers(std::string_view name) const {
  const auto* value = typed<std::vector<float>>(name);
  return value ? *value : std::vector<float>{};
}
std::vector<std::string> NodeReader::texts(std::string_view name) const {
  const auto* value = typed<std::vector<std::string>>(name);
  return value ? *value : std::vector<std::string>{};
}

std::string describe(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.name.empty()) return fmt::format("{} '{}'", node.op->text(), node.name);
  for (const ValueId output : node.outputs)
    if (output.valid()) return fmt::format("{} producing '{}'", node.op->text(), graph.value(output).name);
  return node.op->text();
}

}  // namespace hone
