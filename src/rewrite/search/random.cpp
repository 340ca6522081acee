#include <algorithm>

#include "rewrite/search/method.h"

namespace hone {
namespace {

struct RandomParameters {
  std::int64_t walks = 10, length = 20;
  double alpha = 1.05;
  Parameters list() {
    return Parameters()
        .add("walks", &walks, {1, 1e9}, "walks from the start")
        .add("length", &length, {1, 1e6}, "rewrites of a walk")
        .add("alpha", &alpha, {1, 10}, "how much worse than the best a walk may become");
  }
};

/// Walks of rewrites drawn at random: what everything else must beat.
class RandomRewrites final : public RewriteMethod {
 public:
  explicit RandomRewrites(RandomParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    for (std::int64_t walk = 0; walk < parameters_.walks; ++walk) {
      StatePointer state = search.start();
      for (std::int64_t step = 0; step < parameters_.length && !search.spent(); ++step) {
        std::vector<RewriteOption> options = search.expand(*state);
        const double bound = parameters_.alpha * search.least_sum();
        std::erase_if(options, [&](const RewriteOption& option) { return option.seconds > bound; });
        if (options.empty()) break;
        state = search.take(state, options[search.rng().below(options.size())]);
      }
    }
  }

 private:
  RandomParameters parameters_;
};

const RewriteMethodKind random_kind =
    RewriteMethodKind::with_parameters<RandomRewrites, RandomParameters>("random", "walks of rewrites drawn at random");

}  // namespace
}  // namespace hone
