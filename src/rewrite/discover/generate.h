#pragma once

#include <string>
#include <vector>

#include "rewrite/proof/prove.h"

namespace hone {

/// How far to look for rules.
struct GenerateOptions {
  std::size_t operators = 3;        // in a formula
  double seconds = 600;             // after which it ends; the result depends on the clock only then
  std::vector<std::string> worlds;  // names of those to look at; all when empty
  ProofOptions proof;               // what a rule must stand to be kept
};

/// A rule that was found and proved.
struct GeneratedRule {
  Rule rule;
  Proof proof;
};

/// What came of it.
struct Generation {
  std::vector<GeneratedRule> rules;
  std::size_t formulas = 0;    // classes of formulas that were compared
  std::size_t candidates = 0;  // equations that held on the inputs of their world
  std::size_t refuted = 0;     // of those, equations that no manner of writing made provable
  bool finished = true;        // before the time was over and without Ctrl-C
};

/// Enumerates formulas of up to so many operators, compares what they compute on fixed inputs, proves what agrees, and
/// leaves out what follows from rules found before. Every rule parses back from its text. On
/// Ctrl-C, what was proved until then is returned. Throws InputError (usage) for
/// a world that there is not.
Generation generate_rules(const GenerateOptions& options);

}  // namespace hone
