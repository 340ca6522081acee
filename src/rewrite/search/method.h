#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/plugin_kind.h"
#include "base/random.h"
#include "base/timer.h"
#include "rewrite/search/space.h"

namespace hone {

/// When a search over rewrites ends, whatever its method would still try.
struct RewriteLimits {
  std::size_t expansions = std::numeric_limits<std::size_t>::max();  // states whose rewrites are all judged
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
};

/// The one door between a method and the space it searches: counts, limits and remembers the best state.
class RewriteSearch {
 public:
  RewriteSearch(const RewriteSpace& space, const RewriteLimits& limits)
      : space_(space), limits_(limits), rng_(limits.seed), best_(space.start()) {}

  const RewriteSpace& space() const { return space_; }
  StatePointer start() const { return space_.start(); }
  Rng& rng() { return rng_; }

  bool spent() const { return expanded_ >= limits_.expansions || timer_.seconds() >= limits_.seconds; }

  /// All rewrites of a state.
  std::vector<RewriteOption> expand(const RewriteState& state);
  /// Makes a rewrite; the result may become the best state.
  StatePointer take(const StatePointer& state, const RewriteOption& option);

  /// A state that was not reached by taking rewrites one by one; it may become the best.
  void offer(const StatePointer& state);
  /// Counts an expansion that was made elsewhere, with so many rewrites judged.
  void count_expansion(std::size_t rewrites);
  /// Takes the rewrite that saves most until none saves anything or so many were taken; where that leads.
  StatePointer descend(StatePointer state, std::int64_t steps = std::numeric_limits<std::int64_t>::max());

  const StatePointer& best() const { return best_; }
  std::size_t expanded() const { return expanded_; }  // states
  std::size_t judged() const { return judged_; }      // rewrites

 private:
  const RewriteSpace& space_;
  RewriteLimits limits_;
  Rng rng_;
  Timer timer_;
  StatePointer best_;
  std::size_t expanded_ = 0, judged_ = 0;
};

/// A way to look for good rewrites. It ends when it has nothing left to try or the search is spent.
class RewriteMethod {
 public:
  virtual ~RewriteMethod() = default;
  virtual void run(RewriteSearch& search) = 0;
};

/// One kind of method, under the name the user types: `taso:alpha=1.05,budget=100`.
class RewriteMethodKind : public PluginKind<RewriteMethodKind, RewriteMethod> {
 public:
  static constexpr std::string_view kCalled = "method of rewriting";
  using PluginKind::PluginKind;
};

}  // namespace hone
