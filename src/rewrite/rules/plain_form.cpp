#include <algorithm>
#include <cmath>

#include "graph/ops/evaluate.h"
#include "rewrite/rules/normal_form.h"
#include "rewrite/rules/parameters.h"

// The way back from the normal form to what an opset says.

namespace hone {
namespace {

/// What a list that is not given stands for where the table has no default.
std::optional<Dim> neutral_element(std::string_view attribute) {
  if (attribute == "strides" || attribute == "dilations" || attribute == "steps") return Dim(1);
  if (attribute == "pads" || attribute == "output_padding") return Dim(0);
  return std::nullopt;
}

/// The value of an attribute as the table wants it; nullopt when the term is of another kind or not known.
std::optional<AttributeValue> attribute_value(const Term& term, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer:
      if (const auto integer = known_integer(term)) return *integer;
      return std::nullopt;
    case AttributeKind::number:
      if (const auto number = known_number(term)) return static_cast<float>(*number);
      return std::nullopt;
    case AttributeKind::text:
      if (const auto* text = std::get_if<std::string>(&term)) return *text;
      return std::nullopt;
    case AttributeKind::integers:
      if (auto integers = known_integers(term)) return std::move(*integers);
      return std::nullopt;
    case AttributeKind::numbers:
      if (const auto* numbers = std::get_if<std::vector<double>>(&term))
        return std::vector<float>(numbers->begin(), numbers->end());
      return std::nullopt;
    default: return std::nullopt;
  }
}

bool is_unbounded(const Term& term) {
  const auto number = known_number(term);
  return number && std::isinf(*number);
}

std::optional<Tensor> parameter_tensor(const OperatorParameter& parameter, const Term& term, const Type& first) {
  if (parameter.kind == OperatorParameter::Kind::integers) {
    const auto integers = known_integers(term);
    return integers ? std::optional(Tensor::vector(*integers)) : std::nullopt;
  }
  const auto number = known_number(term);
  if (!number || !first.is_tensor()) return std::nullopt;
  Tensor tensor = Tensor::zeros(first.element, {});
  tensor.set_number(0, *number);
  return tensor;
}

/// Whether the version in force means something else by this axis than the newest one.
bool means_otherwise(const Definition& definition, const NamedTerms& attributes, const Type& first) {
  if (!changes_meaning(*definition.entry, definition.version, "axis")) return false;
  for (const auto& [name, term] : attributes)
    if (name == "axis")
      return !first.ranked || known_integer(term) != static_cast<std::int64_t>(first.shape.size()) - 1;
  return true;
}

}  // namespace

bool is_default(const OpName* op, std::string_view attribute, const Term& value, const RuleSetting& setting) {
  if (const std::optional<Dim> element = neutral_element(attribute)) {
    const auto* list = std::get_if<DimList>(&value);
    return list != nullptr && std::ranges::all_of(*list, [&](Dim d) { return d == *element; });
  }
  Node node;
  node.op = op;
  const Definition definition = definition_of(node, setting.opsets);
  const AttributeSpec* spec =
      definition.entry != nullptr ? find_spec(*definition.entry, definition.version, attribute) : nullptr;
  if (spec != nullptr && spec->fallback) return equal_terms(term_of(*spec->fallback), value) == true;
  return is_unbounded(value) || (attribute == "value" && equal_terms(value, 0.0) == true);
}

std::optional<PlainForm> plain_form(const OpName* op, const NamedTerms& attributes, const Type& first,
                                    const RuleSetting& setting) {
  Node node;
  node.op = op;
  const Definition definition = definition_of(node, setting.opsets);
  if (definition.entry == nullptr || means_otherwise(definition, attributes, first)) return std::nullopt;
  PlainForm form;
  for (const auto& [name, term] : attributes) {
    const std::string& attribute = name;  // clang 14 cannot capture a binding
    const auto parameters = parameters_of(op);
    const auto parameter =
        std::ranges::find_if(parameters, [&](const OperatorParameter& each) { return each.attribute == attribute; });
    if (parameter != parameters.end() && definition.version >= parameter->since) {
      if (op->name == "Clip" && is_unbounded(term)) continue;
      std::optional<Tensor> tensor = parameter_tensor(*parameter, term, first);
      if (!tensor) return std::nullopt;
      form.parameters.emplace_back(parameter->slot, std::move(*tensor));
      continue;
    }
    const AttributeSpec* spec = find_spec(*definition.entry, definition.version, name);
    const bool given_by_default = is_default(op, name, term, setting);
    if (given_by_default && (spec == nullptr || spec->fallback)) continue;
    if (spec == nullptr) return std::nullopt;
    std::optional<AttributeValue> value = attribute_value(term, spec->kind);
    if (!value) return std::nullopt;
    form.attributes.push_back({.name = name, .value = std::move(*value), .reference = {}, .notes = {}});
  }
  return form;
}

}  // namespace hone
