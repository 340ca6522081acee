#pragma once

#include <functional>
#include <string>
#include <vector>

#include "deliver/profile_pricing.h"
#include "deliver/proposal.h"
#include "rewrite/search/method.h"

namespace hone {

/// How to search over rewrites by what operators cost.
struct ProfiledSearchOptions {
  std::vector<std::string> methods;  // `taso:alpha=1.05,budget=100`
  std::string rules = "all";         // see select_rules
  std::vector<std::string> domains;  // beyond ONNX's own that rules may use
  RewriteSettings settings;
  std::function<Model(const Model&)> made_static;  // a copy with static types
};

/// Methods of rewriting over measured operators. What they find is a guess, since a runtime fuses operators and picks
/// kernels by what stands around them: it has to be measured as a whole.
class ProfiledSearch {
 public:
  ProfiledSearch(ProfiledSearchOptions options, OperatorTimings timings)
      : options_(std::move(options)), timings_(std::move(timings)) {}

  /// Times nodes of a graph.
  using Timer = std::function<ProfileTable(const ObservedGraph&)>;
  /// Searches from a model and times what the searches met, several times over, so that what they are led to by
  /// estimates is known in the end. Returns how many operators were timed.
  std::size_t learn(const Model& model, const Timer& time);

  /// What a method makes of a proposal; nothing where it finds nothing cheaper, or what another found before. New nodes
  /// carry their origin.
  std::optional<Proposal> improve(const Proposal& from, const std::string& method) const;
  /// One move for every method.
  std::vector<Move> moves() const;

  /// What all nodes of a model cost together.
  double predicted_seconds(const Model& model) const;

  const OperatorTimings& timings() const { return timings_; }

 private:
  Matcher matcher_for(const Model& model) const;
  StatePointer best_of(const RewriteSpace& space, const std::string& method) const;
  std::string step_name(const std::string& method) const;
  bool is_first(const Model& from, std::uint64_t found, const std::string& method) const;

  ProfiledSearchOptions options_;
  OperatorTimings timings_;
  /// Which method came first from a model to a graph, by its hash.
  mutable std::map<std::pair<const Model*, std::uint64_t>, std::string> finders_;
};

}  // namespace hone
