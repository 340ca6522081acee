#include "bench/regal_results.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr double kSamePercent = 1e-4;  // sums of the same numbers in another order

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// A figure for every seed, as one with its spread.
ordered_json spread_of(const std::vector<double>& by_seed) {
  const auto [least, most] = std::ranges::minmax(by_seed);
  return {{"mean", mean_of(by_seed)}, {"least", least}, {"most", most}};
}

/// The figures of the settings of one origin and objective; null where there are none.
class Figures {
 public:
  Figures(std::span<const RegalSetting> settings, const RegalResults& results, RegalOrigin origin,
          const Objective& objective)
      : results_(results) {
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (settings[i].origin == origin && settings[i].problem.objective == objective) counted_.push_back(i);
  }

  /// How much less than the genetic algorithm a contender comes to, mean over graphs.
  ordered_json improvement(std::size_t contender) const {
    return by_seed([&](std::size_t seed) { return mean_improvement(contender, seed); });
  }

  /// The same as a share of how much less the best known plans are.
  ordered_json captured(std::size_t contender) const {
    return by_seed([&](std::size_t seed) {
      const double room = mean([&](std::size_t setting) {
        return 100 * (1 - results_.best_known(setting) / results_.of(setting, kBrkga, seed).value);
      });
      return room > kSamePercent ? mean_improvement(contender, seed) / room : 1;
    });
  }

  /// Graphs on which a contender is better than the genetic algorithm: seed by seed, and by means over seeds.
  ordered_json wins(std::size_t contender) const {
    ordered_json wins = by_seed([&](std::size_t seed) {
      return mean([&](std::size_t setting) { return win(results_.improvement(setting, contender, seed)); });
    });
    if (wins.is_null()) return wins;
    wins["of_means"] = mean([&](std::size_t setting) {
      double sum = 0;
      for (std::size_t seed = 0; seed < results_.seeds(); ++seed) sum += results_.improvement(setting, contender, seed);
      return win(sum / static_cast<double>(results_.seeds()));
    });
    return wins;
  }

  /// How much longer a contender takes than another search, all graphs together.
  ordered_json overhead(std::size_t contender, std::size_t other) const {
    const auto seconds = [&](std::size_t which, std::size_t seed) {
      return mean([&](std::size_t setting) { return results_.of(setting, which, seed).cpu_seconds; });
    };
    return by_seed([&](std::size_t seed) { return 100 * (seconds(contender, seed) / seconds(other, seed) - 1); });
  }

 private:
  static constexpr std::size_t kBrkga = 0;

  static double win(double improvement) { return improvement > kSamePercent ? 100 : 0; }

  double mean_improvement(std::size_t contender, std::size_t seed) const {
    return mean([&](std::size_t setting) { return results_.improvement(setting, contender, seed); });
  }

  template <class Value>
  double mean(Value value) const {
    double sum = 0;
    for (const std::size_t setting : counted_) sum += value(setting);
    return sum / static_cast<double>(counted_.size());
  }

  template <class Figure>
  ordered_json by_seed(Figure figure) const {
    if (counted_.empty()) return nullptr;
    std::vector<double> values;
    for (std::size_t seed = 0; seed < results_.seeds(); ++seed) values.push_back(figure(seed));
    return spread_of(values);
  }

  const RegalResults& results_;
  std::vector<std::size_t> counted_;
};

ordered_json regal_row(const RegalSetting& setting, std::size_t index, std::size_t contender,
                       const RegalResults& results) {
  std::vector<double> values, improvements, seconds;
  for (std::size_t seed = 0; seed < results.seeds(); ++seed) {
    values.push_back(results.of(index, contender, seed).value);
    improvements.push_back(results.improvement(index, contender, seed));
    seconds.push_back(results.of(index, contender, seed).cpu_seconds);
  }
  return {{"graph", setting.name},
          {"set", name_of(setting.origin)},
          {"operations", setting.problem.workload.operation_count()},
          {"objective", name_of(setting.problem.objective)},
          {"optimizer", regal_contenders()[contender].optimizer},
          {"role", regal_contenders()[contender].role},
          {"improvement_percent", mean_of(improvements)},
          {"least_percent", std::ranges::min(improvements)},
          {"most_percent", std::ranges::max(improvements)},
          {"gap_percent", 100 * (mean_of(values) / results.best_known(index) - 1)},
          {"cpu_seconds", mean_of(seconds)}};
}

ordered_json regal_summary(std::span<const RegalSetting> settings, const RegalResults& results) {
  const std::size_t brkga = regal_contender("brkga"), guided = regal_contender("guided");
  const std::size_t without_policy = regal_contender("guided:seeds=0,mutants=0,offers=1");
  const auto figures = [&](RegalOrigin origin, const Objective& objective) {
    return Figures(settings, results, origin, objective);
  };
  const Figures test = figures(RegalOrigin::test, Objective::peak_bytes);
  const Figures xla = figures(RegalOrigin::xla, Objective::peak_bytes);
  const Figures large = figures(RegalOrigin::large, Objective::peak_bytes);
  const Figures seconds = figures(RegalOrigin::test, Objective::seconds);
  ordered_json table = ordered_json::array();
  for (std::size_t i = 0; i < regal_contenders().size(); ++i) {
    const RegalContender& contender = regal_contenders()[i];
    ordered_json row{{"optimizer", contender.optimizer}, {"role", contender.role}, {"memory", test.improvement(i)}};
    if (contender.kind == RegalContender::Kind::rival) {
      row["xla"] = xla.improvement(i);
      row["large"] = large.improvement(i);
      row["seconds"] = seconds.improvement(i);
    }
    table.push_back(std::move(row));
  }
  return {{"improvement_percent", test.improvement(guided)},
          {"headroom_captured", test.captured(guided)},
          {"win_percent", test.wins(guided)},
          {"xla_improvement_percent", xla.improvement(guided)},
          {"large_improvement_percent", large.improvement(guided)},
          {"runtime_improvement_percent", seconds.improvement(guided)},
          {"overhead_percent", test.overhead(guided, brkga)},
          {"policy_share_percent", test.overhead(guided, without_policy)},
          {"improvement_by_optimizer", std::move(table)}};
}

}  // namespace

RegalResults::RegalResults(std::size_t settings, std::size_t seeds)
    : seeds_(seeds),
      outcomes_(settings * regal_contenders().size() * seeds),
      best_known_(settings, std::numeric_limits<double>::infinity()) {}

std::size_t RegalResults::place(std::size_t setting, std::size_t contender, std::size_t seed) const {
  return (setting * regal_contenders().size() + contender) * seeds_ + seed;
}

void RegalResults::set(std::size_t setting, std::size_t contender, std::size_t seed, const RegalOutcome& outcome) {
  outcomes_[place(setting, contender, seed)] = outcome;
  reach(setting, outcome.value);
}

void RegalResults::reach(std::size_t setting, double value) {
  best_known_[setting] = std::min(best_known_[setting], value);
}

const RegalOutcome& RegalResults::of(std::size_t setting, std::size_t contender, std::size_t seed) const {
  const std::optional<RegalOutcome>& outcome = outcomes_[place(setting, contender, seed)];
  HONE_CHECK(outcome.has_value(), "a search of the table was not run");
  return *outcome;
}

double RegalResults::improvement(std::size_t setting, std::size_t contender, std::size_t seed) const {
  return 100 * (1 - of(setting, contender, seed).value / of(setting, 0, seed).value);
}

BenchReport regal_report(std::span<const RegalSetting> settings, const RegalResults& results) {
  BenchReport report;
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t contender = 0; contender < regal_contenders().size(); ++contender)
      if (regal_contenders()[contender].takes_part(settings[i]))
        report.rows.push_back(regal_row(settings[i], i, contender, results));
  report.summary = regal_summary(settings, results);
  return report;
}

}  // namespace hone
