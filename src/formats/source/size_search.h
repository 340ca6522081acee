#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/source/size_variables.h"
#include "graph/ops/run_estimate.h"

namespace hone {

/// How a model takes some sizes.
struct SizeTrial {
  Sizes sizes;
  std::size_t nodes = 0;          // that take what they are given, in topological order
  std::size_t unrunnable = 0;     // branches that do not
  NodeId refusing;                // the first node that does not; none when all do
  std::string refusal;            // why, or why the first such branch does not
  std::vector<std::int64_t> met;  // the sizes at that node
  RunEstimate estimate;           // of a run, when all nodes take what they are given

  bool inferred() const { return !refusing.valid(); }
  bool complete() const { return inferred() && unrunnable == 0; }
  /// Whether more of the model takes these sizes than others.
  bool is_better_than(const SizeTrial& other) const;
};

/// Variables that change together.
using SizeHandle = std::vector<std::size_t>;
/// Each of the variables by itself, then together those that have the same size.
std::vector<SizeHandle> size_handles(std::span<const std::size_t> variables, const Sizes& sizes);
/// The sizes with those of a handle changed.
Sizes with_size(Sizes sizes, const SizeHandle& handle, std::int64_t size);

/// Looks for sizes that all nodes of a model take, by inferring its types with some and asking what the node that
/// refuses them suggests. Best first: what comes farthest is changed next. Ends after so much work that even a large
/// model waits but seconds.
class SizeSearch {
 public:
  explicit SizeSearch(const SizeVariables& variables) : variables_(variables) {}

  /// Infers the model with these sizes.
  SizeTrial attempt(const Sizes& sizes) const;
  /// The sizes that more of the model takes than any others tried.
  SizeTrial run();
  /// What a refusal, by a node or by a run, suggests instead of some sizes; then what is usual.
  std::vector<Sizes> others(const SizeTrial& refused) const;

 private:
  enum class Guesses { suggested, usual };
  struct Entry {
    SizeTrial trial;
    std::size_t stage = 0;    // how much of what could be changed has been
    std::size_t changes = 0;  // since the start
    bool news = true;         // the first that is refused in such words
  };

  bool is_spent() const { return trials_left_ == 0 || visits_left_ == 0; }
  static std::size_t next(const std::vector<Entry>& open);
  void expand(Entry entry, std::vector<Entry>& open);
  void keep(const SizeTrial& trial);
  std::vector<Sizes> changes_of_stage(const SizeTrial& from, std::size_t stage) const;
  std::vector<Sizes> changed(const SizeTrial& from, std::span<const std::size_t> variables, Guesses guesses) const;

  const SizeVariables& variables_;
  std::set<Sizes> tried_;
  std::set<std::string> words_;  // of refusals, without their numbers
  SizeTrial best_;
  std::size_t trials_left_ = 1000;
  std::size_t visits_left_ = 1'000'000;  // of nodes
};

}  // namespace hone
