#include <algorithm>

#include "rewrite/method.h"

namespace hone {
namespace {

struct GreedyParameters {
  std::int64_t steps = 1'000'000;
  Parameters list() { return Parameters().add("steps", &steps, {1, 1e9}, "rewrites at most"); }
};

/// Takes the rewrite that saves most until none saves anything.
class Greedy final : public RewriteMethod {
 public:
  explicit Greedy(GreedyParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    StatePointer state = search.start();
    for (std::int64_t step = 0; step < parameters_.steps && !search.spent(); ++step) {
      const std::vector<RewriteOption> options = search.expand(*state);
      const auto best = std::ranges::min_element(options, {}, &RewriteOption::seconds);
      if (best == options.end() || best->seconds >= state->seconds * (1 - 1e-12)) return;
      state = search.take(state, *best);
    }
  }

 private:
  GreedyParameters parameters_;
};

const RewriteMethodKind greedy_kind =
    rewrite_method_with_parameters<Greedy, GreedyParameters>("greedy", "the rewrite that saves most, again and again");

}  // namespace
}  // namespace hone
