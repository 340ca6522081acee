#include "plan/sharding/forest_search.h"

#include <algorithm>

#include "plan/sharding/min_plus.h"

namespace hone {
namespace {

constexpr int kMostRetries = 6;
constexpr double kDearer = 3;  // how much prices rise from one retry to the next
constexpr std::size_t kMostPlaces = 3;
constexpr std::size_t kMostSteps = 3;
constexpr int kMostForced = 60;
constexpr double kCheapest = 1e-9;  // first price of a unit, where there is none yet, as a share of what is forbidden
/// Sums in another order differ; a change of cost less than this share of the costs that went into it is none.
constexpr double kRounding = 1e-12;

}  // namespace

ForestSearch::ForestSearch(const LabelModel& model, Rng rng)
    : model_(model),
      rng_(rng),
      dues_(model.label_count(), 0.0),
      joined_(model.size(), 0),
      seen_(model.size(), 0),
      touching_(model.size(), 0),
      slot_(model.size(), 0),
      parent_edge_(model.size(), kRoot),
      message_(model.most_labels()),
      change_(model.times() + 1, 0.0),
      extra_price_(model.times(), 0.0),
      price_before_(model.times() + 1, 0.0),
      extra_dues_(model.label_count(), 0.0) {
  for (std::uint32_t i = 0; i < model.size(); ++i) permutation_.push_back(i);
  set_labels(LabelModel::Labels(model.size(), 0));
}

void ForestSearch::set_labels(const LabelModel::Labels& label_of) {
  label_of_ = label_of;
  cost_ = model_.cost(label_of);
  usage_ = model_.usage(label_of);
}

double ForestSearch::excess() const {
  double sum = 0;
  for (std::size_t t = 0; t < usage_.size(); ++t) sum += std::max(0.0, usage_[t] - model_.capacity()[t]);
  return sum;
}

void ForestSearch::begin_forest() {
  ++round_;
  order_.clear();
  frontier_.clear();
}

void ForestSearch::add(std::uint32_t variable, std::uint32_t edge_to_parent) {
  slot_[variable] = static_cast<std::uint32_t>(order_.size());
  parent_edge_[variable] = edge_to_parent;
  joined_[variable] = round_;
  order_.push_back(variable);
  for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id) {
    const LabelModel::HalfEdge& there = model_.half_edge(id);
    if (seen_[there.to] != round_) touching_[there.to] = 0;
    seen_[there.to] = round_;
    if (++touching_[there.to] > 1 || is_in_forest(there.to)) continue;
    frontier_.push_back(there.to);
    parent_edge_[there.to] = there.reverse;
  }
}

/// Adds variables that touch the forest at one place each until it has `size` or nothing is left to add.
void ForestSearch::grow(std::size_t size) {
  while (!frontier_.empty() && order_.size() < size) {
    std::swap(frontier_[rng_.below(frontier_.size())], frontier_.back());
    const std::uint32_t variable = frontier_.back();
    frontier_.pop_back();
    if (!is_in_forest(variable) && touching_[variable] == 1) add(variable, parent_edge_[variable]);
  }
}

void ForestSearch::improve_everywhere() {
  begin_forest();
  for (std::size_t i = permutation_.size(); i > 1; --i) std::swap(permutation_[i - 1], permutation_[rng_.below(i)]);
  for (const std::uint32_t variable : permutation_) {
    if (is_in_forest(variable) || touches_forest(variable)) continue;
    add(variable, kRoot);
    grow(model_.size());
  }
  solve(dues_);
  if (!is_change()) return;
  find_usage_change();
  accept();
}

void ForestSearch::force_within_limit(std::vector<double> price) {
  double dear = price.empty() ? 0.0 : *std::ranges::max_element(price);
  if (dear == 0) dear = kCheapest * model_.forbidden();
  for (int i = 0; i < kMostForced && excess() > 0; ++i) {
    for (std::size_t t = 0; t < price.size(); ++t)
      if (usage_[t] > model_.capacity()[t]) price[t] = 1.5 * price[t] + 0.1 * dear;
    dues_ = model_.dues(price);
    improve_everywhere();
    improve_everywhere();
  }
}

void ForestSearch::improve_somewhere(std::size_t size) {
  begin_forest();
  for (std::size_t places = 1 + rng_.below(kMostPlaces); places > 0; --places) {
    const auto variable = static_cast<std::uint32_t>(rng_.below(model_.size()));
    if (is_in_forest(variable) || touches_forest(variable)) continue;
    add(variable, kRoot);
    grow(size / places);
  }
  try_forest();
}

void ForestSearch::improve_near(std::uint32_t variable, std::size_t size) {
  for (std::size_t steps = rng_.below(kMostSteps + 1); steps > 0; --steps) {
    const std::uint32_t begin = model_.edges_begin(variable);
    const std::uint32_t count = model_.edges_end(variable) - begin;
    if (count > 0) variable = model_.half_edge(begin + static_cast<std::uint32_t>(rng_.below(count))).to;
  }
  begin_forest();
  add(variable, kRoot);
  grow(size);
  try_forest();
}

/// Moves if that gains something and makes no excess greater.
void ForestSearch::try_forest() {
  const double gain = solve(dues_);
  if (!is_change()) return;
  find_usage_change();
  if (new_excess() <= 0) accept();
  else if (gain <= kRounding * value_now_ || !retry(gain)) forget_usage_change();
}

/// Proposes the best labels of the forest and returns by how much they are better than those it has.
double ForestSearch::solve(const std::vector<double>& dues) {
  gather_costs(dues);
  pass_up();
  double best = 0;
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    if (parent_edge_[order_[slot]] != kRoot) continue;
    const double* own = &best_[best_begin_[slot]];
    best += *std::min_element(own, own + model_.labels(order_[slot]));
  }
  pick_down();
  return value_now_ - best;
}

/// What each label of the forest costs with the variables outside it.
void ForestSearch::gather_costs(const std::vector<double>& dues) {
  best_begin_.clear();
  std::size_t count = 0;
  for (const std::uint32_t variable : order_) {
    best_begin_.push_back(count);
    count += model_.labels(variable);
  }
  if (best_.size() < count) best_.resize(count);
  value_now_ = 0;
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const std::uint32_t variable = order_[slot];
    const std::size_t labels = model_.labels(variable);
    double* own = &best_[best_begin_[slot]];
    for (std::size_t k = 0; k < labels; ++k)
      own[k] = model_.costs()[model_.place(variable) + k] + dues[model_.place(variable) + k];
    for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id) {
      const LabelModel::HalfEdge& there = model_.half_edge(id);
      if (is_in_forest(there.to)) continue;
      const double* row = model_.row(model_.half_edge(there.reverse), label_of_[there.to]);
      for (std::size_t k = 0; k < labels; ++k) own[k] += row[k];
    }
    work_ += labels * (2 + model_.edges_end(variable) - model_.edges_begin(variable));
    value_now_ += own[label_of_[variable]];
    if (parent_edge_[variable] == kRoot) continue;
    const LabelModel::HalfEdge& up = model_.half_edge(parent_edge_[variable]);
    value_now_ += model_.row(up, label_of_[variable])[label_of_[up.to]];
  }
}

/// From the leaves to the roots: what each label costs with the best labels of everything below it.
void ForestSearch::pass_up() {
  for (std::size_t slot = order_.size(); slot-- > 0;) {
    const std::uint32_t variable = order_[slot];
    if (parent_edge_[variable] == kRoot) continue;
    const LabelModel::HalfEdge& up = model_.half_edge(parent_edge_[variable]);
    const std::size_t above = model_.labels(up.to);
    const double* own = &best_[best_begin_[slot]];
    std::fill_n(message_.begin(), above, kInfinity);
    for (std::size_t k = 0; k < model_.labels(variable); ++k)
      lower_to_sum(message_.data(), own[k], model_.row(up, k), above);
    double* into = &best_[best_begin_[slot_[up.to]]];
    for (std::size_t k = 0; k < above; ++k) into[k] += message_[k];
    work_ += above * model_.labels(variable);
  }
}

/// From the roots to the leaves; where labels are equally good a variable keeps what it has.
void ForestSearch::pick_down() {
  proposed_.resize(order_.size());
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const std::uint32_t variable = order_[slot];
    double* own = &best_[best_begin_[slot]];
    if (parent_edge_[variable] != kRoot) {
      const LabelModel::HalfEdge& up = model_.half_edge(parent_edge_[variable]);
      const double* row = model_.row(model_.half_edge(up.reverse), proposed_[slot_[up.to]]);
      for (std::size_t k = 0; k < model_.labels(variable); ++k) own[k] += row[k];
    }
    const double* least = std::min_element(own, own + model_.labels(variable));
    proposed_[slot] =
        own[label_of_[variable]] <= *least ? label_of_[variable] : static_cast<std::uint32_t>(least - own);
  }
}

bool ForestSearch::is_change() const {
  for (std::size_t slot = 0; slot < order_.size(); ++slot)
    if (proposed_[slot] != label_of_[order_[slot]]) return true;
  return false;
}

void ForestSearch::find_usage_change() {
  change_begin_ = model_.times();
  change_end_ = 0;
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const std::uint32_t variable = order_[slot];
    if (proposed_[slot] == label_of_[variable]) continue;
    for (const LabelModel::Piece& piece : model_.pieces(variable)) {
      const double change = model_.usage(piece, proposed_[slot]) - model_.usage(piece, label_of_[variable]);
      if (change == 0) continue;
      change_[piece.begin] += change;
      change_[piece.end] -= change;
      change_begin_ = std::min<std::size_t>(change_begin_, piece.begin);
      change_end_ = std::max<std::size_t>(change_end_, piece.end);
    }
  }
  if (change_begin_ >= change_end_) return;
  for (std::size_t t = change_begin_ + 1; t < change_end_; ++t) change_[t] += change_[t - 1];
  change_[change_end_] = 0;
  work_ += change_end_ - change_begin_;
}

void ForestSearch::forget_usage_change() {
  if (change_begin_ >= change_end_) return;
  std::fill(change_.begin() + static_cast<std::ptrdiff_t>(change_begin_),
            change_.begin() + static_cast<std::ptrdiff_t>(change_end_), 0.0);
  change_begin_ = change_end_ = 0;
}

/// What the move adds beyond the capacity, over all times.
double ForestSearch::new_excess() const {
  double sum = 0;
  for (std::size_t t = change_begin_; t < change_end_; ++t)
    sum += std::max(0.0, std::min(change_[t], usage_[t] + change_[t] - model_.capacity()[t]));
  return sum;
}

double ForestSearch::cost_change() const {
  double sum = 0;
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const std::uint32_t variable = order_[slot];
    const std::uint32_t before = label_of_[variable];
    const std::uint32_t after = proposed_[slot];
    if (parent_edge_[variable] != kRoot) {
      const LabelModel::HalfEdge& up = model_.half_edge(parent_edge_[variable]);
      sum += model_.row(up, after)[proposed_[slot_[up.to]]] - model_.row(up, before)[label_of_[up.to]];
    }
    if (before == after) continue;
    sum += model_.costs()[model_.place(variable) + after] - model_.costs()[model_.place(variable) + before];
    for (std::uint32_t id = model_.edges_begin(variable); id < model_.edges_end(variable); ++id) {
      const LabelModel::HalfEdge& there = model_.half_edge(id);
      if (is_in_forest(there.to)) continue;
      const std::uint32_t other = label_of_[there.to];
      sum += model_.row(there, after)[other] - model_.row(there, before)[other];
    }
  }
  return sum;
}

double ForestSearch::dues_change() const {
  double sum = 0;
  for (std::size_t slot = 0; slot < order_.size(); ++slot) {
    const std::size_t place = model_.place(order_[slot]);
    sum += dues_[place + proposed_[slot]] - dues_[place + label_of_[order_[slot]]];
  }
  return sum;
}

void ForestSearch::accept() {
  cost_ += cost_change();
  for (std::size_t t = change_begin_; t < change_end_; ++t) usage_[t] += change_[t];
  forget_usage_change();
  for (std::size_t slot = 0; slot < order_.size(); ++slot) label_of_[order_[slot]] = proposed_[slot];
}

/// Looks for labels of the same forest that are still better but do not use too much, with prices that rise where they
/// would. At first all that is gained would be paid for what is too much.
bool ForestSearch::retry(double gain) {
  std::size_t begin = model_.times();
  std::size_t end = 0;
  double rate = gain / new_excess();
  bool accepted = false;
  for (int i = 0; i < kMostRetries; ++i, rate *= kDearer) {
    begin = std::min(begin, change_begin_);
    end = std::max(end, change_end_);
    raise_prices(rate);
    forget_usage_change();
    solve(raised_dues());
    if (!is_change()) break;
    find_usage_change();
    if (new_excess() > 0) continue;
    accepted = cost_change() + dues_change() < -kRounding * value_now_;
    if (accepted) accept();
    break;
  }
  for (std::size_t t = begin; t < end; ++t) extra_price_[t] = 0;
  return accepted;
}

void ForestSearch::raise_prices(double rate) {
  for (std::size_t t = change_begin_; t < change_end_; ++t)
    if (change_[t] > 0 && usage_[t] + change_[t] > model_.capacity()[t]) extra_price_[t] += rate;
}

/// Dues of the forest at the raised prices.
const std::vector<double>& ForestSearch::raised_dues() {
  for (std::size_t t = 0; t < extra_price_.size(); ++t) price_before_[t + 1] = price_before_[t] + extra_price_[t];
  work_ += extra_price_.size();
  for (const std::uint32_t variable : order_) {
    const std::size_t labels = model_.labels(variable);
    double* own = &extra_dues_[model_.place(variable)];
    std::copy_n(&dues_[model_.place(variable)], labels, own);
    for (const LabelModel::Piece& piece : model_.pieces(variable)) {
      const double rate = price_before_[piece.end] - price_before_[piece.begin];
      if (rate <= 0) continue;
      for (std::size_t k = 0; k < labels; ++k) own[k] += rate * model_.usage(piece, k);
    }
  }
  return extra_dues_;
}

}  // namespace hone
