#include "plan/sharding/label_model.h"

#include <algorithm>
#include <limits>

#include "plan/sharding/usage_times.h"

namespace hone {
namespace {

constexpr std::uint32_t kNoVariable = std::numeric_limits<std::uint32_t>::max();

/// By how much the costs that are allowed differ.
double spread(std::span<const double> costs) {
  double least = Reduction::kNever;
  double most = -Reduction::kNever;
  for (const double cost : costs) {
    if (cost >= Reduction::kNever) continue;
    least = std::min(least, cost);
    most = std::max(most, cost);
  }
  return std::max(0.0, most - least);
}

}  // namespace

LabelModel::LabelModel(const Reduction& reduction) : reduction_(reduction) {
  find_forbidden();
  add_variables();
  add_edges();
  add_pieces();
}

void LabelModel::find_forbidden() {
  forbidden_ = 1;
  for (const Reduction::Variable& variable : reduction_.variables()) forbidden_ += spread(variable.costs);
  for (const Reduction::Edge& edge : reduction_.edges()) forbidden_ += spread(edge.costs);
}

void LabelModel::add_variables() {
  cost_begin_.push_back(0);
  for (std::size_t i = 0; i < reduction_.variables().size(); ++i) {
    const std::vector<double>& costs = reduction_.variables()[i].costs;
    if (costs.size() == 1) {
      variable_of_.push_back(kNoVariable);
      fixed_cost_ += costs.front();
      continue;
    }
    variable_of_.push_back(static_cast<std::uint32_t>(source_.size()));
    source_.push_back(i);
    const double least = *std::ranges::min_element(costs);
    fixed_cost_ += least;
    for (const double cost : costs) costs_.push_back(cost < Reduction::kNever ? cost - least : forbidden_);
    cost_begin_.push_back(costs_.size());
    most_labels_ = std::max(most_labels_, costs.size());
  }
}

void LabelModel::add_edges() {
  const auto ends = [&](const Reduction::Edge& edge) {
    return std::pair<std::uint32_t, std::uint32_t>(variable_of_[edge.first], variable_of_[edge.second]);
  };
  edge_begin_.assign(size() + 1, 0);
  std::size_t cells = 0;
  for (const Reduction::Edge& edge : reduction_.edges()) {
    const auto [first, second] = ends(edge);
    ++edge_begin_[first + 1];
    ++edge_begin_[second + 1];
    cells += 2 * edge.costs.size();
  }
  for (std::size_t i = 0; i < size(); ++i) edge_begin_[i + 1] += edge_begin_[i];
  half_edges_.resize(edge_begin_.back());
  tables_.reserve(cells);
  std::vector<std::uint32_t> next = edge_begin_;
  for (const Reduction::Edge& edge : reduction_.edges()) {
    const auto [first, second] = ends(edge);
    const std::uint32_t there = next[first]++;
    const std::uint32_t back = next[second]++;
    const std::size_t rows = labels(first);
    const std::size_t columns = labels(second);
    half_edges_[there] = {.to = second, .reverse = back, .table = tables_.size()};
    for (const double cost : edge.costs) tables_.push_back(std::min(cost, forbidden_));
    half_edges_[back] = {.to = first, .reverse = there, .table = tables_.size()};
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = 0; row < rows; ++row)
        tables_.push_back(std::min(edge.costs[row * columns + column], forbidden_));
  }
}

void LabelModel::add_pieces() {
  UsageTimes usage = usage_times(reduction_);
  capacity_ = std::move(usage.capacity);
  std::vector<std::vector<Piece>> pieces(size());
  for (const UsageTimes::Piece& piece : usage.pieces) {
    pieces[variable_of_[piece.variable]].push_back({.begin = piece.begin, .end = piece.end, .usage = usages_.size()});
    usages_.insert(usages_.end(), piece.usage.begin(), piece.usage.end());
  }
  pieces_ = FlatLists<Piece>(pieces);
}

double LabelModel::cost(const Labels& label_of) const {
  double sum = fixed_cost_;
  for (std::uint32_t i = 0; i < size(); ++i) {
    sum += costs_[place(i) + label_of[i]];
    for (std::uint32_t id = edges_begin(i); id < edges_end(i); ++id)
      if (half_edges_[id].to > i) sum += row(half_edges_[id], label_of[i])[label_of[half_edges_[id].to]];
  }
  return sum;
}

std::vector<double> LabelModel::usage(const Labels& label_of) const {
  std::vector<double> result(times() + 1, 0.0);
  for (std::size_t i = 0; i < size(); ++i)
    for (const Piece& piece : pieces(i)) {
      result[piece.begin] += usage(piece, label_of[i]);
      result[piece.end] -= usage(piece, label_of[i]);
    }
  for (std::size_t t = 1; t < result.size(); ++t) result[t] += result[t - 1];
  result.pop_back();
  return result;
}

std::vector<double> LabelModel::dues(std::span<const double> price) const {
  std::vector<double> price_before(times() + 1, 0.0);
  for (std::size_t t = 0; t < times(); ++t) price_before[t + 1] = price_before[t] + price[t];
  std::vector<double> result(label_count(), 0.0);
  for (std::size_t i = 0; i < size(); ++i)
    for (const Piece& piece : pieces(i)) {
      const double rate = price_before[piece.end] - price_before[piece.begin];
      if (rate <= 0) continue;
      double* due = &result[place(i)];
      for (std::size_t k = 0; k < labels(i); ++k) due[k] += rate * usages_[piece.usage + k];
    }
  return result;
}

std::vector<std::uint32_t> LabelModel::strategies(const Labels& label_of) const {
  Labels all(variable_of_.size(), 0);
  for (std::size_t i = 0; i < size(); ++i) all[source_[i]] = label_of[i];
  return reduction_.strategies(all);
}

}  // namespace hone
