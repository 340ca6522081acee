#include "cli/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/sentence.h"
#include "base/verbosity.h"
#include "formats/source/model_file.h"
#include "formats/source/planning_source.h"
#include "plan/methods/room.h"
#include "store/records/gain_records.h"
#include "zoo/dataset.h"

namespace hone {
namespace {

bool is_model_file(const std::filesystem::path& path) {
  return path.extension() == ".onnx" || path.extension() == ".onnxtxt";
}

/// Ctrl-C ends loading, which may take long: nothing has come of it yet.
void stop_if_interrupted() {
  if (interrupted()) throw InputError("interrupted while loading graphs", ExitCode::interrupted);
}

std::vector<Workload> draw(const std::string& recipe_text) {
  const zoo::DatasetRecipe recipe = zoo::parse_recipe(recipe_text);
  const auto is_kept = [&](const Workload& graph) {
    stop_if_interrupted();
    return recipe.keep == zoo::Keep::all || has_room(graph, RoomTest());
  };
  show_progress(fmt::format("drawing graphs of {}", recipe_text));
  const zoo::Dataset dataset(recipe, is_kept);
  std::vector<Workload> graphs;
  for (const zoo::Dataset::Item& item : dataset.items_of(zoo::Split::train)) {
    stop_if_interrupted();
    graphs.push_back(dataset.graph(item));
  }
  erase_progress();
  if (graphs.empty())
    fail_usage("{}: none of its graphs is for training, as about six in ten are; a larger count has some", recipe_text);
  return graphs;
}

Workload load_one(const std::string& name) {
  stop_if_interrupted();
  Workload graph = open_operations(name, {}, OpenDims::are_assumed).workload;
  if (graph.operation_count() == 0) fail("{}: has no operation to plan", name);
  graph.name = name;
  return graph;
}

std::vector<std::filesystem::path> models_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder, std::filesystem::directory_options::skip_permission_denied))
    if (is_model_file(entry.path()) && entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<Workload> load_folder(const std::filesystem::path& folder) {
  std::vector<Workload> graphs;
  for (const std::filesystem::path& file : models_below(folder)) {
    try {
      graphs.push_back(load_one(file.string()));
    } catch (const InputError& error) {
      stop_if_interrupted();
      note("left out: {}", one_line(error.what()));
    }
  }
  if (graphs.empty()) fail("{}: there is no model in this folder that can be planned", folder.string());
  return graphs;
}

}  // namespace

std::vector<Workload> load_training_data(const std::vector<std::string>& names) {
  std::vector<Workload> graphs;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (zoo::is_dataset_recipe(name)) std::ranges::move(draw(name), std::back_inserter(graphs));
    else if (std::filesystem::is_directory(name, ignored))
      std::ranges::move(load_folder(name), std::back_inserter(graphs));
    else graphs.push_back(load_one(name));
  }
  return graphs;
}

std::vector<std::shared_ptr<const Model>> load_training_models(const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<const Model>> models;
  const auto add = [&](const std::string& spec) {
    stop_if_interrupted();
    models.push_back(std::make_shared<const Model>(load_model(spec)));
  };
  for (const std::string& name : names) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) add(name);
    else
      for (const std::filesystem::path& file : models_below(name)) add(file.string());
  }
  return models;
}

std::vector<MeasuredGains> load_measured_gains(const std::vector<std::string>& stores) {
  std::vector<MeasuredGains> all;
  for (const std::string& url : stores) {
    Store store(url, StoreAccess::read);
    std::ranges::move(stored_gains(store), std::back_inserter(all));
  }
  return all;
}

}  // namespace hone
