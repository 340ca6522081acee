#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "base/timer.h"
#include "bench/bench_run.h"
#include "bench/problem_files.h"
#include "bench/saturated_graph.h"

// Choosing from saturated e-graphs of --data (files of extraction-gym's form, as SmoothE ships those of Tensat): the
// cheapest classes one by one, our search, and the optimum where an integer program proves it.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json extraction_row(const std::filesystem::path& file, const BenchOptions& options) {
  const SaturatedGraph graph = read_saturated_graph(file);
  const CyclicChoice bottom_up = choose_bottom_up(graph.problem);
  const Timer timer;
  const CyclicChoice ours = choose_by_orders(graph.problem, Deadline(1));
  Json row{{"egraph", graph.name},
           {"nodes", graph.problem.choices.size()},
           {"classes", graph.problem.makers.size()},
           {"bottom_up", bottom_up.cost},
           {"ours", ours.cost},
           {"ours_seconds", timer.seconds()}};
  if (ExtractionProver::all().empty()) return row;
  show_progress(fmt::format("{}: proving", graph.name));
  const Timer proving;
  const ProvedChoice proved =
      ExtractionProver::all().front()->prove(graph.problem, ours, Deadline(options.quick ? 10 : 120));
  row["best"] = proved.choice.cost;
  row["bound"] = proved.bound;
  row["proved"] = proved.bound >= proved.choice.cost * (1 - 1e-6);
  row["proving_seconds"] = proving.seconds();
  row["ours_over_best_percent"] = 100 * (ours.cost / proved.choice.cost - 1);
  return row;
}

BenchReport run_extraction(const BenchOptions& options) {
  if (options.data.empty()) fail_usage("this case needs e-graphs: --data DIR");
  std::vector<std::filesystem::path> files = problem_files(
      options.data, [](const std::filesystem::path& path) { return path.extension() == ".json"; }, "e-graphs (*.json)");
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return file.filename().string().find(options.filter) == std::string::npos;
  });
  if (files.empty()) fail_usage("no e-graph of this folder is called '{}'", options.filter);
  BenchReport report;
  std::size_t proved = 0, matched = 0;
  for (const std::filesystem::path& file : files) {
    const Json& row = report.rows.emplace_back(extraction_row(file, options));
    const bool is_proved = row.value("proved", false);
    proved += is_proved ? 1 : 0;
    matched += is_proved && row["ours_over_best_percent"] < 1e-4 && row["ours_seconds"] < 1 ? 1 : 0;
  }
  report.summary = {{"egraphs", files.size()}, {"proved", proved}, {"matched_within_a_second", matched}};
  return report;
}

const BenchRun extraction_case("extraction", run_extraction);

}  // namespace
}  // namespace hone
