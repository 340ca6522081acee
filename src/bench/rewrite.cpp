#include <algorithm>
#include <cmath>

#include "base/child_process.h"
#include "base/timer.h"
#include "bench/bench_case.h"
#include "clean/clean.h"
#include "machine/machine_file.h"
#include "ops/infer.h"
#include "proof/differential.h"
#include "proof/prove.h"
#include "rewrite/method.h"
#include "zoo/registry.h"

// Rewriting of the models that papers on it report on, by all methods: predicted cost before and after, time and memory
// of the search. Rules are those of TASO's families; everything else is left to `hone optimize`.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModels[] = {"squeezenet", "bert",     "resnext50", "inception-v3",
                                        "nasrnn",     "nasnet-a", "vgg19"};
constexpr std::string_view kMethods[] = {"greedy",       "random:walks=5,length=10", "taso:alpha=1.05,budget=100",
                                         "beam:width=8", "anneal:steps=100",         "mcts:rounds=40"};
constexpr std::string_view kFamilies = "merge,compose,fold,activation,algebra";

struct Run {
  double before = 0, after = 0, seconds = 0, peak_mb = 0;
  std::size_t judged = 0, expanded = 0, rewrites = 0;
};

Model prepared(std::string_view name) {
  Model model = build_zoo(name);
  clean(model);
  infer_types(model);
  return model;
}

Run search(const Model& model, std::string_view spec, std::uint64_t seed) {
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const Timer timer;
  const RewriteSpace space(model, Matcher(select_rules(kFamilies), RuleSetting::of(model)), pricing);
  RewriteSearch rewriting(space, {.seed = seed});
  make_rewrite_method(spec)->run(rewriting);
  Run run{.before = space.start()->seconds,
          .after = rewriting.best()->seconds,
          .seconds = timer.seconds(),
          .judged = rewriting.judged(),
          .expanded = rewriting.expanded(),
          .rewrites = rewriting.best()->depth};
  space.finish(model, *rewriting.best());
  return run;
}

Json row_of(std::string_view model, std::string_view method, const Run& run) {
  return {{"model", model},
          {"method", method},
          {"before_ms", 1e3 * run.before},
          {"after_ms", 1e3 * run.after},
          {"saved_percent", 100 * (1 - run.after / run.before)},
          {"rewrites", run.rewrites},
          {"expanded", run.expanded},
          {"judged", run.judged},
          {"seconds", run.seconds},
          {"peak_mb", run.peak_mb}};
}

BenchReport run(const BenchOptions& options) {
  BenchReport report;
  Json seconds = Json::object(), peak = Json::object();
  for (const std::string_view name : kModels) {
    if (name.find(options.filter) == std::string_view::npos) continue;
    if (options.quick && name != "squeezenet") continue;
    const Model model = prepared(name);
    for (const std::string_view method : kMethods) {
      Run run = search(model, method, options.seed);
      run.peak_mb = static_cast<double>(peak_memory_of_child([&] { search(model, method, options.seed); })) / 1024;
      report.rows.push_back(row_of(name, method, run));
      seconds[std::string(name)][std::string(method)] = run.seconds;
      peak[std::string(name)][std::string(method)] = run.peak_mb;
    }
  }
  std::size_t proved = 0;
  for (const Rule& rule : builtin_rules())
    proved += prove(rule, options.quick ? ProofOptions::fast() : ProofOptions()).proved ? 1 : 0;
  const FuzzReport fuzz = fuzz_rewrites({.graphs = options.quick ? 100u : 20'000u, .seed = options.seed});
  report.summary = {{"seconds", seconds},
                    {"peak_mb", peak},
                    {"rules_proved", proved},
                    {"rules_total", builtin_rules().size()},
                    {"fuzzed_graphs", fuzz.graphs},
                    {"fuzzed_rewrites", fuzz.rewrites},
                    {"differences", fuzz.differences}};
  return report;
}

const BenchCase rewrite_case("rewrite", "Graph rewriting by all methods: cost, time and memory", run);

}  // namespace
}  // namespace hone
