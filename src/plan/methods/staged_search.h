#pragma once

#include "plan/methods/neighborhood.h"
#include "plan/methods/stages.h"
#include "plan/search/optimizer.h"

namespace hone {

/// Base of optimisers that go through the graph stage by stage and change what is decided about one stage at a time.
class StagedSearch : public Optimizer {
 public:
  bool plans_groups() const final { return true; }

  void run(Search& search) final {
    Neighborhood neighborhood(search.problem(), search.task());
    if (!neighborhood.has_moves()) return;
    rng_ = search.rng();
    run_stages(search, neighborhood);
  }

 protected:
  /// Ends when the budget is spent.
  virtual void run_stages(Search& search, Neighborhood& neighborhood) = 0;
  Stages cut(const Search& search, std::int64_t stages) {
    return Stages(search.problem().workload, static_cast<std::size_t>(stages), rng_);
  }

  Rng rng_{0};
};

}  // namespace hone
