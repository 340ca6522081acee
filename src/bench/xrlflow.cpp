#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/progress.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/finished_rows.h"
#include "bench/model_files.h"
#include "bench/rewrite_samples.h"
#include "bench/xrlflow_columns.h"
#include "formats/onnx/read.h"
#include "graph/clean/clean.h"
#include "graph/ops/infer.h"
#include "zoo/registry.h"

// Rewriting by learned policies beside classical methods and today's measured choice (`climb`), on models whose
// architecture the policies have not seen: what the graph of each takes on a runtime, and how long it was looked for.
// `hone-rewrite` alone is what prices that were learned on drawn networks make of a model, with search it is
// `hone optimize` that times first what they speak for; `climb` is the same without them, in equal time. --data is a
// folder of policies `xrlflow-*.safetensors`: the first is taken whose card does not name the architecture among its
// data; `zero-step` stands where there is none. Classical methods go by what operators take alone, as in
// `hone bench rewrite`, `xrlflow` by the roofline, so that nothing is measured for it. With --db rows that are done are
// kept, --quick gives all of them less time, and --filter 'native bert' takes one runtime and model.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// Models of the paper as the zoo has them, and the word by which a policy's card would name them.
constexpr std::pair<std::string_view, std::string_view> kPaperModels[] = {{"bert", "bert"},
                                                                          {"dalle-mini", "dalle"},
                                                                          {"transformer-transducer", "transducer"},
                                                                          {"vit", "vit"},
                                                                          {"inception-v3", "inception"},
                                                                          {"resnext50", "resne"},
                                                                          {"squeezenet", "squeezenet"}};

/// Of a file's name: `t5` is a word, `t` is in all of them.
constexpr std::size_t kShortestWord = 2;

struct ContestModel {
  std::string name, architecture;
  std::filesystem::path file;  // none for models of the zoo
};

std::vector<ContestModel> contest_models(const BenchOptions& options) {
  std::vector<ContestModel> models;
  for (const auto& [name, architecture] : kPaperModels)
    models.push_back({std::string(name), std::string(architecture), {}});
  BenchOptions all_files = options;
  all_files.filter.clear();
  if (!options.models.empty())
    for (const auto& file : model_files(all_files)) {
      const std::string name = file.stem().string();
      models.push_back({name, name.substr(0, name.find_first_of("0123456789_-", kShortestWord)), file});
    }
  return models;
}

std::vector<Json> rows_of_contest(const ContestModel& wanted, const std::shared_ptr<const Runtime>& runtime,
                                  const BenchOptions& options, FinishedRows& finished) {
  const Json request{{"model", wanted.name},          {"runtime", runtime->label()}, {"data", options.data.string()},
                     {"seed", options.seed},          {"quick", options.quick},      {"commit", commit()},
                     {"computer", this_hardware().id}};
  if (const std::optional<Json> known = finished.find(request)) return (*known)["rows"];
  RewriteContest contest{.name = wanted.name,
                         .architecture = wanted.architecture,
                         .model = wanted.file.empty() ? build_zoo(wanted.name) : onnx::read(wanted.file),
                         .runtime = runtime};
  infer_types(contest.model);
  clean(contest.model);
  infer_types(contest.model);
  const std::vector<Json> rows = contest_rows(contest, options);
  finished.add(graph_record(wanted.name, contest.model), request, {{"rows", rows}});
  return rows;
}

/// What one column came to on one model.
struct Standing {
  double speedup = 1, low = 1, high = 1;
};
using StandingsOfModel = std::map<std::string, Standing>;

bool is_ours(const std::string& column) { return column.starts_with(kAloneColumn); }

/// Sums up one runtime, by the search with our policy against the best column that is not ours.
class ContestSummary {
 public:
  void add(const StandingsOfModel& columns) {
    const Standing& ours = columns.at(std::string(kSearchColumn));
    const Standing* best = nullptr;
    for (const auto& [column, standing] : columns)
      if (!is_ours(column) && (best == nullptr || standing.speedup > best->speedup)) best = &standing;
    ++models_;
    wins_or_ties_ += ours.high >= best->low ? 1 : 0;
    strictly_better_ += ours.low > best->high ? 1 : 0;
    slower_ += ours.high < 1 ? 1 : 0;
    over_taso_ += std::log(ours.speedup / columns.at("taso").speedup);
    percent_ += 100 * (ours.speedup - 1);
    const Standing& most = ours.speedup > best->speedup ? ours : *best;
    if (most.low > 1.01) {
      measured_gain_ += std::log(most.speedup);
      zero_shot_gain_ += std::log(columns.at(std::string(kAloneColumn)).speedup);
    }
  }

  bool is_empty() const { return models_ == 0; }
  Json json() const {
    const auto count = static_cast<double>(models_);
    return {{"models", models_},
            {"wins_or_ties", wins_or_ties_},
            {"strictly_better", strictly_better_},
            {"geomean_over_taso", std::exp(over_taso_ / count)},
            {"mean_percent", percent_ / count},
            {"zero_shot_share", measured_gain_ > 0 ? zero_shot_gain_ / measured_gain_ : 1},
            {"slower", slower_}};
  }

 private:
  std::size_t models_ = 0, wins_or_ties_ = 0, strictly_better_ = 0, slower_ = 0;
  double over_taso_ = 0, percent_ = 0, measured_gain_ = 0, zero_shot_gain_ = 0;
};

BenchReport run_xrlflow(const BenchOptions& options) {
  const std::vector<ContestModel> models = contest_models(options);
  const std::vector<std::shared_ptr<const Runtime>> runtimes = measured_runtimes();
  FinishedRows finished("xrlflow", options.store);
  BenchReport report;
  for (const auto& runtime : runtimes) {
    ContestSummary summary;
    for (const ContestModel& model : models) {
      if (fmt::format("{} {}", runtime->name(), model.name).find(options.filter) == std::string::npos) continue;
      StandingsOfModel columns;
      for (Json& row : rows_of_contest(model, runtime, options, finished)) {
        columns[row["column"]] = {row["speedup"], row["low"], row["high"]};
        report.rows.push_back(std::move(row));
      }
      summary.add(columns);
    }
    if (!summary.is_empty()) report.summary[runtime->name()] = summary.json();
  }
  if (report.rows.empty()) fail_usage("no runtime and model have '{}' in their names", options.filter);
  return report;
}

const BenchRun xrlflow_case("xrlflow", run_xrlflow);

}  // namespace
}  // namespace hone
