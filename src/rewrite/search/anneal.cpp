#include <cmath>

#include "rewrite/search/method.h"

namespace hone {
namespace {

struct RewriteAnnealParameters {
  std::int64_t steps = 300;
  double first = 0.01, last = 1e-5;
  Parameters list() {
    return Parameters()
        .add("steps", &steps, {1, 1e9}, "rewrites to try")
        .add("first", &first, {1e-9, 10}, "temperature at the start, as a share of the cost")
        .add("last", &last, {1e-12, 10}, "temperature at the end");
  }
};

/// Simulated annealing: rewrites drawn at random, those that cost more taken the more seldom the colder it gets.
class RewriteAnnealing final : public RewriteMethod {
 public:
  explicit RewriteAnnealing(RewriteAnnealParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    StatePointer state = search.start();
    std::vector<RewriteOption> options = search.expand(*state);
    std::size_t refused = 0;
    for (std::int64_t step = 0; step < parameters_.steps && !search.spent(); ++step) {
      // Rules lead one way: where nothing is left to take, it goes on from the best graph or, from there, from the
      // start.
      if (refused >= 3 * options.size()) {
        state = state == search.best_state() ? search.start() : search.best_state();
        options = search.expand(*state);
        refused = 0;
        if (options.empty() && state == search.start()) return;
        continue;
      }
      const double done = static_cast<double>(step) / static_cast<double>(parameters_.steps);
      const double share = parameters_.first * std::pow(parameters_.last / parameters_.first, done);
      const RewriteOption& option = options[search.rng().below(options.size())];
      const double bound = state->seconds - search.start()->seconds * share * std::log(1 - search.rng().uniform());
      if (option.seconds > bound) {
        ++refused;
        continue;
      }
      state = search.take(state, option);
      options = search.expand(*state);
      refused = 0;
    }
  }

 private:
  RewriteAnnealParameters parameters_;
};

const RewriteMethodKind anneal_rewrites = RewriteMethodKind::with_parameters<RewriteAnnealing, RewriteAnnealParameters>(
    "anneal", "simulated annealing over rewrites");

}  // namespace
}  // namespace hone
