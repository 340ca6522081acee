#include <fmt/format.h>

#include <algorithm>

#include "base/child_process.h"
#include "base/verbosity.h"
#include "cli/examples.h"
#include "cli/model_source.h"
#include "cli/output_arguments.h"
#include "cli/runtime_arguments.h"
#include "cli/verb.h"
#include "graph/ops/freeze.h"
#include "plan/problem/group_contents.h"
#include "report/fitted.h"
#include "report/json_line.h"
#include "report/table.h"
#include "run/profile/group_profile.h"
#include "run/verify/inputs.h"
#include "store/records/profile_records.h"

namespace hone {
namespace {

struct ProfileArguments {
  std::string model, database, plan;
  OutputArguments output;
  RuntimeArguments runtime;
  DimOptions dims;
  std::size_t threads = 1;
  bool fresh = false, json = false;
};

/// A configuration, and how many nodes have it.
struct ConfigLine {
  NodeTiming record;
  double count = 0;
  double total() const { return count * record.seconds; }
};

/// Those that take most of the time first.
std::vector<ConfigLine> config_lines(const ModelProfile& profile) {
  std::map<std::string, double> count;
  for (const ProfiledNode& node : profile.graph.nodes) ++count[node.config];
  std::vector<ConfigLine> lines;
  for (const NodeTiming& record : profile.table.records()) lines.push_back({record, count[record.config]});
  std::ranges::stable_sort(lines, std::greater{}, &ConfigLine::total);
  return lines;
}

/// Groups of a plan that contain alike operators, together.
struct GroupLine {
  std::string contents;
  std::size_t groups = 0;
  double seconds = 0;
};

/// Those that take most of the time first.
std::vector<GroupLine> group_lines(const GroupProfile& profile) {
  const GroupContents contents(profile.problem.workload, profile.plan);
  std::map<std::string, GroupLine> by_text;
  for (std::size_t i = 0; i < profile.seconds.size(); ++i) {
    const std::string text = contents.text(GroupId(i));
    GroupLine& line = by_text.try_emplace(text, GroupLine{.contents = text}).first->second;
    ++line.groups;
    line.seconds += profile.seconds[i];
  }
  std::vector<GroupLine> lines;
  for (auto& [text, line] : by_text) lines.push_back(std::move(line));
  std::ranges::stable_sort(lines, std::greater{}, &GroupLine::seconds);
  return lines;
}

std::string group_table(const GroupProfile& profile) {
  constexpr std::size_t kShown = 25;
  double sum = 0;
  for (const double seconds : profile.seconds) sum += seconds;
  const std::vector<GroupLine> lines = group_lines(profile);
  Table table({"total us", "share", "groups", {"contents", Fit::shortened}});
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    table.add({fmt::format("{:.1f}", lines[i].seconds * 1e6), fmt::format("{:.1f} %", 100 * lines[i].seconds / sum),
               fmt::to_string(lines[i].groups), lines[i].contents});
  return table.text() + fmt::format("{} groups take {:.3f} ms\n\n", profile.seconds.size(), sum * 1e3);
}

nlohmann::ordered_json groups_json(const GroupProfile& profile) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const GroupLine& line : group_lines(profile))
    groups.push_back({{"contents", line.contents}, {"groups", line.groups}, {"seconds", line.seconds}});
  return groups;
}

/// Of the plan given, or of that which the runtime would take; nothing on a runtime that obeys none.
std::optional<GroupProfile> groups_of(const ProfileArguments& given, const Model& model, const Runtime& runtime) {
  if (given.plan.empty() && runtime.plan_machine().empty()) return std::nullopt;
  GroupTiming timing{.threads = given.threads, .inputs = given_inputs(model, {}, 0)};
  if (!given.plan.empty()) timing.options = runtime.by_plan(model, given.plan, {});
  return profile_groups(runtime, model, timing);
}

std::string config_table(const std::vector<ConfigLine>& lines) {
  constexpr std::size_t kShown = 25;
  Table table({"total us", "count", "us", "p10", "p90", {"configuration", Fit::shortened}});
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    const NodeTiming& record = lines[i].record;
    table.add({fmt::format("{:.1f}", lines[i].total() * 1e6), fmt::format("{:.0f}", lines[i].count),
               fmt::format("{:.1f}", record.seconds * 1e6), fmt::format("{:.1f}", record.p10 * 1e6),
               fmt::format("{:.1f}", record.p90 * 1e6), record.config});
  }
  return table.text();
}

/// What the models profiled before say about how far the whole is from the sum of its nodes.
std::string prediction_text(const GraphFeatures& features, const std::vector<MeasuredGraph>& others, double measured) {
  if (others.empty()) return "no other model was profiled under these conditions to learn from\n";
  const double predicted = Correction::fit(others).predict_seconds(features);
  return fmt::format("predicted {:.3f} ms from its nodes and {} other model{}, {:+.1f} % off\n", predicted * 1e3,
                     others.size(), others.size() == 1 ? "" : "s", 100 * (predicted / measured - 1));
}

nlohmann::ordered_json profile_json(const ModelProfile& profile, const GraphFeatures& features) {
  nlohmann::ordered_json object{{"runtime", profile.context.runtime},
                                {"nodes", profile.graph.nodes.size()},
                                {"sum_seconds", features.sum_seconds},
                                {"measured_seconds", profile.measured_seconds},
                                {"rounds", profile.rounds},
                                {"configurations", nlohmann::ordered_json::array()},
                                {"not_timed", profile.graph.untimed}};
  for (const ConfigLine& line : config_lines(profile))
    object["configurations"].push_back({{"configuration", line.record.config},
                                        {"count", line.count},
                                        {"seconds", line.record.seconds},
                                        {"p10", line.record.p10},
                                        {"p90", line.record.p90}});
  return object;
}

std::string profile_text(const ModelProfile& profile, const GraphFeatures& features) {
  return config_table(config_lines(profile)) + "\n" +
         fitted(fmt::format("{} nodes of {} configurations: {:.3f} ms one by one, {:.3f} ms as a whole ({}, {} rounds)",
                            profile.graph.nodes.size(), profile.table.records().size(), features.sum_seconds * 1e3,
                            profile.measured_seconds * 1e3, profile.context.runtime, profile.rounds));
}

ExitCode profile_given(ProfileArguments& given) {
  const TemporaryFolder folder;
  const OutputTarget target = given.output.target({&given.model, 1});
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
  const std::optional<GroupProfile> groups = groups_of(given, model, *request.runtime);
  std::string text = (groups ? group_table(*groups) : std::string()) + profile_text(profile, features);
  if (store) {
    text += prediction_text(features, stored_graphs(*store, profile.context, model), profile.measured_seconds);
    record_profile(*store, given.model, model, profile, request.known);
  }
  const SavedOutput saved =
      target.save([&](const std::filesystem::path& path) { write_profiles(profile.table, path); });
  nlohmann::ordered_json object = profile_json(profile, features);
  if (groups) object["groups"] = groups_json(*groups);
  enter(saved, object);
  fmt::print("{}", given.json ? json_line(object) : text);
  for (const std::string& reason : profile.graph.untimed) note("not timed: {}", reason);
  return told(saved);
}

std::function<ExitCode()> setup_profile(CLI::App& command) {
  auto given = std::make_shared<ProfileArguments>();
  command.add_option("model", given->model, "Model file or zoo:NAME")->required();
  given->dims.add_to(command);
  command.add_option("--threads", given->threads, "Threads that share a node")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  given->runtime.add_to(command, std::string(RuntimeKind::usual().name()));
  command.add_option("--plan", given->plan, "Time the groups of this plan file, on a runtime that obeys it");
  given->output.add_to(command, json_lines_form(),
                       "File for the timings, one JSON object a line; - is standard output");
  CLI::Option* database =
      command.add_option("--db", given->database, "Take known timings from this store and add the new ones (hone db)");
  command.add_flag("--fresh", given->fresh, "Time everything again")->needs(database);
  command.add_flag("--json", given->json, "One JSON object instead of a table");
  add_examples(command, {{"hone profile model.onnx", "the slowest operators first"},
                         {"hone profile model.onnx --runtime native", "groups of operators, too"},
                         {"hone profile model.onnx --threads 2 --db default", "and keep the timings"}});
  return [given] { return profile_given(*given); };
}

const Verb profile("profile", Topic::models, "Time every operator of a model on a runtime, one by one", setup_profile);

}  // namespace
}  // namespace hone
