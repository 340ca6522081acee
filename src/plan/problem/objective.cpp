#include "plan/problem/objective.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/suggestion.h"

namespace hone {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 5> kMeasures = {"fit", "seconds", "memory", "throughput", "latency"};

std::string_view name_of(Measure measure) { return kMeasures[static_cast<std::size_t>(measure)]; }

double figure(Measure measure, const Cost& cost) {
  switch (measure) {
    case Measure::fit:
    case Measure::seconds: return cost.seconds;
    case Measure::memory: return cost.peak_bytes;
    case Measure::throughput: return cost.load_seconds;
    case Measure::latency: return cost.latency_seconds;
  }
  return kNever;
}

/// Takes what stands before the first `separator` off the text, and the separator.
std::string_view take_piece(std::string_view& text, char separator) {
  const std::string_view piece = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), piece.size() + 1));
  return piece;
}

Objective::Part parse_part(std::string_view text, std::uint8_t term) {
  Objective::Part part{.term = term, .relative = text.find('*') != std::string_view::npos};
  std::string_view name = take_piece(text, '*');
  if (name == "time") name = name_of(Measure::seconds);  // as people say
  const auto found = std::ranges::find(kMeasures, name);
  if (found == kMeasures.end())
    fail_usage("there is no objective '{:.60}'{}", name, suggestion_or_all(name, kMeasures));
  part.measure = static_cast<Measure>(found - kMeasures.begin());
  if (!part.relative) return part;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part.weight);
  if (error != std::errc() || end != text.data() + text.size() || !(part.weight > 0 && part.weight < kNever))
    fail_usage("the weight of '{}' in the objective is '{:.60}', expected a number above 0", name, text);
  return part;
}

bool is_sum(const Objective& objective, std::size_t term) {
  return std::ranges::any_of(objective.parts(),
                             [&](const Objective::Part& part) { return part.term == term && part.relative; });
}

}  // namespace

void Objective::add(const Part& part) {
  if (count_ == kMostParts) fail_usage("an objective has at most {} measures", kMostParts);
  parts_[count_++] = part;
}

Objective Objective::parse(std::string_view text) {
  Objective objective(Measure::fit);
  objective.count_ = 0;
  std::uint8_t term = 0;
  for (bool more_terms = true; more_terms; ++term) {
    if (term == kMostTerms) fail_usage("an objective has at most {} terms", kMostTerms);
    more_terms = text.find(',') != std::string_view::npos;
    std::string_view sum = take_piece(text, ',');
    const bool several = sum.find('+') != std::string_view::npos;
    for (bool more = true; more;) {
      more = sum.find('+') != std::string_view::npos;
      Part part = parse_part(take_piece(sum, '+'), term);
      part.relative |= several;
      objective.add(part);
    }
  }
  return objective;
}

bool Objective::asks_for(Measure measure) const {
  return std::ranges::find(parts(), measure, &Part::measure) != parts().end();
}

bool Objective::limits_memory() const {
  return asks_for(Measure::fit) || asks_for(Measure::throughput) || asks_for(Measure::latency);
}

Objective Objective::relative_to(const Cost& reference) const {
  Objective objective = *this;
  for (Part& part : std::span(objective.parts_).first(count_)) {
    const double unit = figure(part.measure, reference);
    if (part.relative && unit > 0 && unit < kNever) part.unit = unit;
  }
  return objective;
}

std::string name_of(const Objective& objective) {
  std::string text;
  for (std::size_t i = 0; i < objective.parts().size(); ++i) {
    const Objective::Part& part = objective.parts()[i];
    if (i > 0) text += part.term == objective.parts()[i - 1].term ? '+' : ',';
    text += name_of(part.measure);
    if (part.relative) text += fmt::format("*{}", part.weight);
  }
  return text;
}

Score score(const Objective& objective, const Cost& cost) {
  if (cost.obstacle == Obstacle::device || cost.obstacle == Obstacle::cycle) return {kNever, kNever, {}};
  std::array<double, Objective::kMostTerms> terms{};
  for (const Objective::Part& part : objective.parts())
    terms[part.term] += part.relative ? part.weight * figure(part.measure, cost) / part.unit  //
                                      : figure(part.measure, cost);
  Score score{.excess = objective.limits_memory() ? cost.overflow_bytes : 0, .value = terms.front()};
  std::ranges::copy(std::span(terms).subspan(1), score.further.begin());
  return score;
}

std::string value_text(const Objective& objective, double value) {
  if (is_sum(objective, 0)) return fmt::format("{:.4g}", value);
  return objective.lead() == Measure::memory ? fmt::format("{:.4g} MB", value * 1e-6)
                                             : fmt::format("{:.4g} ms", value * 1e3);
}

}  // namespace hone
