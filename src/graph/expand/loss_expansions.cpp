#include "graph/expand/expansion.h"

// Losses of classifiers.

namespace hone {
namespace {

/// Scores are [batch, classes, ...], targets are [batch, ...]. Ignored targets count as class 0 with weight 0.
class Likelihood {
 public:
  explicit Likelihood(Expansion& expansion) : expansion_(expansion), target_(expansion.input(1)) {
    target_ = expansion_.cast(target_, ElementType::int64);
    if (!expansion_.has_attribute("ignore_index")) return;
    const auto ignored = expansion_.add(Tensor::scalar<std::int64_t>(expansion_.integer("ignore_index")));
    ignored_ = expansion_.add("Equal", {target_, ignored});
    target_ = expansion_.add("Where", {*ignored_, expansion_.add(Tensor::scalar<std::int64_t>(0)), target_});
  }

  ValueId loss(ValueId log_probabilities) {
    const ValueId each = losses(log_probabilities);
    const std::string& reduction = expansion_.text("reduction");
    if (reduction == "none") return each;
    const ValueId sum = total(each);
    return reduction == "sum" ? sum : expansion_.add("Div", {sum, total(weights())});
  }

 private:
  ValueId losses(ValueId log_probabilities) {
    Dims column = expansion_.dims(1);
    column.insert(1, 1);
    const ValueId places = expansion_.reshaped(target_, column);
    const ValueId picked = expansion_.add("GatherElements", {log_probabilities, places}, {{"axis", std::int64_t{1}}});
    const ValueId loss = expansion_.add("Neg", {expansion_.reshaped(picked, expansion_.dims(1))});
    if (!expansion_.has_input(2) && !ignored_) return loss;
    const ValueId weighed = expansion_.add("Mul", {loss, weights()});
    return ignored_ ? expansion_.add("Where", {*ignored_, expansion_.like(0, 0), weighed}) : weighed;
  }

  /// One a target.
  ValueId weights() {
    Tensor one = Tensor::zeros(expansion_.element(0), expansion_.dims(1));
    for (std::size_t i = 0; i < one.count(); ++i) one.set_number(i, 1);
    const ValueId given =
        expansion_.has_input(2) ? expansion_.add("Gather", {expansion_.input(2), target_}) : expansion_.add(one);
    return ignored_ ? expansion_.add("Where", {*ignored_, expansion_.like(0, 0), given}) : given;
  }

  ValueId total(ValueId x) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < expansion_.dims(1).size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    return expansion_.reshaped(expansion_.reduced("ReduceSum", x, axes), {});
  }

  Expansion& expansion_;
  ValueId target_;
  std::optional<ValueId> ignored_;
};

bool can_expand(const Expansion& expansion) {
  return expansion.opset() >= 12 && element_count(expansion.dims(0)) > 0 &&
         expansion.dims(1).size() + 1 == expansion.dims(0).size();
}

bool expand_likelihood(Expansion& expansion) {
  if (!can_expand(expansion)) return false;
  expansion.become(0, Likelihood(expansion).loss(expansion.input(0)));
  return true;
}

/// Before opset 13 the logarithm of Softmax goes over all axes from one on.
bool expand_cross_entropy(Expansion& expansion) {
  if (!can_expand(expansion) || (expansion.opset() < 13 && expansion.dims(0).size() != 2)) return false;
  const ValueId logs = expansion.add("LogSoftmax", {expansion.input(0)}, {{"axis", std::int64_t{1}}});
  expansion.become(0, Likelihood(expansion).loss(logs));
  expansion.become(1, logs);
  return true;
}

const ExpansionFamily loss_expansions({
    {"NegativeLogLikelihoodLoss", expand_likelihood},
    {"SoftmaxCrossEntropyLoss", expand_cross_entropy},
});

}  // namespace
}  // namespace hone
