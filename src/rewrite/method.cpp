#include "rewrite/method.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

std::vector<const RewriteMethodKind*>& registered() {
  static std::vector<const RewriteMethodKind*> kinds;
  return kinds;
}

}  // namespace

std::vector<RewriteOption> RewriteSearch::expand(const RewriteState& state) {
  std::vector<RewriteOption> options = space_.options(state);
  count_expansion(options.size());
  return options;
}

StatePointer RewriteSearch::take(const StatePointer& state, const RewriteOption& option) {
  StatePointer next = space_.take(state, option);
  offer(next);
  return next;
}

void RewriteSearch::offer(const StatePointer& state) {
  if (state->seconds < best_->seconds) best_ = state;
}

void RewriteSearch::count_expansion(std::size_t rewrites) {
  ++expanded_;
  judged_ += rewrites;
}

StatePointer RewriteSearch::descend(StatePointer state, std::int64_t steps) {
  for (std::int64_t step = 0; step < steps && !spent(); ++step) {
    const std::vector<RewriteOption> options = expand(*state);
    const auto best = std::ranges::min_element(options, {}, &RewriteOption::seconds);
    if (best == options.end() || best->seconds >= state->seconds * (1 - 1e-12)) break;
    state = take(state, *best);
  }
  return state;
}

RewriteMethodKind::RewriteMethodKind(std::string_view name, std::string_view summary, Make factory, std::string help)
    : name_(name), summary_(summary), make_(std::move(factory)), help_(std::move(help)) {
  registered().push_back(this);
}

std::vector<const RewriteMethodKind*> RewriteMethodKind::all() {
  std::vector<const RewriteMethodKind*> kinds = registered();
  std::ranges::sort(kinds, {}, &RewriteMethodKind::name);
  return kinds;
}

std::unique_ptr<RewriteMethod> make_rewrite_method(std::string_view spec) {
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string_view name = spec.substr(0, colon);
  spec.remove_prefix(std::min(colon + 1, spec.size()));
  std::vector<std::string_view> names;
  for (const RewriteMethodKind* kind : RewriteMethodKind::all()) {
    if (kind->name() == name) return kind->make(spec);
    names.push_back(kind->name());
  }
  fail_usage("there is no method of rewriting '{:.60}', there are {}", name, fmt::join(names, ", "));
}

}  // namespace hone
