#include "bench/saturated_graph.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>

#include "base/error.h"

namespace hone {
namespace {

constexpr double kNeverMade = std::numeric_limits<double>::infinity();

/// Classes in the order in which they can be made, the cheapest to make first, and by what.
struct MakingOrder {
  std::vector<std::uint32_t> classes;
  Selection selection;
};

/// Dijkstra's algorithm on choices, which are done when all they need is (Knuth 1977).
MakingOrder making_order(const ExtractionProblem& problem, std::span<const double> costs) {
  const std::size_t classes = problem.makers.size();
  std::vector<std::vector<std::uint32_t>> readers(classes);
  std::vector<std::size_t> missing(problem.choices.size());
  std::vector<double> sums(costs.begin(), costs.end()), least(classes, kNeverMade);
  using Waiting = std::pair<double, std::uint32_t>;  // cost, choice
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue;
  for (std::uint32_t i = 0; i < problem.choices.size(); ++i) {
    missing[i] = problem.choices[i].needs.size();
    for (const std::uint32_t need : problem.choices[i].needs) readers[need].push_back(i);
    if (missing[i] == 0) queue.emplace(sums[i], i);
  }
  MakingOrder order{{}, Selection(classes, 0)};
  while (!queue.empty()) {
    const auto [cost, choice] = queue.top();
    queue.pop();
    const std::uint32_t made = problem.choices[choice].makes[0];
    if (least[made] < kNeverMade) continue;
    least[made] = cost;
    order.classes.push_back(made);
    order.selection[made] = choice;
    for (const std::uint32_t reader : readers[made]) {
      sums[reader] += cost;
      if (--missing[reader] == 0) queue.emplace(sums[reader], reader);
    }
  }
  return order;
}

std::vector<double> costs_of(const ExtractionProblem& problem) {
  std::vector<double> costs;
  for (const ExtractionProblem::Choice& choice : problem.choices) costs.push_back(choice.seconds);
  return costs;
}

CyclicChoice costed(const ExtractionProblem& problem, Selection selection) {
  const FollowedSelection followed = follow(problem, selection);
  HONE_CHECK(followed.cycle.empty(), "a selection by an order cannot be cyclic");
  double cost = 0;
  for (const std::uint32_t choice : followed.choices) cost += problem.choices[choice].seconds;
  return {std::move(selection), cost};
}

/// The best that is found when classes are made in this order.
CyclicChoice search_in_order(const ExtractionProblem& problem, const MakingOrder& order, const Deadline& deadline) {
  constexpr std::uint32_t kNoPlace = UINT32_MAX;
  std::vector<std::uint32_t> place(problem.makers.size(), kNoPlace), original;
  for (std::uint32_t i = 0; i < order.classes.size(); ++i) place[order.classes[i]] = i;
  ExtractionProblem ordered;
  ordered.makers.resize(order.classes.size());
  Selection start(order.classes.size(), 0);
  for (std::uint32_t i = 0; i < problem.choices.size(); ++i) {
    const ExtractionProblem::Choice& choice = problem.choices[i];
    const std::uint32_t made = place[choice.makes[0]];
    if (std::ranges::any_of(choice.needs, [&](std::uint32_t need) { return place[need] >= made; })) continue;
    if (order.selection[choice.makes[0]] == i) start[made] = static_cast<std::uint32_t>(original.size());
    ordered.makers[made].push_back(static_cast<std::uint32_t>(original.size()));
    ExtractionProblem::Choice& kept = ordered.choices.emplace_back(choice);
    for (std::uint32_t& need : kept.needs) need = place[need];
    kept.makes = {made};
    original.push_back(i);
  }
  for (const std::uint32_t root : problem.roots) ordered.roots.push_back(place[root]);
  const Selection found = ExtractionKind::named("greedy").improve(ordered, start, {.deadline = deadline});
  Selection selection = order.selection;
  for (std::uint32_t i = 0; i < found.size(); ++i) selection[order.classes[i]] = original[found[i]];
  return costed(problem, std::move(selection));
}

std::uint32_t class_number(std::map<std::string, std::uint32_t>& numbers, const std::string& name) {
  return numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
}

}  // namespace

SaturatedGraph read_saturated_graph(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (json.is_discarded()) fail("{}: is no JSON, or cut off", file.string());
  if (!json.is_object() || !json.contains("nodes") || !json.contains("root_eclasses"))
    fail("{}: is no e-graph: nodes and root_eclasses are missing", file.string());
  SaturatedGraph graph{.name = file.stem().string(), .problem = {}};
  try {
    std::map<std::string, std::uint32_t> numbers;
    const auto& nodes = json.at("nodes");
    for (const auto& [name, node] : nodes.items()) {
      ExtractionProblem::Choice choice{.seconds = node.at("cost"), .needs = {}, .makes = {}};
      choice.makes = {class_number(numbers, node.at("eclass"))};
      for (const auto& child : node.at("children"))
        choice.needs.push_back(class_number(numbers, nodes.at(child.get<std::string>()).at("eclass")));
      std::ranges::sort(choice.needs);
      const auto twice = std::ranges::unique(choice.needs);
      choice.needs.erase(twice.begin(), twice.end());
      graph.problem.choices.push_back(std::move(choice));
    }
    for (const auto& root : json.at("root_eclasses")) graph.problem.roots.push_back(class_number(numbers, root));
    graph.problem.makers.resize(numbers.size());
  } catch (const nlohmann::json::exception& error) {
    fail("{}: is no e-graph: {}", file.string(), error.what());
  }
  for (std::uint32_t i = 0; i < graph.problem.choices.size(); ++i)
    graph.problem.makers[graph.problem.choices[i].makes[0]].push_back(i);
  const MakingOrder order = making_order(graph.problem, costs_of(graph.problem));
  for (const std::uint32_t root : graph.problem.roots)
    if (std::ranges::find(order.classes, root) == order.classes.end()) fail("{}: a root cannot be made", file.string());
  return graph;
}

ClassComponents::ClassComponents(const ExtractionProblem& problem)
    : needs_(problem.makers.size()), number_(needs_.size(), kNone), entered_(number_), low_(number_) {
  for (const ExtractionProblem::Choice& choice : problem.choices)
    needs_[choice.makes[0]].insert(needs_[choice.makes[0]].end(), choice.needs.begin(), choice.needs.end());
  for (std::uint32_t each = 0; each < needs_.size(); ++each)
    if (entered_[each] == kNone) search(each);
}

void ClassComponents::enter(std::uint32_t each) {
  entered_[each] = low_[each] = next_++;
  open_.push_back(each);
  path_.emplace_back(each, 0);
}

void ClassComponents::search(std::uint32_t first) {
  enter(first);
  while (!path_.empty()) {
    const std::uint32_t at = path_.back().first;
    if (path_.back().second < needs_[at].size()) {
      const std::uint32_t next = needs_[at][path_.back().second++];
      if (entered_[next] == kNone) enter(next);
      else if (number_[next] == kNone) low_[at] = std::min(low_[at], entered_[next]);
      continue;
    }
    path_.pop_back();
    if (!path_.empty()) low_[path_.back().first] = std::min(low_[path_.back().first], low_[at]);
    if (low_[at] != entered_[at]) continue;
    std::uint32_t member = kNone;
    while (member != at) {
      member = open_.back();
      open_.pop_back();
      number_[member] = components_;
    }
    ++components_;
  }
}

FollowedSelection follow(const ExtractionProblem& problem, const Selection& selection) {
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(problem.makers.size(), Mark::unseen);
  FollowedSelection followed;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // class, how many of its needs were gone into
  for (const std::uint32_t root : problem.roots) {
    if (marks[root] == Mark::unseen) path.emplace_back(root, 0);
    while (!path.empty()) {
      const std::uint32_t at = path.back().first;
      marks[at] = Mark::open;
      const ExtractionProblem::Choice& choice = problem.choices[selection[at]];
      if (path.back().second == choice.needs.size()) {
        marks[at] = Mark::done;
        followed.choices.push_back(selection[at]);
        path.pop_back();
        continue;
      }
      const std::uint32_t next = choice.needs[path.back().second++];
      if (marks[next] == Mark::unseen) path.emplace_back(next, 0);
      if (marks[next] != Mark::open || path.back().first == next) continue;
      const auto begin = std::ranges::find(path, next, &std::pair<std::uint32_t, std::size_t>::first);
      for (auto each = begin; each != path.end(); ++each) followed.cycle.push_back(selection[each->first]);
      return followed;
    }
  }
  return followed;
}

CyclicChoice choose_bottom_up(const ExtractionProblem& problem) {
  return costed(problem, making_order(problem, costs_of(problem)).selection);
}

CyclicChoice choose_by_orders(const ExtractionProblem& problem, const Deadline& deadline) {
  const ClassComponents components(problem);
  // Only within a component does an order leave choices out.
  const auto search = [&](std::span<const double> costs) {
    MakingOrder order = making_order(problem, costs);
    std::ranges::stable_sort(order.classes, {}, [&](std::uint32_t each) { return components.of(each); });
    return search_in_order(problem, order, deadline);
  };
  CyclicChoice best = search(costs_of(problem));
  CyclicChoice other = search(std::vector<double>(problem.choices.size(), 1));
  if (other.cost < best.cost) std::swap(best, other);
  while (!deadline.is_over()) {
    std::vector<double> costs = costs_of(problem);
    const double tiny = 1e-9 * (best.cost + 1e-30);  // so that what was chosen comes first, in its order
    for (double& cost : costs) cost += tiny;
    for (const std::uint32_t choice : follow(problem, best.selection).choices) costs[choice] = 0;
    CyclicChoice next = search(costs);
    if (next.cost >= best.cost * (1 - 1e-9)) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace hone
