#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plan/problem/cost.h"

namespace hone {

/// One figure that a plan can be judged by; less is better.
enum class Measure : std::uint8_t {
  fit,         // run time, of plans that fit into memory first
  seconds,     // run time, as if memory had no end
  memory,      // most that any one device holds
  throughput,  // largest load of a device when samples follow one another, of plans that fit first
  latency,     // one sample through calls of devices, of plans that fit first
};

/// What a plan is judged by: one measure, or several. Terms are compared one after another, each of them a measure or
/// a weighted sum of measures. Sums are of measures in units of what a reference plan costs, since seconds and bytes do
/// not add up.
///
///   fit,memory               of the fastest plans the one that holds least
///   seconds*0.7+memory*0.3   both, relative to the plan in which nothing is decided
class Objective {
 public:
  static constexpr std::size_t kMostTerms = 3, kMostParts = 6;

  struct Part {
    Measure measure = Measure::fit;
    std::uint8_t term = 0;
    bool relative = false;  // to `unit`, which is one until `relative_to` says what
    double weight = 1;
    double unit = 1;

    friend constexpr bool operator==(const Part&, const Part&) = default;
  };

  static const Objective seconds_in_memory, seconds, peak_bytes, throughput, latency;

  constexpr explicit Objective(Measure measure) { parts_[0].measure = measure; }
  /// Throws InputError (usage) for what is not `NAME[*WEIGHT][+...][,...]`.
  static Objective parse(std::string_view text);

  std::span<const Part> parts() const { return std::span(parts_).first(count_); }
  /// The measure of the first term if that is not a sum; others are for reports and starts.
  Measure lead() const { return parts_.front().measure; }
  bool asks_for(Measure measure) const;
  /// Whether bytes beyond the memory there is count, and before all else.
  bool limits_memory() const;
  /// The same with sums in units of what this plan costs.
  Objective relative_to(const Cost& reference) const;

  friend bool operator==(const Objective&, const Objective&) = default;

 private:
  void add(const Part& part);

  std::array<Part, kMostParts> parts_;
  std::size_t count_ = 1;
};

inline constexpr Objective Objective::seconds_in_memory{Measure::fit};
inline constexpr Objective Objective::seconds{Measure::seconds};
inline constexpr Objective Objective::peak_bytes{Measure::memory};
inline constexpr Objective Objective::throughput{Measure::throughput};
inline constexpr Objective Objective::latency{Measure::latency};

/// What the user types: `fit`, `seconds`, `memory`, `throughput`, `latency`, and what `Objective::parse` takes.
std::string name_of(const Objective& objective);
inline Objective parse_objective(std::string_view text) { return Objective::parse(text); }

/// How good a plan is under an objective; the lesser is the better plan.
struct Score {
  double excess = 0;  // bytes beyond the memory there is, where that counts; infinite when the plan never ends
  double value = 0;   // first term: seconds, bytes, or a sum in units of the reference
  std::array<double, Objective::kMostTerms - 1> further{};  // the other terms

  friend auto operator<=>(const Score&, const Score&) = default;
};
Score score(const Objective& objective, const Cost& cost);

/// A value of the first term with its unit, for people: `3.2 ms`, `81 MB`, `0.93`.
std::string value_text(const Objective& objective, double value);

}  // namespace hone
