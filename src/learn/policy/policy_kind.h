#pragma once

#include <memory>
#include <vector>

#include "learn/policy/encoder_network.h"
#include "learn/policy/graph_view.h"
#include "learn/policy/plan_guide.h"
#include "plan/problem/objective.h"

namespace hone {

class Policy;
class Search;

/// A kind of policy: which features it reads, which networks its files hold, and how a search uses it. Files name it
/// under `head`. Defining one at namespace scope registers it; one file a kind.
///
/// A search over plans asks for a `PlanGuide`, which draws decisions for whatever sites the task of the search has. So
/// a policy that fuses operations into groups draws the decisions of the task `fuse`, alone or beside place and
/// schedule. A policy with one value a node (local advantage) has a network with one output, and whoever ranks nodes
/// runs it: `policy.network("values").run(...)`; it needs no guide. Policies for rewrites have an interface of
/// their own (`learn/rewrite`).
class PolicyKind : public Registered<PolicyKind> {
 public:
  static constexpr std::string_view kCalled = "kind of policy";

  /// One of its networks; the description says what the names of its arrays begin with.
  struct Part {
    std::string_view name;
    NetworkSpec (*describe)(const NetworkShape&);
  };

  /// `schema` names what the columns of its features mean: a policy that was trained on others is refused.
  PolicyKind(std::string_view name, std::string_view summary, std::string_view schema, std::vector<Part> parts)
      : name_(name), summary_(summary), schema_(schema), parts_(std::move(parts)) {}
  virtual ~PolicyKind() = default;

  std::string_view name() const { return name_; }
  std::string_view summary() const { return summary_; }
  std::string_view schema() const { return schema_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// What a policy of this kind says to a search over plans; nothing where it is about something else. All three must
  /// outlive it.
  virtual std::unique_ptr<PlanGuide> guide(const Policy& policy, const Search& search, const GraphView& graph) const;

  /// Makes drawn networks begin with a rule made by hand, where the kind has one, so that learning does not start from
  /// nothing.
  virtual void set_first_rule(Safetensors& contents, const Objective& objective) const;

  /// All networks with weights drawn at random, and a card that says what they are.
  Safetensors draw_networks(const NetworkShape& shape, std::uint64_t seed) const;

 private:
  std::string_view name_, summary_, schema_;
  std::vector<Part> parts_;
};

/// The kind of a policy file: the first there was where it names none. Throws InputError for one that hone does not
/// know.
const PolicyKind& policy_kind_in(const Safetensors& contents, std::string_view source);

}  // namespace hone
