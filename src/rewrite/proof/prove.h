#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "rewrite/proof/algebra.h"
#include "rewrite/proof/scope.h"

namespace hone {

/// How much a proof tries.
struct ProofOptions {
  std::size_t scopes = kScopes.size();  // to go through; more where those have no instance
  std::size_t most_choices = 60'000;    // of shapes and attributes in one scope; a larger scope counts as not finished
  std::size_t most_instances = 10'000;  // of them that the conditions allow; the same
  std::size_t drawn = 100;              // further instances drawn at random, from beyond the scopes
  std::uint64_t seed = 1;
  Deadline deadline = {};  // after which nothing is proved any more

  /// What every build of hone checks: the first scope, and a few more.
  static ProofOptions fast() {
    return {.scopes = 1, .most_choices = 60'000, .most_instances = 10'000, .drawn = 12, .seed = 7, .deadline = {}};
  }
};

/// What was found about a rule. It is proved when both sides agreed on all instances of a scope that has some, and on
/// all others that were tried.
struct Proof {
  bool proved = false;
  std::string reason;  // why not
  Algebra algebra;
  std::string_view scope;      // the largest that was finished: all shapes and attributes within it; empty for none
  std::size_t choices = 0;     // of shapes and attributes in it, whether or not the conditions hold
  std::size_t enumerated = 0;  // different instances in the scopes that were finished, on which both sides agreed
  std::size_t instances = 0;   // the same with those of a scope that was too large and those drawn at random
  std::size_t special = 0;     // of those, with NaN, infinities and zeros of both signs
  std::size_t forms = 0;       // combinations of opset, element type and kind of numbers that were met
  std::size_t live_forms = 0;  // those under which the rule can be applied
  double seconds = 0;
};

/// Checks a rule on all instances of its left side within small scopes: every choice of ranks, sizes, attributes,
/// optional inputs and lengths of lists that the operators accept and the rule's conditions allow. Opset, element type
/// and kind of numbers go round over all combinations, the order of commutative operands and what is a constant are
/// drawn. Both sides are run by the reference interpreter and every element is compared.
Proof prove(const Rule& rule, const ProofOptions& options = {});

/// The same for many rules, on several threads.
std::vector<Proof> prove_all(std::span<const Rule* const> rules, const ProofOptions& options, std::size_t threads);

}  // namespace hone
