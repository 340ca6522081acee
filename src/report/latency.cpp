#include "report/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/fitted.h"
#include "report/table.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestNodes = 10;

std::string milliseconds(double seconds) {
  const double value = seconds * 1e3;
  return fmt::format("{:.{}f}", value, value < 1 ? 4 : value < 100 ? 3 : 1);
}

std::string mebibytes(double bytes) { return fmt::format("{:.1f} MiB", bytes / (1 << 20)); }

std::string speedup(const Measured& model) {
  if (!model.ratio) return "1.00";
  const std::string interval =
      fmt::format("{:.3f} [{:.3f}, {:.3f}]", model.ratio->speedup(), 1 / model.ratio->high, 1 / model.ratio->low);
  return interval + (model.ratio->differs ? "" : " no difference");
}

Json json_of(const LatencySummary& latency) {
  const auto ms = [](double seconds) { return seconds * 1e3; };
  return {{"median", ms(latency.median)}, {"p90", ms(latency.p90)},     {"p95", ms(latency.p95)},
          {"p99", ms(latency.p99)},       {"mean", ms(latency.mean)},   {"stddev", ms(latency.deviation)},
          {"min", ms(latency.shortest)},  {"max", ms(latency.longest)}, {"runs", latency.runs}};
}

Json json_of(const Measured& model) {
  Json object{{"name", model.name}};
  if (!model.failure.empty()) {
    object["error"] = model.failure;
    return object;
  }
  object["load_ms"] = model.load_seconds * 1e3;
  object["first_run_ms"] = model.first_run_seconds * 1e3;
  object["peak_bytes"] = model.peak_bytes;
  object["latency_ms"] = json_of(model.latency);
  Json& times = object["latency_ms"]["times"] = Json::array();
  for (const double seconds : model.seconds) times.push_back(seconds * 1e3);
  object["drift"] = model.drift;
  if (model.ratio)
    object["speedup"] = {{"median", model.ratio->speedup()},
                         {"ci95", {1 / model.ratio->high, 1 / model.ratio->low}},
                         {"ci99", {1 / model.ratio->certain_high, 1 / model.ratio->certain_low}},
                         {"claimed", model.ratio->differs}};
  return object;
}

double total_seconds(const KernelProfile& profile) {
  double total = 0;
  for (const KernelEvent& event : profile.kernels) total += event.seconds;
  return total;
}

}  // namespace

std::string latency_table(const Measurement& measurement) {
  Table table({"model", "median", "mean ± σ", "speed-up [95 % CI]", "p90", "p95", "p99", "min", "load", "first run",
               "peak mem"});
  std::string failures;
  for (const Measured& model : measurement.models) {
    if (!model.failure.empty()) {
      failures += fitted(fmt::format("{}: {}", model.name, model.failure));
      continue;
    }
    const LatencySummary& latency = model.latency;
    table.add({model.name, milliseconds(latency.median),
               fmt::format("{} ± {}", milliseconds(latency.mean), milliseconds(latency.deviation)), speedup(model),
               milliseconds(latency.p90), milliseconds(latency.p95), milliseconds(latency.p99),
               milliseconds(latency.shortest), milliseconds(model.load_seconds), milliseconds(model.first_run_seconds),
               mebibytes(model.peak_bytes)});
  }
  return (table.empty() ? "" : table.text()) + failures;
}

Json latency_json(const Measurement& measurement) {
  const Conditions& around = measurement.conditions;
  Json object{{"runtime", measurement.runtime},
              {"threads", measurement.threads},
              {"clock", measurement.clock == Clock::wall ? "wall" : "cpu"},
              {"disturbed_share", measurement.disturbed_share},
              {"other_load", around.other_load},
              {"stolen_share", around.stolen},
              {"warnings", measurement.warnings()},
              {"models", Json::array()}};
  for (const Measured& model : measurement.models) object["models"].push_back(json_of(model));
  return object;
}

std::string kernel_table(const KernelProfile& profile) {
  const double total = total_seconds(profile);
  const auto runs = static_cast<double>(std::max<std::size_t>(profile.run_seconds.size(), 1));
  const auto add = [&](Table& table, const KernelTotal& each, const std::string& name) {
    table.add({name, fmt::format("{:.0f}", static_cast<double>(each.count) / runs), milliseconds(each.seconds / runs),
               fmt::format("{:.1f} %", 100 * each.seconds / total)});
  };
  Table operators({"operator", "kernels", "ms a run", "share"}), nodes({"node", "kernels", "ms a run", "share"});
  for (const KernelTotal& each : totals_by_operator(profile)) add(operators, each, each.name);
  std::vector<KernelTotal> longest = totals_by_node(profile);
  longest.resize(std::min(longest.size(), kLongestNodes));
  for (const KernelTotal& each : longest) add(nodes, each, fmt::format("{} ({})", each.name, each.op));
  return operators.text() + "\n" + nodes.text();
}

Json kernel_json(const KernelProfile& profile) {
  const auto runs = static_cast<double>(std::max<std::size_t>(profile.run_seconds.size(), 1));
  Json object{{"operators", Json::array()}, {"nodes", Json::array()}};
  const auto add = [&](Json& list, const KernelTotal& each) {
    list.push_back({{"name", each.name},
                    {"op", each.op},
                    {"kernels", static_cast<double>(each.count) / runs},
                    {"ms", each.seconds / runs * 1e3}});
  };
  for (const KernelTotal& each : totals_by_operator(profile)) add(object["operators"], each);
  for (const KernelTotal& each : totals_by_node(profile)) add(object["nodes"], each);
  return object;
}

}  // namespace hone
