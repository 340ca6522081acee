#include "rewrite/discover/same_rule.h"

#include <algorithm>
#include <functional>
#include <map>

#include "rewrite/rules/match.h"

namespace hone {
namespace {

/// Where a tensor of a side comes from.
struct TensorSource {
  const RuleOperation* operation = nullptr;  // null for an input
  std::size_t output = 0;
};

TensorSource definition_in(const std::vector<RuleOperation>& side, std::size_t variable) {
  for (const RuleOperation& operation : side) {
    const auto found = std::ranges::find(operation.outputs, variable);
    if (found != operation.outputs.end())
      return {.operation = &operation, .output = static_cast<std::size_t>(found - operation.outputs.begin())};
  }
  return {};
}

/// Walks down two rules at once and tries every order of commutative operands.
class RuleComparison {
 public:
  RuleComparison(const Rule& a, const Rule& b) : a_(a), b_(b) {}

  bool run() {
    if (a_.outputs.size() != b_.outputs.size() || a_.left.size() != b_.left.size() ||
        a_.right.size() != b_.right.size())
      return false;
    std::vector<std::size_t> outputs = b_.outputs;
    std::ranges::sort(outputs);
    do {
      if (sides(outputs, 0)) return true;
    } while (std::ranges::next_permutation(outputs).found);
    return false;
  }

 private:
  using Continue = std::function<bool()>;

  /// Outputs from number `at` on, first of the left sides, then of the right sides.
  bool sides(const std::vector<std::size_t>& outputs, std::size_t at) {
    const std::size_t count = outputs.size();
    if (at == 2 * count) return true;
    left_ = at < count;
    return tensors(a_.outputs[at % count], outputs[at % count], [&, at] { return sides(outputs, at + 1); });
  }

  bool tensors(std::size_t a, std::size_t b, const Continue& next) {
    const bool left = left_;
    const TensorSource first = definition_in(left ? a_.left : a_.right, a);
    const TensorSource second = definition_in(left ? b_.left : b_.right, b);
    if ((first.operation == nullptr) != (second.operation == nullptr)) return false;
    if (first.operation == nullptr) return inputs(a, b, next);
    const RuleOperation &one = *first.operation, &other = *second.operation;
    if (one.op != other.op || first.output != second.output || one.operands.size() != other.operands.size() ||
        one.each != other.each)
      return false;
    const auto restored = [&, left] {
      const bool fits = next();
      left_ = left;
      return fits;
    };
    if (operands(one.operands, other.operands, 0, restored)) return true;
    if (one.op == nullptr || !is_commutative(one.op) || other.operands.size() != 2) return false;
    return operands(one.operands, {other.operands[1], other.operands[0]}, 0, restored);
  }

  bool operands(const std::vector<Operand>& a, const std::vector<Operand>& b, std::size_t at, const Continue& next) {
    if (at == a.size()) return next();
    if (a[at].kind != b[at].kind || a[at].list != b[at].list) return false;
    const auto rest = [&, at] { return operands(a, b, at + 1, next); };
    return a[at].kind == Operand::Kind::number ? rest() : tensors(a[at].variable, b[at].variable, rest);
  }

  bool inputs(std::size_t a, std::size_t b, const Continue& next) {
    const auto known = names_.find(a);
    if (known != names_.end()) return known->second == b && next();
    if (std::ranges::any_of(names_, [&](const auto& pair) { return pair.second == b; })) return false;
    names_[a] = b;
    if (next()) return true;
    names_.erase(a);
    return false;
  }

  const Rule& a_;
  const Rule& b_;
  bool left_ = true;
  std::map<std::size_t, std::size_t> names_;  // inputs of the first by those of the second
};

}  // namespace

bool same_rule(const Rule& a, const Rule& b) { return RuleComparison(a, b).run(); }

}  // namespace hone
