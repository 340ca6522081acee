#include <algorithm>

#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Goes through the sites and gives each the best of a few values, the others as in the best decisions so far.
class CoordinateDescent final : public Optimizer {
 public:
  bool plans_groups() const override { return true; }

  void run(Search& search) override {
    Decisions best = search.task().encode(search.best_plan());
    for (std::size_t site = 0; site < best.size() && !search.spent(); ++site) {
      const std::uint32_t options = search.task().sites()[site].options;
      const std::uint32_t values = options == 0 ? 3 : options;
      for (std::uint32_t value = 0; value < values; ++value) {
        Decisions row = best;
        row[site] = key_of(value, values);
        const Score before = search.best();
        if (!search.evaluate(row).empty() && search.best() < before) best = row;
      }
    }
  }
};

const OptimizerKind coordinate_kind =
    OptimizerKind::without_parameters<CoordinateDescent>("test-coordinates", "one site after another, for tests");

}  // namespace
}  // namespace hone
