#include "rewrite/proof/prove.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/hash.h"
#include "base/thread_pool.h"
#include "base/timer.h"
#include "graph/ir/print.h"
#include "graph/ir/structural_hash.h"
#include "graph/ir/verify.h"
#include "rewrite/proof/forms.h"
#include "rewrite/proof/same_results.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

class Prover {
 public:
  Prover(const Rule& rule, const ProofOptions& options)
      : rule_(rule), options_(options), rules_{&rule}, seed_(mix(options.seed, hash_text(rule.name))) {
    proof_.algebra = algebra_of(rule);
  }

  Proof run() {
    const Timer timer;
    forms_ = live_forms(rule_, seed_);
    met_.resize(forms_.size(), false);
    proof_.live_forms = forms_.size();
    const bool right = enumerate() && meet_all_forms() && draw();
    proof_.forms = static_cast<std::size_t>(std::ranges::count(met_, true));
    if (right) conclude();
    proof_.seconds = timer.seconds();
    return proof_;
  }

 private:
  enum class Outcome { no_instance, does_not_apply, agrees, differs };

  /// One scope after another until one is too large; false when the rule is wrong.
  bool enumerate() {
    for (std::size_t i = 0; i < kScopes.size() && (i < options_.scopes || proof_.enumerated == 0); ++i) {
      const Scope& scope = kScopes[i];
      finished_ = true;
      choices_made_ = 0;
      ++scopes_begun_;
      most_instances_ = proof_.instances + options_.most_instances;
      if (!enumerate(scope, 0)) return false;
      if (!finished_) return true;
      proof_.scope = scope.name;
      proof_.choices = choices_made_;
      proof_.enumerated = proof_.instances;
      finished_scope_ = &scope;
    }
    return true;
  }

  bool enumerate(const Scope& scope, std::uint64_t round) {
    Choices choices = Choices::all();
    do {
      if (is_late()) return false;
      if (choices_made_++ == options_.most_choices || proof_.instances > most_instances_) {
        finished_ = false;
        return true;
      }
      if (!try_forms(scope, round, choices)) return false;
    } while (choices.advance());
    return true;
  }

  /// The same shapes and attributes in the next forms until the rule applies; false when it is wrong.
  bool try_forms(const Scope& scope, std::uint64_t round, Choices& choices) {
    constexpr std::size_t kTries = 6;
    for (std::size_t i = 0; i < std::min(kTries, forms_.size()); ++i) {
      choices.repeat(mix(mix(seed_, round), mix(choices_made_, i)));
      switch (try_instance(scope, choices)) {
        case Outcome::differs: return false;
        case Outcome::does_not_apply: continue;
        default: return true;
      }
    }
    return true;
  }

  /// Small scopes have fewer instances than there are forms; they are then gone through again.
  bool meet_all_forms() {
    constexpr std::uint64_t kRounds = 40;
    if (finished_scope_ == nullptr) return true;
    for (std::uint64_t round = 1; round < kRounds && std::ranges::count(met_, false) > 0; ++round) {
      choices_made_ = 0;
      most_instances_ = SIZE_MAX;
      if (!enumerate(*finished_scope_, round)) return false;
    }
    return true;
  }

  bool draw() {
    constexpr std::size_t kAttempts = 40;  // for one instance
    Choices choices = Choices::random(seed_);
    const std::size_t wanted = proof_.instances + options_.drawn;
    for (std::size_t i = 0; !forms_.empty() && i < kAttempts * options_.drawn && proof_.instances < wanted; ++i)
      if (is_late() || try_instance(Scope{}, choices) == Outcome::differs) return false;
    return true;
  }

  bool is_late() {
    if (!options_.deadline.is_over()) return false;
    proof_.reason = "the time was over before all instances were tried";
    return true;
  }

  Outcome try_instance(const Scope& scope, Choices& choices) {
    const std::size_t form = next_form_;
    InstanceSetting setting = forms_[form];
    setting.scope = scope;
    const std::optional<Model> model = make_instance(rule_, setting, choices);
    if (!model) return Outcome::no_instance;
    next_form_ = (next_form_ + 1) % forms_.size();
    if (!seen_.insert(structural_hash(model->graph)).second) return Outcome::agrees;
    const Matcher matcher(rules_, RuleSetting::of(*model, {"com.microsoft"}));
    bool right = true, applied = false;
    matcher.visit(model->graph, [&](const Match& match) {
      if (const std::optional<Replacement> change = replacement(match, matcher.setting())) {
        const std::size_t compared = compare(*model, *change, setting.numbers, choices);
        applied = applied || compared > 0;
        right = proof_.reason.empty();
      }
      return right;
    });
    if (!right) return Outcome::differs;
    if (!applied) return Outcome::does_not_apply;
    ++proof_.instances;
    const DrawnNumbers::Kind kind = setting.numbers.kind;
    if (kind == DrawnNumbers::Kind::special || kind == DrawnNumbers::Kind::extreme) ++proof_.special;
    met_[form] = true;
    return Outcome::agrees;
  }

  /// How many elements were compared. A difference becomes the reason.
  std::size_t compare(const Model& before, const Replacement& change, const DrawnNumbers& numbers, Choices& choices) {
    Model after = before;
    apply(after.graph, change);
    name_new_values(after.graph, before.graph.value_count());
    if (const auto fault = verify(after)) return refuse(before, after, *fault);
    ResultComparison comparison{
        .special = rule_.assumes_finite ? ResultComparison::Special::left_out : ResultComparison::Special::compared,
        .allowed = {}};
    if (numbers.kind == DrawnNumbers::Kind::whole) comparison.allowed = proof_.algebra.allowed();
    std::size_t compared = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const SameResults same = compare_results(before, after, drawn_inputs(before, choices, numbers), comparison);
      if (same.difference) return refuse(before, after, *same.difference);
      compared += same.compared;
    }
    return compared;
  }

  std::size_t refuse(const Model& before, const Model& after, const std::string& reason) {
    proof_.reason = fmt::format("{}\n{}\nbecame\n{}", reason, print(before), print(after));
    return 0;
  }

  void conclude() {
    proof_.proved = proof_.enumerated > 0;
    if (proof_.proved) return;
    proof_.reason = finished_
                        ? "no instance of the left side meets its conditions in any scope"
                        : fmt::format("scope {} is too large to be gone through, and those before have no instance",
                                      kScopes[scopes_begun_ - 1].name);
  }

  static constexpr std::size_t kRuns = 2;  // of one instance, with other inputs

  const Rule& rule_;
  const ProofOptions& options_;
  std::vector<const Rule*> rules_;
  std::uint64_t seed_;
  Proof proof_;
  std::vector<InstanceSetting> forms_;
  std::vector<bool> met_;  // by form
  std::size_t next_form_ = 0;
  const Scope* finished_scope_ = nullptr;
  bool finished_ = false;
  std::size_t scopes_begun_ = 0;
  std::size_t most_instances_ = 0;  // when the scope counts as too large
  std::size_t choices_made_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

Proof prove(const Rule& rule, const ProofOptions& options) { return Prover(rule, options).run(); }

std::vector<Proof> prove_all(std::span<const Rule* const> rules, const ProofOptions& options, std::size_t threads) {
  std::vector<Proof> proofs(rules.size());
  ThreadPool(threads).for_each(rules.size(),
                               [&](std::size_t, std::size_t i) { proofs[i] = prove(*rules[i], options); });
  return proofs;
}

}  // namespace hone
