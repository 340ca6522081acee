#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "deliver/decision.h"
#include "deliver/proposal.h"
#include "run/profile/executed_graph.h"

namespace hone {

/// Says what proposals take without timing them.
class Forecast {
 public:
  virtual ~Forecast() = default;
  /// Looks at what is new among these, for so many seconds at most.
  virtual void look_at(std::span<const Proposal> proposals, double wall_seconds) = 0;
  /// What one takes, as far as it was looked at and can be told.
  virtual std::optional<double> seconds(const Proposal& proposal) const = 0;
  /// The same if things go well, by which it is decided what is worth a look.
  virtual std::optional<double> hopeful_seconds(const Proposal& proposal) const { return seconds(proposal); }
  /// Which kernels that the runtime makes itself of several operators, or in a layout of its own, a model has fewer of
  /// than another: `com.microsoft.FusedMatMul 2 instead of 12`. Empty where there are none.
  virtual std::string lost_fusions(const Proposal& proposal, const Proposal& against) const = 0;
};

/// What a forecast by kernels needs.
struct ForecastSources {
  ProfileRequest profile;                          // runtime, threads, effort and timings that are known
  std::function<Model(const Model&)> made_static;  // a copy with static types
  std::function<std::filesystem::path(const std::shared_ptr<const Model>&)> file_of;
  std::function<void(const ProfileTable&)> record;  // takes new timings of kernels; may be empty
};

/// The runtime is asked what it would execute, after all of its own fusing and choosing of layouts, and the kernels of
/// that are added up. Only those never met before are timed, all side by side. Options make no difference to it.
class KernelForecast final : public Forecast {
 public:
  explicit KernelForecast(ForecastSources sources) : sources_(std::move(sources)) {}

  void look_at(std::span<const Proposal> proposals, double wall_seconds) override;
  std::optional<double> seconds(const Proposal& proposal) const override;
  std::string lost_fusions(const Proposal& proposal, const Proposal& against) const override;

 private:
  const ExecutedGraph* executed(const Proposal& proposal) const;

  ForecastSources sources_;
  std::map<std::shared_ptr<const Model>, ExecutedGraph> executed_;  // without kernels where nothing is known
};

/// Moves in the order in which they are worth timing, and what the forecast alone would do.
struct OrderedMoves {
  std::vector<Move> moves;
  std::optional<Move> together;    // what it speaks for, one on top of another, if these are several
  std::optional<Proposal> wanted;  // what they make of the start; nothing where it speaks for none
};

/// Orders moves by what the forecast says of them, the most promising first, and puts before them
/// one that takes together those which the forecast wants together. Moves that it expects to cost
/// time are left out and logged; what it says nothing of stays, behind the others.
OrderedMoves ordered_by_forecast(const Proposal& start, std::vector<Move> moves, Forecast& forecast, DecisionLog& log,
                                 double wall_seconds);

}  // namespace hone
