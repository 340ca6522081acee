#include <fmt/format.h>

#include <algorithm>

#include "base/child_process.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "graph/ops/freeze.h"
#include "report/table.h"
#include "store/records/profile_records.h"

namespace hone {
namespace {

struct ProfileArguments {
  std::string model, output, database;
  RuntimeArguments runtime;
  DimOptions dims;
  std::size_t threads = 1;
  bool fresh = false;
};

/// One row a configuration, those that take most of the time first.
std::string config_table(const ModelProfile& profile) {
  constexpr std::size_t kShown = 25;
  struct Line {
    NodeTiming record;
    double count = 0;
    double total() const { return count * record.seconds; }
  };
  std::map<std::string, double> count;
  for (const ProfiledNode& node : profile.graph.nodes) ++count[node.config];
  std::vector<Line> lines;
  for (const NodeTiming& record : profile.table.records()) lines.push_back({record, count[record.config]});
  std::ranges::stable_sort(lines, std::greater{}, &Line::total);
  Table table({"total us", "count", "us", "p10", "p90", "configuration"});
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    const NodeTiming& record = lines[i].record;
    table.add({fmt::format("{:.1f}", lines[i].total() * 1e6), fmt::format("{:.0f}", lines[i].count),
               fmt::format("{:.1f}", record.seconds * 1e6), fmt::format("{:.1f}", record.p10 * 1e6),
               fmt::format("{:.1f}", record.p90 * 1e6), record.config});
  }
  return table.text();
}

/// What the models profiled before say about how far the whole is from the sum of its nodes.
void print_prediction(const GraphFeatures& features, const std::vector<MeasuredGraph>& others, double measured) {
  if (others.empty()) return fmt::print("no other model was profiled under these conditions to learn from\n");
  const double predicted = Correction::fit(others).predict_seconds(features);
  fmt::print("predicted {:.3f} ms from its nodes and {} other model{}, {:+.1f} % off\n", predicted * 1e3, others.size(),
             others.size() == 1 ? "" : "s", 100 * (predicted / measured - 1));
}

ExitCode profile_given(ProfileArguments& given) {
  const TemporaryFolder folder;
  Model model = load_model(given.model);
  given.dims.settle(model, {});
  given.dims.apply(model);
  freeze_signature(model);
  const auto file = folder.path() / "model.onnx";
  save_model(model, file);
  std::optional<Store> store;
  if (!given.database.empty()) store.emplace(given.database);
  ProfileRequest request{.runtime = given.runtime.make(), .threads = given.threads};
  if (store && !given.fresh) request.known = stored_profiles(*store, context_of(request));
  const ModelProfile profile = profile_model(model, file, request);
  const GraphFeatures features = features_of(profile.graph, profile.context, profile.table);
  fmt::print("{}\n{} nodes of {} configurations: {:.3f} ms one by one, {:.3f} ms as a whole ({}, {} rounds)\n",
             config_table(profile), profile.graph.nodes.size(), profile.table.records().size(),
             features.sum_seconds * 1e3, profile.measured_seconds * 1e3, profile.context.runtime, profile.rounds);
  for (const std::string& reason : profile.graph.untimed) fmt::print(stderr, "not timed: {}\n", reason);
  if (store) {
    print_prediction(features, stored_graphs(*store, profile.context, model), profile.measured_seconds);
    record_profile(*store, given.model, model, profile, request.known);
  }
  if (!given.output.empty()) write_profiles(profile.table, given.output);
  return ExitCode::done;
}

std::function<ExitCode()> setup_profile(CLI::App& command) {
  auto given = std::make_shared<ProfileArguments>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->dims.add_to(command);
  command.add_option("--threads", given->threads, "Threads that share a node")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  given->runtime.add_to(command, std::string(RuntimeKind::usual().name()));
  command.add_option("-o,--output", given->output, "File for the timings, one JSON object a line");
  CLI::Option* database =
      command.add_option("--db", given->database, "Take known timings from this store and add the new ones (hone db)");
  command.add_flag("--fresh", given->fresh, "Time everything again")->needs(database);
  add_examples(command, {{"hone profile model.onnx", "the slowest operators first"},
                         {"hone profile model.onnx --threads 2 --db default", "and keep the timings"}});
  return [given] { return profile_given(*given); };
}

const Verb profile("profile", Topic::models, "Time every operator of a model on a runtime, one by one", setup_profile);

}  // namespace
}  // namespace hone
