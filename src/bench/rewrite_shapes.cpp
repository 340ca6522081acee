#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/verbosity.h"
#include "bench/bench_run.h"
#include "bench/rewrite_samples.h"
#include "deliver/price_forecast.h"

// Prices that were corrected by timing rewrites of a model at one size, on the same model at other sizes, as in figure
// 7 of X-RLflow: what they pick there, over what prices pick that were corrected at that size itself. What is picked is
// judged by a second measurement that no prices have seen.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kShapeSeconds = 0.3;    // of each rewrite, in each measurement
constexpr double kSmallestPick = 0.005;  // of the time, that prices must expect of what they pick

/// A model at several sizes; prices are corrected at the first.
struct ShapeFamily {
  std::string name;
  std::vector<std::string> models;
};

std::vector<ShapeFamily> shape_families(const BenchOptions& options) {
  std::vector<ShapeFamily> families = {{"inception-v3", {}}, {"dalle-mini", {}}};
  for (const int resolution : {225, 160, 250, 299})
    families[0].models.push_back(fmt::format("zoo:inception-v3:resolution={}", resolution));
  for (const int length : {64, 32, 48, 96})
    families[1].models.push_back(
        fmt::format("zoo:dalle-mini:image_length={},layers=4,text_vocabulary=5000,"
                    "image_vocabulary=5000",
                    length));
  std::erase_if(families, [&](const ShapeFamily& each) { return each.name.find(options.filter) == std::string::npos; });
  if (options.quick)
    for (ShapeFamily& each : families) each.models.resize(2);
  return families;
}

/// Rewrites of a model at one size, and what they were measured to take, twice.
struct ShapeSamples {
  Proposal start;
  std::vector<Proposal> rewrites;
  TimedSamples to_learn_from, to_judge_by;
};

ShapeSamples measured_shape(const std::string& name, const std::shared_ptr<const Runtime>& runtime,
                            const BenchOptions& options) {
  ShapeSamples found;
  found.start = {.model = std::make_shared<const Model>(cleaned_model(name)), .options = {}, .steps = {}};
  found.rewrites = rewrite_samples(found.start, {}, *runtime, Rng(options.seed).split(hash_text("shapes")));
  const double seconds = options.quick ? kShapeSeconds / 4 : kShapeSeconds;
  found.to_learn_from = time_samples(found.start, found.rewrites, sample_measuring(runtime, seconds, options.seed));
  found.to_judge_by = time_samples(found.start, found.rewrites, sample_measuring(runtime, seconds, options.seed + 1));
  return found;
}

/// What was gained, as a logarithm, by the rewrite that prices expect to be fastest.
struct ShapePick {
  std::string steps = "nothing";
  double gain = 0;
};

ShapePick pick_of(PriceForecast forecast, const ShapeSamples& shape) {
  forecast.look_at({&shape.start, 1}, 1e9);
  double least = *forecast.seconds(shape.start) * (1 - kSmallestPick);
  ShapePick pick;
  for (const RacedProposal& each : shape.to_judge_by.rewrites) {
    forecast.look_at({&each.proposal, 1}, 1e9);
    const std::optional<double> seconds = forecast.seconds(each.proposal);
    if (!seconds || *seconds >= least) continue;
    least = *seconds;
    pick = {.steps = fmt::format("{}", fmt::join(steps_of(each.proposal), ", ")), .gain = -std::log(each.ratio.ratio)};
  }
  return pick;
}

double best_gain(const ShapeSamples& shape) {
  double best = 0;
  for (const RacedProposal& each : shape.to_judge_by.rewrites) best = std::max(best, -std::log(each.ratio.ratio));
  return best;
}

/// Sums of gains over sizes.
struct ShapeGains {
  double carried = 0, own = 0;
};

/// Rows of all sizes of a family on one runtime.
ShapeGains compare_shapes(const ShapeFamily& family, const std::shared_ptr<const Runtime>& runtime,
                          const GraphPrices& prices, const BenchOptions& options, BenchReport& report) {
  std::optional<TunedPrices> first;
  ShapeGains gains;
  for (const std::string& name : family.models) {
    const ShapeSamples shape = measured_shape(name, runtime, options);
    const TunedPrices untuned(prices, with_types(*shape.start.model));
    const TunedPrices own = tuned_by(shape.start, shape.to_learn_from.rewrites, prices, with_types);
    if (!first) first.emplace(own);
    const TunedPrices carried = first->moved_to(with_types(*shape.start.model));
    const ShapePick learned_pick = pick_of(PriceForecast(untuned, with_types), shape);
    const ShapePick carried_pick = pick_of(PriceForecast(carried, with_types), shape);
    const ShapePick own_pick = pick_of(PriceForecast(own, with_types), shape);
    report.rows.push_back({{"runtime", runtime->name()},
                           {"model", name.substr(name.find(':') + 1)},
                           {"original_ms", 1e3 * shape.to_judge_by.seconds},
                           {"rewrites", shape.rewrites.size()},
                           {"untuned", std::exp(learned_pick.gain)},
                           {"tuned_at_first", std::exp(carried_pick.gain)},
                           {"tuned_here", std::exp(own_pick.gain)},
                           {"best", std::exp(best_gain(shape))},
                           {"picked_by_first", carried_pick.steps},
                           {"picked_here", own_pick.steps}});
    if (name == family.models.front()) continue;
    gains.carried += carried_pick.gain;
    gains.own += own_pick.gain;
  }
  return gains;
}

BenchReport run_rewrite_shapes(const BenchOptions& options) {
  BenchReport report;
  for (const std::shared_ptr<const Runtime>& runtime : measured_runtimes()) {
    const std::optional<GraphPrices> prices = GraphPrices::builtin(runtime->name());
    if (!prices) {
      note("{}: there are no prices for it", runtime->name());
      continue;
    }
    Json shares = Json::object();
    for (const ShapeFamily& family : shape_families(options)) {
      const ShapeGains gains = compare_shapes(family, runtime, *prices, options, report);
      shares[family.name] = {{"gain_tuned_here_percent", 100 * gains.own},
                             {"share_of_first", gains.own > 0 ? Json(gains.carried / gains.own) : Json(nullptr)}};
    }
    report.summary[runtime->name()] = shares;
  }
  return report;
}

const BenchRun rewrite_shapes("rewrite-shapes", run_rewrite_shapes);

}  // namespace
}  // namespace hone
