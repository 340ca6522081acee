#include "rewrite/search/method.h"

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

  void run(RewriteSearch& search) override { search.descend(search.start(), parameters_.steps); }

 private:
  GreedyParameters parameters_;
};

const RewriteMethodKind greedy_kind = RewriteMethodKind::with_parameters<Greedy, GreedyParameters>(
    "greedy", "the rewrite that saves most, again and again");

}  // namespace
}  // namespace hone
