#include "rewrite/proof/forms.h"

#include <algorithm>

#include "base/hash.h"
#include "rewrite/proof/algebra.h"

namespace hone {
namespace {

constexpr std::int64_t kOpsets[] = {23, 24, 21, 18, 17, 13, 11, 9};
constexpr ElementType kElements[] = {ElementType::float64, ElementType::float32, ElementType::float16,
                                     ElementType::int64, ElementType::int32};

/// Tries settings on drawn instances.
class FormProbe {
 public:
  FormProbe(const Rule& rule, std::uint64_t seed) : rule_(rule), seed_(seed) {}

  bool applies(const InstanceSetting& setting) const {
    constexpr std::size_t kAttempts = 150;
    Choices choices = Choices::random(mix(seed_, static_cast<std::uint64_t>(setting.opset)));
    for (std::size_t i = 0; i < 2 * kAttempts; ++i) {
      InstanceSetting drawn = setting;
      if (i < kAttempts) drawn.scope = kScopes[1];  // small sizes meet more conditions
      const std::optional<Model> model = make_instance(rule_, drawn, choices);
      if (model && hone::applies(rule_, *model)) return true;
    }
    return false;
  }

 private:
  const Rule& rule_;
  std::uint64_t seed_;
};

std::vector<DrawnNumbers> numbers_for(const Rule& rule, ElementType element) {
  const Algebra algebra = algebra_of(rule);
  std::vector<DrawnNumbers> numbers;
  if (algebra.kind != Algebra::Kind::numeric)
    numbers.push_back({.kind = DrawnNumbers::Kind::whole, .largest = algebra.largest()});
  else numbers = {{.kind = DrawnNumbers::Kind::quarters}, {.kind = DrawnNumbers::Kind::positive}};
  // The smallest numbers lose digits in any product; only copies promise to keep them.
  if (!rule.assumes_finite && is_floating(element))
    numbers.push_back(
        {.kind = algebra.kind == Algebra::Kind::copies ? DrawnNumbers::Kind::extreme : DrawnNumbers::Kind::special});
  return numbers;
}

}  // namespace

std::vector<InstanceSetting> live_forms(const Rule& rule, std::uint64_t seed) {
  const FormProbe probe(rule, seed);
  const auto applies = [&](std::int64_t opset, ElementType element) {
    return probe.applies(
        {.opset = opset, .element = element, .numbers = {.kind = DrawnNumbers::Kind::positive}, .scope = {}});
  };
  // Conditions on element types do not depend on the opset, so each is tried alone.
  std::vector<ElementType> elements;
  for (const ElementType element : kElements)
    if (std::ranges::any_of(std::span(kOpsets).first(2), [&](std::int64_t opset) { return applies(opset, element); }))
      elements.push_back(element);
  std::vector<InstanceSetting> forms;
  for (const std::int64_t opset : kOpsets) {
    if (elements.empty() || !applies(opset, elements[0])) continue;
    for (const ElementType element : elements)
      for (const DrawnNumbers& numbers : numbers_for(rule, element))
        forms.push_back({.opset = opset, .element = element, .numbers = numbers, .scope = {}});
  }
  return forms;
}

}  // namespace hone
