#include "plan/sharding/reduction.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "plan/sharding/min_plus.h"

namespace hone {
namespace {

/// Comparing all pairs of labels of a variable may cost so many steps; beyond it a variable stays as it is.
constexpr double kMostComparisons = 2e8;
constexpr int kMostRounds = 10;

double never_beyond(double cost) { return std::min(cost, Reduction::kNever); }

std::vector<double> transposed(const std::vector<double>& costs, std::size_t rows, std::size_t columns) {
  std::vector<double> result(costs.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      result[column * rows + row] = costs[row * columns + column];
  return result;
}

template <class T>
void keep_marked(std::vector<T>& values, const std::vector<char>& kept) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (kept[i] != 0) values[count++] = values[i];
  values.resize(count);
}

}  // namespace

Reduction::Reduction(const ShardingProblem& problem) : problem_(problem) {
  load();
  if (!reduce()) load();
  fold_single();
}

double Reduction::usage(const Member& member, std::size_t label) const {
  const ShardingProblem::Node& node = problem_.nodes[member.node];
  return node.begin < node.end ? static_cast<double>(node.strategies[member.strategy_of[label]].usage) : 0.0;
}

std::vector<std::uint32_t> Reduction::strategies(std::span<const std::uint32_t> label_of) const {
  std::vector<std::uint32_t> result(problem_.nodes.size());
  for (std::size_t i = 0; i < variables_.size(); ++i)
    for (const Member& member : variables_[i].members) result[member.node] = member.strategy_of[label_of[i]];
  return result;
}

void Reduction::load() {
  variables_.assign(problem_.nodes.size(), {});
  for (std::size_t i = 0; i < problem_.nodes.size(); ++i) {
    Member self{.node = static_cast<std::uint32_t>(i)};
    for (const ShardingProblem::Strategy& strategy : problem_.nodes[i].strategies) {
      self.strategy_of.push_back(static_cast<std::uint32_t>(self.strategy_of.size()));
      variables_[i].costs.push_back(never_beyond(static_cast<double>(strategy.cost)));
    }
    variables_[i].members.push_back(std::move(self));
  }
  std::vector<Edge> edges;
  for (const ShardingProblem::Edge& given : problem_.edges) {
    Edge edge{.first = given.first, .second = given.second};
    edge.costs.reserve(given.costs.size());
    for (const std::int64_t cost : given.costs) edge.costs.push_back(never_beyond(static_cast<double>(cost)));
    edges.push_back(std::move(edge));
  }
  set_edges(std::move(edges));
}

/// False when no choice avoids what costs too much.
bool Reduction::reduce() {
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t before = label_count() + edges_.size();
    if (!remove_impossible()) return false;
    join_determined();
    if (!remove_impossible()) return false;
    fold_single();
    normalise();
    remove_dominated();
    if (label_count() + edges_.size() == before) break;
  }
  return true;
}

std::size_t Reduction::label_count() const {
  std::size_t count = 0;
  for (const Variable& variable : variables_) count += variable.labels();
  return count;
}

std::uint32_t Reduction::other_end(std::uint32_t edge, std::size_t variable) const {
  return edges_[edge].first == variable ? edges_[edge].second : edges_[edge].first;
}

double Reduction::cost(std::uint32_t edge, std::size_t variable, std::size_t own, std::size_t other) const {
  const Edge& table = edges_[edge];
  const std::size_t columns = variables_[table.second].labels();
  return table.first == variable ? table.costs[own * columns + other] : table.costs[other * columns + own];
}

/// Takes edges in any form: those between the same two variables become one, those from a variable to itself costs of
/// its labels.
void Reduction::set_edges(std::vector<Edge> edges) {
  std::unordered_map<std::uint64_t, std::size_t> place_of_pair;
  edges_.clear();
  for (Edge& edge : edges) {
    const std::size_t rows = variables_[edge.first].labels();
    const std::size_t columns = variables_[edge.second].labels();
    if (edge.first == edge.second) {
      for (std::size_t k = 0; k < rows; ++k) {
        double& own = variables_[edge.first].costs[k];
        own = never_beyond(own + edge.costs[k * columns + k]);
      }
      continue;
    }
    if (edge.first > edge.second) {
      edge.costs = transposed(edge.costs, rows, columns);
      std::swap(edge.first, edge.second);
    }
    const std::uint64_t pair = std::uint64_t{edge.first} << 32 | edge.second;
    const auto [found, is_new] = place_of_pair.emplace(pair, edges_.size());
    if (is_new) {
      edges_.push_back(std::move(edge));
      continue;
    }
    std::vector<double>& sum = edges_[found->second].costs;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = never_beyond(sum[i] + edge.costs[i]);
  }
  index_edges();
}

void Reduction::index_edges() {
  for (Variable& variable : variables_) variable.edges.clear();
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    variables_[edges_[i].first].edges.push_back(i);
    variables_[edges_[i].second].edges.push_back(i);
  }
}

Reduction::Kept Reduction::keep_all() const {
  Kept kept;
  for (const Variable& variable : variables_) kept.emplace_back(variable.labels(), 1);
  return kept;
}

void Reduction::keep_only(const Kept& kept) {
  const auto changes = [&](std::size_t variable) {
    return std::ranges::find(kept[variable], 0) != kept[variable].end();
  };
  for (Edge& edge : edges_) {
    if (!changes(edge.first) && !changes(edge.second)) continue;
    const std::size_t columns = variables_[edge.second].labels();
    std::size_t count = 0;
    for (std::size_t i = 0; i < edge.costs.size(); ++i)
      if (kept[edge.first][i / columns] != 0 && kept[edge.second][i % columns] != 0)
        edge.costs[count++] = edge.costs[i];
    edge.costs.resize(count);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (!changes(i)) continue;
    keep_marked(variables_[i].costs, kept[i]);
    for (Member& member : variables_[i].members) keep_marked(member.strategy_of, kept[i]);
  }
}

/// Arc consistency: a label that no label of some neighbour goes with can be in no choice. False when a variable is
/// left with none.
bool Reduction::remove_impossible() {
  Kept kept = keep_all();
  std::vector<std::size_t> waiting;
  std::vector<char> is_waiting(variables_.size(), 1);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    waiting.push_back(i);
    for (std::size_t k = 0; k < variables_[i].labels(); ++k) kept[i][k] = variables_[i].costs[k] < kNever ? 1 : 0;
  }
  const auto is_supported = [&](std::uint32_t edge, std::size_t variable, std::size_t label) {
    for (std::size_t k = 0; k < variables_[variable].labels(); ++k)
      if (kept[variable][k] != 0 && cost(edge, variable, k, label) < kNever) return true;
    return false;
  };
  while (!waiting.empty()) {
    const std::size_t variable = waiting.back();
    waiting.pop_back();
    is_waiting[variable] = 0;
    if (std::ranges::find(kept[variable], 1) == kept[variable].end()) return false;
    for (const std::uint32_t edge : variables_[variable].edges) {
      const std::uint32_t other = other_end(edge, variable);
      bool changed = false;
      for (std::size_t label = 0; label < kept[other].size(); ++label)
        if (kept[other][label] != 0 && !is_supported(edge, variable, label)) {
          kept[other][label] = 0;
          changed = true;
        }
      if (changed && is_waiting[other] == 0) waiting.push_back(other);
      if (changed) is_waiting[other] = 1;
    }
  }
  keep_only(kept);
  return true;
}

/// Whether `better` may replace `worse` in every choice: it costs no more with any neighbours and never uses more.
/// Needs edges that are normalised: then each adds something that is not negative, and one look may be enough.
bool Reduction::dominates(std::size_t variable, std::size_t better, std::size_t worse) const {
  const Variable& self = variables_[variable];
  double loss = self.costs[better] - self.costs[worse];
  if (loss > 0 || !uses_no_more(variable, better, worse)) return false;
  for (const std::uint32_t edge : self.edges) {
    double most = -kInfinity;
    const std::size_t others = variables_[other_end(edge, variable)].labels();
    for (std::size_t k = 0; k < others; ++k) {
      const double replaced = cost(edge, variable, worse, k);
      if (replaced < kNever) most = std::max(most, cost(edge, variable, better, k) - replaced);
    }
    loss += std::max(most, 0.0);
    if (loss > 0) return false;
  }
  return true;
}

bool Reduction::uses_no_more(std::size_t variable, std::size_t better, std::size_t worse) const {
  return std::ranges::all_of(variables_[variable].members,
                             [&](const Member& member) { return usage(member, better) <= usage(member, worse); });
}

std::size_t Reduction::remove_dominated() {
  Kept kept = keep_all();
  std::size_t removed = 0;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::size_t labels = variables_[i].labels();
    std::size_t cells = variables_[i].members.size();
    for (const std::uint32_t edge : variables_[i].edges) cells += edges_[edge].costs.size() / labels;
    if (static_cast<double>(cells) * static_cast<double>(labels * labels) > kMostComparisons) continue;
    for (std::size_t worse = 0; worse < labels; ++worse)
      for (std::size_t better = 0; better < labels && kept[i][worse] != 0; ++better)
        if (better != worse && kept[i][better] != 0 && dominates(i, better, worse)) {
          kept[i][worse] = 0;
          ++removed;
        }
  }
  keep_only(kept);
  return removed;
}

/// For each label of the first variable the one label of the second that goes with it, when that is one to one; else
/// nothing.
std::vector<std::uint32_t> Reduction::bijection(const Edge& edge) const {
  const std::size_t labels = variables_[edge.first].labels();
  if (labels != variables_[edge.second].labels()) return {};
  std::vector<std::uint32_t> image(labels);
  std::vector<char> is_taken(labels, 0);
  for (std::size_t row = 0; row < labels; ++row) {
    std::size_t count = 0;
    for (std::size_t column = 0; column < labels; ++column)
      if (edge.costs[row * labels + column] < kNever) {
        image[row] = static_cast<std::uint32_t>(column);
        ++count;
      }
    if (count != 1 || is_taken[image[row]] != 0) return {};
    is_taken[image[row]] = 1;
  }
  return image;
}

Reduction::Joined Reduction::find_joined(const std::vector<std::vector<std::uint32_t>>& bijections) const {
  constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  Joined joined{.place = std::vector<std::uint32_t>(variables_.size(), kNowhere),
                .label_of = std::vector<std::vector<std::uint32_t>>(variables_.size())};
  for (std::size_t root = 0; root < variables_.size(); ++root) {
    if (joined.place[root] != kNowhere) continue;
    const auto place = static_cast<std::uint32_t>(joined.count++);
    joined.place[root] = place;
    for (std::uint32_t k = 0; k < variables_[root].labels(); ++k) joined.label_of[root].push_back(k);
    std::vector<std::size_t> stack{root};
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (const std::uint32_t edge : variables_[at].edges) {
        const std::uint32_t other = other_end(edge, at);
        if (bijections[edge].empty() || joined.place[other] != kNowhere) continue;
        std::vector<std::uint32_t> image = bijections[edge];
        if (edges_[edge].first != at)
          for (std::uint32_t k = 0; k < image.size(); ++k) image[bijections[edge][k]] = k;
        joined.place[other] = place;
        for (const std::uint32_t label : joined.label_of[at]) joined.label_of[other].push_back(image[label]);
        stack.push_back(other);
      }
    }
  }
  return joined;
}

/// Joins variables that determine one another; returns how many went into others.
std::size_t Reduction::join_determined() {
  std::vector<std::vector<std::uint32_t>> bijections;
  for (const Edge& edge : edges_) bijections.push_back(bijection(edge));
  const Joined joined = find_joined(bijections);
  const std::size_t gone = variables_.size() - joined.count;
  if (gone > 0) apply(joined);
  return gone;
}

void Reduction::apply(const Joined& joined) {
  std::vector<Edge> edges;
  for (const Edge& edge : edges_) {
    Edge moved{.first = joined.place[edge.first], .second = joined.place[edge.second]};
    const std::size_t columns = variables_[edge.second].labels();
    for (const std::uint32_t row : joined.label_of[edge.first])
      for (const std::uint32_t column : joined.label_of[edge.second])
        moved.costs.push_back(edge.costs[row * columns + column]);
    edges.push_back(std::move(moved));
  }
  std::vector<Variable> variables(joined.count);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::vector<std::uint32_t>& labels = joined.label_of[i];
    Variable& into = variables[joined.place[i]];
    into.costs.resize(labels.size());
    for (std::size_t k = 0; k < labels.size(); ++k)
      into.costs[k] = never_beyond(into.costs[k] + variables_[i].costs[labels[k]]);
    for (Member& member : variables_[i].members) {
      Member moved{.node = member.node};
      for (const std::uint32_t label : labels) moved.strategy_of.push_back(member.strategy_of[label]);
      into.members.push_back(std::move(moved));
    }
  }
  variables_ = std::move(variables);
  set_edges(std::move(edges));
}

/// What a variable of one label does to its neighbours is a cost of theirs.
std::size_t Reduction::fold_single() {
  const auto is_single = [&](const Edge& edge) {
    const bool first = variables_[edge.first].labels() == 1;
    if (!first && variables_[edge.second].labels() != 1) return false;
    std::vector<double>& costs = variables_[first ? edge.second : edge.first].costs;
    for (std::size_t k = 0; k < costs.size(); ++k) costs[k] = never_beyond(costs[k] + edge.costs[k]);
    return true;
  };
  const std::size_t gone = std::erase_if(edges_, is_single);
  if (gone > 0) index_edges();
  return gone;
}

/// Moves what a label costs with any label of a neighbour into its own cost, so that every row and column has a zero;
/// edges that have nothing else go.
std::size_t Reduction::normalise() {
  for (Edge& edge : edges_) {
    const std::size_t columns = variables_[edge.second].labels();
    const auto take = [&](std::size_t begin, std::size_t step, std::size_t count, double& into) {
      double least = kInfinity;
      for (std::size_t i = 0; i < count; ++i) least = std::min(least, edge.costs[begin + i * step]);
      if (least >= kNever || least == 0) return;
      into += least;
      for (std::size_t i = 0; i < count; ++i)
        if (edge.costs[begin + i * step] < kNever) edge.costs[begin + i * step] -= least;
    };
    const std::size_t rows = variables_[edge.first].labels();
    for (std::size_t row = 0; row < rows; ++row) take(row * columns, 1, columns, variables_[edge.first].costs[row]);
    for (std::size_t column = 0; column < columns; ++column)
      take(column, columns, rows, variables_[edge.second].costs[column]);
  }
  const std::size_t gone = std::erase_if(
      edges_, [](const Edge& edge) { return std::ranges::all_of(edge.costs, [](double cost) { return cost == 0; }); });
  if (gone > 0) index_edges();
  return gone;
}

}  // namespace hone
