#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/registered.h"
#include "base/timer.h"
#include "core/parameters.h"
#include "rewrite/space.h"

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

/// One kind of method, under the name the user types. Defining one at namespace scope registers it.
class RewriteMethodKind : public Registered<RewriteMethodKind> {
 public:
  static constexpr std::string_view kCalled = "method of rewriting";
  using Make = std::function<std::unique_ptr<RewriteMethod>(std::string_view)>;

  RewriteMethodKind(std::string_view name, std::string_view summary, Make factory, std::string help)
      : name_(name), summary_(summary), make_(std::move(factory)), help_(std::move(help)) {}

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  const std::string& help() const { return help_; }
  std::unique_ptr<RewriteMethod> make(std::string_view parameters) const { return make_(parameters); }

 private:
  std::string_view name_, summary_;
  Make make_;
  std::string help_;
};

/// Registers a method that is made from an aggregate of parameters with a `list()`.
template <class Made, class Chosen>
RewriteMethodKind rewrite_method_with_parameters(std::string_view name, std::string_view summary) {
  const auto make = [](std::string_view text) -> std::unique_ptr<RewriteMethod> {
    Chosen chosen;
    chosen.list().parse(text);
    return std::make_unique<Made>(chosen);
  };
  return {name, summary, make, Chosen().list().help()};
}

/// `taso:alpha=1.05,budget=100`. Throws InputError (usage) for an unknown name or parameter.
std::unique_ptr<RewriteMethod> make_rewrite_method(std::string_view spec);

}  // namespace hone
