#pragma once

#include <memory>

#include "base/random.h"
#include "learn/policy/card.h"
#include "learn/policy/graph_view.h"

namespace hone {

struct Constructed;
struct Incumbent;
struct Taste;
struct Trace;

/// Makes plans for one graph by what a policy likes.
class PlanMaker {
 public:
  virtual ~PlanMaker() = default;

  /// A plan drawn with a chance that grows exponentially with how its decisions are liked, valid until the next call;
  /// `heat` of 0 always takes what is liked best. A trainer wants a trace of all decisions.
  virtual const Constructed& build(const Taste& taste, const Incumbent& incumbent, double heat, Rng& rng,
                                   Trace* trace = nullptr) = 0;
};

/// The graph must outlive it.
std::unique_ptr<PlanMaker> make_plan_maker(Head head, const GraphView& graph);

}  // namespace hone
