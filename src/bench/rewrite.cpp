#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "base/child_process.h"
#include "base/timer.h"
#include "bench/bench_case.h"
#include "bench/profiled_pricing.h"
#include "clean/clean.h"
#include "machine/machine_file.h"
#include "measure/measurement.h"
#include "onnx/read.h"
#include "onnx/write.h"
#include "ops/infer.h"
#include "profile/model_profile.h"
#include "proof/differential.h"
#include "proof/prove.h"
#include "rewrite/extraction.h"
#include "rewrite/method.h"
#include "zoo/registry.h"

// Rewriting of the models that papers on it report on, by all methods: cost before and after, time and memory of the
// search, and what the best graph of each method takes end to end. Rules are those of TASO's families; everything else
// is left to `hone optimize`.
//
// Where ONNX Runtime is found, a node costs what it takes there: one child process searches with all methods and times
// every configuration that it meets. Each method then searches once more, in a child of its own, with those prices at
// hand, so that time and memory are the search's alone. Without ONNX Runtime costs are those of a roofline and nothing
// is measured end to end; `priced_by` says which.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModels[] = {"squeezenet", "bert",     "resnext50", "inception-v3",
                                        "nasrnn",     "nasnet-a", "vgg19"};
constexpr std::string_view kBacktracking = "taso:alpha=1.05,budget=100";
constexpr std::string_view kFamilies = "merge,compose,fold,activation,algebra";

std::vector<std::string> methods() {
  std::vector<std::string> specs = {"greedy",       "random:walks=5,length=10", std::string(kBacktracking),
                                    "beam:width=8", "anneal:steps=100",         "mcts:rounds=40"};
  for (const ExtractionKind* kind : ExtractionKind::all())
    specs.push_back(fmt::format("saturate:extract={}", kind->name()));
  return specs;
}

Model prepared(std::string_view name) {
  Model model = build_zoo(name);
  clean(model);
  infer_types(model);
  return model;
}

/// One model of the case, and what its nodes cost.
class RewriteTrial {
 public:
  RewriteTrial(std::string_view name, const BenchOptions& options)
      : options_(options), model_(prepared(name)), roofline_(load_machine("cpu-gpu"), model_.opsets) {
    onnx::write(model_, file_of("original"));
  }

  std::filesystem::path file_of(const std::string& name) const { return folder_.path() / (name + ".onnx"); }

  /// Times all node configurations that any of the methods meets.
  void profile(const std::vector<std::string>& specs) {
    const auto file = folder_.path() / "profile.jsonl";
    text_of_child([&] {
      const ort::Environment environment(ort::Library::load(), 1);
      const ProfiledPricing pricing(model_.opsets, roofline_, {}, environment);
      for (const std::string& spec : specs) search(spec, pricing);
      write_profiles(pricing.table(), file);
      return std::string();
    });
    pricing_ = std::make_unique<ProfiledPricing>(model_.opsets, roofline_, read_profiles(file), context_of({}));
  }

  /// Searches by one method in a child, leaves the best model in `file_of(name)`, and says what came of it.
  Json row(const std::string& spec, const std::string& name) const {
    return Json::parse(text_of_child([&] {
      const NodePricing& pricing = pricing_ ? *pricing_ : static_cast<const NodePricing&>(roofline_);
      Found found = search(spec, pricing);
      const double peak = static_cast<double>(peak_memory()) / 1024;
      onnx::write(found.model, file_of(name));
      found.row["peak_mb"] = peak;
      return found.row.dump();
    }));
  }

 private:
  struct Found {
    Json row;
    Model model;
  };

  Found search(const std::string& spec, const NodePricing& pricing) const {
    const Timer timer;
    const RewriteSpace space(model_, Matcher(select_rules(kFamilies), RuleSetting::of(model_)), pricing);
    RewriteSearch rewriting(space, {.seed = options_.seed});
    RewriteMethodKind::make_by(spec)->run(rewriting);
    const double seconds = timer.seconds();
    const double before = space.start()->seconds, after = rewriting.best()->seconds;
    return {.row = {{"method", spec},
                    {"before_ms", 1e3 * before},
                    {"after_ms", 1e3 * after},
                    {"saved_percent", 100 * (1 - after / before)},
                    {"rewrites", rewriting.best()->depth},
                    {"expanded", rewriting.expanded()},
                    {"judged", rewriting.judged()},
                    {"graph", fmt::format("{:016x}", rewriting.best()->hash)},
                    {"seconds", seconds}},
            .model = space.finish(model_, *rewriting.best())};
  }

  const BenchOptions& options_;
  Model model_;
  RooflinePricing roofline_;
  std::unique_ptr<ProfiledPricing> pricing_;
  TemporaryFolder folder_;
};

Candidate candidate(const std::string& name, const std::filesystem::path& file) {
  Candidate made{.name = name, .model = onnx::read(file), .file = file};
  infer_types(made.model);
  return made;
}

/// Times the original and every different graph side by side, and adds to each row what its graph takes.
void measure_rows(const RewriteTrial& trial, std::span<Json> rows, const BenchOptions& options) {
  std::vector<Candidate> candidates = {candidate("original", trial.file_of("original"))};
  std::map<std::string, std::size_t> places;  // of graphs
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (places.emplace(rows[i]["graph"], candidates.size()).second)
      candidates.push_back(candidate(rows[i]["method"], trial.file_of(std::to_string(i))));
  MeasureOptions measuring;
  measuring.interleave.seconds = options.quick ? 0.2 : 1;
  measuring.interleave.blocks = options.quick ? 2 : 4;
  measuring.interleave.seed = options.seed;
  const Measurement measurement = measure_models(candidates, measuring);
  for (Json& row : rows) {
    const Measured& measured = measurement.models[places.at(row["graph"])];
    if (!measured.failure.empty()) fail("{}: {}", measured.name, measured.failure);
    row["original_run_ms"] = 1e3 * measurement.models[0].latency.median;
    row["run_ms"] = 1e3 * measured.latency.median;
    row["speedup"] = measured.ratio->speedup();
    row["low"] = 1 / measured.ratio->high;
    row["high"] = 1 / measured.ratio->low;
  }
}

std::vector<Json> rows_of(std::string_view model, const BenchOptions& options) {
  const bool runs = ort::Library::available();
  const std::vector<std::string> specs = methods();
  RewriteTrial trial(model, options);
  if (runs) trial.profile(specs);
  std::vector<Json> rows;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    Json row = {{"model", model}};
    row.update(trial.row(specs[i], std::to_string(i)));
    rows.push_back(std::move(row));
  }
  if (runs) measure_rows(trial, rows, options);
  return rows;
}

/// Of how many models equality saturation, with the better of its extractions, costs no more than backtracking.
std::size_t saturation_holds(const std::vector<Json>& rows) {
  std::map<std::string, double> backtracking, saturation;
  for (const Json& row : rows) {
    const std::string model = row["model"], method = row["method"];
    const double cost = row["after_ms"];
    if (method == kBacktracking) backtracking[model] = cost;
    if (!method.starts_with("saturate")) continue;
    const auto known = saturation.emplace(model, cost).first;
    known->second = std::min(known->second, cost);
  }
  return static_cast<std::size_t>(std::ranges::count_if(
      backtracking, [&](const auto& each) { return saturation.at(each.first) <= each.second * (1 + 1e-9); }));
}

Json by_model_and_method(const std::vector<Json>& rows, const char* field) {
  Json table = Json::object();
  for (const Json& row : rows) table[std::string(row["model"])][std::string(row["method"])] = row[field];
  return table;
}

BenchReport run(const BenchOptions& options) {
  BenchReport report;
  std::size_t models = 0;
  for (const std::string_view name : kModels) {
    const bool is_wanted =
        options.quick && options.filter.empty() ? name == "squeezenet" : name.find(options.filter) != name.npos;
    if (!is_wanted) continue;
    ++models;
    std::ranges::move(rows_of(name, options), std::back_inserter(report.rows));
  }
  const std::vector<Proof> proofs =
      prove_all(select_rules("all"), options.quick ? ProofOptions::fast() : ProofOptions(),
                std::max(1u, std::thread::hardware_concurrency()));
  const FuzzReport fuzz = fuzz_rewrites({.graphs = options.quick ? 100u : 20'000u, .seed = options.seed});
  report.summary = {{"seconds", by_model_and_method(report.rows, "seconds")},
                    {"peak_mb", by_model_and_method(report.rows, "peak_mb")},
                    {"priced_by", ort::Library::available() ? "profile" : "roofline"},
                    {"models", models},
                    {"saturation_at_least_backtracking", saturation_holds(report.rows)},
                    {"rules_proved", std::ranges::count(proofs, true, &Proof::proved)},
                    {"rules_total", proofs.size()},
                    {"fuzzed_graphs", fuzz.graphs},
                    {"fuzzed_rewrites", fuzz.rewrites},
                    {"differences", fuzz.differences}};
  return report;
}

const BenchCase rewrite_case("rewrite", "Graph rewriting by all methods: cost, measured time, search time and memory",
                             run);

}  // namespace
}  // namespace hone
