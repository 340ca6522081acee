#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <thread>

#include "base/child_process.h"
#include "base/progress.h"
#include "base/progress_line.h"
#include "base/timer.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/finished_rows.h"
#include "deliver/profiled_search.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "plan/machine/machine_file.h"
#include "rewrite/proof/differential.h"
#include "rewrite/proof/prove.h"
#include "rewrite/search/extraction.h"
#include "run/measure/measurement.h"
#include "run/profile/model_profile.h"
#include "zoo/registry.h"

// Rewriting of the models that papers on it report on, by all methods: cost before and after, time and memory of the
// search, and what the best graph of each method takes end to end. Rules are those of TASO's families; everything else
// is left to `hone optimize`.
//
// Where the usual runtime is found, a node costs what it takes there: a child process searches with all methods and
// times the configurations that they meet, until they meet nothing new. Each method then searches once more, in a child
// of its own, with those prices at hand, so that time and memory are the search's alone. Without it costs are those of
// a roofline and nothing is measured end to end; `priced_by` says which. With --db the rows of a model that is done are
// kept, and taken from there when the same is asked again.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModels[] = {"squeezenet", "bert",     "resnext50", "inception-v3",
                                        "nasrnn",     "nasnet-a", "vgg19"};
constexpr std::string_view kBacktracking = "taso";
constexpr std::string_view kSaturation = "saturate";
constexpr std::string_view kFamilies = "merge,compose,fold,activation,algebra";
constexpr int kMostPasses = 2;  // of learning what nodes cost

/// Backtracking as TASO sets it, and with ten times the budget, since large models have more rewrites to make than TASO
/// expands graphs; all others have room for that many, too.
constexpr std::string_view kStepByStep[] = {
    "greedy",       "random:walks=10,length=100", "taso:alpha=1.05,budget=100", "taso:alpha=1.05,budget=1000",
    "beam:width=8", "anneal:steps=1000",          "mcts:rounds=40,length=100"};

std::vector<std::string> methods() {
  std::vector<std::string> specs(std::begin(kStepByStep), std::end(kStepByStep));
  for (const ExtractionKind* kind : ExtractionKind::all())
    specs.push_back(fmt::format("{}:extract={}", kSaturation, kind->name()));
  return specs;
}

/// Methods that meet whatever all of them meet: how something is chosen from an e-graph adds nothing to it.
std::vector<std::string> explorers() {
  std::vector<std::string> specs(std::begin(kStepByStep), std::end(kStepByStep));
  specs.emplace_back(kSaturation);
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
      : name_(name), options_(options), model_(prepared(name)), roofline_(load_machine("cpu-gpu"), model_.opsets) {
    ::malloc_trim(0);  // what models before it have left would count as memory of every search
  }

  const std::string& name() const { return name_; }
  const Model& model() const { return model_; }

  /// The original, or what is left of a row's search.
  std::filesystem::path file_of(const std::string& graph) const { return folder_.path() / (graph + ".onnx"); }

  /// Times node configurations that the methods meet.
  void profile() {
    const auto file = folder_.path() / "profile.jsonl";
    const Json learned = Json::parse(text_of_child([&] {
      ProfiledSearch search({.methods = explorers(),
                             .rules = std::string(kFamilies),
                             .domains = {},
                             .settings = {.seed = options_.seed},
                             .made_static = [](const Model& model) { return model; }},
                            {.context = context_of({}), .table = {}});
      const auto time = [&](const ObservedGraph& nodes) { return time_nodes(nodes, timing_request()); };
      for (int pass = 0; pass < kMostPasses && search.learn(model_, time) > 0; ++pass) continue;
      write_profiles(search.timings().table, file);
      return Json(search.timings().calibration).dump();
    }));
    timings_ = {.context = context_of({}), .table = read_profiles(file), .calibration = learned};
  }

  /// Searches by one method in a child, leaves the best model in a file, and says what came of it.
  Json row(const std::string& spec) const {
    return Json::parse(text_of_child([&] {
      if (!timings_) return search(spec, roofline_).dump();
      const ProfilePricing pricing(*timings_, model_, {});
      Json row = search(spec, pricing);
      row["untimed"] = pricing.unknown().model.graph.node_count();
      return row.dump();
    }));
  }

 private:
  ProfileRequest timing_request() const {
    ProfileRequest request;
    request.effort = {.least_rounds = 5, .most_rounds = 15, .seconds = 5};
    if (options_.quick) request.effort = {.least_rounds = 3, .most_rounds = 9, .seconds = 1};
    return request;
  }

  Json search(const std::string& spec, const NodePricing& pricing) const {
    const Timer timer;
    const RewriteSpace space(model_, Matcher(select_rules(kFamilies), RuleSetting::of(model_)), pricing);
    RewriteSearch rewriting(space, {.seed = options_.seed});
    RewriteMethodKind::make_by(spec)->run(rewriting);
    const double seconds = timer.seconds();
    const double before = space.start()->seconds, after = rewriting.best_state()->seconds;
    const std::string graph = fmt::format("{:016x}", rewriting.best_state()->hash);
    const Model found = space.finish(model_, *rewriting.best_state());
    const double peak = static_cast<double>(peak_memory()) / 1024;
    if (!std::filesystem::exists(file_of(graph))) onnx::write(found, file_of(graph));
    return {{"model", name_},
            {"method", spec},
            {"before_ms", 1e3 * before},
            {"after_ms", 1e3 * after},
            {"saved_percent", 100 * (1 - after / before)},
            {"rewrites", rewriting.best_state()->depth},
            {"expanded", rewriting.evaluations()},
            {"judged", rewriting.judged()},
            {"graph", graph},
            {"seconds", seconds},
            {"peak_mb", peak}};
  }

  std::string name_;
  const BenchOptions& options_;
  Model model_;
  RooflinePricing roofline_;
  std::optional<OperatorTimings> timings_;
  TemporaryFolder folder_;
};

Candidate candidate(const std::string& name, const std::filesystem::path& file) {
  Candidate made{.name = name, .model = onnx::read(file), .file = file};
  infer_types(made.model);
  return made;
}

/// Times the original and every different graph side by side, and adds to each row what its graph takes.
void measure_rows(const RewriteTrial& trial, std::span<Json> rows, const BenchOptions& options) {
  onnx::write(trial.model(), trial.file_of("original"));
  std::vector<Candidate> candidates = {candidate("original", trial.file_of("original"))};
  std::map<std::string, std::size_t> places;  // of graphs
  for (const Json& row : rows)
    if (places.emplace(row["graph"], candidates.size()).second)
      candidates.push_back(candidate(row["method"], trial.file_of(row["graph"])));
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

std::vector<Json> searched_rows(RewriteTrial& trial, const BenchOptions& options) {
  const bool runs = usual_runtime()->available();
  if (runs) {
    show_progress(fmt::format("{}: timing operators", trial.name()));
    trial.profile();
  }
  std::vector<Json> rows;
  const CountedProgress progress(methods().size());
  for (const std::string& spec : methods()) {
    progress.show(rows.size(), fmt::format("{}: {}", trial.name(), spec));
    rows.push_back(trial.row(spec));
  }
  show_progress(fmt::format("{}: measuring", trial.name()));
  if (runs) measure_rows(trial, rows, options);
  return rows;
}

/// The rows of one model, which may have been made before.
std::vector<Json> rows_of(std::string_view name, const BenchOptions& options, FinishedRows& finished) {
  const std::shared_ptr<const Runtime> runtime = usual_runtime();
  const Json request{{"model", name},
                     {"methods", methods()},
                     {"seed", options.seed},
                     {"quick", options.quick},
                     {"commit", commit()},
                     {"runtime", runtime->available() ? runtime->version() : ""},
                     {"computer", this_hardware().id}};
  if (const std::optional<Json> known = finished.find(request)) return (*known)["rows"];
  show_progress(fmt::format("{}: building", name));
  RewriteTrial trial(name, options);
  const std::vector<Json> rows = searched_rows(trial, options);
  finished.add(graph_record(trial.name(), trial.model()), request, {{"rows", rows}});
  return rows;
}

/// What a kind of method comes to on each model at best.
std::map<std::string, double> least_cost(const std::vector<Json>& rows, std::string_view method) {
  std::map<std::string, double> costs;
  for (const Json& row : rows) {
    if (!row["method"].get<std::string>().starts_with(method)) continue;
    const double cost = row["after_ms"];
    const auto known = costs.emplace(row["model"], cost).first;
    known->second = std::min(known->second, cost);
  }
  return costs;
}

/// Of how many models equality saturation costs no more than backtracking.
std::size_t saturation_holds(const std::vector<Json>& rows) {
  const std::map<std::string, double> saturation = least_cost(rows, kSaturation);
  const std::map<std::string, double> backtracking = least_cost(rows, kBacktracking);
  return static_cast<std::size_t>(std::ranges::count_if(
      backtracking, [&](const auto& each) { return saturation.at(each.first) <= each.second * (1 + 1e-9); }));
}

Json by_model_and_method(const std::vector<Json>& rows, const char* field) {
  Json table = Json::object();
  for (const Json& row : rows) table[std::string(row["model"])][std::string(row["method"])] = row[field];
  return table;
}

BenchReport run_rewrite(const BenchOptions& options) {
  BenchReport report;
  FinishedRows finished("rewrite", options.store);
  std::size_t models = 0;
  for (const std::string_view name : kModels) {
    const bool is_wanted =
        options.quick && options.filter.empty() ? name == "squeezenet" : name.find(options.filter) != name.npos;
    if (!is_wanted) continue;
    ++models;
    std::ranges::move(rows_of(name, options, finished), std::back_inserter(report.rows));
  }
  show_progress("rules: proving");
  const std::vector<Proof> proofs =
      prove_all(select_rules("all"), options.quick ? ProofOptions::fast() : ProofOptions(),
                std::max(1u, std::thread::hardware_concurrency()));
  show_progress("rules: fuzzing");
  const FuzzReport fuzz = fuzz_rewrites({.graphs = options.quick ? 100u : 20'000u, .seed = options.seed});
  erase_progress();
  report.summary = {{"seconds", by_model_and_method(report.rows, "seconds")},
                    {"peak_mb", by_model_and_method(report.rows, "peak_mb")},
                    {"priced_by", usual_runtime()->available() ? "profile" : "roofline"},
                    {"models", models},
                    {"saturation_at_least_backtracking", saturation_holds(report.rows)},
                    {"rules_proved", std::ranges::count(proofs, true, &Proof::proved)},
                    {"rules_total", proofs.size()},
                    {"fuzzed_graphs", fuzz.graphs},
                    {"fuzzed_rewrites", fuzz.rewrites},
                    {"differences", fuzz.differences}};
  return report;
}

const BenchRun rewrite_case("rewrite", run_rewrite);

}  // namespace
}  // namespace hone
