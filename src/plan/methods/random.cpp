#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Independent uniform decisions until the budget is spent: what everything else must beat.
class RandomSearch final : public Optimizer {
 public:
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    constexpr std::size_t kRows = 64;
    Rng rng = search.rng();
    Decisions rows(kRows * search.task().sites().size());
    if (rows.empty()) return;
    while (!search.spent()) {
      for (float& key : rows) key = static_cast<float>(rng.next() >> 40) * 0x1.0p-24F;
      search.evaluate(rows);
    }
  }
};

const OptimizerKind random_kind("random", "independent uniform decisions", [](std::string_view parameters) {
  Parameters().parse(parameters);
  return std::make_unique<RandomSearch>();
});

}  // namespace
}  // namespace hone
