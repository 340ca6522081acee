#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "formats/source/planning_source.h"
#include "plan/emit/outputs.h"
#include "plan/memory/plan_offsets.h"
#include "plan/session/plan_request.h"
#include "plan/simulate/bounds.h"
#include "plan/solve/solve.h"

namespace hone {

/// What one run of a session has come to.
struct PlanResult {
  Solution solution;
  std::vector<DeviceArena> arenas;
  std::vector<WrittenOutput> outputs;  // as far as they are written
};

/// What is to be planned, from an opened source, with everything that judging plans for it takes.
class PlanSession {
 public:
  /// Throws InputError (usage) for a request that does not suit the source.
  PlanSession(const PlanRequest& request, PlanningSource source);
  PlanSession(const PlanSession&) = delete;

  /// With what is used where nothing was said.
  const PlanRequest& request() const { return request_; }
  const Problem& problem() const { return problem_; }
  /// Of operations; nothing is known of sharding problems before they are solved.
  const Bounds& bounds() const { return bounds_; }
  const Cost& before() const { return before_; }
  double bound() const { return bound_; }
  /// A value of the objective as its source would put it.
  double in_units_of_source(double value) const;

  /// One search, with the budget of the request.
  Solution solve(Optimizer& optimizer, std::uint64_t seed) const { return search(optimizer, settings(seed)); }
  /// All that the request asks for but writing: searches, resumes, lays out memory.
  PlanResult run(Optimizer& optimizer) const;
  /// Writes the plan to a file.
  void save(const Solution& solution, const std::filesystem::path& path) const;
  /// Writes the plan in the forms that the request asks for.
  std::vector<WrittenOutput> write(const Solution& solution) const;
  /// What was asked for, as it is recorded.
  nlohmann::ordered_json request_json(Optimizer& optimizer) const;

 private:
  /// What is searched in place of the problem itself.
  struct CappedSearch {
    explicit CappedSearch(const PlanSession& session);

    Problem problem;
    Solver solver;
  };

  SearchSettings settings(std::uint64_t seed) const;
  Solution search(Optimizer& optimizer, const SearchSettings& settings) const;
  std::uint64_t fingerprint_of_run() const;
  void lay_out(PlanResult& result) const;

  PlanningSource source_;  // its operations are in the problem
  Problem problem_;
  PlanRequest request_;
  Solver solver_;
  Bounds bounds_;
  Cost before_;
  double bound_ = 0;
  std::unique_ptr<const CappedSearch> capped_;  // where plans must hold no more than before
};

}  // namespace hone
