#include "rewrite/proof/algebra.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/ops/op.h"

namespace hone {
namespace {

/// What the op table says of an operation; none stands for one that hands on its operands.
Degree kind_of_degree(const RuleOperation& operation) {
  if (operation.op == nullptr) return Degree::copy;
  const OpEntry* entry = OpTable::instance().find(operation.op);
  return entry != nullptr ? entry->degree : Degree::unknown;
}

/// Walks over the operations of both sides with the degree of every tensor.
class Degrees {
 public:
  explicit Degrees(const Rule& rule) : rule_(rule), degrees_(rule.tensors.size(), 1) {}

  Algebra run() {
    Algebra algebra{.kind = Algebra::Kind::copies, .degree = 1, .fractions = false};
    for (const auto* side : {&rule_.left, &rule_.right})
      for (const RuleOperation& operation : *side) {
        const std::optional<std::size_t> degree = degree_of(operation);
        if (!degree) return {};
        const Degree kind = kind_of_degree(operation);
        if (kind != Degree::copy) algebra.kind = Algebra::Kind::polynomial;
        if (kind == Degree::mean) algebra.fractions = true;
        for (const std::size_t output : operation.outputs) degrees_[output] = *degree;
        algebra.degree = std::max(algebra.degree, *degree);
      }
    return algebra;
  }

 private:
  std::size_t degree(const Operand& operand) const {
    return operand.kind == Operand::Kind::number ? 0 : degrees_[operand.variable];
  }

  std::optional<std::size_t> degree_of(const RuleOperation& operation) const {
    std::size_t sum = 0, most = 0;
    for (const Operand& operand : operation.operands) {
      sum += degree(operand);
      most = std::max(most, degree(operand));
    }
    switch (kind_of_degree(operation)) {
      case Degree::copy:
      case Degree::sum:
      case Degree::mean: return most;
      case Degree::product: return sum;
      case Degree::square: return 2 * most;
      case Degree::bilinear: return std::max(most, degree(operation.operands[0]) + degree(operation.operands[1]));
      case Degree::unknown: break;
    }
    return std::nullopt;
  }

  const Rule& rule_;
  std::vector<std::size_t> degrees_;
};

}  // namespace

std::int64_t Algebra::largest() const {
  if (kind == Kind::numeric) return 0;
  // 2^53 is exact; eight bits are left for sums. With fractions rounding must stay below 1e-4 as well.
  const std::size_t bits = (fractions ? 30 : 45) / degree;
  return std::int64_t{1} << std::clamp<std::size_t>(bits, 2, 20);
}

double Algebra::error() const {
  if (kind == Kind::numeric) return 1;
  return std::min(1.0, static_cast<double>(degree) / (2.0 * static_cast<double>(largest()) + 1));
}

Algebra algebra_of(const Rule& rule) { return Degrees(rule).run(); }

std::string_view name_of(Algebra::Kind kind) {
  switch (kind) {
    case Algebra::Kind::copies: return "copies";
    case Algebra::Kind::polynomial: return "polynomial";
    default: return "numeric";
  }
}

}  // namespace hone
