#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "learn/policy/network.h"

namespace hone {

/// A policy file that travels inside the tool.
struct BuiltinPolicy {
  std::string_view name;
  std::string_view bytes;
};
std::span<const BuiltinPolicy> builtin_policies();

/// The file of a policy by name: one that is built in; `untrained`: one that has learned nothing; else a path. Throws
/// InputError when it cannot be read.
Safetensors read_policy(const std::string& name);

/// Trained networks with what is known about them: one for making plans, one for which moves improve a plan.
class Policy {
 public:
  /// Throws InputError when it cannot be read, was trained on features that this hone does not make, or has changed
  /// since.
  static Policy load(const std::string& name) { return {read_policy(name), name}; }
  Policy(const Safetensors& contents, std::string_view source);

  const Network& plans() const { return plans_; }
  const Network& moves() const { return moves_; }
  Head head() const { return head_; }
  /// How it likes what is seen of the operations of a graph while a plan is made, and when a plan could be changed.
  Taste taste(const GraphView& graph, const Features& features) const;
  MoveTaste move_taste(const GraphView& graph, const Features& features) const;
  /// What its file says about it, by key: method, schema, objective, data, seed, command, metrics, licence.
  const std::map<std::string, std::string>& card() const { return card_; }

 private:
  std::map<std::string, std::string> card_;
  Head head_;
  Network plans_, moves_;
  WaitSights wait_{};
};

/// The built-in policy of a family, `regal` or `gas`, that was trained for an objective.
std::string policy_for(const Objective& objective, std::string_view family = "regal");

}  // namespace hone
