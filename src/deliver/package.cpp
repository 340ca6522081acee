#include "deliver/package.h"

#include <fstream>

#include "base/mapped_file.h"
#include "base/sha256.h"
#include "base/version.h"
#include "formats/onnx/write.h"
#include "graph/ir/node_notes.h"
#include "run/profile/operator_timing.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "hone.delivery/1";
constexpr std::int64_t kNodeMetadataVersion = 10;  // of the IR

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json steps_json(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps)
    list.push_back({{"part", name_of(step.part)}, {"name", step.name}, {"sites", step.sites}});
  return list;
}

Json options_json(const Delivery& delivery, const DeliveryRequest& request) {
  return described_runtime(request)->describe(delivery.chosen.options, request.threads);
}

Json origins_json(const Graph& graph) {
  Json list = Json::array();
  for (const Origin& origin : made_by_rules(graph))
    list.push_back({{"node", origin.node}, {"rule", origin.rule}, {"from", origin.from}});
  return list;
}

std::string verdict_of(const Delivery& delivery) {
  if (delivery.checked_on.empty()) return "not compared";
  return delivery.correct() ? "equal" : "different";
}

}  // namespace

std::shared_ptr<const Runtime> described_runtime(const DeliveryRequest& request) {
  return request.runtime ? request.runtime : usual_runtime();
}

std::string source_digest(const Model& original) {
  if (std::filesystem::is_regular_file(original.source)) return sha256(MappedFile::open(original.source)->bytes());
  const std::string bytes = onnx::encode(original);
  return sha256(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

Json delivery_json(const Delivery& delivery, const DeliveryRequest& request, const Model& original) {
  Json object{{"schema", kSchema},
              {"version", version()},
              {"source", original.source},
              {"source_sha256", delivery.source_sha256},
              {"seed", request.seed},
              {"nodes_before", original.graph.node_count()},
              {"nodes_after", delivery.chosen.model->graph.node_count()},
              {"gain", delivery.gain},
              {"steps", steps_json(delivery.chosen.steps)},
              {"runtime_options", options_json(delivery, request)}};
  if (delivery.measurement) {
    object["runtime"] = delivery.measurement->runtime;
    object["hardware"] = hardware_fingerprint();
    if (delivery.whole) object["speedup"] = speedup_json(*delivery.whole);
    if (delivery.model_part) object["speedup_of_model"] = speedup_json(*delivery.model_part);
    if (delivery.runtime_part) object["speedup_of_options"] = speedup_json(*delivery.runtime_part);
  }
  object["decisions"] = decisions_json(delivery.log, Detail::everything);
  object["nodes"] = origins_json(delivery.chosen.model->graph);
  return object;
}

Model packaged(const Delivery& delivery, const DeliveryRequest& request) {
  Model model = *delivery.chosen.model;
  std::vector<Entry> entries{{"hone.version", std::string(version())},
                             {"hone.source_sha256", delivery.source_sha256},
                             {"hone.verified", verdict_of(delivery)},
                             {"hone.steps", dumped(steps_json(delivery.chosen.steps))},
                             {"hone.decisions", dumped(decisions_json(delivery.log, Detail::lasting))}};
  if (delivery.measurement) {
    entries.emplace_back("hone.runtime", delivery.measurement->runtime);
    entries.emplace_back("hone.hardware", hardware_fingerprint());
    entries.emplace_back("hone.runtime_options", dumped(options_json(delivery, request)));
  }
  model.notes = with_entries(model.notes, entries);
  if (model.ir_version.value_or(0) < kNodeMetadataVersion) drop_origins(model.graph);
  return model;
}

std::string_view name_of(Part part) {
  switch (part) {
    case Part::model: return "model";
    case Part::runtime: return "runtime";
    case Part::plan: return "plan";
  }
  return "";
}

std::string packaged_plan(const Delivery& delivery, const DeliveryRequest& request) {
  if (!delivery.measurement) return {};
  Model model = *delivery.chosen.model;
  request.make_static(model);
  return request.runtime->plan_of(model, delivery.chosen.options);
}

std::filesystem::path plan_file(const std::filesystem::path& model_file) {
  std::filesystem::path path = model_file;
  return path.replace_extension(".plan.json");
}

std::filesystem::path description_file(const std::filesystem::path& model_file) {
  std::filesystem::path path = model_file;
  return path.replace_extension(".json");
}

bool is_description(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json found = Json::parse(stream, nullptr, false);
  return found.is_object() && found.value("schema", Json()) == kSchema;
}

}  // namespace hone
