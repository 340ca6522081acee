#include "rewrite/discover/generate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/deadline.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/suggestion.h"
#include "base/timer.h"
#include "rewrite/discover/bank.h"
#include "rewrite/discover/instance_of.h"
#include "rewrite/discover/rule_text.h"

namespace hone {
namespace {

/// Looks for rules in one world, those of others in mind.
class RuleSearch {
 public:
  RuleSearch(const World& world, const GenerateOptions& options, const Deadline& deadline, const Timer& timer,
             Generation& found)
      : world_(world), proof_(options.proof), options_(options), timer_(timer), found_(found), bank_(world) {
    proof_.deadline = deadline;
  }

  void run() {
    for (std::size_t size = 1; size <= options_.operators && in_time(); ++size) {
      bank_.grow(size, proof_.deadline);
      while (in_time() && keep_next()) {
      }
    }
    for (const SplitPair& pair : bank_.split_pairs())
      if (in_time()) try_pair(pair);
    found_.formulas += bank_.class_count();
  }

 private:
  bool in_time() {
    if (proof_.deadline.is_over()) found_.finished = false;
    return found_.finished;
  }

  void tell() const {
    const double seconds = timer_.seconds();
    show_progress(
        {.doing =
             fmt::format("{} rules of {} candidates, now of {}", found_.rules.size(), found_.candidates, world_.name),
         .seconds = seconds,
         .share = std::isfinite(options_.seconds) ? std::optional(seconds / options_.seconds) : std::nullopt});
  }

  /// The first candidate not tried yet that holds; false when there is none.
  bool keep_next() {
    for (const Equation& candidate : bank_.candidates()) {
      if (!in_time()) return false;
      InputOrder order(world_);
      const Equation equation{order.renumber(candidate.left), order.renumber(candidate.right)};
      if (!is_new({{equation.left}, {equation.right}})) continue;
      ++found_.candidates;
      tell();
      const bool forward = prove_draft({{equation.left}, {equation.right}});
      const bool backward = prove_draft({{equation.right}, {equation.left}});
      if (!forward && !backward) {
        if (in_time()) ++found_.refuted;
        continue;
      }
      bank_.take(equation);
      return true;
    }
    return false;
  }

  void try_pair(const SplitPair& pair) {
    InputOrder order(world_);
    const std::vector<Formula> apart = {order.renumber(pair.parts[0]), order.renumber(pair.parts[1])};
    const Formula whole = order.renumber(pair.whole);
    const std::vector<Formula> split = {{.op = pair.op, .part = 0, .input = 0, .operands = {whole}},
                                        {.op = pair.op, .part = 1, .input = 0, .operands = {whole}}};
    if (!is_new({apart, split})) return;
    ++found_.candidates;
    tell();
    const bool merged = prove_draft({apart, split}), separated = prove_draft({split, apart});
    if (!merged && !separated && in_time()) ++found_.refuted;
  }

  bool is_new(const RuleDraft& draft) {
    return tried_.insert(rule_text(world_, draft, {.attributes = RuleManner::Attributes::fixed}, "a")).second;
  }

  /// Whether the draft can be a rule at all: its left side computes something, is in one piece, has all inputs that the
  /// right side reads, and the right side does not merely add to it.
  bool makes_sense(const RuleDraft& draft) const {
    std::set<std::uint32_t> given, needed;
    std::size_t read = 0;
    for (const Formula& formula : draft.left) {
      if (formula.is_input()) return false;
      const std::set<std::uint32_t> inputs = inputs_of(formula);
      read += inputs.size();
      given.insert(inputs.begin(), inputs.end());
    }
    const bool split = draft.left.size() == 2 && draft.left[0].operands == draft.left[1].operands;
    if (draft.left.size() == 2 && !split && read == given.size()) return false;
    for (const Formula& formula : draft.right) needed.merge(inputs_of(formula));
    const bool grows = std::ranges::any_of(draft.right, [&](const Formula& formula) {
      return formula != draft.left[0] && contains(formula, draft.left[0]);
    });
    return std::ranges::includes(given, needed) && !grows;
  }

  /// Keeps the most general way to write the draft that is proved.
  bool prove_draft(const RuleDraft& draft) {
    const ProofOptions first{// most of what is wrong fails here already
                             .scopes = 2, .most_choices = 20'000,     .most_instances = 2'000, .drawn = 40,
                             .seed = 1,   .deadline = proof_.deadline};
    if (!makes_sense(draft)) return false;
    std::set<std::string> written;
    for (const RuleManner& manner : manners()) {
      const std::string text = rule_text(world_, draft, manner, new_name(draft));
      if (!written.insert(text).second) continue;
      Rule rule = parse_rules(text, "generated").at(0);
      if (!prove(rule, first).proved) continue;
      Proof proof = prove(rule, proof_);
      if (!proof.proved) continue;
      if (!is_instance_of_any(rule, known_rules())) {
        names_.insert(rule.name);
        found_.rules.push_back({.rule = std::move(rule), .proof = std::move(proof)});
      }
      return true;
    }
    return false;
  }

  std::vector<const Rule*> known_rules() const {
    std::vector<const Rule*> rules;
    for (const GeneratedRule& each : found_.rules) rules.push_back(&each.rule);
    return rules;
  }

  std::string new_name(const RuleDraft& draft) const {
    const std::string stem = descriptive_name(world_, draft);
    std::string name = stem;
    for (int i = 2; names_.contains(world_.name + "-" + name); ++i) name = fmt::format("{}-{}", stem, i);
    return world_.name + "-" + name;
  }

  const World& world_;
  ProofOptions proof_;  // what a rule must stand to be kept, and until when
  const GenerateOptions& options_;
  const Timer& timer_;  // of the whole search
  Generation& found_;
  FormulaBank bank_;
  std::set<std::string> tried_;
  std::set<std::string> names_;
};

}  // namespace

Generation generate_rules(const GenerateOptions& options) {
  std::vector<std::string_view> names;
  for (const World& world : worlds()) names.push_back(world.name);
  for (const std::string& name : options.worlds)
    if (std::ranges::find(names, name) == names.end())
      fail_usage("there is no world '{:.60}' to generate rules in{}", name, suggestion_or_all(name, names));
  Generation found;
  const Deadline deadline(options.seconds);
  const Timer timer;
  for (const World& world : worlds())
    if (options.worlds.empty() || std::ranges::find(options.worlds, world.name) != options.worlds.end())
      RuleSearch(world, options, deadline, timer, found).run();
  erase_progress();
  return found;
}

}  // namespace hone
