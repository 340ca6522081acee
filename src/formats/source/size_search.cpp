#include "formats/source/size_search.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

#include "formats/source/size_guesses.h"

namespace hone {
namespace {

constexpr std::size_t kStages = 4;
constexpr std::size_t kTrialsForBranches =
    64;                                     // when all nodes take their inputs, but for branches that could do better
constexpr std::size_t kVisitsOfTrial = 50;  // what one costs beside its nodes

/// Dims of a node's inputs and the integers among its attributes.
std::vector<std::int64_t> sizes_at(const Graph& graph, const Node& node) {
  constexpr std::size_t kMost = 16;
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t size) {
    if (size > 1 && sizes.size() < kMost && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  };
  for (const ValueId input : node.inputs)
    if (input.valid())
      for (const Dim dim : graph.value(input).type.shape)
        if (dim.known()) add(dim.value());
  for (const Attribute& attribute : *node.attributes) {
    if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) add(*number);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value)) std::ranges::for_each(*list, add);
  }
  return sizes;
}

}  // namespace

bool SizeTrial::is_better_than(const SizeTrial& other) const {
  return std::tuple(inferred(), nodes, other.unrunnable) > std::tuple(other.inferred(), other.nodes, unrunnable);
}

std::vector<SizeHandle> size_handles(std::span<const std::size_t> variables, const Sizes& sizes) {
  std::vector<SizeHandle> handles;
  std::map<std::int64_t, SizeHandle, std::greater<>> same;
  for (const std::size_t variable : variables) {
    handles.push_back({variable});
    same[sizes[variable]].push_back(variable);
  }
  // A batch of one is a matter of choice: what has been given a size is more likely to have been given the wrong one.
  std::ranges::stable_partition(handles, [&](const SizeHandle& handle) { return sizes[handle.front()] > 1; });
  for (auto& [size, together] : same)
    if (together.size() > 1) handles.push_back(std::move(together));
  return handles;
}

Sizes with_size(Sizes sizes, const SizeHandle& handle, std::int64_t size) {
  for (const std::size_t variable : handle) sizes[variable] = size;
  return sizes;
}

SizeTrial SizeSearch::attempt(const Sizes& sizes) const {
  Model model = variables_.model_with(sizes);
  const InferredSoFar found = infer_types_so_far(model);
  SizeTrial trial{.sizes = sizes,
                  .nodes = found.nodes,
                  .unrunnable = found.unrunnable.size(),
                  .refusing = found.refusing,
                  .refusal = found.refusal,
                  .met = {},
                  .estimate = {}};
  if (found.refusing.valid()) trial.met = sizes_at(model.graph, model.graph.node(found.refusing));
  else trial.estimate = estimate_run(model);
  if (trial.inferred() && !found.unrunnable.empty()) trial.refusal = found.unrunnable.front().reason;
  return trial;
}

SizeTrial SizeSearch::run() {
  tried_.insert(variables_.likely());
  best_ = attempt(variables_.likely());
  if (best_.inferred()) trials_left_ = kTrialsForBranches;
  std::vector<Entry> open{{.trial = best_}};
  while (!best_.complete() && !open.empty() && !is_spent()) {
    const std::size_t at = next(open);
    Entry entry = std::move(open[at]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    expand(std::move(entry), open);
  }
  return best_;
}

/// The entry that has come farthest; among equals the one that was changed least, that is refused in new words, that
/// was found first.
std::size_t SizeSearch::next(const std::vector<Entry>& open) {
  const auto found = std::ranges::min_element(open, [](const Entry& a, const Entry& b) {
    if (a.trial.is_better_than(b.trial)) return true;
    if (b.trial.is_better_than(a.trial)) return false;
    return std::tuple(a.changes + a.stage, !a.news) < std::tuple(b.changes + b.stage, !b.news);
  });
  return static_cast<std::size_t>(found - open.begin());
}

/// Tries the changes of an entry's stage; where none brings it farther, the next stage waits.
void SizeSearch::expand(Entry entry, std::vector<Entry>& open) {
  bool farther = false;
  for (const Sizes& sizes : changes_of_stage(entry.trial, entry.stage)) {
    if (is_spent()) return;
    if (!tried_.insert(sizes).second) continue;
    SizeTrial trial = attempt(sizes);
    --trials_left_;
    visits_left_ -= std::min(visits_left_, trial.nodes + kVisitsOfTrial);
    keep(trial);
    if (best_.complete()) return;
    farther = farther || trial.is_better_than(entry.trial);
    const bool news = words_.insert(words_of(trial.refusal)).second;
    open.push_back({.trial = std::move(trial), .stage = 0, .changes = entry.changes + 1, .news = news});
  }
  if (farther || ++entry.stage == kStages) return;
  open.push_back(std::move(entry));
}

void SizeSearch::keep(const SizeTrial& trial) {
  if (!trial.is_better_than(best_)) return;
  if (trial.inferred() && !best_.inferred()) trials_left_ = std::min(trials_left_, kTrialsForBranches);
  best_ = trial;
}

/// First what the refusal suggests for what reaches the node, then for all; then what is usual, likewise.
std::vector<Sizes> SizeSearch::changes_of_stage(const SizeTrial& from, std::size_t stage) const {
  const std::vector<std::size_t> all = variables_.all();
  const bool near = stage % 2 == 0 && from.refusing.valid();
  return changed(from, near ? variables_.reaching(from.refusing) : all,
                 stage < 2 ? Guesses::suggested : Guesses::usual);
}

std::vector<Sizes> SizeSearch::changed(const SizeTrial& from, std::span<const std::size_t> variables,
                                       Guesses guesses) const {
  const std::vector<std::int64_t> told = sizes_told(from.refusal);
  std::vector<Sizes> all;
  for (const SizeHandle& handle : size_handles(variables, from.sizes)) {
    const std::int64_t now = from.sizes[handle.front()];
    if (guesses == Guesses::usual)
      for (const std::int64_t size : from.met) all.push_back(with_size(from.sizes, handle, size));
    for (const std::int64_t size : guesses == Guesses::usual ? sizes_usual(now) : sizes_suggested(told, now))
      all.push_back(with_size(from.sizes, handle, size));
  }
  return all;
}

std::vector<Sizes> SizeSearch::others(const SizeTrial& refused) const {
  std::vector<Sizes> all = changed(refused, variables_.all(), Guesses::suggested);
  std::ranges::move(changed(refused, variables_.all(), Guesses::usual), std::back_inserter(all));
  return all;
}

}  // namespace hone
