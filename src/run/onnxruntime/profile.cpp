#include "run/onnxruntime/profile.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text_file.h"

namespace hone::ort {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernelSuffix = "_kernel_time";

std::string text_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return {};
  return it->is_string() ? it->get<std::string>() : it->dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Numbers stand as numbers or, among the arguments, as texts.
double number_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return 0;
  if (it->is_number()) return it->get<double>();
  return it->is_string() ? std::strtod(it->get_ref<const std::string&>().c_str(), nullptr) : 0;
}

KernelEvent kernel_event(const Json& event, std::string_view name) {
  const auto found = event.find("args");
  const Json& args = found != event.end() && found->is_object() ? *found : Json::object();
  return {.node = std::string(name.substr(0, name.size() - kKernelSuffix.size())),
          .op = text_at(args, "op_name"),
          .provider = text_at(args, "provider"),
          .input_types = text_at(args, "input_type_shape"),
          .output_types = text_at(args, "output_type_shape"),
          .start_seconds = number_at(event, "ts") * 1e-6,
          .seconds = number_at(event, "dur") * 1e-6,
          .output_bytes = number_at(args, "output_size"),
          .parameter_bytes = number_at(args, "parameter_size")};
}

template <class Key>
std::vector<KernelTotal> totals(const RunProfile& profile, Key key) {
  std::map<std::string, KernelTotal> by_key;
  for (const KernelEvent& event : profile.kernels) {
    KernelTotal& total = by_key[key(event)];
    total.name = key(event);
    total.op = event.op;
    ++total.count;
    total.seconds += event.seconds;
  }
  std::vector<KernelTotal> sorted;
  for (auto& [name, total] : by_key) sorted.push_back(std::move(total));
  std::ranges::stable_sort(sorted, std::greater{}, &KernelTotal::seconds);
  return sorted;
}

}  // namespace

RunProfile parse_profile(std::string_view text, const std::string& source) {
  const Json events = Json::parse(text, nullptr, false);
  if (!events.is_array()) fail("{}: not a profile of ONNX Runtime", source);
  RunProfile profile;
  for (const Json& event : events) {
    if (!event.is_object()) fail("{}: not a profile of ONNX Runtime", source);
    const std::string name = text_at(event, "name");
    if (name == "model_run") {
      profile.run_starts.push_back(number_at(event, "ts") * 1e-6);
      profile.run_seconds.push_back(number_at(event, "dur") * 1e-6);
    }
    if (text_at(event, "cat") == "Node" && name.ends_with(kKernelSuffix))
      profile.kernels.push_back(kernel_event(event, name));
  }
  std::ranges::stable_sort(profile.kernels, {}, &KernelEvent::start_seconds);
  return profile;
}

RunProfile read_profile(const std::filesystem::path& file) {
  return parse_profile(read_text_file(file).text, file.string());
}

RunProfile last_runs(RunProfile profile, std::size_t runs) {
  if (profile.run_starts.size() <= runs) return profile;
  const auto dropped = static_cast<std::ptrdiff_t>(profile.run_starts.size() - runs);
  profile.run_starts.erase(profile.run_starts.begin(), profile.run_starts.begin() + dropped);
  profile.run_seconds.erase(profile.run_seconds.begin(), profile.run_seconds.begin() + dropped);
  const double start = profile.run_starts.front();
  std::erase_if(profile.kernels, [start](const KernelEvent& event) { return event.start_seconds < start; });
  return profile;
}

std::vector<KernelTotal> totals_by_node(const RunProfile& profile) {
  return totals(profile, [](const KernelEvent& event) { return event.node; });
}
std::vector<KernelTotal> totals_by_operator(const RunProfile& profile) {
  return totals(profile, [](const KernelEvent& event) { return event.op; });
}

}  // namespace hone::ort
