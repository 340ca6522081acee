#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/registered.h"
#include "rewrite/search/extraction.h"

namespace hone {

/// An e-graph from which something is to be chosen, as public sets of instances have it; choices may be cyclic, which
/// an `ExtractionProblem` for methods never is. Every choice makes one class.
struct SaturatedGraph {
  std::string name;
  ExtractionProblem problem;
};

/// Reads the JSON form of extraction-gym, in which SmoothE ships the e-graphs of Tensat: `nodes` by name, each with
/// `cost`, `eclass` and `children`, which are names of nodes that stand for their classes; `root_eclasses`. Throws
/// InputError for anything else.
SaturatedGraph read_saturated_graph(const std::filesystem::path& file);

/// By class the number of its component: classes that need one another have the same, all others a larger one than what
/// they need (Tarjan 1972).
class ClassComponents {
 public:
  explicit ClassComponents(const ExtractionProblem& problem);
  std::uint32_t of(std::uint32_t each) const { return number_[each]; }

 private:
  void enter(std::uint32_t each);
  void search(std::uint32_t first);

  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::vector<std::uint32_t>> needs_;
  std::vector<std::uint32_t> number_, entered_, low_, open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;  // class, how many of its needs were gone into
  std::uint32_t next_ = 0, components_ = 0;
};

/// What is chosen from a cyclic problem.
struct CyclicChoice {
  Selection selection;  // by class; without cycles
  double cost = 0;
};

/// The cheapest way to make each class by itself, what is shared counting as often as it is read: where others start.
CyclicChoice choose_bottom_up(const ExtractionProblem& problem);
/// Ours: the classes are put in an order, choices against it are left out, and the problem without cycles that is left
/// is searched; then in an order that begins with what was chosen, again and again while that helps.
CyclicChoice choose_by_orders(const ExtractionProblem& problem, const Deadline& deadline);

/// A choice that is proved to be best, or how far it can be from that.
struct ProvedChoice {
  CyclicChoice choice;
  double bound = 0;  // nothing costs less
};
/// A way to prove choices, there where the solver it needs is. Defining one at namespace scope registers it.
class ExtractionProver : public Registered<ExtractionProver> {
 public:
  static constexpr std::string_view kCalled = "prover of extractions";
  using Prove = std::function<ProvedChoice(const ExtractionProblem&, const CyclicChoice& start, const Deadline&)>;

  ExtractionProver(std::string_view name, Prove prove) : name_(name), prove_(std::move(prove)) {}
  std::string_view name() const { return name_; }
  ProvedChoice prove(const ExtractionProblem& problem, const CyclicChoice& start, const Deadline& deadline) const {
    return prove_(problem, start, deadline);
  }

 private:
  std::string_view name_;
  Prove prove_;
};

/// The choices that a selection needs for the roots, each once. Nothing where they form a cycle, which is then in
/// `cycle`.
struct FollowedSelection {
  std::vector<std::uint32_t> choices;
  std::vector<std::uint32_t> cycle;  // choices, each of which needs what the next makes
};
FollowedSelection follow(const ExtractionProblem& problem, const Selection& selection);

}  // namespace hone
