#pragma once

#include <cstdint>
#include <string>

#include "rules/rule.h"

namespace hone {

/// How much a proof tries.
struct ProofOptions {
  std::size_t instances = 200;    // that the rule is applied to and compared on
  std::size_t attempts = 60'000;  // at instances; most choices do not meet the conditions of a demanding rule
  std::uint64_t seed = 1;
};

/// What was found about a rule. It is proved when it could be applied often enough and never changed a result.
struct Proof {
  bool proved = false;
  std::string reason;          // why not
  std::size_t instances = 0;   // different ones on which both sides agreed
  std::size_t shapes = 0;      // different combinations of shapes of the inputs
  std::size_t attributes = 0;  // different combinations of attributes on the left side
  std::size_t types = 0;       // element types
  std::size_t opsets = 0;
  std::size_t refused = 0;  // matches whose right side could not be built
};

/// Checks a rule on small instances of its left side: shapes, attributes, element types and opsets in all combinations
/// that the rule's own conditions allow, drawn until enough different ones were compared. Both sides are run by the
/// reference interpreter on numbers that doubles and integers add and multiply without rounding; every element must
/// agree.
Proof prove(const Rule& rule, const ProofOptions& options = {});

}  // namespace hone
