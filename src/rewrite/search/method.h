#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/plugin_kind.h"
#include "base/random.h"
#include "base/search_base.h"
#include "rewrite/search/graph_pricing.h"

namespace hone {

/// How a search over rewrites is carried out, whatever its method.
struct RewriteSettings {
  Budget budget;  // an evaluation expands a state: all its rewrites are judged
  std::uint64_t seed = 0;
  Announcer announce = {};                // takes a line about the progress now and then; may be empty
  const GraphPricing* pricing = nullptr;  // by which the best is chosen of all graphs met; null: the sum of prices
};

/// The one door between a method and the space it searches: spends the budget and remembers the best state. What takes
/// long is cut short when the time is up: a state then offers fewer rewrites than there are.
class RewriteSearch : public SearchBase<double> {
 public:
  RewriteSearch(const RewriteSpace& space, const RewriteSettings& settings)
      : SearchBase(settings.budget, settings.announce),
        space_(space),
        pricing_(settings.pricing != nullptr ? *settings.pricing : summed_),
        rng_(settings.seed),
        best_(space.start()),
        least_sum_(best_->seconds) {
    improves(pricing_.seconds(*best_));
  }
  RewriteSearch(const RewriteSearch&) = delete;
  RewriteSearch& operator=(const RewriteSearch&) = delete;

  const RewriteSpace& space() const { return space_; }
  StatePointer start() const { return space_.start(); }
  Rng& rng() { return rng_; }

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

  const StatePointer& best_state() const { return best_; }
  /// The least sum of prices met, which need not be that of the best.
  double least_sum() const { return least_sum_; }
  std::size_t judged() const { return judged_; }  // rewrites

 private:
  const RewriteSpace& space_;
  SummedPricing summed_;
  const GraphPricing& pricing_;
  Rng rng_;
  StatePointer best_;
  double least_sum_;
  std::size_t judged_ = 0;
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
