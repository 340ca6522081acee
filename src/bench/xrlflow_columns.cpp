#include "bench/xrlflow_columns.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "base/progress.h"
#include "base/timer.h"
#include "bench/rewrite_samples.h"
#include "deliver/delivery.h"
#include "deliver/price_forecast.h"
#include "deliver/profiled_search.h"
#include "formats/onnx/read.h"
#include "formats/onnx/write.h"
#include "graph/ir/structural_hash.h"
#include "graph/ops/infer.h"
#include "learn/rewrite/rewrite_policy.h"
#include "plan/machine/machine_file.h"
#include "run/profile/model_profile.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMethodSeconds = 10, kClimbSeconds = 60, kAloneSeconds = 0.8, kSampleSeconds = 0.3;
constexpr double kQuickMethodSeconds = 3, kQuickClimbSeconds = 20;

constexpr const char* kPricesName = "hone-prices";

/// Columns of methods that go by what operators take alone.
constexpr std::pair<std::string_view, std::string_view> kClassical[] = {{"greedy", "greedy"},
                                                                        {"random", "random:walks=10,length=100"},
                                                                        {"taso", "taso:alpha=1.05,budget=100"},
                                                                        {"saturate", "saturate:extract=greedy"}};

/// Whether a policy was trained without an architecture, by what its card says.
bool has_not_seen(const Safetensors& contents, const std::string& architecture) {
  const auto data = contents.metadata.find("data");
  return data != contents.metadata.end() && data->second.find(architecture) == std::string::npos;
}

/// The first policy of the folder of that kind that has not seen the architecture; what nobody taught where there is
/// none.
std::string policy_for_contest(const BenchOptions& options, std::string_view kind, const std::string& architecture) {
  std::vector<std::filesystem::path> files;
  if (!options.data.empty())
    for (const auto& entry : std::filesystem::directory_iterator(options.data))
      if (entry.path().filename().string().starts_with(kind) && entry.path().extension() == ".safetensors")
        files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files)
    if (has_not_seen(read_safetensors(file), architecture)) return file.string();
  return "zero-step";
}

class Contest {
 public:
  Contest(const RewriteContest& given, const BenchOptions& options)
      : given_(given),
        options_(options),
        start_{.model = std::make_shared<const Model>(given.model), .options = {}, .steps = {}},
        roofline_(load_machine("cpu-gpu"), given.model.opsets) {}

  std::vector<Json> run() {
    add("original", start_, 0);
    time_operators();
    for (const auto& [column, spec] : kClassical) search(std::string(column), std::string(spec), "");
    search_by(kXrlflowColumn, "xrlflow:policy={}", "xrlflow");
    follow_prices();
    climb(kSearchColumn, Guidance::learned);
    climb("climb", Guidance::none);
    measure();
    return rows_;
  }

 private:
  double method_seconds() const { return options_.quick ? kQuickMethodSeconds : kMethodSeconds; }

  /// What came of a column; equal graphs with equal options are timed once.
  void add(std::string_view column, const Proposal& found, double seconds, const std::string& policy = "") {
    const std::filesystem::path file = folder_.path() / fmt::format("{}.onnx", rows_.size());
    onnx::write(*found.model, file);
    const std::string graph = fmt::format("{:016x}", structural_hash(found.model->graph));
    const auto same = std::ranges::find_if(
        candidates_, [&](const Candidate& each) { return each.name == graph && each.options == found.options; });
    places_.push_back(static_cast<std::size_t>(same - candidates_.begin()));
    if (same == candidates_.end()) {
      Candidate made{.name = graph, .model = onnx::read(file), .file = file, .options = found.options};
      infer_types(made.model);
      candidates_.push_back(std::move(made));
    }
    rows_.push_back({{"runtime", given_.runtime->name()},
                     {"model", given_.name},
                     {"column", column},
                     {"search_seconds", seconds},
                     {"policy", policy},
                     {"steps", fmt::format("{}", fmt::join(steps_of(found), ", "))},
                     {"graph", graph}});
  }

  void time_operators() {
    show_progress(fmt::format("{}: timing operators", given_.name));
    ProfileRequest request{.runtime = given_.runtime};
    request.effort = {.least_rounds = 5, .most_rounds = 15, .seconds = options_.quick ? 1.0 : 5.0};
    std::vector<std::string> methods;
    for (const auto& [column, spec] : kClassical) methods.emplace_back(spec);
    ProfiledSearch profiled({.methods = methods,
                             .rules = "all",
                             .domains = {},
                             .settings = {.budget = {.seconds = method_seconds()}, .seed = options_.seed},
                             .made_static = [](const Model& model) { return model; }},
                            {.context = context_of(request), .table = {}});
    profiled.learn(given_.model, [&](const ObservedGraph& nodes) { return time_nodes(nodes, request); });
    timings_ = profiled.timings();
  }

  void search_by(std::string_view column, fmt::format_string<std::string&> spec, std::string_view kind) {
    std::string policy = policy_for_contest(options_, kind, given_.architecture);
    search(std::string(column), fmt::format(spec, policy), policy);
  }

  void search(const std::string& column, const std::string& spec, const std::string& policy) {
    show_progress(fmt::format("{}: {}", given_.name, column));
    const Timer timer;
    const ProfilePricing by_operators(timings_, given_.model, {});
    const NodePricing& pricing = policy.empty() ? static_cast<const NodePricing&>(by_operators) : roofline_;
    const RewriteSpace space(given_.model, Matcher(select_rules("all"), RuleSetting::of(given_.model)), pricing);
    const auto prices = policy.empty() ? std::nullopt : GraphPrices::builtin(given_.runtime->name());
    std::optional<StatePrices> whole;  // by which policies are paid
    if (prices) whole.emplace(given_.model, *prices);
    RewriteSearch rewriting(space, {.budget = {.seconds = method_seconds()},
                                    .seed = options_.seed,
                                    .pricing = whole ? &*whole : nullptr});
    RewriteMethodKind::make_by(spec)->run(rewriting);
    const double seconds = timer.seconds();
    Proposal found = start_;
    found.model = std::make_shared<const Model>(space.finish(given_.model, *rewriting.best_state()));
    add(column, found, seconds, std::filesystem::path(policy).filename().string());
  }

  /// What learned prices alone make of it, for which nothing is measured, asked or run; and what they make of it once a
  /// few of its rewrites have been timed, which correct them.
  void follow_prices() {
    const std::optional<GraphPrices> prices = GraphPrices::builtin(given_.runtime->name());
    if (!prices) {
      for (const std::string_view column : {kAloneColumn, kTunedColumn}) add(column, start_, 0);
      return;
    }
    show_progress(fmt::format("{}: {}", given_.name, kAloneColumn));
    const Timer timer;
    const TunedPrices untuned(*prices, given_.model);
    PriceForecast learned(untuned, with_types);
    const std::optional<Proposal> wanted = improved_by(learned, start_, *given_.runtime, kAloneSeconds);
    add(kAloneColumn, wanted.value_or(start_), timer.seconds(), kPricesName);
    const std::vector<Proposal> samples =
        rewrite_samples(start_, {&wanted, 1}, *given_.runtime, Rng(options_.seed).split(hash_text(given_.name)));
    const TimedSamples timed = time_samples(
        start_, samples, sample_measuring(given_.runtime, options_.quick ? 0.1 : kSampleSeconds, options_.seed));
    const TunedPrices tuned = tuned_by(start_, timed.rewrites, *prices, with_types);
    PriceForecast corrected(tuned, with_types);
    const std::optional<Proposal> better = improved_by(corrected, start_, *given_.runtime, kAloneSeconds);
    add(kTunedColumn, better.value_or(start_), timer.seconds(), kPricesName);
  }

  /// What `hone optimize` delivers by measuring, with or without prices that say what to time first.
  void climb(std::string_view column, Guidance guidance) {
    show_progress(fmt::format("{}: {}", given_.name, column));
    const Timer timer;
    DeliveryRequest request{.guidance = guidance, .runtime = given_.runtime, .seed = options_.seed};
    request.make_static = [](Model& each) { infer_types(each); };
    request.seconds = options_.quick ? kQuickClimbSeconds : kClimbSeconds;
    const Delivery delivery = deliver(given_.model, request);
    add(column, delivery.chosen, timer.seconds());
  }

  void measure() {
    show_progress(fmt::format("{}: measuring", given_.name));
    MeasureOptions measuring{.runtime = given_.runtime};
    measuring.interleave = {
        .seconds = options_.quick ? 0.5 : 1.5, .blocks = options_.quick ? 4U : 6U, .seed = options_.seed};
    const Measurement found = measure_models(candidates_, measuring);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Measured& measured = found.models[places_[i]];
      if (!measured.failure.empty()) fail("{}: {}", given_.name, measured.failure);
      rows_[i]["run_ms"] = 1e3 * measured.latency.median;
      rows_[i]["speedup"] = measured.ratio ? measured.ratio->speedup() : 1;
      rows_[i]["low"] = measured.ratio ? 1 / measured.ratio->high : 1;
      rows_[i]["high"] = measured.ratio ? 1 / measured.ratio->low : 1;
    }
  }

  const RewriteContest& given_;
  const BenchOptions& options_;
  Proposal start_;
  RooflinePricing roofline_;
  OperatorTimings timings_;
  TemporaryFolder folder_;
  std::vector<Candidate> candidates_;  // the original first
  std::vector<std::size_t> places_;    // of rows among them
  std::vector<Json> rows_;
};

}  // namespace

std::vector<Json> contest_rows(const RewriteContest& contest, const BenchOptions& options) {
  return Contest(contest, options).run();
}

}  // namespace hone
