#include "plan/sharding/dual_ascent.h"

#include <algorithm>

#include "plan/sharding/min_plus.h"

namespace hone {

DualAscent::DualAscent(const LabelModel& model)
    : model_(model),
      price_(model.times(), 0.0),
      dues_(model.label_count(), 0.0),
      bound_(model.fixed_cost()),
      left_(model.costs().begin(), model.costs().end()),
      least_(model.most_labels()),
      rounded_(model.size(), 0) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.size(); ++i)
    for (std::uint32_t id = model.edges_begin(i); id < model.edges_end(i); ++id) {
      moved_begin_.push_back(count);
      count += model.labels(i);
    }
  moved_.assign(count, 0.0);
}

void DualAscent::set_prices(const std::vector<double>& price) {
  std::vector<double> dues = model_.dues(price);
  for (std::size_t i = 0; i < dues.size(); ++i) left_[i] += dues[i] - dues_[i];
  dues_ = std::move(dues);
  price_ = price;
  paid_for_capacity_ = 0;
  for (std::size_t t = 0; t < price.size(); ++t) paid_for_capacity_ += price[t] * model_.capacity()[t];
}

void DualAscent::sweep() {
  pass(Direction::forward);
  pass(Direction::backward);
  rounds_in_ = rounds_in_ == Direction::forward ? Direction::backward : Direction::forward;
}

void DualAscent::pass(Direction direction) {
  const auto count = static_cast<std::uint32_t>(model_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t variable = direction == Direction::forward ? i : count - 1 - i;
    for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id)
      if (comes_before(variable, model_.half_edge(id), direction)) absorb(variable, id);
    double* left = left_at(variable);
    const double least = *std::min_element(left, left + model_.labels(variable));
    bound_ += least;
    for (std::size_t k = 0; k < model_.labels(variable); ++k) left[k] -= least;
    if (direction == rounds_in_) round(variable, direction);
    distribute(variable, direction);
  }
}

/// Moves all that an edge is sure to cost to the labels of a variable.
void DualAscent::absorb(std::uint32_t variable, std::uint32_t id) {
  const LabelModel::HalfEdge& there = model_.half_edge(id);
  const LabelModel::HalfEdge& back = model_.half_edge(there.reverse);
  const std::size_t labels = model_.labels(variable);
  const double* moved_there = &moved_[moved_begin_[there.reverse]];
  std::fill_n(least_.begin(), labels, kInfinity);
  for (std::size_t k = 0; k < model_.labels(there.to); ++k)
    lower_to_sum(least_.data(), -moved_there[k], model_.row(back, k), labels);
  double* moved = &moved_[moved_begin_[id]];
  double* left = left_at(variable);
  for (std::size_t k = 0; k < labels; ++k) {
    left[k] += least_[k] - moved[k];
    moved[k] = least_[k];
  }
}

/// Shares what is left at a variable among the edges to variables that come later.
void DualAscent::distribute(std::uint32_t variable, Direction direction) {
  std::size_t before = 0;
  for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id)
    before += comes_before(variable, model_.half_edge(id), direction) ? 1 : 0;
  const std::size_t after = model_.edges_end(variable) - model_.edges_begin(variable) - before;
  if (after == 0) return;
  const double share = 1.0 / static_cast<double>(std::max(before, after));
  double* left = left_at(variable);
  for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id) {
    if (comes_before(variable, model_.half_edge(id), direction)) continue;
    double* moved = &moved_[moved_begin_[id]];
    for (std::size_t k = 0; k < model_.labels(variable); ++k) moved[k] -= share * left[k];
  }
  const double rest = before > after ? 1.0 - share * static_cast<double>(after) : 0.0;
  for (std::size_t k = 0; k < model_.labels(variable); ++k) left[k] *= rest;
}

/// Picks the label that costs least with what has been picked before it.
void DualAscent::round(std::uint32_t variable, Direction direction) {
  const std::size_t labels = model_.labels(variable);
  const double* left = left_at(variable);
  std::copy(left, left + labels, least_.begin());
  for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id) {
    const LabelModel::HalfEdge& there = model_.half_edge(id);
    if (!comes_before(variable, there, direction)) continue;
    const double* row = model_.row(model_.half_edge(there.reverse), rounded_[there.to]);
    const double* moved = &moved_[moved_begin_[id]];
    for (std::size_t k = 0; k < labels; ++k) least_[k] += row[k] - moved[k];
  }
  const auto end = least_.begin() + static_cast<std::ptrdiff_t>(labels);
  rounded_[variable] = static_cast<std::uint32_t>(std::min_element(least_.begin(), end) - least_.begin());
}

double DualAscent::proven_bound() const {
  std::vector<double> own(dues_);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] += model_.costs()[i];
  double sum = model_.fixed_cost() - paid_for_capacity_;
  for (std::uint32_t i = 0; i < model_.size(); ++i) {
    const std::size_t labels = model_.labels(i);
    for (std::uint32_t id = model_.edges_begin(i); id < model_.edges_end(i); ++id) {
      const LabelModel::HalfEdge& there = model_.half_edge(id);
      const double* moved = &moved_[moved_begin_[id]];
      for (std::size_t k = 0; k < labels; ++k) own[model_.place(i) + k] += moved[k];
      if (there.to < i) continue;
      const double* moved_there = &moved_[moved_begin_[there.reverse]];
      double least = kInfinity;
      for (std::size_t k = 0; k < labels; ++k)
        for (std::size_t other = 0; other < model_.labels(there.to); ++other)
          least = std::min(least, model_.row(there, k)[other] - moved[k] - moved_there[other]);
      sum += least;
    }
    sum += *std::min_element(&own[model_.place(i)], &own[model_.place(i)] + labels);
  }
  return sum;
}

}  // namespace hone
