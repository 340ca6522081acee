#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/policy/policy_kind.h"
#include "plan/problem/objective.h"

namespace hone {

/// A policy file that travels inside the tool.
struct BuiltinPolicy {
  std::string_view name;
  std::string_view bytes;
};
std::span<const BuiltinPolicy> builtin_policies();

/// The file of a policy by name: one that is built in, else a path. Throws InputError when it cannot be read.
Safetensors read_policy(const std::string& name);

/// Trained networks with what is known about them.
class Policy {
 public:
  /// Throws InputError when it cannot be read, was trained on features that this hone does not make, or has changed
  /// since.
  static Policy load(const std::string& name) { return {read_policy(name), name}; }
  Policy(const Safetensors& contents, std::string_view source);

  struct Part {
    std::string_view name;
    NetworkShape shape;
    Network network;
  };

  const PolicyKind& kind() const { return *kind_; }
  const std::vector<Part>& parts() const { return parts_; }
  /// The network of that name, of which there must be one.
  const Network& network(std::string_view part) const;
  /// What its file says about it, by key: method, schema, objective, data, seed, command, metrics, licence.
  const std::map<std::string, std::string>& card() const { return card_; }
  /// What its weights were sealed with; empty where they never were.
  std::string digest() const;

 private:
  const PolicyKind* kind_;
  std::map<std::string, std::string> card_;
  std::vector<Part> parts_;
};

/// The built-in policy of a family, `guided`, `gas` or `regal`, that was trained for an objective.
std::string policy_for(const Objective& objective, std::string_view family = "guided");

}  // namespace hone
