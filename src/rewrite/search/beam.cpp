#include <algorithm>
#include <unordered_set>

#include "rewrite/search/method.h"

namespace hone {
namespace {

struct BeamParameters {
  std::int64_t width = 8, patience = 3;
  Parameters list() {
    return Parameters()
        .add("width", &width, {1, 1e6}, "graphs that are followed at a time")
        .add("patience", &patience, {1, 1e6}, "rounds without a better graph before it ends");
  }
};

/// Follows the cheapest graphs of each number of rewrites.
class RewriteBeam final : public RewriteMethod {
 public:
  explicit RewriteBeam(BeamParameters parameters) : parameters_(parameters) {}

  void run(RewriteSearch& search) override {
    std::vector<StatePointer> beam = {search.start()};
    std::unordered_set<std::uint64_t> seen = {search.start()->hash};
    for (std::int64_t idle = 0; idle < parameters_.patience && !beam.empty() && !search.spent(); ++idle) {
      struct Next {
        RewriteOption option;
        StatePointer from;
      };
      std::vector<Next> next;
      for (const StatePointer& state : beam) {
        if (search.spent()) break;
        for (RewriteOption& option : search.expand(*state))
          if (seen.insert(option.hash).second) next.push_back({std::move(option), state});
      }
      std::ranges::stable_sort(next, {}, [](const Next& each) { return each.option.seconds; });
      if (next.size() > static_cast<std::size_t>(parameters_.width))
        next.resize(static_cast<std::size_t>(parameters_.width));
      const double best = search.best();
      beam.clear();
      for (const Next& each : next) {  // the cheapest is taken in any case
        beam.push_back(search.take(each.from, each.option));
        if (search.deadline().is_over()) break;
      }
      if (search.best() < best) idle = -1;
    }
  }

 private:
  BeamParameters parameters_;
};

const RewriteMethodKind beam_kind = RewriteMethodKind::with_parameters<RewriteBeam, BeamParameters>(
    "beam", "the cheapest graphs of each number of rewrites");

}  // namespace
}  // namespace hone
