#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/registered.h"

namespace hone {

/// What is to be chosen from an e-graph, without what the nodes are: for every class that is needed one node that makes
/// it, such that all nodes chosen cost least together. A node costs once, however many read it and however many of its
/// outputs are used.
struct ExtractionProblem {
  struct Choice {
    double seconds = 0;
    std::vector<std::uint32_t> needs;  // classes, each once
    std::vector<std::uint32_t> makes;  // classes
  };
  std::vector<Choice> choices;
  /// By class, the choices that make it; none for what is there anyway. Choices that make a class need classes of
  /// smaller number only, so that nothing chosen can depend on itself.
  std::vector<std::vector<std::uint32_t>> makers;
  std::vector<std::uint32_t> roots;  // classes that are needed
};

/// For every class the choice that makes it where it is needed; what classes without makers have does not matter.
using Selection = std::vector<std::uint32_t>;

/// The choices that a selection needs for the roots, each once, such that what makes a class stands
/// before what needs it.
std::vector<std::uint32_t> needed_choices(const ExtractionProblem& problem, const Selection& selection);

/// What they cost together.
double total_seconds(const ExtractionProblem& problem, const Selection& selection);

/// How long an extraction may take.
struct ExtractionLimits {
  std::int64_t nodes = 200;  // of a search tree, if it has one
  Deadline deadline;
};

/// A way to choose, under the name the user types. Defining one at namespace scope registers it.
class ExtractionKind : public Registered<ExtractionKind> {
 public:
  static constexpr std::string_view kCalled = "extraction";
  /// Improves a selection. The result is never worse than the start.
  using Improve = std::function<Selection(const ExtractionProblem&, const Selection& start, const ExtractionLimits&)>;

  ExtractionKind(std::string_view name, Improve improve) : name_(name), improve_(std::move(improve)) {}

  std::string_view name() const { return name_; }
  Selection improve(const ExtractionProblem& problem, const Selection& start, const ExtractionLimits& limits) const {
    return improve_(problem, start, limits);
  }

 private:
  std::string_view name_;
  Improve improve_;
};

/// Exchanges choices for others as long as that makes the whole cheaper and there is time. What is shared counts once;
/// a choice that makes several needed classes is taken for all of them at once, and with what it needs in the cheapest
/// way when the rest is there anyway.
Selection descend(const ExtractionProblem& problem, Selection selection, const Deadline& deadline = {});

}  // namespace hone
