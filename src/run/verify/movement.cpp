#include "run/verify/movement.h"

#include <algorithm>

#include "graph/ops/convert.h"

namespace hone {
namespace {

bool is_discrete(const Datum& datum) {
  return datum.is_tensor() && (is_integer(datum.tensor().type()) || datum.tensor().type() == ElementType::boolean);
}
bool is_real(const Datum& datum) { return datum.is_tensor() && is_floating(datum.tensor().type()); }

bool are_alike(const Datum& a, const Datum& b) {
  return a.is_tensor() && b.is_tensor() && a.tensor().type() == b.tensor().type() &&
         a.tensor().dims() == b.tensor().dims();
}

}  // namespace

Movement::Movement(std::vector<Datum> exact) {
  for (Datum& datum : exact) {
    Output& output = outputs_.emplace_back();
    output.comparable = is_real(datum) || is_discrete(datum);
    if (is_real(datum)) output.squares.resize(datum.tensor().count());
    if (is_discrete(datum)) output.seen.push_back(datum.tensor());
    output.exact = std::move(datum);
  }
}

void Movement::add(const std::vector<Datum>& moved) {
  ++runs_;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    output.comparable = output.comparable && are_alike(moved[i], output.exact);
    if (!output.comparable) continue;
    const Tensor& tensor = moved[i].tensor();
    if (is_discrete(moved[i])) {
      output.seen.push_back(tensor);
      continue;
    }
    const std::vector<double> numbers = numbers_of(tensor), exact = numbers_of(output.exact.tensor());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double distance = numbers[k] == exact[k] ? 0 : numbers[k] - exact[k];
      output.squares[k] += distance * distance;
    }
  }
}

std::optional<RoundingScale> Movement::scale(std::size_t output, const Datum& rounded) const {
  const Output& known = outputs_[output];
  if (runs_ == 0 || !known.comparable || !is_real(rounded) || !is_real(known.exact)) return std::nullopt;
  const ElementType type = rounded.tensor().type();
  const bool is_coarse = type == ElementType::float32 || type == ElementType::float16 || type == ElementType::bfloat16;
  if (!is_coarse || !(rounded.tensor().dims() == known.exact.tensor().dims())) return std::nullopt;
  std::vector<double> squares = known.squares;
  for (double& square : squares) square /= static_cast<double>(runs_);
  RoundingScale scale(rounded.tensor(), known.exact.tensor(), squares, runs_);
  return scale.says_something() ? std::optional(std::move(scale)) : std::nullopt;
}

bool Movement::has_seen(std::size_t output, const Tensor& result, const Tensor& expected) const {
  const Output& known = outputs_[output];
  if (!known.comparable || known.seen.empty() || !are_alike(result, known.exact) || !are_alike(result, expected))
    return false;
  for (std::size_t i = 0; i < result.count(); ++i) {
    const std::int64_t number = result.integer_at(i);
    const auto has = [&](const Tensor& tensor) { return tensor.integer_at(i) == number; };
    if (!has(expected) && std::ranges::none_of(known.seen, has)) return false;
  }
  return true;
}

}  // namespace hone
